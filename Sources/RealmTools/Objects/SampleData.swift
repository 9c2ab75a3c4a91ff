// SPDX-License-Identifier: Apache-2.0

// Made-up objects, the same for the same seed: `realm generate`.

#if Tools
import RealmQuery
import RealmStorage
import RealmTables

/// Fills the classes of a file with objects.
package struct SampleData {
  private var random: Numbers
  private let classes: StoredSchema

  private static let words = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbour", "iris", "juniper",
    "kelp", "lagoon", "maple", "north", "olive", "pine", "quartz", "river", "stone", "tide",
    "umber", "vale", "willow", "yarrow", "zephyr",
  ]
  private static let names = [
    "Ada", "Bram", "Chloe", "Dara", "Emil", "Freya", "Gus", "Hana", "Ivo", "Jonas", "Kira", "Lena",
    "Mats", "Nora", "Oskar", "Pia", "Quinn", "Rosa", "Sven", "Tara", "Ulla", "Vera", "Wim", "Yusuf",
  ]

  /// Numbers that depend on their seed alone (splitmix64).
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ bits &>> 30) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ bits &>> 27) &* 0x94D0_49BB_1331_11EB
      return bits ^ bits &>> 31
    }
  }

  private init(_ classes: StoredSchema, _ seed: UInt64) {
    self.classes = classes
    random = Numbers(state: seed)
  }

  /// Makes objects of each class, or of one.
  ///
  /// - Returns: How many there are of each class.
  package static func generate(
    _ writer: RealmWriter, rowCount: Int, className: String?, seed: UInt64,
    progress: ProgressHandler = { _, _ in }
  ) throws -> [(name: String, count: Int)] {
    let classes = try StoredSchema(try writer.group())
    if let className {
      guard try classes.require(className).kind != .embedded else {
        throw ToolFailure.usage(
          "'\(className)' is a class of embedded objects, which come with the objects that own "
            + "them.")
      }
    }
    let chosen = classes.all.filter {
      $0.kind == .topLevel && (className == nil || $0.displayName == className)
    }
    guard !chosen.isEmpty else {
      throw ToolFailure.usage(
        "'\(writer.path)' has no classes. Open it once with the app that has them.")
    }
    _ = try writer.write { group in
      var sample = SampleData(try StoredSchema(group), seed)
      for (index, schema) in chosen.enumerated() {
        for row in 0..<rowCount {
          try sample.makeObject(of: schema, in: group)
          progress(index * rowCount + row + 1, chosen.count * rowCount)
        }
      }
      return true
    }
    return chosen.map { ($0.displayName, rowCount) }
  }

  private mutating func makeObject(of schema: TableSchema, in group: WriteGroup) throws {
    guard let table = try group.table(schema.key) else { return }
    let key: ObjectKey
    if let column = schema.primaryKey {
      key = try table.createObject(primaryKey: try freeKey(column, table)).key
    } else {
      key = try table.createObject().key
    }
    try fill(key, schema, table, in: group, depth: 0)
  }

  /// An unused primary key.
  private mutating func freeKey(_ column: Column, _ table: WritableTable) throws -> TableValue {
    var number = Int64(try table.objectCount()) + 1
    while true {
      let value: TableValue =
        switch column.type {
        case .int: .int(number)
        case .string: .string("\(Self.words[Int(number) % Self.words.count])-\(number)")
        default: scalar(column)
        }
      if try table.findRow(primaryKey: value) == nil { return value }
      number += Int64.random(in: 1...1_000_000, using: &random)
    }
  }

  private mutating func fill(
    _ key: ObjectKey, _ schema: TableSchema, _ table: WritableTable, in group: WriteGroup,
    depth: Int
  ) throws {
    for column in schema.columns where !column.isPrimaryKey {
      if column.type == .link {
        try fillLink(column, key, table, in: group, depth: depth)
        continue
      }
      let count = Int.random(in: 0...3, using: &random)
      switch column.collection {
      case .none: try table.set(optional(column), column, key)
      case .list, .set:
        try table.set(.list((0..<count).map { _ in optional(column) }), column, key)
      case .dictionary:
        let keys = Set((0..<count).map { _ in word() }).sorted()
        try table.set(
          .dictionary(TableDictionary(keys.map { .init(key: $0, value: optional(column)) })),
          column, key)
      }
    }
  }

  private mutating func fillLink(
    _ column: Column, _ key: ObjectKey, _ table: WritableTable, in group: WriteGroup, depth: Int
  ) throws {
    guard let target = classes.target(of: column), let targets = try group.table(target.key)
    else { return }
    if target.kind == .embedded {
      guard column.collection == .none, depth < 3 else { return }
      let (new, _) = try table.createEmbedded(column, of: key)
      return try fill(new, target, targets, in: group, depth: depth + 1)
    }
    let count = try targets.objectCount()
    guard count > 0 else { return }
    func any() throws -> TableValue {
      let position = Int.random(in: 0..<count, using: &random)
      return try targets.table.key(at: position).map { .link($0) } ?? .null
    }
    switch column.collection {
    case .none: try table.set(try any(), column, key)
    case .list, .set:
      let links = try (0..<Int.random(in: 0...3, using: &random)).map { _ in try any() }
      try table.set(.list(links.filter { !$0.isNull }), column, key)
    case .dictionary: try table.dictionary(column, key).set(try any(), for: word())
    }
  }

  // MARK: Values

  private mutating func word() -> String {
    Self.words[Int.random(in: 0..<Self.words.count, using: &random)]
  }

  private mutating func optional(_ column: Column) -> TableValue {
    let isNull = column.isNullable && Int.random(in: 0..<8, using: &random) == 0
    return isNull ? .null : scalar(column)
  }

  private mutating func scalar(_ column: Column) -> TableValue {
    switch column.type {
    case .int:
      let isAge = column.name.lowercased().contains("age")
      return .int(Int64.random(in: 0..<(isAge ? 100 : 10_000), using: &random))
    case .bool: return .bool(Bool.random(using: &random))
    case .float: return .float(Float(Int.random(in: 0..<100_000, using: &random)) / 8)
    case .double: return .double(Double(Int.random(in: 0..<1_000_000, using: &random)) / 16)
    case .string: return .string(text(column.name.lowercased()))
    case .binary: return .binary((0..<8).map { _ in UInt8.random(in: 0...255, using: &random) })
    case .timestamp:
      // The years 2000 to 2030.
      return .timestamp(
        Timestamp(
          seconds: Int64.random(in: 946_684_800..<1_893_456_000, using: &random), nanoseconds: 0))
    case .decimal:
      let digits = UInt128(UInt64.random(in: 0..<1_000_000, using: &random))
      return .decimal(DecimalBits(isNegative: false, coefficient: digits, exponent: -2))
    case .objectId:
      return .objectId(
        Bytes12(
          high: UInt64.random(in: .min ... .max, using: &random),
          low: UInt32.random(in: .min ... .max, using: &random)))
    case .uuid:
      return .uuid(
        Bytes16(
          high: UInt64.random(in: .min ... .max, using: &random),
          low: UInt64.random(in: .min ... .max, using: &random)))
    case .mixed:
      return Bool.random(using: &random)
        ? .int(Int64.random(in: 0..<100, using: &random)) : .string(word())
    case .link, .backlink, .typedLink: return .null
    }
  }

  /// A text for the name of a property.
  private mutating func text(_ property: String) -> String {
    let name = Self.names[Int.random(in: 0..<Self.names.count, using: &random)]
    if property.contains("mail") { return "\(name.lowercased())@example.org" }
    if property.contains("name") { return name }
    return (0..<Int.random(in: 1...4, using: &random)).map { _ in word() }.joined(separator: " ")
  }
}
#endif
