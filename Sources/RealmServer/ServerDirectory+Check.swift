// SPDX-License-Identifier: Apache-2.0

// What has to be in a folder that was served before.
//
// Invariants:
// 1. Nothing of a folder in use is made anew unless the operator says so: users and data that are
//    gone would look like a new server, and devices would drop what they have.

#if Server
import Foundation
import RealmServerEngine

extension ServerDirectory {
  func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: file) }

  /// Whether a file is missing, or has no bytes.
  private func isEmpty(_ file: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    return (attributes?[.size] as? Int ?? 0) == 0
  }

  static func missing(_ file: String, _ state: String, _ consequence: String) -> String {
    "\(file) \(state), and the folder was served before. Put the file back from a backup, or start "
      + "once with --replace-missing to go on without it; then \(consequence)."
  }

  private func markPath(_ app: String) -> String { "\(path)/apps/\(app)/.served" }

  private func realmsPath(_ app: String) -> String { "\(path)/apps/\(app)/realms" }

  /// Whether the app was served before.
  func isUsed(_ app: String) -> Bool {
    let accounts = accountsPath(app)
    return [markPath(app), accounts, accounts + ".lock", realmsPath(app)].contains { exists($0) }
  }

  /// Whether any app of the folder was served before.
  func isUsed() -> Bool {
    let apps = (try? FileManager.default.contentsOfDirectory(atPath: path + "/apps")) ?? []
    return apps.contains { isUsed($0) }
  }

  /// Notes that the app is served from now on.
  func markUsed(_ app: String) throws(ServerFailure) {
    if !exists(markPath(app)) { try write([], to: markPath(app)) }
  }

  /// Whether the file of the users has to be made.
  func needsAccounts(_ app: String, replacesMissing: Bool) throws(ServerFailure) -> Bool {
    let file = accountsPath(app)
    guard isEmpty(file) else { return false }
    guard !isUsed(app) || replacesMissing else {
      throw ServerFailure(
        Self.missing(
          file, exists(file) ? "is empty" : "is missing", "all users have to register again"))
    }
    remove(file)
    return true
  }

  /// Looks at the files of the app's realms.
  ///
  /// - Parameter isReadable: Whether a realm can be opened under its name.
  func checkRealms(
    _ app: String, replacesMissing: Bool, _ isReadable: (RealmID) throws(ServerFailure) -> Void
  ) throws(ServerFailure) {
    let folder = realmsPath(app)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasSuffix(".realm.lock") {
      let file = "\(folder)/\(name.dropLast(".lock".count))"
      guard isEmpty(file) else { continue }
      guard replacesMissing else {
        throw ServerFailure(
          Self.missing(
            file, exists(file) ? "is empty" : "is missing",
            "its devices get a new realm and upload what they can"))
      }
      remove(file)
    }
    for name in names.sorted() where name.hasSuffix(".realm") {
      let file = "\(folder)/\(name)"
      guard exists(file) else { continue }
      guard !isEmpty(file) else {
        throw ServerFailure(
          "\(file) is empty. Put it back from a backup, or remove it; then its devices get a new "
            + "realm.")
      }
      try isReadable(RealmID("\(app)/\(name.dropLast(".realm".count))"))
    }
  }

  private func remove(_ file: String) {
    for name in [file, file + ".lock"] { try? FileManager.default.removeItem(atPath: name) }
  }
}
#endif
