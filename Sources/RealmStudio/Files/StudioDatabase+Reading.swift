// SPDX-License-Identifier: Apache-2.0

// Reading for the page: classes, windows of tables, objects, positions.

#if Tools
import RealmQuery
import RealmFormats
import RealmStorage
import RealmTables
import RealmTools

extension StudioDatabase {
  /// The most rows of one window, and elements of one piece of a collection.
  static let windowCountMax = 500

  /// The classes of the file, and the state of its transaction.
  func schema() throws -> JSONValue {
    let classes = try classes()
    return ["version": version, "draft": draftJSON, "classes": try classes.json()]
  }

  /// The figures of the file, and who keeps its old versions.
  func statistics() throws -> JSONValue {
    let found = try file.statistics()
    return [
      "version": .integer(Int64(bitPattern: found.version)), "bytes": JSONValue(found.byteCount),
      "usedBytes": JSONValue(found.usedByteCount), "freeBytes": JSONValue(found.freeByteCount),
      "pinnedBytes": JSONValue(found.pinnedByteCount),
      "pinnedVersions": .array(file.heldVersions.map { $0.json(newest: found.version) }),
    ]
  }

  private var version: JSONValue { .integer(Int64(bitPattern: tables.version)) }

  /// Some rows of a table by their positions.
  func rows(_ request: Listing.Request, from start: Int, count: Int) throws -> JSONValue {
    let begin = ContinuousClock.now
    let classes = try classes()
    let listing = try listing(request, in: classes)
    let schema = try classes.required(request.className)
    let reader = CellReader(classes: classes)
    var rows: [JSONValue] = []
    let table = try classes.reader.readTable(schema.key)
    for position in min(start, listing.count)..<min(start + count, listing.count) {
      guard let table, let key = try listing.key(at: position, of: table),
        let row = try table.row(of: key)
      else { continue }
      var cells: [JSONValue] = []
      cells.reserveCapacity(schema.columns.count)
      for column in schema.columns { cells.append(try reader.cell(column, of: row)) }
      rows.append(
        ["key": .string(String(key.rawValue)), "cells": .array(cells)])
    }
    let time = begin.duration(to: .now) / .microseconds(1)
    return [
      "version": version, "total": .integer(Int64(listing.count)), "start": .integer(Int64(start)),
      "rows": .array(rows), "microseconds": .integer(Int64(time)),
    ]
  }

  /// The position of an object among those of a request; null if it is not there.
  func position(of key: ObjectKey, in request: Listing.Request) throws -> JSONValue {
    let classes = try classes()
    let listing = try listing(request, in: classes)
    let found = try classes.reader.readTable(listing.query.table).flatMap {
      try listing.position(of: key, in: $0, classes.reader)
    }
    return ["position": JSONValue(found)]
  }

  // MARK: - One object

  /// An object with all its properties and its backlinks.
  func object(_ key: ObjectKey, ofClass name: String) throws -> JSONValue {
    let classes = try classes()
    let schema = try classes.required(name)
    let reader = CellReader(classes: classes, limits: .inspector)
    let row = try self.row(key, schema, classes)
    return [
      "class": .string(name), "key": .string(String(key.rawValue)),
      "title": .string(try reader.title(of: row, key, in: schema)), "version": version,
      "cells": .array(try schema.columns.map { try reader.cell($0, of: row) }),
      "backlinks": .array(try backlinks(of: row, schema, classes)),
    ]
  }

  private func row(_ key: ObjectKey, _ schema: TableSchema, _ classes: StoredSchema) throws -> Row {
    guard let row = try classes.reader.readTable(schema.key)?.row(of: key) else {
      throw StudioFailure(
        404, "'\(schema.className ?? "")' has no object #\(key.rawValue) any more.")
    }
    return row
  }

  private func backlinks(
    of row: Row, _ schema: TableSchema, _ classes: StoredSchema
  ) throws -> [JSONValue] {
    let reader = CellReader(classes: classes)
    var all: [JSONValue] = []
    for column in schema.backlinkColumns {
      guard let origin = column.targetTable, let table = try classes.reader.readTable(origin),
        let name = table.schema.className, let opposite = column.oppositeColumn,
        let property = table.schema.column(opposite)
      else { continue }
      let count = try row.backlinkCount(of: column)
      guard count > 0 else { continue }
      var origins: [ObjectKey] = []
      _ = try row.containsBacklink(of: column) { key in
        origins.append(key)
        return origins.count == CellReader.Limits.inspector.elementCount
      }
      let links = try origins.map { try reader.link(to: $0, in: origin) }
      all.append(
        [
          "class": .string(name), "property": .string(property.name), "n": .integer(Int64(count)),
          "v": .array(links),
        ])
    }
    return all
  }

  /// A piece of a collection.
  func elements(
    of property: String, _ key: ObjectKey, ofClass name: String, from start: Int
  ) throws -> JSONValue {
    let classes = try classes()
    let schema = try classes.required(name)
    let column = try schema.required(property)
    guard column.collection != .none else {
      throw StudioFailure(400, "'\(name).\(property)' is no collection.")
    }
    let row = try self.row(key, schema, classes)
    return try CellReader(classes: classes, limits: .inspector).cell(column, of: row, from: start)
  }
}
#endif
