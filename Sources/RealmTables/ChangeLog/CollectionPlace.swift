// SPDX-License-Identifier: Apache-2.0

// The position of a collection, as a recorder of changes gets it.

/// A collection of an object: that of a column, or one inside a mixed value.
package struct CollectionPlace {
  package let table: WritableTable
  package let column: Column
  package let object: ObjectKey
  /// The steps from the column's collection, or from the collection that its mixed value is, to
  /// this one.
  package var path: [PathStep] = []
}
