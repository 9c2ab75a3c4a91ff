// SPDX-License-Identifier: Apache-2.0

// Every type of column, required and optional, single and in lists, through commits and reopening.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct ColumnTypesTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    let type: ColumnType
    let isNullable: Bool
    var testDescription: String { "\(type)\(isNullable ? "?" : "")" }

    static let all: [Shape] =
      ColumnType.scalars.flatMap {
        [Shape(type: $0, isNullable: false), Shape(type: $0, isNullable: true)]
      } + [Shape(type: .mixed, isNullable: true)]

    func random(using random: inout SeededGenerator) -> TableValue {
      if isNullable, Int.random(in: 0..<4, using: &random) == 0 { return .null }
      return type.random(using: &random)
    }
  }

  @Test(.heavy, arguments: Shape.all)
  func singleValuesSurvive(_ shape: Shape) throws {
    var random = SeededGenerator(seed: 11)
    let database = try TestDatabase()
    var expected: [ObjectKey: TableValue] = [:]
    let column = try database.write { group in
      let table = try group.createTable(named: "class_A")
      let column = try table.addColumn(
        named: "value", type: shape.type, isNullable: shape.isNullable)
      for index in 0..<600 {
        let (key, row) = try table.createObject()
        let zero: TableValue = shape.isNullable ? .null : shape.type.zero
        try expectEqual(row.value(of: column), zero)
        let value = index < 5 ? zero : shape.random(using: &random)
        try table.set(value, column, key)
        expected[key] = value
      }
      return column
    }
    try compare(database, column, expected)
    try database.reopen()
    try compare(database, column, expected)
    // Objects change, go and come between others.
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      for key in expected.keys.sorted() {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          try table.delete(key)
          expected[key] = nil
        case 1:
          let value = shape.random(using: &random)
          try table.set(value, column, key)
          expected[key] = value
        default: break
        }
      }
    }
    try compare(database, column, expected)
    try database.reopen()
    try compare(database, column, expected)
  }

  private func compare(
    _ database: TestDatabase, _ column: Column, _ expected: [ObjectKey: TableValue],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let table = try database.table("class_A")
    #expect(try table.objectCount() == expected.count, sourceLocation: location)
    for (key, value) in expected {
      let row = try #require(try table.row(of: key), sourceLocation: location)
      #expect(try row.value(of: column) == value, sourceLocation: location)
    }
  }

  @Test(.heavy, arguments: Shape.all)
  func listsFollowTheModel(_ shape: Shape) throws {
    var random = SeededGenerator(seed: 12)
    let database = try TestDatabase()
    var model: [TableValue] = []
    let (key, column) = try database.write { group in
      let table = try group.createTable(named: "class_A")
      let column = try table.addColumn(
        named: "values", type: shape.type, collection: .list, isNullable: shape.isNullable)
      let (key, row) = try table.createObject()
      try expectEqual(row.value(of: column), .list([]))
      return (key, column)
    }
    for _ in 0..<4 {
      try database.write { group in
        let list = try #require(try group.table(named: "class_A")).list(column, key)
        for _ in 0..<400 { try change(list, &model, shape, &random) }
        try expectEqual(list.view.values(), model)
      }
      try database.reopen()
      let row = try #require(try database.table("class_A").row(of: key))
      try expectEqual(row.value(of: column), .list(model))
    }
    try database.write { group in
      let list = try #require(try group.table(named: "class_A")).list(column, key)
      try list.replaceAll(with: [])
      try expectEqual(list.count, 0)
    }
  }

  private func change(
    _ list: ListEditor, _ model: inout [TableValue], _ shape: Shape,
    _ random: inout SeededGenerator
  ) throws {
    let value = shape.random(using: &random)
    switch model.isEmpty ? 0 : Int.random(in: 0..<10, using: &random) {
    case 0...4:
      let index = Int.random(in: 0...model.count, using: &random)
      try list.insert(value, at: index)
      model.insert(value, at: index)
    case 5:
      try list.append(value)
      model.append(value)
    case 6, 7:
      let index = Int.random(in: 0..<model.count, using: &random)
      try list.set(value, at: index)
      model[index] = value
    case 8:
      let index = Int.random(in: 0..<model.count, using: &random)
      try list.remove(at: index)
      model.remove(at: index)
    default:
      let source = Int.random(in: 0..<model.count, using: &random)
      let target = Int.random(in: 0..<model.count, using: &random)
      try list.move(from: source, to: target)
      model.insert(model.remove(at: source), at: target)
    }
  }

  @Test func typedSettersStoreWhatRowsRead() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let int = try table.addColumn(named: "int", type: .int)
      let optionalInt = try table.addColumn(named: "optionalInt", type: .int, isNullable: true)
      let bool = try table.addColumn(named: "bool", type: .bool, isNullable: true)
      let float = try table.addColumn(named: "float", type: .float, isNullable: true)
      let double = try table.addColumn(named: "double", type: .double)
      let string = try table.addColumn(named: "string", type: .string, isNullable: true)
      let (key, _) = try table.createObject()
      try table.set(IntegerLeaf.self, to: -5, int, key)
      try table.set(NullableIntegerLeaf.self, to: 127, optionalInt, key)
      try table.set(BoolLeaf.self, to: true, bool, key)
      try table.set(FloatLeaf.self, to: .nan, float, key)
      try table.set(DoubleLeaf.self, to: -0.0, double, key)
      try "Ärger".withByteView { (text) throws(StorageError) in
        try table.set(StringLeaf.self, to: text, string, key)
      }
      let row = try #require(try table.row(of: key))
      try expectEqual(row.int(int.leafIndex), -5)
      try expectEqual(row.optionalInt(optionalInt.leafIndex), 127)
      try expectEqual(row.optionalBool(bool.leafIndex), true)
      try expectEqual(row.optionalFloat(float.leafIndex)?.isNaN, true)
      try expectEqual(row.double(double.leafIndex).sign, .minus)
      try expectEqual(row.string(string.leafIndex), "Ärger")
      try table.set(NullableIntegerLeaf.self, to: nil, optionalInt, key)
      try table.set(FloatLeaf.self, to: nil, float, key)
      try table.set(StringLeaf.self, to: nil, string, key)
      let cleared = try #require(try table.row(of: key))
      try expectEqual(cleared.optionalInt(optionalInt.leafIndex), nil)
      try expectEqual(cleared.optionalFloat(float.leafIndex), nil)
      try expectEqual(cleared.string(string.leafIndex), nil)
    }
  }

  @Test func aValueOfAnotherTypeIsRefused() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let column = try table.addColumn(named: "int", type: .int)
      let list = try table.addColumn(named: "list", type: .string, collection: .list)
      let (key, _) = try table.createObject()
      #expect(throws: StorageError.self) { try table.set(.string("1"), column, key) }
      #expect(throws: StorageError.self) { try table.set(.null, column, key) }
      #expect(throws: StorageError.self) { try table.list(list, key).append(.null) }
      #expect(throws: StorageError.self) { try table.set(.int(1), column, ObjectKey(77)) }
      #expect(throws: StorageError.self) { try table.list(list, key).remove(at: 0) }
    }
  }

  /// `WriteGroup` 1.
  @Test func aRollbackLeavesNothing() throws {
    let database = try TestDatabase()
    struct Stop: Error {}
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      try table.addColumn(named: "id", type: .int)
      for _ in 0..<10 { _ = try table.createObject() }
    }
    #expect(throws: Stop.self) {
      try database.write { group in
        let table = try #require(try group.table(named: "class_A"))
        try table.deleteAll()
        _ = try group.createTable(named: "class_B")
        throw Stop()
      }
    }
    try expectEqual(database.table("class_A").objectCount(), 10)
    #expect(try database.read().table(named: "class_B") == nil)
  }
}
