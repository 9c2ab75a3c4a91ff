// SPDX-License-Identifier: Apache-2.0

// What upgrades leave as older formats had it: it is read, and changed, like everything else.

import RealmFormats
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Leftovers of older formats")
struct LeftoverTests {
  private let database: TestDatabase

  init() throws { database = try TestDatabase() }

  private func dump() throws -> JSONValue { try ContentDump(database.read()).json() }

  private func row(_ position: Int, _ table: Table) throws -> Row {
    let key = try #require(try table.key(at: position))
    return try #require(try table.row(of: key))
  }

  /// Commits the tables in the forms of an older format, and expects them to be read as before.
  private func age(slotsOfTables: Int? = nil, _ body: (OlderForms) throws -> Void) throws {
    let before = try dump()
    let forms = OlderForms(try WriteGroup(database.file.beginWrite()))
    try body(forms)
    try forms.commit(slotsOfTables: slotsOfTables)
    try database.reopen()
    expectEqual(JSONValue.differences(expected: before, actual: try dump()), [])
    let findings = try DatabaseCheck.run(database.file.snapshot())
    expectEqual(findings.filter { $0.severity == .error }, [])
  }

  @Test("mixed leaves of four slots take everything", arguments: [CollectionKind.none, .list])
  func mixedLeaves(kind: CollectionKind) throws {
    var random = SeededGenerator(seed: 4)
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let column = try table.addColumn(named: "any", type: .mixed, collection: kind)
      for _ in 0..<300 {
        let key = try table.createObject().key
        for index in 0..<(kind == .list ? 5 : 0) {
          try table.list(column, key).insert(random.value(.mixed, isNullable: true), at: index)
        }
        if kind == .none {
          try table.set(random.value(.mixed, isNullable: true), column, key)
        }
      }
    }
    try age { forms in
      let table = try #require(try forms.group.table(named: "class_A"))
      try forms.shortenMixedLeaves(table)
    }
    var expected: [TableValue] = []
    let column = try #require(try database.table("class_A").schema.column(named: "any"))
    let nested: [TableValue] = [
      .list([.int(1), .string("two"), .list([.null])]),
      .dictionary(TableDictionary([.init(key: "k", value: .bool(true))])),
    ]
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      for position in 0..<300 {
        let key = try #require(try table.table.key(at: position))
        let value =
          position % 3 == 0 ? nested[position % 2] : random.value(.mixed, isNullable: true)
        if kind == .none {
          if position % 5 > 0 { try table.set(value, column, key) }
        } else if position % 5 == 1 {
          try table.list(column, key).insert(value, at: 2)
        } else if position % 5 == 2 {
          try table.list(column, key).set(value, at: 4)
        } else if position % 5 == 3 {
          try table.list(column, key).remove(at: 0)
        }
        expected.append(try #require(try table.row(of: key)).value(of: column))
      }
    }
    try database.reopen()
    let table = try database.table("class_A")
    for (position, value) in expected.enumerated() {
      let key = try #require(try table.key(at: position))
      try expectEqual(#require(try table.row(of: key)).value(of: column), value)
    }
    #expect(expected.contains { nested.contains($0) || $0.has(nested[0]) })
    try database.read().expectReferenceAgrees()
  }

