// SPDX-License-Identifier: Apache-2.0

// Random creation, invalidation and linking against a model that knows objects by their names.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Links to objects that come and go") struct TombstoneModelTests {
  @Test("hold what the model holds", .heavy, arguments: RandomRuns.seeds(2))
  func run(seed: UInt64) throws {
    var run = try TombstoneRun(seed: seed)
    for _ in 0..<60 { try run.transaction() }
    expectTrue(run.highestCount > 256, "several clusters of tombstones")
    try run.database.read().expectReferenceAgrees()
  }
}

/// A table of nodes that link to each other, and the same by name.
private struct TombstoneRun {
  struct Node {
    var link: String?
    var links: [String] = []
    var members: Set<String> = []
    var map: [String: String?] = [:]
    var anyList: [String?] = []

    var targets: [String] {
      [link].compactMap { $0 } + links + members + map.values.compactMap { $0 }
        + anyList.compactMap { $0 }
    }
  }

  let database: TestDatabase
  private var random: SeededGenerator
  private var nodes: [String: Node] = [:]
  private(set) var highestCount = 0

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_Node")
      let name = try table.addColumn(named: "name", type: .string)
      try table.addColumn(named: "link", type: .link, target: table.key)
      try table.addColumn(named: "links", type: .link, collection: .list, target: table.key)
      try table.addColumn(named: "members", type: .link, collection: .set, target: table.key)
      try table.addColumn(named: "map", type: .link, collection: .dictionary, target: table.key)
      try table.addColumn(named: "anyList", type: .mixed, collection: .list)
      try table.setPrimaryKey(name.key)
    }
  }

  private mutating func name() -> String { "node \(Int.random(in: 0..<900, using: &random))" }

  mutating func transaction() throws {
    var copy = self
    try database.write { group in
      let table = try group.existing("class_Node")
      for _ in 0..<40 { try copy.step(table) }
    }
    self = copy
    try check()
    if random.chance(5) { try database.reopen() }
  }

  private mutating func step(_ table: WritableTable) throws {
    let target = name()
    guard random.chance(75), let owner = nodes.keys.sorted().randomElement(using: &random),
      let key = try table.findRow(primaryKey: .string(owner))?.key, var node = nodes[owner]
    else {
      if nodes[target] == nil {
        _ = try table.createObject(primaryKey: .string(target))
        nodes[target] = Node()
      } else if let key = try table.findRow(primaryKey: .string(target))?.key {
        try table.invalidate(key)
        nodes[target] = nil
      }
      return
    }
    func hit() throws -> ObjectKey { try table.linkTarget(forPrimaryKey: .string(target)) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      let isNull = random.chance(20)
      try table.setLink(isNull ? nil : hit(), table.schema.existing("link"), key)
      node.link = isNull ? nil : target
    case 1, 2: try edit(&node, table, key, target)
    case 3:
      let set = try table.set(table.schema.existing("members"), key)
      if random.chance(70) {
        try expectEqual(set.insert(.link(hit())), node.members.insert(target).inserted)
      } else if let member = node.members.sorted().randomElement(using: &random) {
        let found = try table.linkTarget(forPrimaryKey: .string(member))
        #expect(try set.remove(.link(found)))
        node.members.remove(member)
      }
    case 4:
      let map = try table.dictionary(table.schema.existing("map"), key)
      let entry = "key \(Int.random(in: 0..<4, using: &random))"
      if random.chance(70) {
        try map.set(.link(hit()), for: entry)
        node.map[entry] = .some(target)
      } else {
        try expectEqual(map.remove(entry), (node.map.removeValue(forKey: entry) != nil))
      }
    default:
      let list = try table.list(table.schema.existing("anyList"), key)
      let index = Int.random(in: 0...node.anyList.count, using: &random)
      if random.chance(60) {
        try list.insert(.typedLink(table.key, hit()), at: index)
        node.anyList.insert(target, at: index)
      } else if index < node.anyList.count {
        let to = Int.random(in: node.anyList.indices, using: &random)
        try list.move(from: index, to: to)
        node.anyList.insert(node.anyList.remove(at: index), at: to)
      }
    }
    nodes[owner] = node
  }

  /// Edits the list of links by stored positions.
  private mutating func edit(
    _ node: inout Node, _ table: WritableTable, _ key: ObjectKey, _ target: String
  ) throws {
    let list = try table.list(table.schema.existing("links"), key, stored: true)
    let index = Int.random(in: 0...node.links.count, using: &random)
    try expectEqual(list.count, node.links.count)
    guard index < node.links.count, random.chance(50) else {
      try list.insert(.link(table.linkTarget(forPrimaryKey: .string(target))), at: index)
      return node.links.insert(target, at: index)
    }
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      try list.remove(at: index)
      node.links.remove(at: index)
    case 1:
      try list.set(.link(table.linkTarget(forPrimaryKey: .string(target))), at: index)
      node.links[index] = target
    default:
      let to = Int.random(in: node.links.indices, using: &random)
      try list.move(from: index, to: to)
      node.links.insert(node.links.remove(at: index), at: to)
    }
  }

  // MARK: Checking

  private mutating func check() throws {
    let table = try database.table("class_Node")
    var names: [ObjectKey: String] = [:]
    let column = try table.schema.existing("name")
    for tree in [table.clusters, table.tombstones].compactMap({ $0 }) {
      for cluster in try tree.all() {
        for index in 0..<cluster.count {
          names[cluster.key(at: index)] = try cluster.row(at: index).string(column.leafIndex)
        }
      }
    }
    let dead = Set(nodes.values.flatMap(\.targets)).subtracting(nodes.keys)
    highestCount = max(highestCount, dead.count)
    expectEqual(Set(names.filter { $0.key.isTombstone }.values), dead)
    expectEqual(Set(names.filter { !$0.key.isTombstone }.values), Set(nodes.keys))
    for (key, name) in names where !key.isTombstone {
      guard let node = nodes[name], let row = try table.row(of: key) else { continue }
      func shown(_ name: String?) -> TableValue {
        guard let name, nodes[name] != nil,
          let key = names.first(where: { $0.value == name && !$0.key.isTombstone })?.key
        else { return .null }
        return .link(key)
      }
      var stored: [String: [String]] = [:]
      for column in table.schema.columns {
        try row.forEachLink(in: column) {
          stored[column.name, default: []].append(names[$0.key] ?? "?")
        }
      }
      expectEqual(stored["link"], node.link.map { [$0] })
      expectEqual(stored["links"] ?? [], node.links)
      expectEqual((stored["members"] ?? []).sorted(), node.members.sorted())
      expectEqual(stored["anyList"] ?? [], node.anyList)
      try expectEqual(
        row.value(of: table.schema.existing("links")),
        .list(node.links.map(shown).filter { !$0.isNull }))
      try expectEqual(row.value(of: table.schema.existing("link")), shown(node.link))
      try expectEqual(
        row.value(of: table.schema.existing("map")),
        .dictionary(
          TableDictionary(
            node.map.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: shown($0.value)) }
          )))
    }
  }
}
