// SPDX-License-Identifier: Apache-2.0

// The data of the program and how it writes them.
//
// All that the program does to its data goes through `TripEditor`, `TripObject` and `TripReader`.

import RealmTables

/// The objects of a trip in a write transaction.
struct TripEditor {
  private let group: WriteGroup

  init(_ group: WriteGroup) { self.group = group }

  /// Makes the classes: `Trip` and `Person`, and `Hotel`, whose objects are parts of trips.
  func makeClasses() throws {
    let people = try group.createTable(named: "class_Person")
    let hotels = try group.createTable(named: "class_Hotel", kind: .embedded)
    let trips = try group.createTable(named: "class_Trip")
    for table in [people, trips] {
      let id = try table.addColumn(named: "_id", type: .string)
      try table.setPrimaryKey(id.key)
    }
    for name in ["name", "phone"] { try people.addColumn(named: name, type: .string) }
    for name in ["name", "room"] { try hotels.addColumn(named: name, type: .string) }
    try trips.addColumn(named: "title", type: .string)
    try trips.addColumn(named: "seats", type: .int)
    for name in ["packing", "route", "chores"] {
      try trips.addColumn(named: name, type: .string, collection: .list)
    }
    try trips.addColumn(named: "tags", type: .string, collection: .set)
    try trips.addColumn(named: "costs", type: .int, collection: .dictionary)
    for name in ["first hotel", "last hotel"] {
      try trips.addColumn(named: name, type: .link, target: hotels.key)
    }
    try trips.addColumn(named: "leader", type: .link, target: people.key)
    try trips.addColumn(named: "guests", type: .link, collection: .list, target: people.key)
  }

  /// An object that is there, or a new one.
  func object(_ className: String, _ id: String) throws -> TripObject {
    let table = try table(className)
    return TripObject(
      table: table, key: try table.findOrCreate(primaryKey: .string(id)).key)
  }

  var trip: TripObject { get throws { try object("Trip", "alps") } }

  func person(_ id: String) throws -> TripObject { try object("Person", id) }

  func delete(_ object: TripObject) throws { try object.table.delete(object.key) }

  private func table(_ className: String) throws -> WritableTable {
    guard let table = try group.table(named: "class_" + className) else {
      throw Story.Failure(description: "there is no class \(className)")
    }
    return table
  }
}
