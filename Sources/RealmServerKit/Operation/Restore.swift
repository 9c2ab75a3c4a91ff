// SPDX-License-Identifier: Apache-2.0

// A backup takes the place of a server's data.
//
// Invariants:
// 1. Nothing of a backup is used before all of it was found as it was written.
// 2. The folder is served by nobody meanwhile; an interruption leaves it as it was, or restored
//    (`RestoreStage` 1).

#if Server
import Foundation
package import RealmFormats
package import RealmServerEngine
import RealmServerServices

/// Restores backups.
package struct Restore: Sendable {
  /// A restore that was done, for operators.
  package struct Report: Sendable {
    package let directory: String
    /// The time of the backup.
    package let backup: String
    package let fileCount: Int
    /// The folder with the data that was there; nil if there was none.
    package let aside: String?

    /// The report for programs.
    package var json: JSONValue {
      [
        "dir": .string(directory), "backup": .string(backup), "files": JSONValue(fileCount),
        "replaced": JSONValue(aside),
      ]
    }

    /// The report for people.
    package var text: String {
      let moved = aside.map { "\nWhat was there is in \($0)" } ?? ""
      return """
        \(directory) has the data of the backup from \(backup): \
        \(CountText.text(fileCount, "file")).\(moved)
        Start the server. Devices with more than the backup reset, and make again what they had \
        not uploaded; users who registered since are gone
        """
    }
  }

  private let backup: String
  private let directory: String
  private let manifest: BackupManifest

  /// - Throws: `ServerFailure` if the backup is not as it was written.
  private init(_ backup: String, _ directory: String) throws(ServerFailure) {
    guard let manifest = try BackupManifest(in: backup) else {
      throw ServerFailure(
        "\(backup) is no complete backup: it has no \(BackupManifest.name). Name the folder of one "
          + "with --from.")
    }
    self.manifest = manifest
    self.backup = backup
    self.directory = directory
  }

  /// Puts the data of a backup into a folder.
  ///
  /// - Parameter replaces: Whether the folder may have data, which is moved aside.
  @discardableResult
  package static func run(
    from backup: String, to directory: String, replaces: Bool, clock: ServerClock = .machine
  ) throws(ServerFailure) -> Report {
    try Restore(backup, directory).run(replaces: replaces, clock)
  }

  private func run(replaces: Bool, _ clock: ServerClock) throws(ServerFailure) -> Report {
    try makeFolder(directory)
    // What an earlier restore has left comes to its end first.
    try RestoreStage.finish(in: directory)
    let lock = try DirectoryLock(directory)
    defer { lock.release() }
    let stage = RestoreStage(directory)
    let isUsed = ["apps", "keys"].contains {
      FileManager.default.fileExists(atPath: "\(directory)/\($0)")
    }
    guard replaces || !isUsed else {
      throw ServerFailure(
        "\(directory) has the data of a server. Name an empty folder with --dir, or add --replace: "
          + "then the data is moved to a folder replaced-… in it.")
    }
    try checkPlace(isUsed: isUsed)
    if let finding = manifest.findings(in: backup).first {
      throw ServerFailure("The backup \(backup) is damaged: \(finding). Use another one.")
    }
    try stage.begin()
    for part in ["apps", "keys"] { try makeFolder("\(stage.path)/\(part)") }
    for file in manifest.files {
      let place = "\(stage.path)/\(file.path)"
      try makeFolder(URL(fileURLWithPath: place).deletingLastPathComponent().path)
      try FolderFile.copy("\(backup)/\(file.path)", to: place)
      guard try FolderFile(file.path, in: stage.path) == file else {
        throw ServerFailure("\(place) was not written as it should be. Check the disk.")
      }
    }
    let time = OperationTime.text(clock.now())
    let aside = try stage.commit(backup: manifest.begin, at: time)
    return Report(
      directory: directory, backup: manifest.begin, fileCount: manifest.files.count,
      aside: isUsed ? aside : nil)
  }

  /// Checks that nothing else is in the place of the data.
  private func checkPlace(isUsed: Bool) throws(ServerFailure) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let ours: Set<String> = ["lock", "requests", "restoring", "lost+found", RestoreStage.note]
    guard !isUsed,
      let other = names.sorted().first(where: { !$0.hasPrefix(".") && !ours.contains($0) })
    else { return }
    throw ServerFailure(
      "\(directory) has other files, like \(other), and is no folder of a server. Name an empty "
        + "one with --dir.")
  }

  private func makeFolder(_ path: String) throws(ServerFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ServerFailure(
        "\(path) cannot be made: \(ServerFailure.text(error.localizedDescription)). Change the "
          + "permissions.")
    }
  }
}
#endif
