// SPDX-License-Identifier: Apache-2.0

// The tables that the links of a query lead to.

package import RealmStorage
package import RealmTables

/// The tables of one version, or of a write transaction as it stands.
package protocol TableSource {
  /// The read view of the table with that key; nil if there is none.
  func queryTable(_ key: TableKey) throws(StorageError) -> Table?
}

extension TableGroup: TableSource {
  package func queryTable(_ key: TableKey) throws(StorageError) -> Table? { try table(key) }
}

extension WriteGroup: TableSource {
  package func queryTable(_ key: TableKey) throws(StorageError) -> Table? { try table(key)?.table }
}

extension TableSource {
  /// The read view of the table with that key; nil if there is none.
  func table(_ key: TableKey) throws(QueryError) -> Table? {
    do throws(StorageError) { return try queryTable(key) } catch { throw .storage(error) }
  }
}
