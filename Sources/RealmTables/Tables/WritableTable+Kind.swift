// SPDX-License-Identifier: Apache-2.0

// Changing what kind of objects a table holds.

package import RealmStorage

extension WritableTable {
  /// Makes the table one of top-level or of embedded objects.
  ///
  /// - Throws: `StorageError.limitExceeded` if objects that are to be embedded have a primary key,
  ///   or not exactly one link to each of them.
  package func setKind(_ kind: TableKind) throws(StorageError) {
    guard unsafe schema.kind != kind else { return }
    if kind == .embedded { try requireOneParentEach() }
    unsafe top.kind = kind
    try reloadSchema()
  }

  private func requireOneParentEach() throws(StorageError) {
    let name = unsafe schema.className ?? schema.name
    if unsafe schema.hasPrimaryKey {
      throw .limitExceeded("Cannot change '\(name)' to embedded when using primary key.")
    }
    let columns = unsafe schema.backlinkColumns
    var cursor = ClusterCursor(tree)
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let row = cluster.row(at: index)
        var count = 0
        for column in columns { count += try row.backlinks(of: column).count }
        if count == 0 {
          throw .limitExceeded(
            "Cannot convert '\(name)' to embedded: at least one object has no incoming links and "
              + "would be deleted.")
        }
        if count > 1 {
          throw .limitExceeded(
            "Cannot convert '\(name)' to embedded: at least one object has more than one incoming "
              + "link.")
        }
      }
    }
  }

  /// Whether no two objects have the same value in the primary key. Keys that were set one by one
  /// may be equal until this is asked.
  package func hasUniquePrimaryKeys() throws(StorageError) -> Bool {
    try indexes.settle()
    guard let column = unsafe schema.primaryKey else { return true }
    return try columns.isUnique(column)
  }
}
