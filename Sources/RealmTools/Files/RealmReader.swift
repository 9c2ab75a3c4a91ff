// SPDX-License-Identifier: Apache-2.0

// Reading a realm file.

package import RealmQuery
package import RealmStorage
package import RealmTables

/// A version of a realm file.
///
/// 1. The file is neither created nor changed, whatever its state.
/// 2. All reads are of one version: if no other process knows of this one (see
///    `DatabaseFile.openForReading`), `requireUnchanged()` finds out whether it was overwritten.
package final class RealmReader: Sendable {
  package let path: String
  package let file: DatabaseFile
  package let group: TableGroup
  /// Whether other processes with the file open know of this one.
  package let isShared: Bool
  private let stamp: [UInt64]?

  package init(path: String, key: EncryptionKey? = nil) throws(ToolFailure) {
    self.path = path
    stamp = DatabaseFile.stamp(ofFileAt: path)
    do throws(StorageError) {
      (file, isShared) = try DatabaseFile.openForReading(path: path, key: key)
      group = try TableGroup(try file.snapshot())
    } catch { throw ToolFailure(error) }
  }

  /// Checks for changes by other processes since the file was opened alone (invariant 2).
  package func requireUnchanged() throws(ToolFailure) {
    guard !isShared, DatabaseFile.stamp(ofFileAt: path) != stamp else { return }
    throw ToolFailure(
      .busy, "Another process changed '\(path)' while it was read. Run the command again.")
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
