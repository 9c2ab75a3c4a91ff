// SPDX-License-Identifier: Apache-2.0

// The commonest condition, kept as it was written: binding it takes as long as an index takes to
// answer it.

import RealmQuery
import RealmStorage
import RealmTables

/// The equality of a property of the queried class and a value of its type.
struct PlainEquality {
  /// A property of the class itself, no collection.
  let property: ModelProperty
  let value: TableValue

  /// The condition as queries have it.
  var bound: BoundPredicate {
    .comparison(BoundComparison(property.operand, .equal, .value(value)))
  }

  /// The answer of the property's index; nil if `table` has none.
  func indexed(in table: Table) throws(StorageError) -> IndexedEquality? {
    guard let position = table.schema.position(ofColumn: property.columnName) else { return nil }
    return try IndexedEquality(value, inColumn: position, of: table)
  }
}
