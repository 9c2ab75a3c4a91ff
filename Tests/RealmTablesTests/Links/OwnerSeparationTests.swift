// SPDX-License-Identifier: Apache-2.0

// Tables that become tables of embedded objects: objects without owner go, shared ones are copied.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Owners of objects that become embedded")
struct OwnerSeparationTests {
  /// How owners hold the objects.
  enum Holder: CaseIterable, Sendable { case link, list, dictionary }

  /// How many owners an object has; some have it twice.
  enum Owners: Int, CaseIterable, Sendable { case none, one, two, three, sameTwice, mixed }

  struct Shape: Sendable, CustomTestStringConvertible {
    let holder: Holder
    let owners: Owners
    let isNested: Bool

    var testDescription: String { "\(owners) by \(holder)\(isNested ? ", nested" : "")" }

    static let all = Holder.allCases.flatMap { holder in
      Owners.allCases.flatMap { owners in
        [false, true].map { Shape(holder: holder, owners: owners, isNested: $0) }
      }
    }
  }

  private let database: TestDatabase
  /// The links to the place, as a test has made them.
  private let linkCounts: [Owners: Int] = [
    .none: 0, .one: 1, .two: 2, .three: 3, .sameTwice: 2, .mixed: 5,
  ]

  init() throws {
    database = try TestDatabase()
    try database.write { group in
      let detail = try group.createTable(named: "class_Detail", kind: .embedded)
      _ = try detail.columns.add([NewColumn(named: "text", type: .string)])
      let place = try group.createTable(named: "class_Place")
      let owner = try group.createTable(named: "class_Owner")
      _ = try place.columns.add([
        NewColumn(named: "city", type: .string, index: .general),
        NewColumn(named: "scores", type: .int, collection: .list),
        NewColumn(named: "names", type: .string, collection: .set),
        NewColumn(named: "any", type: .mixed),
        NewColumn(named: "friend", type: .link, target: owner.key),
        NewColumn(named: "friends", type: .link, collection: .list, target: owner.key),
        NewColumn(named: "detail", type: .link, target: detail.key),
        NewColumn(named: "details", type: .link, collection: .list, target: detail.key),
        NewColumn(named: "byName", type: .link, collection: .dictionary, target: detail.key),
      ])
      _ = try owner.columns.add([
        NewColumn(named: "name", type: .string),
        NewColumn(named: "link", type: .link, target: place.key),
        NewColumn(named: "second", type: .link, target: place.key),
        NewColumn(named: "list", type: .link, collection: .list, target: place.key),
        NewColumn(named: "dictionary", type: .link, collection: .dictionary, target: place.key),
        NewColumn(named: "any", type: .mixed),
        NewColumn(named: "set", type: .link, collection: .set, target: place.key),
      ])
    }
  }

  private func table(_ name: String, _ group: WriteGroup) throws -> WritableTable {
    try #require(try group.table(named: "class_" + name))
  }

  /// A place with values of every kind.
  private func makePlace(
    _ city: String, _ group: WriteGroup, friend: ObjectKey, isNested: Bool
  ) throws -> ObjectKey {
    let (places, details) = (try table("Place", group), try table("Detail", group))
    let owners = try table("Owner", group)
    let key = try places.createObject().key
    func column(_ name: String) throws -> Column {
      try #require(places.schema.column(named: name))
    }
    try places.set(.string(city), column("city"), key)
    try places.set(.list([.int(3), .int(1), .int(3)]), column("scores"), key)
    try places.set(.list([.string("a"), .string("b")]), column("names"), key)
    try places.set(
      .dictionary(
        TableDictionary([
          TableDictionary.Entry(key: "x", value: .typedLink(owners.key, friend)),
          TableDictionary.Entry(key: "y", value: .list([.int(1), .null])),
        ])), column("any"), key)
    try places.set(.link(friend), column("friend"), key)
    try places.set(.list([.link(friend), .link(friend)]), column("friends"), key)
    guard isNested else { return key }
    let text = try #require(details.schema.column(named: "text"))
    let one = try places.createEmbedded(column("detail"), of: key).key
    try details.set(.string("one"), text, one)
    for index in 0..<2 {
      let other = try places.list(column("details"), key).insertEmbedded(at: index).key
      try details.set(.string("\(index)"), text, other)
    }
    let named = try places.dictionary(column("byName"), key).setEmbedded(for: "k").key
    try details.set(.string("named"), text, named)
    try places.dictionary(column("byName"), key).set(.null, for: "none")
    return key
  }

