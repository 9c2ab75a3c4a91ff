// SPDX-License-Identifier: Apache-2.0

// Copies the objects of a realm into a file that has data already.
//
// Invariants:
// 1. Every object has its row in the destination before the first value is copied, so links in any
//    direction find their targets.

import RealmStorage
import RealmTables

/// Copies all objects of one realm to another: they overwrite the objects there that have their
/// primary keys, all others are new.
struct RealmMerge {
  private var tables: [Pair] = []
  private var keys: [StoredLink: StoredLink] = [:]

  /// A class in both files.
  private struct Pair {
    let from: Table
    let to: WritableTable
    /// The columns of the same name.
    let columns: [(from: Column, to: Column)]
  }

  /// - Throws: `Realm.Error.schemaMismatch` if the destination lacks a class or a property that the
  ///   source has objects of.
  init(_ source: [Table], into destination: WriteGroup) throws {
    for from in source {
      guard let className = from.schema.className, try from.objectCount() > 0 else { continue }
      guard let to = try destination.table(named: from.schema.name),
        to.schema.kind == from.schema.kind
      else { throw RealmMerge.mismatch("it lacks class '\(className)'") }
      tables.append(Pair(from: from, to: to, columns: try RealmMerge.columns(from, to)))
    }
  }

  private static func columns(
    _ from: Table, _ to: WritableTable
  ) throws -> [(from: Column, to: Column)] {
    try from.schema.columns.map { column in
      let path = "'\(from.schema.className ?? "").\(column.name)'"
      guard let other = to.schema.column(named: column.name) else {
        throw mismatch("it lacks property \(path)")
      }
      guard other.type == column.type, other.collection == column.collection,
        other.isPrimaryKey == column.isPrimaryKey, other.isNullable || !column.isNullable
      else { throw mismatch("property \(path) is of another type there") }
      return (column, other)
    }
  }

  private static func mismatch(_ reason: String) -> Realm.Error {
    Realm.Error(.schemaMismatch, message: "The Realm cannot be copied into the file: \(reason).")
  }

  mutating func run() throws(StorageError) {
    for pair in tables { try makePlaces(pair) }
    for pair in tables { try copyValues(pair) }
  }

  private mutating func makePlaces(_ pair: Pair) throws(StorageError) {
    let primaryKey = pair.from.schema.primaryKey
    var cursor = pair.from.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let from = StoredLink(table: pair.from.key, key: cluster.key(at: index))
        let key: ObjectKey
        if let primaryKey {
          let value = try cluster.row(at: index).value(of: primaryKey)
          key = try pair.to.findOrCreate(primaryKey: value).key
        } else {
          key = try pair.to.createObject().key
        }
        keys[from] = StoredLink(table: pair.to.key, key: key)
      }
    }
  }

  private func copyValues(_ pair: Pair) throws(StorageError) {
    var cursor = pair.from.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let row = cluster.row(at: index)
        let from = StoredLink(table: pair.from.key, key: cluster.key(at: index))
        guard let object = keys[from] else {
          assertionFailure("`RealmMerge` 1: an object has no row in the destination")
          continue
        }
        for (column, target) in pair.columns where !target.isPrimaryKey {
          let value = mapped(try row.value(of: column), column)
          try pair.to.set(value, target, object.key)
        }
      }
    }
  }

  /// The value with links to the corresponding objects in the destination.
  private func mapped(_ value: TableValue, _ column: Column) -> TableValue {
    switch value {
    case .link(let key):
      guard let table = column.targetTable,
        let link = keys[StoredLink(table: table, key: key)]
      else { return .null }
      return .link(link.key)
    case .typedLink(let table, let key):
      guard let link = keys[StoredLink(table: table, key: key)] else { return .null }
      return .typedLink(link.table, link.key)
    case .list(let values): return .list(values.map { mapped($0, column) })
    case .dictionary(let map):
      return .dictionary(
        TableDictionary(
          map.entries.map { TableDictionary.Entry(key: $0.key, value: mapped($0.value, column)) }))
    default: return value
    }
  }
}
