// SPDX-License-Identifier: Apache-2.0

// The positions of a new object's values in the enumerated columns of its table.
//
// A value that a column does not have yet is appended to the leaf of its values before the object
// is inserted, as the column may cease to be enumerated by that.

/// The positions of a new object's strings, shared by the trees of a table.
package final class NewPositions {
  /// By leaf index; -1 for columns that are not enumerated.
  // One user at a time needs no exclusivity checks, as in `ClusterEditor`.
  @exclusivity(unchecked) private var positions: [Int64]

  init(leafCount: Int) { unsafe positions = Array(repeating: -1, count: leafCount) }

  /// The position of the string at a leaf index; nil if its column is not enumerated.
  package internal(set) subscript(leafIndex: Int) -> Int64? {
    get {
      guard unsafe leafIndex < positions.count else { return nil }
      let position = unsafe positions[leafIndex]
      return position >= 0 ? position : nil
    }
    set { unsafe positions[leafIndex] = newValue ?? -1 }
  }
}
