// SPDX-License-Identifier: Apache-2.0

// The target of a link.

/// One stored link: an object of a table, a tombstone too.
package struct StoredLink: Hashable, Sendable {
  package let table: TableKey
  package let key: ObjectKey

  package init(table: TableKey, key: ObjectKey) {
    self.table = table
    self.key = key
  }

  init(table: Int64, key: Int64) {
    self.table = TableKey(UInt32(truncatingIfNeeded: table))
    self.key = ObjectKey(key)
  }
}