  private func hold(
    _ place: ObjectKey, _ shape: Shape, _ group: WriteGroup, _ owners: [ObjectKey]
  ) throws {
    let holders = try table("Owner", group)
    func column(_ name: String) throws -> Column {
      try #require(holders.schema.column(named: name))
    }
    func hold(_ holder: Holder, _ owner: ObjectKey, _ turn: Int) throws {
      switch holder {
      case .link: try holders.setLink(place, column(turn == 0 ? "link" : "second"), owner)
      case .list:
        // Others stand around it, as ordinary links have it.
        try holders.list(column("list"), owner).append(.link(place))
      case .dictionary:
        try holders.dictionary(column("dictionary"), owner).set(.link(place), for: "\(turn)")
      }
    }
    switch shape.owners {
    case .none: break
    case .one, .two, .three:
      for index in 0..<shape.owners.rawValue { try hold(shape.holder, owners[index], 0) }
    case .sameTwice:
      for turn in 0..<2 { try hold(shape.holder, owners[0], turn) }
    case .mixed:
      for turn in 0..<2 { try hold(shape.holder, owners[0], turn) }
      for holder in Holder.allCases { try hold(holder, owners[1], 0) }
    }
  }

  /// What an object holds, through its embedded objects, without keys of its own.
  private func contents(of key: ObjectKey, in table: Table, _ group: TableGroup) throws -> String {
    let row = try #require(try table.row(of: key))
    return try table.schema.columns.map { column in
      let value = try row.value(of: column)
      let target = try column.targetTable.flatMap { try group.table($0) }
      guard let target, target.schema.kind == .embedded else { return "\(column.name): \(value)" }
      var parts: [String] = []
      try row.forEachLink(in: column) { link in parts.append("\(link.key)") }
      var inner: [String] = []
      for part in parts {
        let number = try #require(Int64(part.filter(\.isNumber)))
        inner.append(try contents(of: ObjectKey(number), in: target, group))
      }
      if case .dictionary(let map) = value {
        inner += map.entries.map { "\($0.key) \($0.value.isNull)" }
      }
      return "\(column.name): \(inner)"
    }.joined(separator: "; ")
  }

