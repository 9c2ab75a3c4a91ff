// SPDX-License-Identifier: Apache-2.0

// The values of one enumerated column in a write transaction.

import RealmStorage

/// Finds and appends the values of an enumerated column.
///
/// It is made at the first write into the column, and given up when the schema of the table
/// changes, or a part of the transaction is undone.
final class EnumerationEditor {
  // One user at a time needs no exclusivity checks, as in `ClusterEditor`.
  @exclusivity(unchecked) private(set) var leaf: Ref
  @exclusivity(unchecked) private var positions: ValuePositions

  init(ofLeaf leaf: Ref, in space: NodeSpace) throws(StorageError) {
    unsafe self.leaf = leaf
    unsafe positions = try ValuePositions(ofLeaf: leaf, in: space)
  }

  /// The number of values.
  var count: Int { unsafe positions.count }

  /// The position of a value; nil if the column does not have it yet.
  func position(of value: ByteView?, in space: NodeSpace) throws(StorageError) -> Int? {
    try unsafe positions.position(of: value, in: leaf, space)
  }

  /// Appends a value that the column does not have yet, which moves the leaf.
  func append(_ value: ByteView?, _ allocator: NodeAllocator) throws(StorageError) {
    // Noted first: the value may lie where the leaf was.
    unsafe positions.append(value)
    unsafe leaf = try unsafe StringLeaf.insert(
      value, at: positions.count - 1, in: leaf, allocator)
  }
}
