// SPDX-License-Identifier: Apache-2.0

// Random changes of a few objects that all devices have, so that they meet.

package import RealmTables
import Testing

/// The classes of the tests, and changes of them.
package enum RandomChanges {
  /// Makes the classes.
  package static func makeSchema(in group: WriteGroup) throws {
    let things = try group.createTable(named: "class_Thing")
    let id = try things.addColumn(named: "id", type: .string)
    try things.setPrimaryKey(id.key)
    let parts = try group.createTable(named: "class_Part", kind: .embedded)
    let notes = try group.createTable(named: "class_Note")
    try things.addColumn(named: "name", type: .string)
    try things.addColumn(named: "count", type: .int)
    try things.addColumn(named: "any", type: .mixed)
    try things.addColumn(named: "tree", type: .mixed)
    try things.addColumn(named: "numbers", type: .int, collection: .list)
    try things.addColumn(named: "tags", type: .string, collection: .set)
    try things.addColumn(named: "map", type: .mixed, collection: .dictionary)
    try things.addColumn(named: "other", type: .link, target: things.key)
    try things.addColumn(named: "others", type: .link, collection: .list, target: things.key)
    try things.addColumn(named: "part", type: .link, target: parts.key)
    try things.addColumn(named: "parts", type: .link, collection: .list, target: parts.key)
    try things.addColumn(
      named: "partMap", type: .link, collection: .dictionary, isNullable: true, target: parts.key)
    try parts.addColumn(named: "x", type: .int)
    try parts.addColumn(named: "texts", type: .string, collection: .list)
    try notes.addColumn(named: "text", type: .string)
    try notes.addColumn(named: "thing", type: .link, target: things.key)
  }

  /// Makes a few changes. There are few primary keys, so that devices make the same objects.
  ///
  /// - Parameters:
  ///   - writesNotes: Whether objects without primary key are made and deleted.
  ///   - keys: The numbers of primary keys to make objects of.
  package static func write(
    _ group: WriteGroup, _ random: inout SeededGenerator, writesNotes: Bool = true,
    keys: Range<Int> = keys
  ) throws {
    for _ in 0..<1 + random.number(below: 4) { try step(group, &random, writesNotes, keys) }
  }

  package static let keys = 0..<8

  /// Makes an object with a primary key of few, or finds it, and sets what queries ask for.
  package static func makeThing(
    _ group: WriteGroup, _ random: inout SeededGenerator, keys: Range<Int> = keys
  ) throws {
    let things = try #require(try group.table(named: "class_Thing"))
    let id = TableValue.string("t\(random.pick(Array(keys)))")
    let key = try things.findOrCreate(primaryKey: id).key
    let number = TableValue.int(Int64(random.number(below: 100)))
    try things.set(number, try column("count", things), key)
    guard random.percent(50) else { return }
    let list = try things.list(try column("numbers", things), key)
    try list.insert(number, at: list.count)
  }

  private static func step(
    _ group: WriteGroup, _ random: inout SeededGenerator, _ writesNotes: Bool, _ keys: Range<Int>
  ) throws {
    let things = try #require(try group.table(named: "class_Thing"))
    let notes = try #require(try group.table(named: "class_Note"))
    switch random.number(below: 20) {
    case 0...3:
      _ = try things.findOrCreate(primaryKey: .string("t\(random.pick(Array(keys)))"))
    case 4:
      if let key = try object(of: things, &random) { try things.delete(key) }
    case 5 where writesNotes:
      let (key, _) = try notes.createObject()
      try notes.set(.string("n\(random.number(below: 50))"), try column("text", notes), key)
      if let thing = try object(of: things, &random) {
        try notes.set(.link(thing), try column("thing", notes), key)
      }
    case 6 where writesNotes:
      if let key = try object(of: notes, &random) { try notes.delete(key) }
    default:
      guard let key = try object(of: things, &random) else { return }
      try change(key, things, &random)
    }
  }

  private static func column(_ name: String, _ table: WritableTable) throws -> Column {
    try #require(table.schema.column(named: name))
  }

  private static func object(
    of table: WritableTable, _ random: inout SeededGenerator
  ) throws -> ObjectKey? {
    let count = try table.objectCount()
    return count == 0 ? nil : try table.table.key(at: random.number(below: count))
  }

  private static func change(
    _ key: ObjectKey, _ things: WritableTable, _ random: inout SeededGenerator
  ) throws {
    func column(_ name: String) throws -> Column { try Self.column(name, things) }
    let number = TableValue.int(Int64(random.number(below: 100)))
    switch random.number(below: 10) {
    case 0: try things.set(.string("x\(random.number(below: 100))"), try column("name"), key)
    case 1: try things.add(Int64(random.number(below: 9)), to: try column("count"), of: key)
    case 2: try things.set(number, try column("count"), key)
    case 3:
      // By the peers' rules values of several kinds that are assigned at once do not always merge,
      // so each kind has a property or objects of its own.
      guard random.percent(60) else {
        let isNumber = random.percent(50)
        return try things.set(isNumber ? number : .string("a"), try column("any"), key)
      }
      try setTree(of: key, things, number, &random)
    case 4:
      let list = try things.list(try column("numbers"), key)
      let count = try list.count
      switch random.number(below: 6) {
      case 0 where count > 0: try list.remove(at: random.number(below: count))
      case 1 where count > 0: try list.set(number, at: random.number(below: count))
      case 2 where count > 1:
        try list.move(from: random.number(below: count), to: random.number(below: count))
      case 3 where random.percent(30): try list.removeAll()
      default: try list.insert(number, at: random.number(below: count + 1))
      }
    case 5:
      let set = try things.set(try column("tags"), key)
      let count = try set.view.count
      if count > 0, random.percent(30) {
        try set.remove(at: random.number(below: count))
      } else {
        try set.insert(.string("tag\(random.number(below: 5))"))
      }
    case 6:
      let map = try things.dictionary(try column("map"), key)
      let name = "k\(random.number(below: 3))"
      if random.percent(30) { try map.remove(name) } else { try map.set(number, for: name) }
    case 7:
      let target = try object(of: things, &random)
      let isNone = random.percent(20)
      try things.set(
        isNone ? .null : target.map { .link($0) } ?? .null, try column("other"), key)
    case 8:
      let list = try things.list(try column("others"), key)
      let count = try list.count
      if count > 0, random.percent(40) {
        try list.remove(at: random.number(below: count))
      } else if let target = try object(of: things, &random) {
        try list.insert(.link(target), at: random.number(below: count + 1))
      }
    default: try changeParts(of: key, things, number, &random)
    }
  }

  /// Sets a value that is a map, in objects of odd ids, or a list in the others.
  private static func setTree(
    of key: ObjectKey, _ things: WritableTable, _ number: TableValue,
    _ random: inout SeededGenerator
  ) throws {
    let element = TableValue.int(Int64(random.number(below: 3)))
    let isMap = try things.row(of: key)?.value(of: column("id", things)).isOdd ?? false
    let value: TableValue =
      isMap
      ? .dictionary(
        TableDictionary([
          .init(key: "k\(random.number(below: 3))", value: element),
          .init(key: "list", value: .list([number])),
        ])) : .list([number, element, .list([number])])
    try things.set(value, try column("tree", things), key)
  }

  private static func changeParts(
    of key: ObjectKey, _ things: WritableTable, _ number: TableValue,
    _ random: inout SeededGenerator
  ) throws {
    let parts = try #require(try things.group.table(named: "class_Part"))
    let x = try column("x", parts)
    if random.percent(35) {
      // Few keys, so that devices make and replace the same ones.
      let map = try things.dictionary(try column("partMap", things), key)
      let name = "k\(random.number(below: 2))"
      if random.percent(20) {
        try map.remove(name)
      } else {
        let (part, _) = try map.setEmbedded(for: name)
        if random.percent(60) { try parts.set(number, x, part) }
        let texts = try parts.list(try column("texts", parts), part)
        if random.percent(60) { try texts.insert(.string("q"), at: 0) }
      }
      return
    }
    if random.percent(50) {
      let part: ObjectKey
      if random.percent(50), let row = try things.row(of: key),
        let known = try row.link(try column("part", things).leafIndex)
      {
        part = known
      } else {
        (part, _) = try things.createEmbedded(try column("part", things), of: key)
      }
      try parts.set(number, x, part)
      let texts = try parts.list(try column("texts", parts), part)
      try texts.insert(.string("p"), at: random.number(below: try texts.count + 1))
      return
    }
    let list = try things.list(try column("parts", things), key)
    let count = try list.count
    if count > 0, random.percent(40) {
      try list.remove(at: random.number(below: count))
    } else {
      let (part, _) = try list.insertEmbedded(at: random.number(below: count + 1))
      try parts.set(number, x, part)
    }
  }
}

extension TableValue {
  /// Whether the last letter of a text is an odd digit.
  fileprivate var isOdd: Bool {
    guard case .string(let text) = self, let last = text.utf8.last else { return false }
    return last & 1 == 1
  }
}