  /// `cases/04`
  /// `OwnerSeparation` 1 and 2.
  @Test(arguments: Shape.all)
  func eachOwnerGetsItsOwn(shape: Shape) throws {
    let wanted = try #require(linkCounts[shape.owners])
    var before = ""
    var owners: [ObjectKey] = []
    var single = ObjectKey(0)
    try database.write { group in
      let holders = try table("Owner", group)
      owners = try (0..<3).map { _ in try holders.createObject().key }
      let place = try makePlace("Oslo", group, friend: owners[2], isNested: shape.isNested)
      single = try makePlace("Bergen", group, friend: owners[0], isNested: shape.isNested)
      let list = try #require(holders.schema.column(named: "list"))
      try holders.list(list, owners[0]).append(.link(single))
      try hold(place, shape, group, owners)
      try group.flush()
    }
    do {
      let group = try database.read()
      let places = try #require(try group.table(named: "class_Place"))
      let key = try #require(
        try (0..<places.objectCount()).compactMap { try places.key(at: $0) }.first { $0 != single })
      before = try contents(of: key, in: places, group)
    }
    try database.write { group in try table("Place", group).setKind(.embedded) }
    let group = try database.read()
    let places = try #require(try group.table(named: "class_Place"))
    let holders = try #require(try group.table(named: "class_Owner"))
    expectEqual(places.schema.kind, .embedded)
    try expectEqual(places.objectCount(), wanted + 1)
    // The object with one owner is the same one.
    #expect(try places.row(of: single) != nil)
    var held: [ObjectKey] = []
    for owner in owners {
      let row = try #require(try holders.row(of: owner))
      for name in ["link", "second", "list", "dictionary"] {
        let column = try #require(holders.schema.column(named: name))
        try row.forEachLink(in: column) { held.append($0.key) }
      }
    }
    expectEqual(held.count, wanted + 1)
    expectEqual(Set(held).count, wanted + 1, "no object is held twice")
    for key in Set(held) where key != single {
      try expectEqual(contents(of: key, in: places, group), before)
    }
    let details = try #require(try group.table(named: "class_Detail"))
    try expectEqual(details.objectCount(), shape.isNested ? 4 * (wanted + 1) : 0)
    try group.expectReferenceAgrees()
  }

  @Test func linksThatCannotOwnAreRefused() throws {
    for name in ["any", "set"] {
      let error = #expect(throws: StorageError.self) {
        try database.write { group in
          let owners = try table("Owner", group)
          let places = try table("Place", group)
          let (owner, place) = (try owners.createObject().key, try places.createObject().key)
          let column = try #require(owners.schema.column(named: name))
          if name == "any" {
            try owners.set(.typedLink(places.key, place), column, owner)
          } else {
            try owners.set(.list([.link(place)]), column, owner)
          }
          try places.setKind(.embedded)
        }
      }
      expectTrue(
        "\(try #require(error))".contains("'Owner.\(name)'"), "\(String(describing: error))")
      try expectEqual(database.table("class_Place").schema.kind, .topLevel)
    }
  }

  // MARK: Classes that link to themselves

  /// Trees, as many as there are lists of positions of children.
  private func makeTrees(_ children: [[Int]], owned: [Int]) throws -> TestDatabase {
    let database = try TestDatabase()
    try database.write { group in
      let tree = try group.createTable(named: "class_Tree")
      let root = try group.createTable(named: "class_Root")
      _ = try tree.columns.add([
        NewColumn(named: "children", type: .link, collection: .list, target: tree.key)
      ])
      _ = try root.columns.add([NewColumn(named: "tree", type: .link, target: tree.key)])
      let keys = try children.map { _ in try tree.createObject().key }
      let column = try #require(tree.schema.column(named: "children"))
      for (key, positions) in zip(keys, children) {
        try tree.set(.list(positions.map { .link(keys[$0]) }), column, key)
      }
      let link = try #require(root.schema.column(named: "tree"))
      for position in owned {
        try root.setLink(keys[position], link, root.createObject().key)
      }
    }
    return database
  }

  @Test(arguments: [
    // A chain, of which nobody owns the beginning, goes as a whole.
    ([[1], [2], []], [], 0), ([[1], [2], []], [0], 3), ([[1], [2], []], [0, 0], 6),
    // An object under two others, and one that an owner and another object share.
    ([[2], [2], []], [0, 1], 4), ([[1], []], [0, 1], 3), ([[1, 1], []], [0], 3),
    // The same two levels deep.
    ([[1, 1], [2, 2], []], [0], 7), ([[1, 2], [3], [3], []], [0, 3], 6),
  ])
  func linksWithinTheClass(children: [[Int]], owned: [Int], count: Int) throws {
    let database = try makeTrees(children, owned: owned)
    try database.write { group in try table("Tree", group).setKind(.embedded) }
    try expectEqual(database.table("class_Tree").objectCount(), count)
    try database.read().expectReferenceAgrees()
  }

  /// `OwnerSeparation` 3.
  @Test func circlesAreRefused() throws {
    for children in [[[0]], [[1], [0]], [[1], [2], [1]]] {
      let database = try makeTrees(children, owned: [0])
      let error = #expect(throws: StorageError.self) {
        try database.write { group in
          try OwnerSeparation(table("Tree", group), limit: 100).run()
        }
      }
      expectTrue("\(try #require(error))".contains("in a circle"))
    }
  }

  /// What copies of copies hold is limited, too. `OwnerSeparation` 3.
  @Test func elementsOfCopiesAreLimited() throws {
    let database = try makeTrees([[0]], owned: [0])
    try database.write { group in
      let tree = try table("Tree", group)
      let column = try tree.addColumn(named: "numbers", type: .int, collection: .list)
      let key = try #require(try tree.table.key(at: 0))
      try tree.set(.list((0..<20_000).map { .int($0 % 2) }), column, key)
      let error = #expect(throws: StorageError.self) {
        try OwnerSeparation(tree, limit: 20).run()
      }
      expectTrue("\(try #require(error))".contains("in a circle"))
      // Each copy counts for a hundred and sixty of two thousand.
      try expectTrue(tree.objectCount() < 16)
    }
  }

  /// Each owner's links are found in one walk, beside those to others. `OwnerSeparation` 4.
  @Test(arguments: [Holder.list, .dictionary])
  func ownersMayHaveAnObjectOften(holder: Holder) throws {
    let count = 1_000
    try database.write { group in
      let (places, owners) = (try table("Place", group), try table("Owner", group))
      let friend = try owners.createObject().key
      let place = try makePlace("Oslo", group, friend: friend, isNested: false)
      let other = try makePlace("Bergen", group, friend: friend, isNested: false)
      for _ in 0..<2 {
        let owner = try owners.createObject().key
        if holder == .list {
          let list = try owners.list(#require(owners.schema.column(named: "list")), owner)
          for index in 0..<count { try list.append(.link(index % 3 == 0 ? other : place)) }
        } else {
          let map = try owners.dictionary(
            #require(owners.schema.column(named: "dictionary")), owner)
          for index in 0..<count {
            try map.set(.link(index % 3 == 0 ? other : place), for: "\(index)")
          }
        }
      }
      try places.setKind(.embedded)
      try expectEqual(places.objectCount(), 2 * count)
    }
    try database.read().expectReferenceAgrees()
  }

  /// `OwnerSeparation` 3.
  @Test func copiesAreLimited() throws {
    // Each level doubles the copies.
    let children = (0..<12).map { $0 < 11 ? [$0 + 1, $0 + 1] : [] }
    let database = try makeTrees(children, owned: [0])
    let error = #expect(throws: StorageError.self) {
      try database.write { group in
        try OwnerSeparation(table("Tree", group), limit: 1_000).run()
      }
    }
    expectTrue("\(try #require(error))".contains("more than 1000 copies"))
  }
}
