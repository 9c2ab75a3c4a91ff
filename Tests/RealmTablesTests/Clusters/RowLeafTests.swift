// SPDX-License-Identifier: Apache-2.0

// Leaves that are found once for all rows of a cluster, against the rows read one by one.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

/// `RowLeaf` 1.
struct RowLeafTests {
  private func withTable(_ body: (Table) throws -> Void) throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let columns = try (
        table.addColumn(named: "int", type: .int), table.addColumn(named: "bool", type: .bool),
        table.addColumn(named: "float", type: .float),
        table.addColumn(named: "double", type: .double),
        table.addColumn(named: "text", type: .string),
        table.addColumn(named: "some", type: .int, isNullable: true)
      )
      for index in 0..<700 {
        let key = try table.createObject().key
        // Each cluster has integers of another width.
        try table.set(.int(Int64(index % 3) << Int64(index / 256 * 20)), columns.0, key)
        try table.set(.bool(index % 3 == 0), columns.1, key)
        try table.set(.float(Float(index) / 2), columns.2, key)
        try table.set(.double(Double(index) / 4), columns.3, key)
      }
    }
    let table = try database.table("class_A")
    try withExtendedLifetime(database) { try body(table) }
  }

  private func columns(_ table: Table) throws -> [Column] {
    try ["int", "bool", "float", "double", "text", "some"].map {
      try #require(table.schema.column(named: $0))
    }
  }

  private func leaves(_ columns: [Column], in cluster: Cluster) throws -> [RowLeaf] {
    try columns.map { try #require(try RowLeaf($0.leafIndex, $0.leafKind, in: cluster)) }
  }

  @Test func valuesAreThoseOfTheRows() throws {
    try withTable { table in
      let columns = try columns(table)
      var cursor = table.clusterCursor()
      var rowCount = 0
      while let cluster = try cursor.next() {
        let leaves = try leaves(columns, in: cluster)
        for index in 0..<cluster.count {
          let row = cluster.row(at: index)
          expectEqual(leaves[0].integer(at: index), (try row.int(columns[0].leafIndex)))
          expectEqual((leaves[1].integer(at: index) == 1), (try row.bool(columns[1].leafIndex)))
          expectEqual(leaves[2].float(at: index), (try row.float(columns[2].leafIndex)))
          expectEqual(leaves[3].double(at: index), (try row.double(columns[3].leafIndex)))
          rowCount += 1
        }
      }
      expectEqual(rowCount, 700)
    }
  }

  @Test func noReadTakesALeafOfAnotherTypeForItsOwn() throws {
    try withTable { table in
      let columns = try columns(table)
      var cursor = table.clusterCursor()
      let cluster = try #require(try cursor.next())
      let leaves = try leaves(columns, in: cluster)
      for (number, leaf) in leaves.enumerated() {
        expectEqual((leaf.integer(at: 0) == nil), (number > 1))
        expectEqual((leaf.float(at: 0) == nil), (number != 2))
        expectEqual((leaf.double(at: 0) == nil), (number != 3))
        expectEqual((leaf.optionalInteger(at: 0) == nil), (number != 5))
      }
    }
  }

  @Test func aLeafThatIsTooShortIsNone() throws {
    try withTable { table in
      let column = try #require(table.schema.column(named: "int"))
      let scratch = try ScratchSpace()
      for count in 2...4 {
        let leaf = try IntegerNode.make(repeating: 7, count: count, in: scratch.allocator).ref
        let slots = [Tagged.slot(3)] + Array(repeating: leaf.slot, count: column.leafIndex + 1)
        let node = try IntegerNode.make(slots, flags: .hasRefs, in: scratch.allocator).node
        let cluster = try Cluster(node, offset: 0, enumerations: .none, in: scratch.space)
        for (kind, least) in [(LeafKind.int, 3), (.nullableInt, 4)] {
          let leaf = try RowLeaf(column.leafIndex, kind, in: cluster)
          expectEqual(leaf == nil, count < least)
        }
      }
    }
  }
}