  @Test("decimals of 16 bytes take narrow ones and nulls")
  func decimals() throws {
    let infinity = DecimalBits(low: 0, high: 0x7800_0000_0000_0000)
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let column = try table.addColumn(named: "amount", type: .decimal, isNullable: true)
      for number in 0..<100 as Range<Int64> {
        let key = try table.createObject().key
        try table.set(.decimal(infinity), column, key)
        let value: TableValue = number % 7 == 0 ? .null : .decimal(DecimalBits(integer: number))
        try table.set(value, column, key)
      }
    }
    try database.reopen()
    let column = try #require(try database.table("class_A").schema.column(named: "amount"))
    func width() throws -> Int? {
      var cursor = try database.table("class_A").clusterCursor()
      return try cursor.next()?.leaf(column.leafIndex).header.width
    }
    try expectEqual(width(), 16)
    func value(_ position: Int) throws -> TableValue {
      let table = try database.table("class_A")
      return try row(position, table).value(of: column)
    }
    try expectEqual(value(14), .null)
    try expectEqual(value(15), .decimal(DecimalBits(integer: 15)))
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      let keys = try (0..<100).map { try #require(try table.table.key(at: $0)) }
      try table.set(.decimal(DecimalBits(integer: -3)), column, keys[14])
      try table.set(.null, column, keys[15])
      try table.delete(keys[2])
      let key = try table.createObject().key
      try table.set(.decimal(DecimalBits(integer: 1 << 40)), column, key)
    }
    try expectEqual(width(), 16)
    try expectEqual(value(13), .decimal(DecimalBits(integer: -3)))
    try expectEqual(value(14), .null)
    try expectEqual(value(99), .decimal(DecimalBits(integer: 1 << 40)))
    try database.read().expectReferenceAgrees()
  }

  enum BacklinkChange: CaseIterable { case add, drop, dropMany, deleteTarget }

  @Test(
    "backlinks in one large node are divided when they change", .heavy,
    arguments: BacklinkChange.allCases)
  func backlinks(change: BacklinkChange) throws {
    let count = 2500
    try database.write { group in
      let target = try group.createTable(named: "class_Target")
      let origin = try group.createTable(named: "class_Origin")
      let link = try origin.addColumn(named: "link", type: .link, target: target.key)
      let goal = try target.createObject().key
      for _ in 0..<count { try origin.set(.link(goal), link, origin.createObject().key) }
      _ = try target.createObject()
    }
    try age { forms in
      let table = try #require(try forms.group.table(named: "class_Target"))
      try forms.flattenBacklinks(table)
    }
    let schema = try database.table("class_Target").schema
    let backlink = try #require(schema.backlinkColumns.first)
    func largestLeaf() throws -> Int {
      let table = try database.table("class_Target")
      let row = try self.row(0, table)
      var largest = 0
      let root = try row.leaf(backlink.leafIndex).ref(at: row.index)
      var leaves = try BTreeLeafCursor<IntegerLeaf>(root, in: table.space)
      while let (_, _, count) = try leaves.next() { largest = max(largest, count) }
      return largest
    }
    try expectEqual(largestLeaf(), count)
    var left = count
    try database.write { group in
      let target = try #require(try group.table(named: "class_Target"))
      let origin = try #require(try group.table(named: "class_Origin"))
      let link = try #require(origin.schema.column(named: "link"))
      let goal = try #require(try target.table.key(at: 0))
      switch change {
      case .add:
        try origin.set(.link(goal), link, origin.createObject().key)
        left += 1
      case .drop:
        try origin.set(.null, link, try #require(try origin.table.key(at: 1100)))
        left -= 1
      case .dropMany:
        for position in stride(from: 0, to: count, by: 2) {
          try origin.set(.null, link, try #require(try origin.table.key(at: position)))
          left -= 1
        }
      case .deleteTarget:
        try target.delete(goal)
        left = 0
      }
    }
    let target = try database.table("class_Target")
    let row = try self.row(0, target)
    try expectEqual(row.backlinkCount(of: backlink), left)
    if change != .deleteTarget { #expect(try largestLeaf() <= 1000) }
    try database.read().expectReferenceAgrees()
  }

  /// Values that share their first 200 bytes, and values of two types with the same bytes.
  private static func indexed(_ number: Int) -> TableValue {
    let text = String(repeating: "p", count: 205)
    switch number % 9 {
    case 0: return .string("same")
    case 1: return .binary(Array("same".utf8))
    case 2: return .null
    case let rest: return .string(text + String(UnicodeScalar(UInt8(60 + 7 * rest))))
    }
  }

  @Test("lists of indexes in another order find everything, and are put in order")
  func indexLists() throws {
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let column = try table.addColumn(named: "any", type: .mixed, isIndexed: true)
      for number in 0..<120 {
        try table.set(Self.indexed(number), column, table.createObject().key)
      }
    }
    try age { forms in
      let table = try #require(try forms.group.table(named: "class_A"))
      let column = try #require(table.schema.column(named: "any"))
      try expectEqual(forms.turnIndexLists(table, column), 2)
    }
    let column = try #require(try database.table("class_A").schema.column(named: "any"))
    func expectFound() throws {
      let table = try database.table("class_A")
      let index = try #require(try table.index(of: column))
      var keys: [TableValue: [ObjectKey]] = [:]
      for position in 0..<(try table.objectCount()) {
        let key = try #require(try table.key(at: position))
        keys[try #require(try table.row(of: key)).value(of: column), default: []].append(key)
      }
      for (value, keys) in keys {
        let (all, first, count) = try MixedCodec.encode(value) { value throws(StorageError) in
          (try index.findAll(value), try index.find(value), try index.count(of: value))
        }
        expectEqual(all, keys)
        expectEqual(first, keys.first)
        expectEqual(count, keys.count)
      }
    }
    func warnings() throws -> Int {
      try DatabaseCheck.run(database.file.snapshot()).filter { $0.check == 37 }.count
    }
    try expectFound()
    try expectEqual(warnings(), 2)
    // One object after the other, so that each meets the list as the file has it.
    for number in 3..<12 {
      let group = try WriteGroup(try database.file.beginWrite())
      let table = try #require(try group.table(named: "class_A"))
      if number % 4 == 3 {
        try table.delete(try #require(try table.table.key(at: number * 5)))
      } else {
        try table.set(Self.indexed(number), column, table.createObject().key)
      }
      _ = try group.commit()
      try expectFound()
    }
    try expectEqual(warnings(), 0)
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      try table.deleteAll()
    }
    try database.read().expectReferenceAgrees()
  }

  @Test("keys that are hashes, the largest among them, are linked and deleted")
  func hashKeys() throws {
    // Two primary keys of one hash: the second object got a key beyond all hashes.
    let keys = [5, 83_397_806_051_296_766, 0x3FFF_FFFF_FFFF_FFFF, 0x4000_0000_0000_0001]
      .map { ObjectKey($0) }
    var names: (link: ColumnKey, any: ColumnKey)?
    try database.write { group in
      let target = try group.createTable(named: "class_Target")
      let origin = try group.createTable(named: "class_Origin")
      let id = try origin.addColumn(named: "id", type: .string, isIndexed: false)
      let link = try origin.addColumn(named: "link", type: .link, target: target.key)
      let any = try origin.addColumn(named: "any", type: .mixed)
      for key in keys { _ = try target.clusters.insert(key) }
      target.isChanged = true
      for (number, key) in keys.enumerated() {
        _ = try origin.clusters.insert(key)
        try origin.set(.string("k\(number)"), id, key)
        try origin.set(.link(keys[3]), link, key)
        try origin.set(.typedLink(target.key, keys[number]), any, key)
      }
      try origin.setPrimaryKey(id.key)
      names = (link.key, any.key)
    }
    try database.reopen()
    let columns = try #require(names)
    func origins(_ target: ObjectKey, through column: ColumnKey) throws -> [ObjectKey] {
      let table = try database.table("class_Target")
      let origin = try database.table("class_Origin")
      let backlink = try #require(table.schema.backlinkColumn(from: origin.key, column))
      return try #require(try table.row(of: target)).backlinks(of: backlink).sorted()
    }
    try expectEqual(origins(keys[3], through: columns.link), keys)
    try expectEqual(origins(keys[3], through: columns.any), [keys[3]])
    try expectEqual(database.table("class_Origin").find(primaryKey: .string("k3")), keys[3])
    // One origin is left of several, which is that with the largest key.
    try database.write { group in
      let origin = try #require(try group.table(named: "class_Origin"))
      for key in keys[..<3] { try origin.delete(key) }
    }
    try expectEqual(origins(keys[3], through: columns.link), [keys[3]])
    try database.write { group in
      let origin = try #require(try group.table(named: "class_Origin"))
      let any = try #require(origin.schema.column(columns.any))
      try origin.set(.null, any, keys[3])
      let new = try origin.createObject(primaryKey: .string("new")).key
      expectFalse(keys.contains(new))
      try origin.set(.link(keys[3]), try #require(origin.schema.column(columns.link)), new)
    }
    try expectEqual(origins(keys[3], through: columns.any), [])
    try expectEqual(origins(keys[3], through: columns.link).count, 2)
    try database.write { group in
      try #require(try group.table(named: "class_Target")).delete(keys[3])
    }
    try database.read().expectReferenceAgrees()
  }

  @Test("tables whose tops have fewer slots get them", arguments: [11, 12, 13])
  func shortTops(slots: Int) throws {
    try database.write { group in
      let target = try group.createTable(named: "class_Target")
      let table = try group.createTable(named: "class_A")
      let number = try table.addColumn(named: "number", type: .int, isIndexed: true)
      let link = try table.addColumn(named: "link", type: .link, target: target.key)
      let goal = try target.createObject().key
      for value in 0..<10 as Range<Int64> {
        let key = try table.createObject().key
        try table.set(.int(value), number, key)
        try table.set(.link(goal), link, key)
      }
    }
    try age(slotsOfTables: slots) { _ in }
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      expectEqual(table.schema.kind, .topLevel)
      expectTrue(table.schema.primaryKey == nil)
      let number = try #require(table.schema.column(named: "number"))
      try table.setPrimaryKey(number.key)
      #expect(try table.table.find(primaryKey: 7) != nil)
      _ = try table.createObject(primaryKey: .int(77))
      try table.addColumn(named: "more", type: .string)
      let target = try #require(try group.table(named: "class_Target"))
      try target.delete(try #require(try target.table.key(at: 0)))
    }
    try database.reopen()
    #expect(try database.table("class_A").find(primaryKey: 77) != nil)
    try database.read().expectReferenceAgrees()
  }
}

extension TableValue {
  fileprivate func has(_ element: TableValue) -> Bool {
    if case .list(let elements) = self { elements.contains(element) } else { false }
  }
}
