// SPDX-License-Identifier: Apache-2.0

// Records in a file of one server.

package import RealmStorage
package import RealmTables

/// Changes records in a transaction, which counts if the result is true.
package typealias RecordChange = (WriteGroup) throws(StorageError) -> Bool

/// Keeps records in a realm file, which is this server's alone.
package final class LocalRecords: RecordStore {
  private let file: DatabaseFile
  private let schemas = SchemaCache()
  private let keyBounds = KeyBoundCache()

  package init(_ file: DatabaseFile) { self.file = file }

  /// Opens the file at a path.
  package static func open(_ path: String) throws(StoreError) -> LocalRecords {
    LocalRecords(
      try StoreError.storing(
        DatabaseFile.open(
          path: path, options: OpenOptions(mustExist: true), system: SystemFiles(isPrivate: true))))
  }

  package var isShared: Bool { false }
  package var lease: (any RecordLease)? { nil }

  package func snapshot() throws(StoreError) -> TableGroup {
    try StoreError.storing(TableGroup(file.snapshot(), schemas: schemas))
  }

  package func change(by author: RecordAuthor, _ body: RecordChange) throws(StoreError) {
    try StoreError.storing(write(body))
  }

  private func write(_ body: RecordChange) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
    try group.orRollback { () throws(StorageError) in
      if try body(group) { _ = try group.commit() } else { group.rollback() }
    }
  }

  /// None: commands beside the server say by themselves what they have changed.
  package func news() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

  package func takeChanges() throws(StoreError) -> (changes: RecordChanges, newest: TableGroup) {
    (RecordChanges(), try snapshot())
  }
}
