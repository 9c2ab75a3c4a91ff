// SPDX-License-Identifier: Apache-2.0

// Random changes of any file's schema.

import RealmStorage
import RealmTestSupport

@testable import RealmTables

/// Adds, removes and renames tables and columns, and gives and takes indexes.
struct SchemaEditor {
  private var random: SeededGenerator
  private let group: WriteGroup

  init(_ group: WriteGroup, seed: UInt64) {
    self.group = group
    random = SeededGenerator(seed: seed)
  }

  mutating func run() throws {
    for step in 0..<10 {
      let keys = try group.tableKeys()
      guard let key = keys.randomElement(using: &random), let table = try group.table(key),
        table.schema.name != "metadata"
      else { continue }
      let column = table.schema.columns.randomElement(using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: try addColumn(named: "added\(step)-\(random.next() % 1000)", to: table)
      case 4, 5:
        guard let column, !column.isPrimaryKey else { continue }
        try table.columns.remove(column.key)
      case 6:
        guard let column else { continue }
        try table.columns.rename(column.key, to: "renamed\(random.next() % 100_000)")
      case 7:
        guard let column, column.type.canBeIndexed, column.collection == .none else { continue }
        try table.columns.setIndexed(random.chance(60), column.key)
      case 8: try replaceTable(step)
      case 9 where random.chance(50):
        try group.renameTable(key, to: "class_Renamed\(random.next() % 100_000)")
      default:
        guard table.schema.kind == .topLevel else { continue }
        if table.schema.primaryKey != nil, random.chance(30) { try table.setPrimaryKey(nil) }
      }
    }
  }

  private mutating func addColumn(named name: String, to table: WritableTable) throws {
    let types: [ColumnType] = [
      .int, .bool, .string, .binary, .mixed, .timestamp, .float, .double, .decimal, .link,
      .objectId, .uuid,
    ]
    guard let type = types.randomElement(using: &random) else { return }
    var target: TableKey?
    if type == .link {
      let keys = try group.tableKeys()
      target = try keys.filter { try group.table($0)?.schema.kind == .topLevel }
        .randomElement(using: &random)
      guard target != nil else { return }
    }
    let collection: CollectionKind = random.chance(30) ? .list : .none
    try table.addColumn(
      named: name, type: type, collection: collection, isNullable: random.chance(50),
      target: target,
      isIndexed: collection == .none && type.canBeIndexed && random.chance(30))
  }

  /// Removes a table that nothing links to, and puts another in its place.
  private mutating func replaceTable(_ step: Int) throws {
    for key in try group.tableKeys().shuffled(using: &random) {
      guard let table = try group.table(key), table.schema.name != "metadata",
        !table.schema.backlinkColumns.contains(where: { $0.targetTable != key })
      else { continue }
      try group.removeTable(key)
      break
    }
    let new = try group.createTable(named: "class_New\(step)x\(random.next() % 100_000)")
    for column in 0..<3 { try addColumn(named: "first\(column)", to: new) }
  }
}
