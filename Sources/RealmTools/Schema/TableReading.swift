// SPDX-License-Identifier: Apache-2.0

// The common reads of versions and write transactions.

package import RealmQuery
package import RealmStorage
package import RealmTables

/// The tables of a version, or of a write transaction as it stands.
package protocol TableReading: TableSource {
  /// The keys of all tables in the order of the file.
  func tableKeys() throws(StorageError) -> [TableKey]

  /// The read view of the table of a key; nil if there is none.
  func readTable(_ key: TableKey) throws(StorageError) -> Table?
}

extension TableGroup: TableReading {
  package func readTable(_ key: TableKey) throws(StorageError) -> Table? { try table(key) }
}

extension WriteGroup: TableReading {
  package func readTable(_ key: TableKey) throws(StorageError) -> Table? { try table(key)?.table }
}
