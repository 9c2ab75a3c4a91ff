// SPDX-License-Identifier: Apache-2.0

// A second database that is changed by recorded calls alone.

import Foundation
import RealmStorage
import RealmTestSupport

@testable import RealmTables

/// Replays the calls of a recorder, and compares what they lead to.
final class TranscriptReplica {
  struct Failure: Error, CustomStringConvertible { let description: String }

  typealias Object = RecordedWrite.Object

  private let file: DatabaseFile
  /// The objects here by those that were recorded.
  private var keys: [Object: ObjectKey] = [:]

  init(path: String) throws { file = try DatabaseFile.open(path: path) }

  /// Carries out the calls of one transaction.
  func replay(_ writes: [RecordedWrite]) throws {
    let group = try WriteGroup(file.beginWrite())
    for write in writes {
      do {
        try replay(write, group)
      } catch {
        group.rollback()
        throw Failure(description: "\(error)\n  at \(write)")
      }
    }
    _ = try group.commit()
  }

  // MARK: Calls

  private func replay(_ write: RecordedWrite, _ group: WriteGroup) throws {
    switch write {
    case .addTable(let name, let key, let kind):
      let table = try group.createTable(named: name, kind: kind)
      try expect(table.key == key, "the tables have other keys")
    case .eraseTable(let key): try group.removeTable(key)
    case .addColumn(let column, let key):
      try table(key, group).addColumn(
        named: column.name, type: column.type, collection: column.collection,
        isNullable: column.isNullable, target: column.targetTable)
    case .eraseColumn(let name, let key):
      let table = try table(key, group)
      try table.removeColumn(table.schema.existing(name).key)
    case .setPrimaryKey(let name, let key):
      let table = try table(key, group)
      try table.setPrimaryKey(try name.map { try table.schema.existing($0).key })
    case .create(let object, let primaryKey):
      let table = try table(object.table, group)
      keys[object] = try table.createObject(primaryKey: primaryKey).key
    case .erase(let object): try erase(object, group)
    case .set(let value, let place, let isDefault):
      guard let (table, column, key) = try find(place, group) else { return }
      if case .link(let target) = value, try isEmbedded(column, group) {
        try expect(
          table.row(of: key)?.link(column.leafIndex) == nil, "an embedded object is replaced")
        note(target, column, try table.createEmbedded(column, of: key, isDefault: isDefault).key)
      } else {
        try table.set(mapped(value, column), column, key, isDefault: isDefault)
      }
    case .add(let amount, let place):
      guard let (table, column, key) = try find(place, group) else { return }
      try table.add(amount, to: column, of: key)
    default: try replayElement(write, group)
    }
  }

  private func replayElement(_ write: RecordedWrite, _ group: WriteGroup) throws {
    switch write {
    case .insert(let value, let index, let place, let size):
      guard let (list, column) = try list(place, size, group) else { return }
      if case .link(let target) = value, try isEmbedded(column, group) {
        note(target, column, try list.insertEmbedded(at: index).key)
      } else {
        try list.insert(mapped(value, column), at: index)
      }
    case .replace(let value, let index, let place, let size):
      guard let (list, column) = try list(place, size, group) else { return }
      let old = try list.view.nestedOutline(at: index)
      // Peers leave the elements of a collection that is one already.
      if value.isCollection, old == value { return }
      try list.set(mapped(value, column), at: index)
    case .move(let source, let target, let place, let size):
      try list(place, size, group)?.list.move(from: source, to: target)
    case .remove(let index, let place, let size):
      try list(place, size, group)?.list.remove(at: index)
    case .setEntry(let value, let name, let place):
      guard let (map, column) = try map(place, group) else { return }
      if case .link(let target) = value, try isEmbedded(column, group) {
        note(target, column, try map.setEmbedded(for: name).key)
      } else {
        try map.set(mapped(value, column), for: name)
      }
    case .eraseEntry(let name, let place):
      guard let (map, _) = try map(place, group) else { return }
      try expect(map.remove(name), "there is no '\(name)' to erase")
    case .insertMember(let value, let place):
      guard let (table, column, key) = try find(place, group) else { return }
      try expect(table.set(column, key).insert(mapped(value, column)), "the member is there")
    case .eraseMember(let value, let place):
      guard let (table, column, key) = try find(place, group) else { return }
      try expect(table.set(column, key).remove(mapped(value, column)), "there is no such member")
    case .clear(let place, let kind): try clear(place, kind, group)
    default: return
    }
  }

  private func erase(_ object: Object, _ group: WriteGroup) throws {
    let table = try table(object.table, group)
    guard let key = keys.removeValue(forKey: object), let row = try table.row(of: key) else {
      throw Failure(description: "an unknown object is erased")
    }
    for column in table.schema.backlinkColumns {
      try expect(row.backlinks(of: column).isEmpty, "there are links to the object")
    }
    try table.delete(key)
  }

  private func clear(
    _ place: RecordedWrite.Place, _ kind: CollectionKind, _ group: WriteGroup
  ) throws {
    guard let (table, column, key) = try find(place, group) else { return }
    switch kind {
    case .set: try table.set(column, key).removeAll()
    case .dictionary: try map(place, group)?.map.removeAll()
    case .list, .none: try list(place, nil, group)?.list.removeAll()
    }
  }

  // MARK: Finding

  private func table(_ key: TableKey, _ group: WriteGroup) throws -> WritableTable {
    guard let table = try group.table(key) else { throw Failure(description: "no \(key)") }
    return table
  }

