// SPDX-License-Identifier: Apache-2.0

// The values that a new object begins with.

package import RealmStorage

/// The values of an object that is just being made, which go into its columns at once instead of
/// over defaults.
package protocol InitialValues: AnyObject {
  /// Whether `insert` takes care of the column at `leafIndex`; always the same answer.
  func covers(columnAt leafIndex: Int) -> Bool

  /// Whether the value of a covered column is the default of the property, which a recorder tells
  /// from values that were assigned.
  func isDefault(columnAt leafIndex: Int) -> Bool

  /// What `find` returns for the value of a covered column of strings, or for nil if that is null.
  func position(
    ofTextAt leafIndex: Int, _ find: (ByteView?) throws(StorageError) -> Int64?
  ) throws(StorageError) -> Int64?

  /// Inserts a value before element `position` of each leaf of `cluster` whose column it covers,
  /// but for those of enumerated columns.
  func insert(
    at position: Int, in cluster: MutableNode, except enumerated: NewPositions?,
    _ allocator: NodeAllocator
  ) throws(StorageError)
}

extension InitialValues {
  package func isDefault(columnAt leafIndex: Int) -> Bool { false }
}
