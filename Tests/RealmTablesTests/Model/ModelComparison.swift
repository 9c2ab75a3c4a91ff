// SPDX-License-Identifier: Apache-2.0

// A version of a file against the model of what it must hold.

import RealmStorage
import Testing

@testable import RealmTables

extension DatabaseModel {
  /// What differs between the model and a version; empty if nothing does.
  func differences(from group: TableGroup) throws -> [String] {
    var found: [String] = []
    for model in ModelTable.all {
      guard let table = try group.table(named: model.name) else {
        found.append("\(model.name) is missing")
        continue
      }
      try compareRows(of: table, model, &found)
      try compareLookups(of: table, model, &found)
      guard found.count < 10 else { break }
    }
    return found
  }

  private func compareRows(
    of table: RealmTables.Table, _ model: ModelTable, _ found: inout [String]
  ) throws {
    let objects = self[model.name]
    let backlinks = backlinks(to: model.name)
    var keys: [ObjectKey] = []
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let key = cluster.key(at: index)
        keys.append(key)
        guard let object = objects[key] else {
          found.append("\(model.name) \(key) should not exist")
          continue
        }
        let row = cluster.row(at: index)
        for column in table.schema.columns {
          let value = try row.value(of: column)
          let expected = object.values[column.name] ?? .null
          if value != expected {
            found.append(
              "\(model.name) \(key) \(column.name): expected \(expected), found \(value)")
          }
        }
        try compareBacklinks(of: row, key, table, backlinks[key] ?? [:], &found)
      }
    }
    let count = try table.objectCount()
    if count != objects.count || keys.count != objects.count {
      found.append(
        "\(model.name): expected \(objects.count) objects, counted \(count), saw \(keys.count)")
    }
    if keys != keys.sorted() { found.append("\(model.name): keys are out of order") }
  }

  private func compareBacklinks(
    of row: Row, _ key: ObjectKey, _ table: RealmTables.Table,
    _ expected: [String: [ObjectKey]], _ found: inout [String]
  ) throws {
    var stored: [String: [ObjectKey]] = [:]
    for column in table.schema.backlinkColumns {
      let keys = try row.backlinks(of: column)
      guard !keys.isEmpty else { continue }
      stored[place(of: column)] = keys.sorted()
    }
    let sorted = expected.mapValues { $0.sorted() }
    if sorted != stored {
      found.append("\(table.schema.name) \(key) backlinks: expected \(sorted), found \(stored)")
    }
  }

  /// The `table.column` that a backlink column is the other side of.
  private func place(of backlinks: Column) -> String {
    let origin = tableKeys.first { $0.value == backlinks.targetTable }?.key ?? "?"
    let match = columnKeys.first {
      $0.value == backlinks.oppositeColumn && $0.key.hasPrefix(origin + ".")
    }
    return match?.key ?? "?"
  }

  /// Primary keys, positions and indexed values are found; what is not there is not.
  private func compareLookups(
    of table: RealmTables.Table, _ model: ModelTable, _ found: inout [String]
  ) throws {
    let objects = self[model.name]
    for (position, key) in objects.keys.sorted().enumerated() where position % 7 == 0 {
      if try table.key(at: position) != key || table.position(of: key) != position {
        found.append("\(model.name) \(key) is not at position \(position)")
      }
      if let name = model.primaryKey, let value = objects[key]?.values[name],
        try table.find(primaryKey: value) != key
      {
        found.append("\(model.name) \(key) is not found by its primary key \(value)")
      }
    }
    let absent = ObjectKey(1 << 50)
    if try table.row(of: absent) != nil { found.append("\(model.name) has an impossible object") }
    if model.primaryKey != nil, model.column(model.primaryKey ?? "")?.type == .int,
      find(.int(.min + 77), in: model) == nil, try table.find(primaryKey: .min + 77) != nil
    {
      found.append("\(model.name): a primary key is found that is not there")
    }
  }

  // MARK: Change log

  /// The differences that the changes between two versions do not report, or report wrongly.
  func differences(from old: DatabaseModel, told changes: VersionChanges) -> [String] {
    var found: [String] = []
    for model in ModelTable.all {
      guard let key = tableKeys[model.name] else { continue }
      let told = changes[key] ?? TableChanges(table: key)
      let before = old[model.name]
      let after = self[model.name]
      let gone = ObjectKeySet(before.filter { after[$0.key]?.life != $0.value.life }.keys)
      let came = ObjectKeySet(after.filter { before[$0.key]?.life != $0.value.life }.keys)
      if told.deleted != gone {
        found.append("\(model.name) deleted: told \(told.deleted.sorted()), is \(gone.sorted())")
      }
      if told.inserted != came {
        found.append("\(model.name) inserted: told \(told.inserted.sorted()), is \(came.sorted())")
      }
      for (key, object) in after {
        guard let previous = before[key], previous.life == object.life else { continue }
        compare(object, previous, key, told, model, &found)
      }
    }
    return found
  }

  private func compare(
    _ object: Object, _ previous: Object, _ key: ObjectKey, _ told: TableChanges,
    _ model: ModelTable, _ found: inout [String]
  ) {
    let modified = told.modifiedColumns(of: key)
    for column in model.columns {
      let changed = object.values[column.name] != previous.values[column.name]
      guard let columnKey = columnKeys["\(model.name).\(column.name)"] else { continue }
      if changed, !modified.contains(columnKey) {
        found.append("\(model.name) \(key) \(column.name): the change is not told")
      }
      guard column.collection != .none, let old = Self.elements(previous.values[column.name]),
        let new = Self.elements(object.values[column.name])
      else { continue }
      let place = TableChanges.CollectionPlace(object: key, column: columnKey)
      let log = told.collections[place] ?? CollectionChanges()
      let edits = log.edits
      if !Self.edits(edits, lead: old, to: new, hasNested: !log.nested.isEmpty) {
        found.append("\(model.name) \(key) \(column.name): \(edits) do not lead to the new list")
      }
    }
  }

  /// What the positions in the log of a collection count: elements, or entries.
  private static func elements(_ value: TableValue?) -> [TableValue]? {
    switch value {
    case .list(let values): values
    case .dictionary(let values): values.entries.map { .list([.string($0.key), $0.value]) }
    default: nil
    }
  }

  /// Whether the edits turn one list into the other; they do not say what was inserted, nor what
  /// happened inside nested collections.
  private static func edits(
    _ edits: [CollectionEdit], lead old: [TableValue], to new: [TableValue], hasNested: Bool
  ) -> Bool {
    var list: [TableValue?] = old
    for edit in edits {
      switch edit {
      case .insert(let index, let count):
        guard index <= list.count else { return false }
        list.insert(contentsOf: Array(repeating: nil, count: count), at: index)
      case .erase(let index, let count):
        guard index + count <= list.count else { return false }
        list.removeSubrange(index..<index + count)
      case .set(let index):
        guard index < list.count else { return false }
        list[index] = nil
      case .move(let source, let target):
        guard source < list.count, target < list.count else { return false }
        list.insert(list.remove(at: source), at: target)
      case .clear(let oldCount):
        guard oldCount == old.count else { return false }
        list = []
      }
    }
    return list.count == new.count
      && zip(list, new).allSatisfy {
        $0 == nil || $0 == $1 || hasNested && ($0?.nesting ?? 0) > 0 && $1.nesting > 0
      }
  }
}
