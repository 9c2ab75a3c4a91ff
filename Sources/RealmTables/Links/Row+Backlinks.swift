// SPDX-License-Identifier: Apache-2.0

// The objects that link to an object (file format 4.8.4).

package import RealmStorage

extension Row {
  /// The keys of the objects that link here through the column that `column` is the backlink column
  /// of: one for each link, in no particular order.
  package func backlinks(of column: Column) throws(StorageError) -> [ObjectKey] {
    let slot = try leaf(column.leafIndex).integer(at: index)
    if slot == 0 { return [] }
    guard let root = Ref(slot: slot) else {
      return [ObjectKey(Int64(bitPattern: UInt64(bitPattern: slot) >> 1))]
    }
    var keys: [ObjectKey] = []
    for position in 0..<(try BTree<IntegerLeaf>.count(root, in: space)) {
      keys.append(ObjectKey(try BTree<IntegerLeaf>.value(at: position, of: root, in: space)))
    }
    return keys
  }

  /// Calls `body` with each object that links to this one, as `backlinks(of:)` gives them, until it
  /// says true.
  package func containsBacklink(
    of column: Column, where body: (ObjectKey) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    let slot = try leaf(column.leafIndex).integer(at: index)
    if slot == 0 { return false }
    guard let root = Ref(slot: slot) else {
      return try body(ObjectKey(Int64(bitPattern: UInt64(bitPattern: slot) >> 1)))
    }
    for position in 0..<(try BTree<IntegerLeaf>.count(root, in: space))
    where try body(ObjectKey(try BTree<IntegerLeaf>.value(at: position, of: root, in: space))) {
      return true
    }
    return false
  }

  /// The number of links to this object through the column that `column` is the backlink column of.
  package func backlinkCount(of column: Column) throws(StorageError) -> Int {
    let slot = try leaf(column.leafIndex).integer(at: index)
    if slot == 0 { return 0 }
    guard let root = Ref(slot: slot) else { return 1 }
    return try BTree<IntegerLeaf>.count(root, in: space)
  }
}
