// SPDX-License-Identifier: Apache-2.0

// The distinct values of enumerated string columns (file format 3.3.3).

package import RealmStorage

/// Where a spec keeps the values of its enumerated string columns.
package enum Enumeration {
  /// The leaf of the distinct values of the column with that leaf index.
  ///
  /// - Throws: `StorageError.corrupted` if the column is not enumerated.
  package static func leaf(
    ofColumnAt leafIndex: Int, spec: Ref, in space: NodeSpace
  ) throws(StorageError) -> Ref {
    let node = try space.node(at: spec)
    let keys = try space.node(at: try node.ref(at: SpecSlot.keys))
    let leaves = try node.ref(at: SpecSlot.enumerations)
    if !leaves.isNull {
      let leaves = try space.node(at: leaves)
      for index in 0..<min(keys.count, leaves.count)
      where ColumnKey(try keys.integer(at: index)).leafIndex == leafIndex {
        let leaf = try leaves.ref(at: index)
        if !leaf.isNull { return leaf }
      }
    }
    throw .corrupted("a string column has positions but no enumeration")
  }
}
