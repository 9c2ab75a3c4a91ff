// SPDX-License-Identifier: Apache-2.0

// Classes with some of every kind of property.

package import RealmTables

/// The classes of random lives of a database.
///
/// Each life has some of the properties, as tables with all of them make its transactions slow.
package enum RandomSchema {
  /// Makes the classes.
  ///
  /// - Parameter share: How many in a hundred of the properties of each type are made.
  package static func make(
    in group: WriteGroup, _ random: inout SeededGenerator, share: Int = 25
  ) throws {
    let things = try group.createTable(named: "class_Thing")
    let notes = try group.createTable(named: "class_Note")
    let others = try group.createTable(named: "class_Other")
    let parts = try group.createTable(named: "class_Part", kind: .embedded)
    let internalTable = try group.createTable(named: "progress")
    try internalTable.addColumn(named: "count", type: .int)

    let id = try things.addColumn(named: "id", type: .string)
    for type in ColumnType.scalars + [.mixed] {
      for collection in [.none, .list, .set, .dictionary] as [CollectionKind] {
        guard type == .mixed && collection == .none || random.percent(share) else { continue }
        try things.addColumn(
          named: "\(collection)_\(type)", type: type, collection: collection,
          isNullable: random.percent(50))
      }
    }
    for (name, target) in [("thing", things), ("note", notes), ("part", parts)] {
      for owner in [things, parts] {
        for collection in [.none, .list, .set, .dictionary] as [CollectionKind] {
          // Foreign changesets set the links from things to things.
          let isNeeded = owner === things && target === things
          guard isNeeded || random.percent(share + 15) else { continue }
          guard collection != .set || target.schema.kind != .embedded else { continue }
          try owner.addColumn(
            named: "\(collection)_\(name)", type: .link, collection: collection,
            target: target.key)
        }
      }
    }
    try things.setPrimaryKey(id.key)

    try parts.addColumn(named: "x", type: .double)
    try parts.addColumn(named: "any", type: .mixed)
    try parts.addColumn(named: "texts", type: .string, collection: .list)

    try notes.addColumn(named: "text", type: .string)
    try notes.addColumn(named: "thing", type: .link, target: things.key)
    try notes.addColumn(named: "notes", type: .link, collection: .list, target: notes.key)
    try notes.addColumn(named: "anys", type: .mixed, collection: .list)

    let number = try others.addColumn(named: "number", type: .int, isNullable: true)
    try others.addColumn(named: "name", type: .string, isIndexed: true)
    try others.addColumn(named: "count", type: .int, isNullable: true)
    try others.setPrimaryKey(number.key)
  }
}

extension ColumnType {
  static let scalars: [ColumnType] = [
    .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid,
  ]
}
