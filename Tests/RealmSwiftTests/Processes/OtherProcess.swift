// SPDX-License-Identifier: Apache-2.0

// Starts the program `realm-second-process` and talks to it.

import Foundation
import RealmSwift
import RealmTestSupport

/// The same model as in the other process.
class SharedCounter: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var value: Int
  /// Always equal to `value` outside of transactions.
  @Persisted var twin: Int
  @Persisted var text: String

  // The process of the tests has the class twice: the program is linked into it.
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A running second process; killed with the last reference, if it still runs.
final class OtherProcess: Sendable {
  struct Silence: Error {
    let question: String
  }

  private let program: SpawnedProgram
  // Touched on `queue` only, where blocking is harmless.
  private nonisolated(unsafe) var unread = Data()
  private let queue = DispatchQueue(label: "second process")

  init() throws {
    program = try SpawnedProgram(Self.path, input: .pipe, output: .pipe)
  }

  /// Starts the program as in a container of the same kernel: with process numbers of its own, and
  /// with a folder under another path.
  init(containing folder: String, as mounted: String) throws {
    program = try SpawnedProgram(
      Self.containerProgram,
      [
        "--pid", "--fork", "--kill-child", "--mount", "/bin/sh", "-c",
        "mount --bind \"$1\" \"$2\" && exec \"$3\"", "sh", folder, mounted, Self.path,
      ],
      input: .pipe, output: .pipe)
  }

  private static let containerProgram = "/usr/bin/unshare"

  /// Whether the system lets this process make such containers.
  static let canBeContained: Bool = {
    #if os(Linux)
    guard FileManager.default.isExecutableFile(atPath: containerProgram) else { return false }
    let trial = try? SpawnedProgram(
      containerProgram, ["--pid", "--fork", "--mount", "/bin/true"], errors: .pipe)
    return trial?.waitUntilExit() == 0
    #else
    return false
    #endif
  }()

  deinit { program.kill() }

  /// The program, which is built where the tests are.
  private static var path: String {
    #if canImport(Darwin)
    let tests = Bundle(for: OtherProcess.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
    return tests.deletingLastPathComponent().appendingPathComponent("realm-second-process").path
  }

  /// Sends a command to the process; returns its answer.
  @discardableResult
  func ask(_ question: String) async throws -> String {
    try await onQueue {
      self.program.input?.write(Data("\(question)\n".utf8))
      guard let answer = self.readLine() else { throw Silence(question: question) }
      return answer
    }
  }

  /// Kills the process at once, wherever it is, and waits until the system has cleaned up.
  func killNow() async throws {
    try await onQueue {
      self.program.kill()
      self.program.waitUntilExit()
    }
  }

  private func onQueue<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result(catching: body)) }
    }
  }

  private func readLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: 10) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      guard let more = program.output?.availableData, !more.isEmpty else { return nil }
      unread += more
    }
  }
}
