// SPDX-License-Identifier: Apache-2.0

// The readable part of damaged tables, in a new file.
//
// 1. Each object found gets into the copy, whatever part of it cannot be read; such a part
//    has the value of a new object there, and is counted.

import RealmStorage
import RealmTables

/// Copies the objects of damaged tables.
struct SalvageCopy {
  private let source: DamagedTables
  private let progress: Salvage.Progress
  private(set) var report = SalvageReport()
  private var tables: [TableKey: WritableTable] = [:]
  /// The columns of the new tables by name.
  private var columns: [TableKey: [String: Column]] = [:]
  /// The new objects by the keys of the old ones.
  private var objects: [TableKey: [ObjectKey: NewObject]] = [:]
  private var classes: [TableKey: DamagedTables.Class] = [:]
  /// The embedded objects with an owner.
  private var owned: Set<OldObject> = []

  /// A collection is given up after so many unreadable elements: its length is wrong.
  private static let lostElementsMax = 10_000

  private struct OldObject: Hashable {
    let table: TableKey
    let key: ObjectKey
  }

  private struct NewObject {
    let key: ObjectKey
    /// Its part of the table.
    let part: Int
  }

  init(_ source: DamagedTables, _ progress: @escaping Salvage.Progress) {
    self.source = source
    self.progress = progress
    for type in source.classes { classes[type.schema.key] = type }
    for problem in source.problems { report.add(problem) }
    report.unreadable = source.unreadable
  }

  // MARK: Objects

  /// Makes the classes and their objects.
  mutating func fill(_ group: WriteGroup) throws {
    tables = try ClassCopy.make(source.classes.map(\.schema), in: group)
    for (key, table) in tables {
      let columns = try table.table.schema.columns
      self.columns[key] = Dictionary(columns.map { ($0.name, $0) }) { first, _ in first }
    }
    if let version = source.schemaVersion { try group.setSchemaVersion(version) }
    let whole = source.classes.filter { $0.schema.kind != .embedded }
      .sorted { $0.schema.displayName < $1.schema.displayName }
    var counts: [SalvageReport.Class] = whole.map {
      SalvageReport.Class(
        name: $0.schema.displayName, expected: $0.hasCount ? try? $0.table.objectCount() : nil)
    }
    let total = counts.reduce(0) { $0 + ($1.expected ?? 0) }
    var done = 0
    for (index, type) in whole.enumerated() {
      var problems: [StorageError] = []
      try source.forEachObject(of: type, failed: { problems.append($0) }) { key, row, part in
        do throws(StorageError) {
          let isFull = counts[index].expected.map { $0 <= counts[index].saved } ?? false
          // More than there are would be some that were deleted.
          if isFull, type.parts[part].isFiller { return }
          if try create(key, row, part, type) { counts[index].saved += 1 }
        } catch { problems.append(error) }
        done += 1
        try progress(done, total * 2)
      }
      for problem in problems { report.add("\(type.schema.displayName): \(problem)") }
    }
    for (index, type) in whole.enumerated() {
      try source.forEachObject(of: type, failed: { _ in }) { key, row, part in
        guard let new = objects[type.schema.key]?[key], new.part == part else { return }
        counts[index].lostValues += copyValues(of: row, type.schema, to: new.key)
        done += 1
        try progress(done, total * 2)
      }
    }
    report.classes = counts
  }

  /// Makes an object with its primary key, or under its object key; false if it is an older state
  /// of one that is there.
  private mutating func create(
    _ key: ObjectKey, _ row: Row, _ part: Int, _ type: DamagedTables.Class
  ) throws(StorageError) -> Bool {
    guard let table = tables[type.schema.key] else { return false }
    let isFiller = type.parts[part].isFiller
    let new: ObjectKey
    if let column = type.schema.primaryKey {
      let value = try row.value(of: column)
      guard try table.findRow(primaryKey: value) == nil else {
        if isFiller { return false }
        throw .corrupted("two objects have the same primary key")
      }
      new = try table.createObject(primaryKey: value).key
    } else {
      if isFiller, objects[type.schema.key]?[key] != nil { return false }
      _ = try table.createObject(under: key)
      new = key
    }
    objects[type.schema.key, default: [:]][key] = NewObject(key: new, part: part)
    return true
  }

  // MARK: Values

  /// Copies the values of an object; the number of unreadable ones.
  private mutating func copyValues(
    of row: Row, _ schema: TableSchema, to key: ObjectKey, depth: Int = 0
  ) -> Int {
    var lost = 0
    for column in schema.columns where !column.isPrimaryKey {
      guard let new = columns[schema.key]?[column.name] else {
        lost += 1
        continue
      }
      do throws(StorageError) {
        let (value, missing) = try readable(row, column)
        lost += missing
        lost += try store(value, new, column, schema.key, key, depth: depth)
      } catch { lost += 1 }
    }
    return lost
  }

