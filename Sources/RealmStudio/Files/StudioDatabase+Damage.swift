// SPDX-License-Identifier: Apache-2.0

// What can be saved of a damaged file.

#if Tools
import Dispatch
import Foundation
import RealmFormats
import RealmSalvage

extension StudioDatabase {
  /// How many objects of each class a salvage of the file would save: it is made, into a folder
  /// that is removed.
  ///
  /// It reads the file beside this actor, and may take as long as a copy.
  nonisolated func salvageable() async throws -> JSONValue {
    let (path, key) = (path, encryptionKey)
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            let folder = FileManager.default.temporaryDirectory
              .appending(path: "realm-studio-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
              at: folder, withIntermediateDirectories: false,
              attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(at: folder) }
            let report = try Salvage.write(
              path, key: key, to: folder.appending(path: "saved.realm").path)
            return .array(
              report.classes.map {
                [
                  "name": .string($0.name), "saved": JSONValue($0.saved),
                  "lost": $0.lostObjects.map { JSONValue($0) } ?? .null,
                  "lostValues": JSONValue($0.lostValues),
                ]
              })
          })
      }
    }
  }
}
#endif
