// SPDX-License-Identifier: Apache-2.0

// Patterns for Realm with Swift's actors: each step shows one, and checks its result.
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

/// A check of the tour failed.
struct UnexpectedResult: Error, CustomStringConvertible {
  var description: String
}

/// Stops the tour if a condition is false.
func expect(
  _ isRight: Bool, _ what: @autoclosure () -> String, line: UInt = #line
) throws {
  if !isRight { throw UnexpectedResult(description: "line \(line): \(what())") }
}
