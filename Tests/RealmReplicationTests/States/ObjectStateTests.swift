// SPDX-License-Identifier: Apache-2.0

// The state of all objects makes an empty file equal.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

@Suite("Object states")
struct ObjectStateTests {
  /// A file after a random life, with tombstones.
  private func origin(_ seed: UInt64, transactions: Int = 40) throws -> ReplicaFile {
    var writer = RandomWriter(seed: seed, writesInTurn: true)
    var random = SeededGenerator(seed: ~seed)
    let origin = try ReplicaFile()
    try origin.write { try RandomSchema.make(in: $0, &random) }
    for _ in 0..<transactions {
      try origin.write { try writer.write($0) }
      try origin.apply(ForeignChangeset.make(&random))
    }
    return origin
  }

  private func expectEqual(_ left: ReplicaFile, _ right: ReplicaFile, _ seed: UInt64) throws {
    guard try left.digest() != right.digest() else { return }
    let lines = try StateDifference.lines(from: left.read(), to: right.read())
    Issue.record("seed \(seed): \(lines.joined(separator: "\n"))")
  }

  /// Writes all objects, or those of some classes.
  private func append(
    to writer: inout ObjectStateWriter<TableGroup>, _ group: TableGroup, isFresh: Bool
  ) throws {
    for schema in try group.classSchemas().sorted(by: { $0.name < $1.name }) {
      guard let table = try group.table(schema.key) else { continue }
      var cursor = table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          try writer.append(cluster.key(at: index), in: schema.key, isFresh: isFresh)
        }
      }
    }
  }

  @Test(arguments: [1, .random(in: 2...1 << 40)] as [UInt64])
  func theStateOfAllObjectsMakesAnEmptyFileEqual(_ first: UInt64) throws {
    for seed in first..<first + 5 {
      let origin = try origin(seed)
      let group = try origin.read()
      var writer = ObjectStateWriter(group)
      try writer.appendSchema()
      try append(to: &writer, group, isFresh: true)
      let replica = try ReplicaFile()
      try replica.apply(writer.take())
      try expectEqual(origin, replica, seed)
      // Again over what is there: nothing is left of the old values.
      try append(to: &writer, group, isFresh: false)
      try replica.apply(writer.take())
      try expectEqual(origin, replica, seed)
    }
  }

  @Test func aStateReplacesWhatAnObjectWas() throws {
    let seed: UInt64 = 77
    let origin = try origin(seed)
    var schema = ObjectStateWriter(try origin.read())
    try schema.appendSchema()
    try append(to: &schema, origin.read(), isFresh: true)
    let replica = try ReplicaFile()
    try replica.apply(schema.take())
    var writer = RandomWriter(seed: seed &+ 1, writesInTurn: true)
    for round in 0..<20 {
      try origin.write { try writer.writeProperties($0) }
      try origin.apply(ForeignChangeset.make(&writer.random, creates: true))
      let group = try origin.read()
      var state = ObjectStateWriter(group)
      try append(to: &state, group, isFresh: false)
      try replica.apply(state.take())
      try expectEqual(origin, replica, UInt64(round))
    }
  }

  @Test func positionsCountLinksToMissingObjects() throws {
    let origin = try ReplicaFile()
    try origin.apply { changeset in
      let item = changeset.addItems()
      for name in ["a", "b", "c"] where name != "b" { changeset.create(item, name) }
      changeset.insertLink(item, "a", "links", "b", at: 0)
      changeset.insertLink(item, "a", "links", "c", at: 1)
    }
    let group = try origin.read()
    var writer = ObjectStateWriter(group)
    try writer.appendSchema()
    try append(to: &writer, group, isFresh: true)
    let replica = try ReplicaFile()
    try replica.apply(writer.take())
    // The place of the missing object is there, and the object comes back to it.
    for file in [origin, replica] {
      try file.apply { changeset in
        let item = changeset.intern("Item")
        changeset.insertLink(item, "a", "links", "a", at: 2)
        changeset.create(item, "b")
      }
    }
    try expectEqual(origin, replica, 0)
    let table = try #require(try replica.read().table(named: "class_Item"))
    let row = try #require(try table.findRow(primaryKey: .string("a"))?.row)
    #expect(try row.list(table.schema.column(named: "links")!).count == 3)
  }

  @Test func aNewObjectsValuesAreNotWrittenForAFreshReceiver() throws {
    let origin = try ReplicaFile()
    try origin.apply { changeset in
      let item = changeset.addItems()
      changeset.create(item, "a")
    }
    let group = try origin.read()
    let table = try #require(try group.table(named: "class_Item"))
    var writer = ObjectStateWriter(group)
    let key = try #require(try table.findRow(primaryKey: .string("a"))?.key)
    try writer.append(key, in: table.key)
    #expect(
      try ChangesetParser.parse(writer.take()).description
        == #"CreateObject "Item"["a"]"#)
    #expect(try !writer.append(ObjectKey(99), in: table.key))
    #expect(writer.byteCount == 0)
  }
}
