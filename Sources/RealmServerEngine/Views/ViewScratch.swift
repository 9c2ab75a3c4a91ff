// SPDX-License-Identifier: Apache-2.0

// A table for earlier states of objects, so queries about the past are run by the same code as
// those about the present.

import RealmQuery
package import RealmStorage
import RealmTables
import Synchronization

/// A database in memory whose transactions are never committed, one after the other.
package final class ViewScratch: Sendable {
  private static let count = Atomic(0)

  private let file: DatabaseFile
  /// The last computed rounds.
  let rounds = Locked(RoundCache())

  package init() throws(StorageError) {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    file = try DatabaseFile.open(
      path: "/views-\(number).realm", options: OpenOptions(isInMemory: true))
  }

  /// The positions of the values selected by a view.
  ///
  /// - Parameters:
  ///   - values: The properties of objects, by their names.
  ///   - schema: The class in its present form.
  ///   - points: The properties with positions.
  func selected(
    of values: [[String: TableValue]], ofClass name: String, _ schema: TableSchema,
    points: Set<String>,
    by view: View
  ) throws(StorageError) -> Set<Int> {
    guard !values.isEmpty, !view.isEmpty(ofClass: name) else { return [] }
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    var positions: [ObjectKey: Int] = [:]
    var keys: [ObjectKey] = []
    let table = try group.createTable(named: "class_" + name)
    for column in schema.columns where column.isQueryable {
      try table.addColumn(
        named: column.name, type: column.type, collection: column.collection,
        isNullable: column.isNullable)
    }
    let places = try Self.addPoints(points, to: table, ofClass: name, in: group)
    for (position, properties) in values.enumerated() {
      let (key, _) = try table.createObject()
      for column in table.schema.columns {
        // A property younger than the values has the default of new objects.
        guard let value = properties[column.name] else { continue }
        if let places, points.contains(column.name) {
          try Self.set(value, column, key, of: table, places)
        } else {
          try table.set(value, column, key)
        }
      }
      positions[key] = position
      keys.append(key)
    }
    let found = try view.keys(among: keys, ofClass: name, table: table.table, in: group)
    return Set(found.compactMap { positions[$0] })
  }

  /// Adds the properties with positions; returns their table.
  private static func addPoints(
    _ names: Set<String>, to table: WritableTable, ofClass name: String, in group: WriteGroup
  ) throws(StorageError) -> WritableTable? {
    guard !names.isEmpty else { return nil }
    let positions = try group.createTable(
      named: name == "Position" ? "class_Point" : "class_Position", kind: .embedded)
    try positions.addColumn(named: "type", type: .string)
    try positions.addColumn(named: "coordinates", type: .double, collection: .list)
    for name in names.sorted() {
      try table.addColumn(named: name, type: .link, target: positions.key)
    }
    return positions
  }

  private static func set(
    _ value: TableValue, _ column: Column, _ key: ObjectKey, of table: WritableTable,
    _ positions: WritableTable
  ) throws(StorageError) {
    guard case .list(let coordinates) = value, let points = PointColumns(positions.schema)
    else { return }
    let (position, _) = try table.createEmbedded(column, of: key)
    try positions.set(.string("Point"), points.type, position)
    let list = try positions.list(points.coordinates, position)
    for (index, number) in coordinates.enumerated() { try list.insert(number, at: index) }
  }
}
