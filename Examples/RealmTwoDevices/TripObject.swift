// SPDX-License-Identifier: Apache-2.0

// An object that is written.

import RealmTables

/// An object of a write transaction and its properties by their names.
struct TripObject {
  let table: WritableTable
  let key: ObjectKey

  private func column(_ name: String) throws -> Column {
    guard let column = table.schema.column(named: name) else {
      throw Story.Failure(description: "there is no property \(name)")
    }
    return column
  }

  func set(_ name: String, _ text: String) throws {
    try table.set(.string(text), column(name), key)
  }

  func set(_ name: String, _ number: Int64) throws {
    try table.set(.int(number), column(name), key)
  }

  func link(_ name: String, to object: TripObject) throws {
    try table.set(.link(object.key), column(name), key)
  }

  /// Adds to a number, so that what others add at the same time counts, too.
  func add(_ number: Int64, to name: String) throws {
    try table.add(number, to: column(name), of: key)
  }

  func list(_ name: String) throws -> TripList {
    TripList(editor: try table.list(column(name), key))
  }

  func members(_ name: String) throws -> TripSet {
    TripSet(editor: try table.set(column(name), key))
  }

  func entries(_ name: String) throws -> TripMap {
    TripMap(editor: try table.dictionary(column(name), key))
  }

  /// A new part in place of the one that is there.
  func makePart(_ name: String) throws -> TripObject {
    let (part, _) = try table.createEmbedded(column(name), of: key)
    return TripObject(table: try parts(name), key: part)
  }

  /// The part that is there.
  func part(_ name: String) throws -> TripObject {
    guard let row = try table.row(of: key), let part = try row.link(column(name).leafIndex) else {
      throw Story.Failure(description: "there is no \(name)")
    }
    return TripObject(table: try parts(name), key: part)
  }

  private func parts(_ name: String) throws -> WritableTable {
    guard let target = try column(name).targetTable, let table = try table.group.table(target)
    else { throw Story.Failure(description: "\(name) has no parts") }
    return table
  }
}
