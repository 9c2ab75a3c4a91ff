// SPDX-License-Identifier: Apache-2.0

// Changing what kind of objects a table holds.

package import RealmStorage

extension WritableTable {
  /// Makes the table one of top-level or of embedded objects.
  ///
  /// Objects that are to be embedded get one owner each: those without any are deleted, and of
  /// those with several each owner gets a copy; see `OwnerSeparation`.
  ///
  /// - Throws: `StorageError.limitExceeded` if objects that are to be embedded have a primary key,
  ///   a link from a property that cannot own them, or need too many copies.
  package func setKind(_ kind: TableKind) throws(StorageError) {
    guard unsafe schema.kind != kind else { return }
    if kind == .embedded {
      let name = unsafe schema.className ?? schema.name
      if unsafe schema.hasPrimaryKey {
        throw .limitExceeded("Cannot change '\(name)' to embedded when using primary key.")
      }
      try OwnerSeparation(self).run()
    }
    unsafe top.kind = kind
    try reloadSchema()
  }

  /// Whether no two objects have the same value in the primary key. Keys that were set one by one
  /// may be equal until this is asked.
  package func hasUniquePrimaryKeys() throws(StorageError) -> Bool {
    try indexes.settle()
    guard let column = unsafe schema.primaryKey else { return true }
    return try columns.isUnique(column)
  }
}
