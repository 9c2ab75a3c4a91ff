// SPDX-License-Identifier: Apache-2.0

// A table for objects as they were, so that queries about the past are run by the same code as
// those about the present.

import RealmQuery
import RealmStorage
import RealmTables
import Synchronization

/// A database in memory whose transactions are never committed, one after the other.
package final class ViewScratch: Sendable {
  private static let count = Atomic(0)

  private let file: DatabaseFile

  package init() throws(StoreError) {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    file = try StoreError.storing { () throws(StorageError) in
      try DatabaseFile.open(
        path: "/views-\(number).realm", options: OpenOptions(isInMemory: true))
    }
  }

  /// The positions of those values that a view selects.
  ///
  /// - Parameters:
  ///   - values: The properties of objects, by their names.
  ///   - schema: The class in its present form.
  func selected(
    of values: [[String: TableValue]], ofClass name: String, _ schema: TableSchema, by view: View
  ) throws(StoreError) -> Set<Int> {
    guard !values.isEmpty, !view.isEmpty(ofClass: name) else { return [] }
    let group = try StoreError.storing { () throws(StorageError) in
      try WriteGroup(file.beginWrite())
    }
    defer { group.rollback() }
    var positions: [ObjectKey: Int] = [:]
    var keys: [ObjectKey] = []
    let table = try StoreError.storing { () throws(StorageError) -> WritableTable in
      let table = try group.createTable(named: "class_" + name)
      for column in schema.columns where column.isQueryable {
        try table.addColumn(
          named: column.name, type: column.type, collection: column.collection,
          isNullable: column.isNullable)
      }
      for (position, properties) in values.enumerated() {
        let (key, _) = try table.createObject()
        for column in table.schema.columns {
          // A property that is younger than the values has what new objects have.
          guard let value = properties[column.name] else { continue }
          try table.set(value, column, key)
        }
        positions[key] = position
        keys.append(key)
      }
      return table
    }
    let readable = try StoreError.storing { () throws(StorageError) in try table.table }
    let found = try view.keys(among: keys, ofClass: name, table: readable, in: group)
    return Set(found.compactMap { positions[$0] })
  }
}
