// SPDX-License-Identifier: Apache-2.0

// The leaf of one column, while the element of one object in it is replaced.

import RealmStorage

/// The leaf of a column in the cluster of an object, which is ready to be written.
struct OpenLeaf {
  private let row: WritableRow
  private let slot: Int
  /// The leaf, until it is replaced.
  let ref: Ref

  @inline(__always)
  init(_ leafIndex: Int, in row: WritableRow) throws(StorageError) {
    self.row = row
    slot = leafIndex + 1
    ref = try row.cluster.node.ref(at: slot)
  }

  /// The position of the object in the leaf.
  var index: Int { row.index }

  /// Stores the ref of the leaf that takes the place of this one, or of this one after an edit.
  @inline(__always)
  func replace(by new: Ref) {
    assert(
      row.cluster.node.uncheckedInteger(at: slot) == ref.slot,
      "`OpenCollection` 1: the leaf was replaced meanwhile")
    if new != ref { row.cluster.store(new.slot, at: slot) }
  }
}
