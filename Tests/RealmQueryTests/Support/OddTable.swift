// SPDX-License-Identifier: Apache-2.0

// A table whose leaves take every form, and its values beside it.

import RealmStorage
import RealmTables
import RealmTestSupport

@testable import RealmQuery

/// A table of columns of single values, of which some objects were deleted, and what it holds.
struct OddTable {
  /// A column and the values that come up in it.
  struct Content {
    let name: String
    let type: ColumnType
    var isNullable = false
    var isIndexed = false
    let values: [TableValue]
  }

  let group: TableGroup
  let table: Table
  let contents: [Content]
  /// The keys of the objects, ascending, with the values of their columns.
  let rows: [(key: ObjectKey, values: [TableValue])]

  /// - Parameter count: how many objects are created; clusters lose some, few or nearly all.
  init(seed: UInt64, count: Int) throws {
    var random = SeededGenerator(seed: seed)
    let contents = OddTable.contents
    let path = "/memory/odd-\(seed)-\(UInt64.random(in: .min ... .max))"
    let file = try DatabaseFile.open(path: path, options: OpenOptions(isInMemory: true))
    let writing = try WriteGroup(try file.beginWrite())
    let table = try writing.createTable(named: "class_Odd")
    for content in contents {
      _ = try table.addColumn(
        named: content.name, type: content.type, isNullable: content.isNullable,
        isIndexed: content.isIndexed)
    }
    let columns = contents.compactMap { table.schema.column(named: $0.name) }
    var rows: [(key: ObjectKey, values: [TableValue])] = []
    var pools: [[TableValue]] = []
    var lossRate = 0.0
    for index in 0..<count {
      // Few values at a time, so that leaves of one column take different forms.
      if index % 256 == 0 {
        pools = contents.map { content in
          let size = Int.random(in: 1...content.values.count, using: &random)
          let values = content.values.shuffled(using: &random).prefix(size)
          return values + (content.isNullable && random.chance(0.7) ? [.null] : [])
        }
        lossRate = [0, 0.02, 0.3, 0.6, 0.97].randomElement(using: &random) ?? 0
      }
      let (key, _) = try table.createObject()
      var values: [TableValue] = []
      for (column, pool) in zip(columns, pools) {
        let value = pool.randomElement(using: &random) ?? .null
        try table.set(value, column, key)
        values.append(value)
      }
      if random.chance(lossRate) {
        try table.delete(key)
      } else {
        rows.append((key, values))
      }
    }
    group = try TableGroup(try writing.commit())
    guard let table = try group.table(table.key) else {
      throw StorageError.corrupted("the table that was just made is not there")
    }
    self.table = table
    self.contents = contents
    self.rows = rows.sorted { $0.key < $1.key }
  }

  // MARK: What columns hold

  private static let contents: [Content] = {
    var contents: [Content] = []
    func add(_ name: String, _ type: ColumnType, _ values: [TableValue], canIndex: Bool) {
      contents.append(Content(name: name, type: type, values: values))
      contents.append(Content(name: name + "?", type: type, isNullable: true, values: values))
      guard canIndex else { return }
      contents.append(
        Content(
          name: name + " indexed", type: type, isNullable: true, isIndexed: true, values: values))
    }
    for code in 0...7 {
      let values = PackedKernelTests.borders(ofWidthCode: code).map { TableValue.int($0) }
      add("int\(code)", .int, values, canIndex: code % 3 == 1)
    }
    let doubles: [Double] = [
      -.infinity, -1.5, -.leastNonzeroMagnitude, -0.0, 0, .leastNonzeroMagnitude, 1, 2.5,
      1e300, .infinity, .nan,
    ]
    add("double", .double, doubles.map { .double($0) }, canIndex: false)
    add("float", .float, doubles.map { .float(Float($0)) }, canIndex: false)
    for length in [0, 1, 3, 7, 15, 40, 70] {
      let texts = texts(upTo: length)
      add("string\(length)", .string, texts.map { .string($0) }, canIndex: length % 4 == 3)
      add("binary\(length)", .binary, texts.map { .binary(Array($0.utf8)) }, canIndex: false)
    }
    let dates = [
      Timestamp(seconds: .min, nanoseconds: 0), Timestamp(seconds: -1, nanoseconds: -1),
      Timestamp(seconds: 0, nanoseconds: -1), Timestamp(seconds: 0, nanoseconds: 0),
      Timestamp(seconds: 0, nanoseconds: 7), Timestamp(seconds: 1, nanoseconds: 0),
      Timestamp(seconds: 1, nanoseconds: 999_999_999), Timestamp(seconds: 1 << 40, nanoseconds: 3),
      Timestamp(seconds: .max, nanoseconds: 999_999_999),
    ]
    add("date", .timestamp, dates.map { .timestamp($0) }, canIndex: true)
    add("bool", .bool, [.bool(false), .bool(true)], canIndex: true)
    let decimals = (-3...3).flatMap { number in
      [0, -1].map { exponent in
        TableValue.decimal(
          DecimalBits(
            isNegative: number < 0, coefficient: UInt128(number.magnitude), exponent: exponent))
      }
    }
    add("decimal", .decimal, decimals, canIndex: false)
    let words: [UInt64] = [0, 1, 1 << 63, .max]
    let identifiers = words.flatMap { high in words.map { (high, $0) } }
    add(
      "id", .objectId,
      identifiers.map { .objectId(Bytes12(high: $0, low: UInt32(truncatingIfNeeded: $1))) },
      canIndex: true)
    add(
      "uuid", .uuid, identifiers.map { .uuid(Bytes16(high: $0, low: $1)) }, canIndex: true)
    let small: [TableValue] = [
      .int(0), .int(1), .int(-2), .float(1), .float(2.5), .double(1), .double(-2), .double(0.5),
      .bool(true), .string("a"), .string("ab"), .binary([97]), .timestamp(dates[3]),
      .objectId(Bytes12(high: 0, low: 1)), .uuid(Bytes16(high: 0, low: 1)),
    ]
    let mixed = small + decimals
    contents.append(Content(name: "mixed", type: .mixed, isNullable: true, values: mixed))
    contents.append(
      Content(name: "mixed indexed", type: .mixed, isNullable: true, isIndexed: true, values: mixed)
    )
    return contents
  }()

  /// Texts of at most so many bytes that differ at their beginning, in the middle and at the end.
  private static func texts(upTo length: Int) -> [String] {
    var texts = [""]
    for length in Set([1, 2, length / 2, length - 1, length]) where length > 0 {
      let plain = [UInt8](repeating: 97, count: length)
      texts.append(String(decoding: plain, as: UTF8.self))
      for place in Set([0, length / 2, length - 1]) {
        var bytes = plain
        bytes[place] = 98
        texts.append(String(decoding: bytes, as: UTF8.self))
        if place > 0 {
          bytes[place] = 0
          texts.append(String(decoding: bytes, as: UTF8.self))
        }
      }
    }
    return Set(texts).filter { $0.utf8.count <= length }.sorted()
  }
}
