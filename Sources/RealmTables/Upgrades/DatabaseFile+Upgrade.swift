// SPDX-License-Identifier: Apache-2.0

// Opening files of formats before the present one.
//
// 1. An upgrade is one write transaction, made before any other caller can read the file
//    (`DatabaseFile.upgrade`). Callers that open the file afterwards find the present format.
// 2. If it fails, or the process ends, the file is as it was.

package import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension DatabaseFile {
  /// Opens the database at `path`, creating it if it is missing, and after an upgrade if it is in a
  /// format from 10 to 23.
  ///
  /// May be called on any thread; callers that open the file meanwhile, in any process, wait.
  ///
  /// - Parameters:
  ///   - registry: Another one than `.shared` acts as another process.
  ///   - willUpgrade: Called with the format before anything is changed, while no other caller can
  ///     open the file.
  /// - Throws: What `open` throws; `StorageError.formatUpgradeRequired` only for reading.
  /// - Complexity: O(n log n) in the elements of sets and dictionaries and, before format 22, in
  ///   the objects with primary keys; other objects are not read.
  package static func openUpgraded(
    path: String, options: OpenOptions = OpenOptions(), system: any FileSystem = SystemFiles(),
    registry: FileRegistry = .shared, willUpgrade: (_ format: Int) -> Void = { _ in }
  ) throws(StorageError) -> DatabaseFile {
    while true {
      do throws(StorageError) {
        return try open(path: path, options: options, system: system, registry: registry)
      } catch {
        guard case .formatUpgradeRequired = error, !options.isReadOnly else { throw error }
      }
      let wasAlone = try upgrade(
        path: path, options: options, system: system, registry: registry
      ) { (file) throws(StorageError) in
        willUpgrade(file.formatVersion)
        try FormatUpgrade.run(on: file)
      }
      // Another caller is about to do it.
      if !wasAlone { usleep(1000) }
    }
  }

  /// Writes the newest version of the file at `path`, which is in a format from 10 to 23, in the
  /// present format to an empty file: as a database of its own, without a history.
  ///
  /// The file at `path` may be a synchronised one, is not changed, and may be open elsewhere; the
  /// caller compares `stamp(ofFileAt:)` before and after.
  ///
  /// - Parameter key: The key of both files.
  /// - Returns: The format of the file at `path`. Nothing is written if it is the present one.
  package static func writeUpgraded(
    path: String, key: EncryptionKey?, to target: any StorageFile
  ) throws(StorageError) -> Int {
    let file = try openForInspection(path: path, key: key, allowsDrafts: true)
    let format = file.formatVersion
    if FileHeader.upgradableVersions.contains(format) {
      try FormatUpgrade.write(file, to: target, key: key)
    }
    return format
  }
}
