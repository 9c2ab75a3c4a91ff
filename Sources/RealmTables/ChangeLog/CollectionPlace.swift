// SPDX-License-Identifier: Apache-2.0

// Where a collection is, as a recorder of changes is told.

/// A step from a collection to what one of its elements holds.
package enum PathStep: Hashable, Sendable {
  /// The element of a list at a stored position.
  case index(Int)
  /// The value of a key of a dictionary, or a property of an embedded object.
  case key(String)
}

/// A collection of an object: that of a column, or one inside a mixed value.
package struct CollectionPlace {
  package let table: WritableTable
  package let column: Column
  package let object: ObjectKey
  /// The steps from the column's collection, or from the collection that its mixed value is, to
  /// this one.
  package let path: [PathStep]

  package init(table: WritableTable, column: Column, object: ObjectKey, path: [PathStep] = []) {
    self.table = table
    self.column = column
    self.object = object
    self.path = path
  }
}
