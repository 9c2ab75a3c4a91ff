// SPDX-License-Identifier: Apache-2.0

// Tables of random objects with columns of every type, to ask queries of.

import RealmStorage
import RealmTables
import RealmTestSupport

@testable import RealmQuery

/// A file in memory with items and their owners.
struct SampleTables {
  static let types: [ColumnType] = [
    .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid,
  ]

  let group: TableGroup
  let items: Table
  let owners: Table

  /// - Parameter spread: how many objects are created for each that stays, so that keys have gaps.
  init(seed: UInt64, items count: Int, owners ownerCount: Int, spread: Int = 1) throws {
    var random = SeededGenerator(seed: seed)
    let path = "/memory/query-\(seed)-\(UInt64.random(in: .min ... .max))"
    let file = try DatabaseFile.open(path: path, options: OpenOptions(isInMemory: true))
    let writing = try WriteGroup(try file.beginWrite())
    let owners = try writing.createTable(named: "class_Owner")
    _ = try owners.addColumn(named: "name", type: .string, isNullable: true)
    _ = try owners.addColumn(named: "age", type: .int, isNullable: true)
    _ = try owners.addColumn(named: "boss", type: .link, isNullable: true, target: owners.key)
    let items = try writing.createTable(named: "class_Item")
    for type in Self.types {
      _ = try items.addColumn(named: "\(type)", type: type)
      _ = try items.addColumn(named: "\(type)?", type: type, isNullable: true)
    }
    _ = try items.addColumn(named: "indexed", type: .int, isNullable: true, isIndexed: true)
    _ = try items.addColumn(named: "tag", type: .string, isNullable: true, isIndexed: true)
    _ = try items.addColumn(named: "any", type: .mixed, isNullable: true)
    _ = try items.addColumn(named: "owner", type: .link, isNullable: true, target: owners.key)
    _ = try items.addColumn(
      named: "sharers", type: .link, collection: .list, target: owners.key)
    _ = try items.addColumn(named: "scores", type: .int, collection: .list)
    _ = try items.addColumn(
      named: "labels", type: .string, collection: .list, isNullable: true)

    var keys: [ObjectKey] = []
    for _ in 0..<ownerCount {
      let (key, _) = try owners.createObject()
      keys.append(key)
      for name in ["name", "age"] {
        guard let column = owners.schema.column(named: name) else { continue }
        try owners.set(Self.value(of: column, &random), column, key)
      }
      if let boss = owners.schema.column(named: "boss"), random.chance(0.5) {
        try owners.set(.link(keys.randomElement(using: &random) ?? key), boss, key)
      }
    }
    for index in 0..<count * spread {
      let (key, _) = try items.createObject()
      guard index % spread == 0 else {
        try items.delete(key)
        continue
      }
      for column in items.schema.columns {
        if column.collection == .none {
          if column.type == .link {
            if random.chance(0.8), let owner = keys.randomElement(using: &random) {
              try items.set(.link(owner), column, key)
            }
          } else {
            try items.set(Self.value(of: column, &random), column, key)
          }
          continue
        }
        let list = try items.list(column, key)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          if column.type == .link {
            if let owner = keys.randomElement(using: &random) { try list.append(.link(owner)) }
          } else {
            try list.append(Self.value(of: column, &random))
          }
        }
      }
    }
    group = try TableGroup(try writing.commit())
    guard let items = try group.table(items.key), let owners = try group.table(owners.key) else {
      throw StorageError.corrupted("the tables that were just made are not there")
    }
    self.items = items
    self.owners = owners
  }

  /// A value of few, so that comparisons hit.
  static func value(of column: Column, _ random: inout SeededGenerator) -> TableValue {
    if column.isNullable, random.chance(0.2) { return .null }
    if column.type == .mixed {
      return value(of: types.randomElement(using: &random) ?? .int, &random)
    }
    return value(of: column.type, &random)
  }

  static func value(of type: ColumnType, _ random: inout SeededGenerator) -> TableValue {
    let number = Int64.random(in: -3...3, using: &random)
    switch type {
    case .int: return .int(random.chance(0.1) ? number * 1_000_000_007 : number)
    case .bool: return .bool(number > 0)
    case .string: return .string(text(&random))
    case .binary: return .binary(Array(text(&random).utf8))
    case .timestamp:
      let nanoseconds = Int32(number.signum()) * [0, 5, 999_999_999].randomElement(using: &random)!
      return .timestamp(Timestamp(seconds: number, nanoseconds: nanoseconds))
    case .float:
      let special = [Float.nan, .infinity, -.infinity, -0.0].randomElement(using: &random)!
      return .float(random.chance(0.1) ? special : Float(number) / 2)
    case .double:
      let special = [Double.nan, .infinity, -.infinity, -0.0].randomElement(using: &random)!
      return .double(random.chance(0.1) ? special : Double(number) / 2)
    case .decimal:
      let digits = UInt128(number.magnitude) * (random.chance(0.5) ? 10 : 1)
      return .decimal(
        DecimalBits(
          isNegative: number < 0, coefficient: digits, exponent: random.chance(0.5) ? -1 : 0))
    case .objectId: return .objectId(Bytes12(high: UInt64(number + 3), low: 1))
    case .uuid: return .uuid(Bytes16(high: UInt64(number + 3), low: 2))
    default: return .null
    }
  }

  static func text(_ random: inout SeededGenerator) -> String {
    let words = [
      "", "a", "A", "ab", "Ab", "b", "é", "É", "e", "ba", "abc", "aXbXc", "résumé",
      "longer than fifteen bytes", "Longer Than Fifteen Bytes",
      "a text of more than sixty-three bytes, so that its leaf takes the big form of strings",
    ]
    // Long texts are rare, so that leaves of all forms come up.
    let index = random.chance(0.98) ? random.next() % 13 : 13 + random.next() % 3
    return words[Int(index)]
  }
}
