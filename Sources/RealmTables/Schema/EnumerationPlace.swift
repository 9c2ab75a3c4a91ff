// SPDX-License-Identifier: Apache-2.0

// Where a table has the distinct values of its enumerated string columns (file format 3.3.3).

package import RealmStorage

/// The way to the values of a table's enumerated columns, as short as it can be.
///
/// Each read of such a column goes it, so it is found once for a version of a table.
@frozen @usableFromInline
package struct EnumerationPlace: Hashable, Sendable {
  /// The ref of a spec; or, with bit 0, that of a node whose slots are leaves of values by leaf
  /// index; 0 for a table without enumerated columns.
  @usableFromInline let bits: Int

  @inlinable @inline(__always)
  init(bits: Int) { self.bits = bits }

  /// No enumerated columns.
  @inlinable
  package static var none: EnumerationPlace { EnumerationPlace(bits: 0) }

  /// For any table with a spec.
  package init(spec: Ref) { self.init(bits: spec.offset) }

  /// For a table with a spec and a schema.
  package init(spec: Ref, _ schema: TableSchema, in space: NodeSpace) {
    guard schema.hasEnumeratedColumns else {
      self = .none
      return
    }
    // Where the columns are in the order of their leaves, as in most tables, the slots of the spec
    // serve as they are.
    guard schema.enumeratedColumns.allSatisfy({ $0.specIndex == $0.leafIndex }),
      let leaves = try? space.node(at: spec).ref(at: SpecSlot.enumerations), !leaves.isNull
    else {
      self.init(spec: spec)
      return
    }
    self.init(bits: leaves.offset | 1)
  }

  /// The leaf of the distinct values of the column with that leaf index.
  ///
  /// - Throws: `StorageError.corrupted` if the column is not enumerated.
  @inline(__always)
  package func leaf(ofColumnAt leafIndex: Int, in space: NodeSpace) throws(StorageError) -> Ref {
    if bits & 1 == 1 {
      let leaf = try space.node(at: Ref(bits ^ 1)).ref(at: leafIndex)
      if !leaf.isNull { return leaf }
    }
    return try searchedLeaf(ofColumnAt: leafIndex, space)
  }

  @inline(never)
  private func searchedLeaf(
    ofColumnAt leafIndex: Int, _ space: NodeSpace
  ) throws(StorageError) -> Ref {
    if bits & 1 == 0, bits != 0 {
      let spec = try space.node(at: Ref(bits))
      let leaves = try spec.ref(at: SpecSlot.enumerations)
      let refs = leaves.isNull ? nil : try space.node(at: leaves)
      let keys = try space.node(at: try spec.ref(at: SpecSlot.keys))
      for index in 0..<min(keys.count, refs?.count ?? 0)
      where ColumnKey(try keys.integer(at: index)).leafIndex == leafIndex {
        if let leaf = try refs?.ref(at: index), !leaf.isNull { return leaf }
      }
    }
    throw .corrupted("a string column has positions but no enumeration")
  }
}
