// SPDX-License-Identifier: Apache-2.0

// What has to be in a folder that was served before.
//
// Invariants:
// 1. What a folder in use lacks is replaced by something new only if the operator says so: without
//    its users and data it would look like a new server, and devices would drop what they have.
// 2. No server begins among files that are not its own.

#if Server
import Foundation
package import RealmServerEngine
import RealmServerServices

extension ServerDirectory {
  package func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: file) }

  /// Checks that the folder is a server's, or has nothing: a path that is wrong by a step would get
  /// a second server.
  package func checkPlace() throws(ServerFailure) {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    guard !names.contains("apps") else { return }
    if names.contains("app.json") {
      let url = URL(fileURLWithPath: path)
      throw ServerFailure(
        "\(path) is the folder of an app. Name that of its server with --dir, which is "
          + "\(url.deletingLastPathComponent().deletingLastPathComponent().path).")
    }
    if RestoreStage(path).isIncomplete {
      throw ServerFailure(
        "A restore into \(path) was interrupted. Do it again, or remove \(path)/restoring.")
    }
    if names.contains("keys") {
      throw ServerFailure(
        "\(path)/apps is missing, and the folder was served before. Put it back from a backup, or "
          + "name an empty folder with --dir.")
    }
    // A file system may begin with a folder of its own, and an operator with the settings.
    let ours: Set<String> = ["lost+found", "lock", "requests", "server.json"]
    guard let other = names.first(where: { !$0.hasPrefix(".") && !ours.contains($0) }) else {
      return
    }
    throw ServerFailure(
      "\(path) has other files, like \(other), and is no folder of a server. Name an empty one, or "
        + "that of an earlier server, with --dir.")
  }

  /// Whether a file is missing, or has no bytes.
  private func isEmpty(_ file: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    return (attributes?[.size] as? Int ?? 0) == 0
  }

  /// The text about a file that a folder in use lacks.
  package static func missing(_ file: String, _ state: String, _ consequence: String) -> String {
    "\(file) \(state), and the folder was served before. Put the file back from a backup, or start "
      + "once with --replace-missing to go on without it; then \(consequence)."
  }

  private func markPath(_ app: String) -> String { "\(path)/apps/\(app)/.served" }

  private func realmsPath(_ app: String) -> String { "\(path)/apps/\(app)/realms" }

  /// Whether the app was served before.
  package func isUsed(_ app: String) -> Bool {
    let accounts = accountsPath(app)
    return [markPath(app), accounts, accounts + ".lock", realmsPath(app)].contains { exists($0) }
  }

  /// Whether any app of the folder was served before.
  package func isUsed() -> Bool {
    let apps = (try? FileManager.default.contentsOfDirectory(atPath: path + "/apps")) ?? []
    return apps.contains { isUsed($0) }
  }

  /// Notes that the app is served from now on.
  package func markUsed(_ app: String) throws(ServerFailure) {
    if !exists(markPath(app)) { try write([], to: markPath(app)) }
  }

  /// Whether the file of the users has to be made.
  package func needsAccounts(_ app: String, replacesMissing: Bool) throws(ServerFailure) -> Bool {
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
  /// - Parameters:
  ///   - recorded: The realms that were made, as the app's record has them.
  ///   - isReadable: Whether a realm can be opened under its name.
  /// - Returns: The realms that are there, and the lost ones, which `replacesMissing` accepts.
  package func checkRealms(
    _ app: String, _ recorded: Set<RealmID>, replacesMissing: Bool,
    _ isReadable: (RealmID) throws(ServerFailure) -> Void
  ) throws(ServerFailure) -> (found: Set<RealmID>, lost: Set<RealmID>) {
    let folder = realmsPath(app)
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var (found, lost) = (Set<RealmID>(), recorded)
    // The lock file of a realm shows that it was there, where no record does.
    for file in files {
      for suffix in [".realm", ".realm.lock"] where file.hasSuffix(suffix) {
        lost.insert(RealmID("\(app)/\(file.dropLast(suffix.count))"))
      }
    }
    func path(_ realm: RealmID) -> String {
      "\(folder)/\(realm.rawValue.dropFirst(app.count + 1)).realm"
    }
    for realm in lost where !isEmpty(path(realm)) { found.insert(realm) }
    lost.subtract(found)
    if let first = lost.map(path).min(), !replacesMissing {
      let others = lost.count == 1 ? "" : ", as \(lost.count - 1) others are"
      throw ServerFailure(
        Self.missing(
          first, (exists(first) ? "is empty" : "is missing") + others,
          "its devices get a new realm and upload what they can"))
    }
    for realm in lost { remove(path(realm)) }
    for realm in found.sorted(by: { $0.rawValue < $1.rawValue }) { try isReadable(realm) }
    return (found, lost)
  }

  private func remove(_ file: String) {
    for name in [file, file + ".lock"] { try? FileManager.default.removeItem(atPath: name) }
  }
}
#endif
