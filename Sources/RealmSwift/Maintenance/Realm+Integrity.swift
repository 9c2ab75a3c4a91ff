// SPDX-License-Identifier: Apache-2.0

// Whether a file is whole.

import Foundation
import RealmStorage
import RealmTables

extension Realm {
  /// Checks the newest version of a file: that it agrees with the format, that links, indexes and
  /// objects agree with each other, and that its parts are as they were written.
  ///
  /// Each part of a file that this library writes has a checksum, so a bit that flipped on the disk
  /// is found, and the report names the class, the property and the objects. Reads do not compare
  /// checksums, unless ``Configuration/verifiesChecksums`` is set. So an app that wants to know
  /// checks its files now and then, or a backup before it relies on it:
  ///
  /// ```swift
  /// let report = try await Realm.verifyIntegrity(configuration: configuration)
  /// if report.isDamaged { log(report.findings) }
  /// ```
  ///
  /// The file may be open, and written meanwhile, by this process and others: the version that was
  /// the newest when the call began is checked. No byte of the file is changed. The whole version
  /// is read once, on a thread of its own; a cancelled task ends that soon.
  ///
  /// - Parameters:
  ///   - configuration: Says which file, and its encryption key. Nothing else of it is used: the
  ///     program need not have the classes.
  ///   - progress: Called on that thread with the part that is done, from 0 to 1.
  /// - Throws: `Realm.Error` if there is no such file, the key is another one, or the file is in an
  ///   older format; `CancellationError`. Damage is no error, but a finding.
  public static func verifyIntegrity(
    configuration: Configuration = .defaultConfiguration,
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> IntegrityReport {
    guard case .file(let path) = configuration.location else {
      throw Realm.Error(
        .invalidInput,
        message: "A Realm in memory has no file whose integrity could be verified.")
    }
    let key = configuration.storageKey
    return try await MaintenanceWork.run("check the file", on: path, progress: progress) { watch in
      try verify(path, key, watch)
    }
  }

  /// How often a check begins again because the file was changed by a process that did not know of
  /// it: from the second time on it is in the session of that process.
  private static let attemptCountMax = 3

  private static func verify(
    _ path: String, _ key: EncryptionKey?, _ watch: WorkWatch
  ) throws -> IntegrityReport {
    for _ in 0..<attemptCountMax {
      let stamp = DatabaseFile.stamp(ofFileAt: path)
      do throws(StorageError) {
        let (file, isShared) = try DatabaseFile.openForReading(path: path, key: key)
        let snapshot = try file.snapshot()
        let (findings, checksums) = try snapshot.held(by: .checking) { () throws(StorageError) in
          try DatabaseCheck.report(snapshot, watch)
        }
        guard isShared || DatabaseFile.stamp(ofFileAt: path) == stamp else { continue }
        return IntegrityReport(version: snapshot.version, findings, checksums)
      } catch {
        guard case .corrupted(let reason) = error else { throw error }
        guard DatabaseFile.stamp(ofFileAt: path) == stamp else { continue }
        // Damage that prevents opening is a finding like any other.
        return IntegrityReport(
          version: 0, [CheckFinding(check: 1, reason)], ChecksumCounts())
      }
    }
    throw Realm.Error(
      .fileAccess,
      message: "The Realm file '\(path)' was changed while it was checked. Try again.", path: path)
  }
}
