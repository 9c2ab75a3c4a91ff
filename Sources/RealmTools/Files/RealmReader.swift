// SPDX-License-Identifier: Apache-2.0

// Reading a realm file.

#if Tools
package import RealmQuery
package import RealmStorage
package import RealmTables

/// A version of a realm file.
///
/// 1. The file is neither created nor changed, whatever its state.
/// 2. All reads are of one version: if no other process knows of this one (see
///    `DatabaseFile.openForReading`), `requireUnchanged()` finds out whether it was overwritten.
/// 3. A file in an older format is read in a temporary copy (`UpgradedCopy`).
package final class RealmReader: Sendable {
  package let path: String
  package let file: DatabaseFile
  package let group: TableGroup
  /// Whether other processes with the file open know of this one.
  package let isShared: Bool
  /// Whether the file is in an older format.
  package let isUpgraded: Bool
  /// The version of the file itself; that of a copy is another one.
  package let version: UInt64
  private let stamp: [UInt64]?

  package init(path: String, key: EncryptionKey? = nil) throws(ToolFailure) {
    self.path = path
    let stamp = DatabaseFile.stamp(ofFileAt: path)
    self.stamp = stamp
    do throws(StorageError) {
      (file, isShared, isUpgraded) = try Self.open(path, key)
      group = try TableGroup(try file.snapshot())
      version =
        isUpgraded
        ? try DatabaseFile.openForInspection(path: path, key: key).snapshot().version
        : group.version
    } catch {
      if case .corrupted = error, DatabaseFile.stamp(ofFileAt: path) != stamp {
        throw Self.busy(path)
      }
      throw ToolFailure(error)
    }
  }

  private static func open(
    _ path: String, _ key: EncryptionKey?
  ) throws(StorageError) -> (file: DatabaseFile, isShared: Bool, isUpgraded: Bool) {
    do throws(StorageError) {
      let (file, isShared) = try DatabaseFile.openForReading(path: path, key: key)
      return (file, isShared, false)
    } catch {
      guard case .formatUpgradeRequired = error else { throw error }
      return (try UpgradedCopy.open(path, key: key), false, true)
    }
  }

  /// Whether the file is as it was when it was opened, as far as this process can tell.
  package var isUnchanged: Bool { isShared || DatabaseFile.stamp(ofFileAt: path) == stamp }

  private static func busy(_ path: String) -> ToolFailure {
    ToolFailure(
      .busy, "Another process changed '\(path)' while it was read. Run the command again.")
  }

  /// Checks for changes by other processes since the file was opened alone (invariant 2).
  package func requireUnchanged() throws(ToolFailure) {
    guard !isUnchanged else { return }
    throw Self.busy(path)
  }

  /// The classes of the version.
  package func classes() throws -> StoredSchema { try reading { try StoredSchema($0) } }

  /// Reads, and replaces an error by the busy one if another process has changed the file.
  package func reading<R>(_ body: (TableGroup) throws -> R) throws -> R {
    do {
      let result = try body(group)
      try requireUnchanged()
      return result
    } catch {
      if error is StorageError { try requireUnchanged() }
      throw error
    }
  }
}
#endif
