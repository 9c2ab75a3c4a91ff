// SPDX-License-Identifier: Apache-2.0

// The values that a new object begins with.

package import RealmStorage

/// What knows the values of an object that is just being made, so that they go into its columns at
/// once instead of over defaults.
package protocol InitialValues: AnyObject {
  /// Inserts the value of the column at `leafIndex` into its leaf.
  ///
  /// - Returns: where the leaf is now, or nil if the column is to have its default value for the
  ///   time being; then the leaf was not touched.
  func insert(
    columnAt leafIndex: Int, at position: Int, in leaf: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref?
}
