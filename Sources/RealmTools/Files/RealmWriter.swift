// SPDX-License-Identifier: Apache-2.0

// A realm file that is written.

package import RealmStorage
package import RealmTables

/// A realm file that tools write to as an app does, one transaction at a time.
package final class RealmWriter: Sendable {
  package let path: String
  package let file: DatabaseFile
  package let schemas = SchemaCache()

  /// - Parameter creates: Whether a missing file is made.
  package init(path: String, key: EncryptionKey? = nil, creates: Bool) throws(ToolFailure) {
    self.path = path
    do throws(StorageError) {
      file = try DatabaseFile.open(
        path: path, options: OpenOptions(mustExist: !creates, encryptionKey: key))
    } catch { throw ToolFailure(error) }
  }

  /// The newest version.
  package func group() throws(StorageError) -> TableGroup {
    try TableGroup(try file.snapshot(), schemas: schemas)
  }

  /// Begins a transaction, which waits for those of other processes.
  package func begin() throws(StorageError) -> WriteGroup {
    try WriteGroup(try file.beginWrite(), schemas: schemas)
  }

  /// Runs `body` in a transaction, which is undone if it throws, or says so by returning nil.
  package func write<R>(_ body: (WriteGroup) throws -> R?) throws -> R? {
    let group = try begin()
    do {
      guard let result = try body(group) else {
        group.rollback()
        return nil
      }
      _ = try group.commit()
      return result
    } catch {
      group.rollback()
      throw error
    }
  }
}
