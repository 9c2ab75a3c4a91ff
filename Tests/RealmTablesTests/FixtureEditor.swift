// SPDX-License-Identifier: Apache-2.0

// Random changes to any file, whatever its schema.

import RealmStorage
import RealmTestSupport

@testable import RealmTables

/// Creates, changes and deletes objects of every table in a file, as far as this version writes.
struct FixtureEditor {
  private var random: SeededGenerator
  private let group: WriteGroup

  init(_ group: WriteGroup, seed: UInt64) {
    self.group = group
    random = SeededGenerator(seed: seed)
  }

  mutating func run() throws {
    for key in try group.tableKeys() {
      guard let table = try group.table(key), table.schema.kind == .topLevel,
        table.schema.name != "metadata"
      else { continue }
      for _ in 0..<12 { try create(in: table) }
      for _ in 0..<40 { try change(in: table) }
      for _ in 0..<8 {
        guard let object = try object(of: table) else { break }
        try table.delete(object)
      }
    }
  }

  private mutating func object(of table: WritableTable) throws -> ObjectKey? {
    let count = try table.objectCount()
    guard count > 0 else { return nil }
    return try table.table.key(at: Int.random(in: 0..<count, using: &random))
  }

  private mutating func create(in table: WritableTable) throws {
    var primaryKey: TableValue?
    if let column = table.schema.primaryKey {
      let value = random.value(column.type, isNullable: column.isNullable)
      guard try table.table.find(primaryKey: value) == nil else { return }
      primaryKey = value
    }
    let key = try table.createObject(primaryKey: primaryKey).key
    for column in table.schema.columns where random.chance(60) {
      try change(column, of: key, in: table)
    }
  }

  private mutating func change(in table: WritableTable) throws {
    guard let key = try object(of: table),
      let column = table.schema.columns.randomElement(using: &random)
    else { return }
    try change(column, of: key, in: table)
  }

  private mutating func change(
    _ column: Column, of key: ObjectKey, in table: WritableTable
  ) throws {
    // The schema may have changed under a column that was asked for before.
    guard let column = table.schema.column(column.key), !column.isPrimaryKey else { return }
    switch column.collection {
    case .set, .dictionary: return
    case .list: try changeList(column, of: key, in: table)
    case .none:
      if let target = try target(of: column), target.schema.kind == .embedded {
        guard random.chance(60) else { return try table.set(.null, column, key) }
        let embedded = try table.createEmbedded(column, of: key).key
        for inner in target.schema.columns { try change(inner, of: embedded, in: target) }
      } else if let value = try value(of: column) {
        try table.set(value, column, key)
      }
    }
  }

  private func target(of column: Column) throws -> WritableTable? {
    try column.targetTable.flatMap { try group.table($0) }
  }

  /// A new value for a property or an element; nil if there is none to be had.
  private mutating func value(of column: Column) throws -> TableValue? {
    if let target = try target(of: column) {
      if column.collection == .none, random.chance(20) { return .null }
      return try object(of: target).map { .link($0) }
    }
    if column.type == .mixed, random.chance(40) {
      let tables = try group.tableKeys()
      guard let key = tables.randomElement(using: &random), let table = try group.table(key),
        table.schema.kind == .topLevel, let object = try object(of: table)
      else { return .null }
      return .typedLink(key, object)
    }
    return random.value(column.type, isNullable: column.isNullable)
  }

  private mutating func changeList(
    _ column: Column, of key: ObjectKey, in table: WritableTable
  ) throws {
    let list = try table.list(column, key)
    for _ in 0..<5 {
      let count = try list.count
      let index = Int.random(in: 0...count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where index < count: try list.remove(at: index)
      case 1 where index < count && column.type != .mixed: try list.move(from: index, to: 0)
      case 2 where random.chance(20): try list.removeAll()
      default:
        if let target = try target(of: column), target.schema.kind == .embedded {
          _ = try list.insertEmbedded(at: index)
        } else if let value = try value(of: column) {
          if index < count, random.chance(40) {
            try list.set(value, at: index)
          } else {
            try list.insert(value, at: index)
          }
        }
      }
    }
  }
}