  /// The place of a call; nil for one inside an embedded object that nothing links to yet.
  private func find(
    _ place: RecordedWrite.Place, _ group: WriteGroup
  ) throws -> (WritableTable, Column, ObjectKey)? {
    let table = try table(place.object.table, group)
    guard let key = keys[place.object] else {
      try expect(table.schema.kind == .embedded, "an unknown object is written")
      return nil
    }
    return (table, try table.schema.existing(place.column), key)
  }

  private func list(
    _ place: RecordedWrite.Place, _ size: Int?, _ group: WriteGroup
  ) throws -> (list: ListEditor, column: Column)? {
    guard let (table, column, key) = try find(place, group) else { return nil }
    let steps = try steps(place, table, column, key)
    let list = try table.list(column, key, at: steps)
    if let size { try expect(list.count == size, "the list has another size") }
    return (list, column)
  }

  private func map(
    _ place: RecordedWrite.Place, _ group: WriteGroup
  ) throws -> (map: DictionaryEditor, column: Column)? {
    guard let (table, column, key) = try find(place, group) else { return nil }
    let steps = try steps(place, table, column, key)
    return (try table.dictionary(column, key, at: steps), column)
  }

  private func steps(
    _ place: RecordedWrite.Place, _ table: WritableTable, _ column: Column, _ key: ObjectKey
  ) throws -> [NestedStep] {
    guard let row = try table.row(of: key) else { throw Failure(description: "no object") }
    var steps: [NestedStep] = []
    if column.collection == .none {
      guard let step = try row.nestedElement(column.leafIndex).step else {
        throw Failure(description: "there is no collection in the property")
      }
      steps.append(step)
    }
    for step in place.path {
      switch step {
      case .index(let index):
        guard let list = try row.list(column, steps) else {
          throw Failure(description: "there is no list on the way")
        }
        steps.append(try list.step(at: index))
      case .key(let name):
        guard let map = try row.dictionary(column, steps), let index = try map.position(of: name)
        else { throw Failure(description: "there is no dictionary on the way") }
        steps.append(try map.step(at: index))
      }
    }
    return steps
  }

  // MARK: Values

  private func isEmbedded(_ column: Column, _ group: WriteGroup) throws -> Bool {
    guard let target = column.targetTable else { return false }
    return try table(target, group).schema.kind == .embedded
  }

  private func note(_ recorded: ObjectKey, _ column: Column, _ key: ObjectKey) {
    keys[Object(table: column.targetTable ?? .null, key: recorded)] = key
  }

  private func mapped(_ value: TableValue, _ column: Column) -> TableValue {
    switch value {
    case .link(let key):
      .link(keys[Object(table: column.targetTable ?? .null, key: key)] ?? ObjectKey(-9))
    case .typedLink(let table, let key):
      .typedLink(table, keys[Object(table: table, key: key)] ?? ObjectKey(-9))
    case .list(let values): .list(values.map { mapped($0, column) })
    case .dictionary(let map):
      .dictionary(
        TableDictionary(
          map.entries.map { .init(key: $0.key, value: mapped($0.value, column)) }))
    default: value
    }
  }

  private func expect(_ isTrue: Bool, _ text: String) throws {
    if !isTrue { throw Failure(description: text) }
  }

  // MARK: Comparing

  /// The first differences between the recorded database and this one.
  func differences(from recorded: TableGroup) throws -> [String] {
    let replica = try TableGroup(file.snapshot())
    var found: [String] = []
    for key in try recorded.tableKeys() {
      guard let left = try recorded.table(key), let right = try replica.table(key) else {
        found.append("\(key) is missing")
        continue
      }
      let counts = (try left.objectCount(), try right.objectCount())
      if counts.0 != counts.1 { found.append("\(left.schema.name): \(counts)") }
      try left.forEachCluster { (cluster) throws(StorageError) -> Bool in
        for index in 0..<cluster.count {
          found += try differences(
            cluster.row(at: index), cluster.key(at: index), left, right)
        }
        return found.count < 10
      }
    }
    found += try DatabaseCheck.run(replica.snapshot).map { "\($0)" }
    return found
  }

  private func differences(
    _ row: Row, _ key: ObjectKey, _ left: Table, _ right: Table
  ) throws(StorageError) -> [String] {
    let name = left.schema.name
    guard let other = keys[Object(table: left.key, key: key)],
      let copy = try right.row(of: other)
    else { return ["\(name): no \(key)"] }
    var found: [String] = []
    for column in left.schema.columns {
      let expected = sorted(mapped(try row.value(of: column), column), column)
      guard let twin = right.schema.column(named: column.name) else {
        found.append("\(name) has no \(column.name)")
        continue
      }
      let actual = sorted(try copy.value(of: twin), column)
      if actual != expected {
        found.append("\(name).\(column.name) of \(key): \(actual) instead of \(expected)")
      }
    }
    return found
  }

  /// Sets of links are in the order of their keys, which differ.
  private func sorted(_ value: TableValue, _ column: Column) -> TableValue {
    guard column.collection == .set, column.canLink, case .list(let values) = value else {
      return value
    }
    return .list(values.sorted { $0.compare(to: $1) < 0 })
  }
}

extension TableValue {
  var isCollection: Bool {
    switch self {
    case .list, .dictionary: true
    default: false
    }
  }
}

extension ListView {
  /// The element at a position, without the elements of a collection.
  fileprivate func nestedOutline(at index: Int) throws -> TableValue {
    column.type == .mixed ? try nestedElement(at: index).value : try value(at: index)
  }
}