  /// The readable part of a value, and the number of unreadable elements.
  private func readable(
    _ row: Row, _ column: Column
  ) throws(StorageError) -> (value: TableValue, lost: Int) {
    let failure: StorageError
    do throws(StorageError) { return (try row.value(of: column), 0) } catch { failure = error }
    var lost = 0
    switch column.collection {
    case .none: throw failure
    case .list, .set:
      let view = try row.list(column)
      var values: [TableValue] = []
      for index in 0..<view.count where lost < Self.lostElementsMax {
        do throws(StorageError) { values.append(try view.value(at: index)) } catch { lost += 1 }
      }
      return (.list(values), lost)
    case .dictionary:
      let view = try row.dictionary(column)
      var entries: [TableDictionary.Entry] = []
      for index in 0..<view.count where lost < Self.lostElementsMax {
        do throws(StorageError) {
          let value = try view.value(at: index, of: column)
          entries.append(.init(key: try view.key(at: index), value: value))
        } catch { lost += 1 }
      }
      return (.dictionary(TableDictionary(entries)), lost)
    }
  }

  /// Stores a value; the number of its links to objects without a copy.
  private mutating func store(
    _ value: TableValue, _ new: Column, _ old: Column, _ table: TableKey, _ key: ObjectKey,
    depth: Int
  ) throws(StorageError) -> Int {
    guard let target = tables[table] else { return 1 }
    if old.type == .link, let owner = old.targetTable, classes[owner]?.schema.kind == .embedded {
      return try storeEmbedded(value, new, owner, target, key, depth: depth)
    }
    var lost = 0
    let mapped = mapped(value, old.targetTable, &lost)
    switch mapped {
    case .list(let values) where old.type == .link && old.collection != .none:
      try target.set(.list(values.filter { !$0.isNull }), new, key)
    default: try target.set(mapped, new, key)
    }
    return lost
  }

  /// The target of a link of the damaged file.
  private func newKey(_ key: ObjectKey, _ table: TableKey) -> ObjectKey? {
    classes[table]?.hasCertainKeys ?? false ? objects[table]?[key]?.key : nil
  }

  /// The value with the links of the new file.
  private func mapped(_ value: TableValue, _ target: TableKey?, _ lost: inout Int) -> TableValue {
    switch value {
    case .link(let key):
      if let target, let new = newKey(key, target) { return .link(new) }
    case .typedLink(let table, let key):
      if let new = newKey(key, table), let other = tables[table]?.key {
        return .typedLink(other, new)
      }
    case .list(let values): return .list(values.map { mapped($0, target, &lost) })
    case .dictionary(let dictionary):
      return .dictionary(
        TableDictionary(
          dictionary.entries.map { .init(key: $0.key, value: mapped($0.value, target, &lost)) }))
    default: return value
    }
    lost += 1
    return .null
  }

  private mutating func storeEmbedded(
    _ value: TableValue, _ column: Column, _ owner: TableKey, _ table: WritableTable,
    _ key: ObjectKey, depth: Int
  ) throws(StorageError) -> Int {
    guard depth < 64 else { return 1 }
    var lost = 0
    switch value {
    case .link(let old):
      guard let row = claim(old, owner) else { return 1 }
      let new = try table.createEmbedded(column, of: key).key
      lost += copyEmbedded(row, owner, new, depth)
    case .list(let values):
      let list = try table.list(column, key)
      for value in values {
        guard case .link(let old) = value, let row = claim(old, owner) else {
          lost += 1
          continue
        }
        let new = try list.insertEmbedded(at: try list.count).key
        lost += copyEmbedded(row, owner, new, depth)
      }
    case .dictionary(let dictionary):
      let editor = try table.dictionary(column, key)
      for entry in dictionary.entries {
        guard case .link(let old) = entry.value, let row = claim(old, owner) else {
          lost += entry.value.isNull ? 0 : 1
          continue
        }
        let new = try editor.setEmbedded(for: entry.key).key
        lost += copyEmbedded(row, owner, new, depth)
      }
    default: break
    }
    return lost
  }

  /// An embedded object without an owner so far.
  private mutating func claim(_ key: ObjectKey, _ table: TableKey) -> Row? {
    guard let row = try? classes[table]?.table.row(of: key),
      owned.insert(OldObject(table: table, key: key)).inserted
    else { return nil }
    return row
  }

  private mutating func copyEmbedded(
    _ row: Row, _ table: TableKey, _ new: ObjectKey, _ depth: Int
  ) -> Int {
    guard let schema = classes[table]?.schema else { return 1 }
    return copyValues(of: row, schema, to: new, depth: depth + 1)
  }
}
