// SPDX-License-Identifier: Apache-2.0

// Studio with its sockets, in the process of the tests.

#if Tools
import Foundation
import RealmTestSupport

@testable import RealmStudio

/// A server that runs until it is ended.
final class RunningStudio: Sendable {
  let directory: TemporaryDirectory
  /// The address of the page, with its token.
  let address: String
  private let task: Task<Void, any Error>

  /// - Parameter make: Makes the file at a path.
  init(
    isWritable: Bool = true, make: (String) throws -> Void = { try SampleFile.makePeople($0) }
  ) async throws {
    directory = try TemporaryDirectory()
    let path = directory.file("sample.realm")
    try make(path)
    let server = StudioServer(
      StudioOptions(files: [StudioFile(path: path)], isWritable: isWritable))
    let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
    task = Task {
      defer { continuation.finish() }
      try await server.run(signals: []) { continuation.yield($0) }
    }
    var iterator = addresses.makeAsyncIterator()
    guard let address = await iterator.next() else {
      try await task.value
      throw CancellationError()
    }
    self.address = address
  }

  var path: String { directory.file("sample.realm") }

  /// The address of something else on the server.
  func url(_ target: String) throws -> URL {
    guard let url = URL(string: target, relativeTo: URL(string: address)) else {
      throw URLError(.badURL)
    }
    return url
  }

  var token: String { String(address.split(separator: "=").last ?? "") }

  /// Ends the server, and waits for its end.
  func end() async throws {
    task.cancel()
    try await task.value
  }
}
#endif
