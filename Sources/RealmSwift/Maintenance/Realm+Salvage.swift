// SPDX-License-Identifier: Apache-2.0

// What can be saved of damaged files.

public import Foundation
import RealmSalvage
import RealmStorage

extension Realm {
  /// Copies every object that can still be read of a damaged file to a new one.
  ///
  /// A part of an object that cannot be read has the value of a new object there, and is counted.
  /// If the newest version cannot be opened, the one before it is tried, and then the bytes of the
  /// file are searched for what is left of versions, tables and objects. The damaged file is not
  /// changed. Values are taken as they are: of a part that is not as it was written
  /// (``verifyIntegrity(configuration:progress:)`` names it), check what was saved.
  ///
  /// ```swift
  /// let report = try await Realm.salvage(from: damaged, to: saved)
  /// print("\(report.savedCount) objects", report.isWhole ? "" : report.problems)
  /// ```
  ///
  /// The new file is a local one, with the schema version of the old file and the same key. It
  /// appears when it is complete. The work is done on a thread of its own; a cancelled task ends it
  /// soon, and leaves no file.
  ///
  /// - Parameters:
  ///   - fileURL: The damaged file, which no process should have open.
  ///   - target: The location of the new file, where none may exist yet.
  ///   - encryptionKey: The key of both files; nil for plain ones. Of an encrypted file that cannot
  ///     be opened nothing can be saved.
  ///   - progress: Called on that thread with the part that is done, from 0 to 1. It stands still
  ///     while several ways are tried.
  /// - Throws: `Realm.Error` if the file is no realm, nothing of it can be read, or the new one
  ///   cannot be written; `CancellationError`.
  public static func salvage(
    from fileURL: URL, to target: URL, encryptionKey: Data? = nil,
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> SalvageReport {
    let key = Configuration.storageKey(encryptionKey)
    let (source, path) = (fileURL.realmFilePath, target.realmFilePath)
    return try await MaintenanceWork.run("save the file", on: source, progress: progress) { watch in
      var report: RealmSalvage.SalvageReport?
      try RealmCore.makeFile(at: path, asFileAt: source) { (unfinished) throws(StorageError) in
        report = try save(source, key, to: unfinished, watch)
      }
      guard let report else { throw CancellationError() }
      return SalvageReport(report)
    }
  }

  private static func save(
    _ source: String, _ key: EncryptionKey?, to target: String, _ watch: WorkWatch
  ) throws(StorageError) -> RealmSalvage.SalvageReport {
    do {
      let report = try Salvage.write(source, key: key, to: target) { done, total in
        if watch.isCancelled() { throw CancellationError() }
        watch.progress(min(1, Double(done) / Double(max(total, 1))))
      }
      watch.progress(1)
      return report
    } catch let error as StorageError {
      throw error
    } catch let failure as SalvageFailure {
      throw .corrupted(failure.message)
    } catch {
      throw .system(operation: "Copying", path: source, code: ECANCELED)
    }
  }
}
