// SPDX-License-Identifier: Apache-2.0

// Smaller files, of a server that is stopped or runs.
//
// Invariants:
// 1. A file that any process has open stays as it is: a running server keeps the realms that are
//    used, and waits a moment for one that a device asks for meanwhile.
// 2. An interruption leaves each file as it was, or compacted.

#if Server
import Foundation
package import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage

/// Compacts the files of a folder.
package struct Compaction: Sendable {
  /// A file, and what became of it.
  package struct Item: Hashable, Sendable {
    package let path: String
    package let before: Int
    /// Nil for a file in use.
    package let after: Int?
  }

  package private(set) var items: [Item] = []

  /// Compacts the files of an app, or of all.
  package init(_ path: String, app id: String? = nil) throws(ServerFailure) {
    let directory = try ServerDirectory(existing: path)
    let folders = id == nil ? try directory.appFolders() : [try directory.app(named: id).id]
    for app in folders {
      for file in try DatabaseFiles(of: app, in: directory).all {
        let before = Self.byteCount(file)
        do throws(StorageError) {
          let isDone = try DatabaseFile.compact(path: file)
          items.append(
            Item(path: file, before: before, after: isDone ? Self.byteCount(file) : nil))
        } catch {
          throw ServerFailure(
            "\(file) cannot be compacted: \(ServerFailure.text(error)). It is as it was; "
              + "realm-server check says what is wrong with it.")
        }
      }
    }
  }

  private static func byteCount(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
  }

  /// The report for operators.
  package var text: String {
    var lines = items.map { item in
      let before = ByteText.text(item.before)
      return item.after.map { "\(item.path): \(before) → \(ByteText.text($0))" }
        ?? "\(item.path): \(before), in use, stays as it is"
    }
    let saved = items.reduce(0) { $0 + ($1.after.map { [before = $1.before] in before - $0 } ?? 0) }
    lines.append("\(ByteText.text(max(saved, 0))) are free now")
    return lines.joined(separator: "\n")
  }

  /// The report for programs.
  package var json: JSONValue {
    .array(
      items.map { item in
        [
          "path": .string(item.path), "before": JSONValue(item.before),
          "after": JSONValue(item.after),
        ]
      })
  }
}

/// The databases of an app.
struct DatabaseFiles {
  let accounts: String
  let realms: [(id: RealmID, path: String)]
  /// The files beside these: the record of the realms, the positions of triggers.
  let others: [String]

  init(of app: String, in directory: ServerDirectory) throws(ServerFailure) {
    let inspected = InspectedFiles(directory: directory.path)
    accounts = directory.accountsPath(app)
    others = ["directory.realm", "triggers.realm"].map { "\(directory.appPath(app))/\($0)" }
      .filter { FileManager.default.fileExists(atPath: $0) }
    do throws(StoreError) {
      realms = try inspected.realms(ofApp: app).map { ($0, inspected.path(of: $0)) }
    } catch {
      throw ServerFailure("\(directory.appPath(app))/realms cannot be read: \(error)")
    }
  }

  /// All files that are there.
  var all: [String] {
    let accounts = FileManager.default.fileExists(atPath: accounts) ? [accounts] : []
    return accounts + others + realms.map(\.path)
  }
}
#endif
