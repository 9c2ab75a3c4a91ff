// SPDX-License-Identifier: Apache-2.0

// Where the collections of objects hang.

package import RealmStorage

extension WritableTable {
  /// The list of an object, to be read and changed.
  package func list(_ column: Column, _ key: ObjectKey) throws(StorageError) -> ListEditor {
    guard column.collection == .list else {
      throw .limitExceeded("Property '\(schema.name).\(column.name)' is not a list")
    }
    guard try row(of: key) != nil else { throw .missing(key, schema.name) }
    return ListEditor(table: self, column: column, key: key)
  }

  /// Replaces the root of an object's collection by what `edit` makes of it.
  func editCollection(
    _ column: Column, of key: ObjectKey, _ edit: (Ref) throws(StorageError) -> Ref
  ) throws(StorageError) {
    if column.hasIndex { try abandonIndex(column) }
    try editLeaf(column.leafIndex, of: key) { (ref, index) throws(StorageError) -> Ref in
      let old = try RefLeaf.value(at: index, of: ref, in: allocator.space)
      var mayHide = false
      if column.type == .link, column.collection != .dictionary, !old.isNull {
        mayHide = try allocator.node(at: old).header.hasContext
      }
      var new = try edit(old)
      // A new root does not inherit the flag that the old one had.
      if mayHide { new = try LinkKeys.settingContext(of: new, allocator) }
      return new == old ? ref : try RefLeaf.replace(new, at: index, in: ref, allocator)
    }
  }
}
