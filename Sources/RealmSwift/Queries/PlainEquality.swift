// SPDX-License-Identifier: Apache-2.0

// The commonest condition, kept as it was written: binding it takes as long as an index takes to
// answer it.

import RealmQuery
import RealmStorage
import RealmTables

/// The condition that a property of the queried class has a value of its own type.
struct PlainEquality {
  /// A property of the class itself, which is no collection.
  let property: ModelProperty
  let value: TableValue

  /// The condition as queries have it.
  var bound: BoundPredicate {
    .comparison(BoundComparison(property.operand, .equal, .value(value)))
  }

  /// What the index of the property says; nil if `table` has none that can.
  func indexed(in table: Table) throws(StorageError) -> IndexedEquality? {
    guard let position = table.schema.position(ofColumn: property.columnName) else { return nil }
    return try IndexedEquality(value, inColumn: position, of: table)
  }
}
