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
      try table.columns.remove(table.schema.existing(name).key)
    case .setPrimaryKey(let name, let key):
      let table = try table(key, group)
      try table.setPrimaryKey(try name.map { try table.schema.existing($0).key })
    case .create(let object, let primaryKey):
      let table = try table(object.table, group)
      keys[object] = try table.createObject(primaryKey: primaryKey).key
    case .erase(let object): try erase(object, group)
    case .set(let value, let place, let isDefault):
      guard let place = try find(place, group) else { return }
      try assign(value, place, isDefault: isDefault)
    case .add(let amount, let place): try find(place, group)?.add(amount)
    default: try replayElement(write, group)
    }
  }

  private func replayElement(_ write: RecordedWrite, _ group: WriteGroup) throws {
    switch write {
    case .insert(let value, let index, let place, let size):
      guard let place = try find(place, group, .index(index)) else { return }
      switch value {
      case .list: try place.insertCollection(.list, priorSize: size)
      case .dictionary: try place.insertCollection(.dictionary, priorSize: size)
      case .link(let target) where place.column.type == .link:
        guard try place.isEmbedded else { fallthrough }
        try place.insertEmbedded(priorSize: size)
        try note(target, place)
      default: try place.insert(mapped(value, place.column), priorSize: size)
      }
    case .replace(let value, let index, let place, let size):
      guard let place = try find(place, group, .index(index)) else { return }
      try expect(place.listSize == size, "the list has another size")
      try assign(value, place)
    case .move(let source, let target, let place, let size):
      try find(place, group, .index(source))?.move(to: target, priorSize: size)
    case .remove(let index, let place, let size):
      try find(place, group, .index(index))?.erase(priorSize: size)
    case .setEntry(let value, let name, let place):
      guard let place = try find(place, group, .key(name)) else { return }
      try assign(value, place)
    case .eraseEntry(let name, let place):
      guard let place = try find(place, group, .key(name)) else { return }
      try expect(place.outline() != nil, "there is no '\(name)' to erase")
      try place.eraseEntry()
    case .insertMember(let value, let place):
      guard let place = try find(place, group) else { return }
      try place.insertMember(mapped(value, place.column))
    case .eraseMember(let value, let place):
      guard let place = try find(place, group) else { return }
      try place.eraseMember(mapped(value, place.column))
    case .clear(let place, let kind): try find(place, group)?.clear(kind)
    default: return
    }
  }

  private func assign(
    _ value: TableValue, _ place: ValuePlace, isDefault: Bool = false
  ) throws {
    switch value {
    case .list: try place.makeCollection(.list, isDefault: isDefault)
    case .dictionary: try place.makeCollection(.dictionary, isDefault: isDefault)
    case .link(let target) where place.column.type == .link:
      guard try place.isEmbedded else { fallthrough }
      if case .property = place.end {
        try expect(place.outline() == .null, "an embedded object is replaced")
      }
      try place.createEmbedded(isDefault: isDefault)
      try note(target, place)
    default: try place.set(mapped(value, place.column), isDefault: isDefault)
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

  // MARK: Finding

  private func table(_ key: TableKey, _ group: WriteGroup) throws -> WritableTable {
    guard let table = try group.table(key) else { throw Failure(description: "no \(key)") }
    return table
  }

  /// The place of a call; nil for one inside an embedded object that nothing links to yet.
  private func find(
    _ place: RecordedWrite.Place, _ group: WriteGroup, _ last: PathStep? = nil
  ) throws -> ValuePlace? {
    let table = try table(place.object.table, group)
    guard let key = keys[place.object] else {
      try expect(table.schema.kind == .embedded, "an unknown object is written")
      return nil
    }
    return try table.place(of: key, place.column, place.path + (last.map { [$0] } ?? []))
  }

  // MARK: Values

  /// Remembers the embedded object that stands for one that was recorded.
  private func note(_ recorded: ObjectKey, _ place: ValuePlace) throws {
    guard case .link(let key) = try place.outline() else {
      throw Failure(description: "there is no embedded object")
    }
    keys[Object(table: place.column.targetTable ?? .null, key: recorded)] = key
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
      for cluster in try left.clusters.all() {
        for index in 0..<cluster.count {
          found += try differences(
            cluster.row(at: index), cluster.key(at: index), left, right)
        }
        if found.count >= 10 { break }
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
