// SPDX-License-Identifier: Apache-2.0

// Where a search index looks up the values it does not store.

package import RealmStorage

/// The values of the column that a search index covers.
///
/// An index stores four bytes of a value at a time and object keys; to distinguish values with
/// equal bytes it reads the column. Views in the values are valid until the next change of the
/// table.
package protocol IndexedValues {
  /// The value of the object `key`, which the index says exists.
  ///
  /// - Throws: `StorageError.corrupted` if there is no such object.
  func indexedValue(of key: ObjectKey) throws(StorageError) -> MixedValue
}
