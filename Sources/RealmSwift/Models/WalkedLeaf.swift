// SPDX-License-Identifier: Apache-2.0

// The place of a value, as a walk over the rows of a table knows it.

public import RealmTables

/// The leaf of a property in the cluster that a walk has come to, and the position in it.
@frozen
public struct _WalkedLeaf {
  @usableFromInline package let leaf: RowLeaf
  @usableFromInline package let index: Int

  @inlinable @inline(__always)
  package init(_ leaf: RowLeaf, at index: Int) {
    self.leaf = leaf
    self.index = index
  }
}
