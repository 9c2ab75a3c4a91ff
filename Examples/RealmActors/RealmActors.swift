// SPDX-License-Identifier: Apache-2.0

// Realm and Swift's actors together: each step is a pattern, does something, and checks it.
//
//     swift run realm-actors

import Foundation
import RealmSwift

@main
@MainActor
struct RealmActors {
  static func main() async {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "realm-actors-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let configuration = Realm.Configuration(
        fileURL: folder.appending(path: "parcels.realm"),
        objectTypes: [Parcel.self, Courier.self])
      try await Tour(configuration).run()
    } catch {
      FileHandle.standardError.write(Data("realm-actors: \(error)\n".utf8))
      exit(1)
    }
  }
}

/// Something in the tour was not as it should be.
struct UnexpectedResult: Error, CustomStringConvertible {
  var description: String
}

/// Stops the tour if something is not as it should be.
func expect(
  _ isRight: Bool, _ what: @autoclosure () -> String, line: UInt = #line
) throws {
  if !isRight { throw UnexpectedResult(description: "line \(line): \(what())") }
}
