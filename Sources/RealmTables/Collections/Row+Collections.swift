// SPDX-License-Identifier: Apache-2.0

// The collections of an object.

package import RealmStorage

extension Row {
  /// The list or set of a column.
  package func list(_ column: Column) throws(StorageError) -> ListView {
    try ListView(root: try collectionRoot(column.leafIndex), column: column, in: space)
  }

  /// The dictionary of a column.
  package func dictionary(_ column: Column) throws(StorageError) -> DictionaryView {
    try DictionaryView(
      root: try collectionRoot(column.leafIndex), hasIntegerKeys: column.hasIntegerKeys, in: space)
  }
}
