// SPDX-License-Identifier: Apache-2.0

// The last step of a restore: what is complete in `<dir>/restoring` takes the place of the data.
//
// Invariants:
// 1. Before `restoring/restored.json` has its name, the folder is as it was; from then on it is
//    the restored one, and who opens it carries the rest out.
// 2. What was there before is moved to a folder beside it, never removed.

#if Server
import Foundation
import RealmFormats
import RealmStorage

/// Files that wait to take the place of a server's data.
struct RestoreStage {
  /// What a restore replaces.
  private static let parts = ["apps", "keys"]
  private static let folder = "restoring"
  /// The name of the note about a restore, in the folder of the server.
  static let note = "restored.json"

  let directory: String

  init(_ directory: String) { self.directory = directory }

  /// Where the files are collected.
  var path: String { "\(directory)/\(Self.folder)" }

  private var notePath: String { "\(path)/\(Self.note)" }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// Whether files were collected, not all of them.
  var isIncomplete: Bool { Self.exists(path) && !Self.exists(notePath) }

  /// Whether the files are complete.
  var isComplete: Bool { Self.exists(notePath) }

  /// Removes what an interrupted restore has left, and makes an empty place for files.
  func begin() throws(ServerFailure) {
    if isIncomplete { try? FileManager.default.removeItem(atPath: path) }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ServerFailure(
        "\(path) cannot be made: \(ServerFailure.text(error.localizedDescription)). Change the "
          + "permissions of its folder.")
    }
  }

  /// Declares the files complete, and puts them in place.
  ///
  /// - Parameters:
  ///   - backup: The time of the backup.
  ///   - time: The present time.
  /// - Returns: The folder with the data that was there before.
  func commit(backup: String, at time: String) throws(ServerFailure) -> String {
    let base = "replaced-" + time.filter { $0.isNumber || $0 == "T" }
    var (aside, number) = (base, 1)
    while Self.exists("\(directory)/\(aside)") {
      number += 1
      aside = "\(base)-\(number)"
    }
    let note: JSONValue = [
      "backup": .string(backup), "restored": .string(time), "aside": .string(aside),
    ]
    do throws(StorageError) {
      try DurableFile.write(JSONWriter.bytes(note), to: notePath)
    } catch {
      throw ServerFailure("\(notePath) cannot be written: \(ServerFailure.text(error)).")
    }
    try finish()
    return "\(directory)/\(aside)"
  }

  /// Puts complete files in place, if there are some. Others who do it are kept out.
  static func finish(in directory: String) throws(ServerFailure) {
    let stage = RestoreStage(directory)
    guard stage.isComplete else { return }
    let lock = try DirectoryLock(directory)
    defer { lock.release() }
    try stage.finish()
  }

  /// Puts complete files in place: each step is skipped that was done before.
  private func finish() throws(ServerFailure) {
    let note = FileManager.default.contents(atPath: notePath).map { Array($0) } ?? []
    let aside = (try? JSONParser.parse(note))?["aside"]?.string ?? "replaced"
    let old = "\(directory)/\(aside.filter { $0 != "/" })"
    do {
      for part in Self.parts where Self.exists("\(path)/\(part)") {
        if Self.exists("\(directory)/\(part)") {
          try FileManager.default.createDirectory(
            atPath: old, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
          try FileManager.default.moveItem(
            atPath: "\(directory)/\(part)", toPath: "\(old)/\(part)")
          try DatabaseFile.syncDirectory(of: "\(old)/\(part)")
        }
        try FileManager.default.moveItem(
          atPath: "\(path)/\(part)", toPath: "\(directory)/\(part)")
        try DatabaseFile.syncDirectory(of: "\(directory)/\(part)")
      }
      let kept = "\(directory)/\(Self.note)"
      if Self.exists(kept) { try FileManager.default.removeItem(atPath: kept) }
      try FileManager.default.moveItem(atPath: notePath, toPath: kept)
      try FileManager.default.removeItem(atPath: path)
      try DatabaseFile.syncDirectory(of: kept)
    } catch {
      throw ServerFailure(
        "The restore of \(directory) cannot be finished: "
          + "\(ServerFailure.text(error.localizedDescription)). Change the permissions of the "
          + "folder, and do the same again.")
    }
  }
}
#endif
