// SPDX-License-Identifier: Apache-2.0

// Constants take the type of what they are compared with: in each language the objects are those
// that Swift's own comparison with the converted constant gives.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Gauge: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var int = 0
  @Persisted(indexed: true) var whole = 0
  @Persisted var float: Float
  @Persisted var maybe: Float?
  @Persisted var double: Double
  @Persisted var decimal: Decimal128
  @Persisted var floats: List<Float>
  @Persisted var map: Map<String, Float>
  @Persisted var next: Gauge?
  @Persisted var any: AnyRealmValue
  @Persisted(indexed: true) var code: UUID
  @Persisted(indexed: true) var number: ObjectId

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An operator by its spelling and its meaning in Swift.
private enum Comparing: String, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  func means<Value: Comparable>(_ left: Value?, _ right: Value) -> Bool {
    guard let left else { return self == .notEqual }
    return switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}

struct ConstantTypeTests {
  private static let floats: [Float] = [
    0.1, 1.1, 2.5, 19.99, 16_777_216, 16_777_218, .nan, .infinity, -.infinity, -0.0, 0, -1.1,
    .greatestFiniteMagnitude, 9.223372e18,
  ]
  private static let doubles: [Double] = [
    0.1, 1.1, 2.5, 19.99, 16_777_217, .nan, .infinity, -.infinity, -0.0, 9_007_199_254_740_992,
    1e300,
  ]
  private static let ints = [0, 1, -1, 2, 16_777_217, 9_007_199_254_740_993, Int.max, Int.min]
  private static let decimals = ["0.1", "1.1", "19.99", "2.50", "16777217", "1E2", "-0", "-1.1"]
  /// Numbers as literals of query strings.
  private static let literals = [
    "0.1", "1.1", "2.5", "19.99", "16777217", "0", "-0.0", "1e300", "-1.1", "9223372036854775807",
    "19.989999771118164", "0.100000001490116119384765625",
  ]

  private let file: TemporaryRealm
  private let realm: Realm
  private let all: Results<Gauge>
  private let rows: [Gauge]

  init() throws {
    file = try TemporaryRealm([Gauge.self])
    realm = try file.open()
    all = realm.objects(Gauge.self)
    var random = SeededGenerator(seed: 905)
    let realm = realm
    rows = try realm.write {
      let rows = (0..<16).map { realm.create(Gauge.self, value: ["id": $0]) }
      for row in rows {
        row.int = Self.ints.randomElement(using: &random) ?? 0
        row.whole = row.int
        row.float = Self.floats.randomElement(using: &random) ?? 0
        row.maybe = random.chance(0.3) ? nil : Self.floats.randomElement(using: &random)
        row.double = Self.doubles.randomElement(using: &random) ?? 0
        row.decimal = Decimal128(string: Self.decimals.randomElement(using: &random) ?? "0")
        for _ in 0..<Int.random(in: 0...2, using: &random) {
          row.floats.append(Self.floats.randomElement(using: &random) ?? 0)
          row.map["\(random.chance(0.5))"] = Self.floats.randomElement(using: &random)
        }
        row.next = random.chance(0.3) ? nil : rows.randomElement(using: &random)
      }
      return rows
    }
  }

  private func ids(_ condition: String, _ arguments: [Any] = []) throws -> [Int] {
    let parsed = Array(try all.filter(parsing: condition, arguments).map(\.id))
    if condition.utf8.count % 2 == 0 {
      let format = NSPredicate(format: condition, argumentArray: arguments)
      expectEqual(Array(all.filter(format).map(\.id)), parsed, "\(condition)")
    }
    return parsed
  }

  /// Compares a condition with its meaning.
  private func expect(
    _ condition: String, _ arguments: Any..., sourceLocation: SourceLocation = #_sourceLocation,
    _ meaning: (Gauge) -> Bool
  ) throws {
    let wanted = rows.filter(meaning).map(\.id)
    let found = try ids(condition, arguments)
    #expect(found == wanted, "\(condition) \(arguments)", sourceLocation: sourceLocation)
  }

  /// The paths to Floats, and the Floats that they lead to.
  private static let paths: [(path: String, values: @Sendable (Gauge) -> [Float?])] = [
    ("float", { [$0.float] }), ("maybe", { [$0.maybe] }), ("next.float", { [$0.next?.float] }),
    ("ANY floats", { Array($0.floats) }), ("ANY map.@allValues", { $0.map.map(\.value) }),
    ("ANY next.floats", { $0.next.map { Array($0.floats) } ?? [nil] }),
  ]

  /// Each operator beside each path to Floats, with the nearest Float of a constant.
  private func compareFloats(
    _ spelled: String, _ arguments: [Any], _ constant: Float
  ) throws {
    // A third of the paths for each constant; there are more than enough of those.
    let turn = abs(constant.hashOfBits) % 3
    for (path, values) in Self.paths.enumerated().filter({ $0.offset % 3 == turn }).map(\.element) {
      for comparing in Comparing.allCases {
        let condition = "\(path) \(comparing.rawValue) \(spelled)"
        let wanted = rows.filter { values($0).contains { comparing.means($0, constant) } }
        try expectEqual(ids(condition, arguments), wanted.map(\.id), "\(condition) \(arguments)")
      }
    }
    try expectEqual(
      ids("float IN {\(spelled), 2.5}", arguments),
      rows.filter { $0.float == constant || $0.float == 2.5 }.map(\.id), "IN \(constant)")
    try expectEqual(
      ids("float BETWEEN {\(spelled), 19.99}", arguments),
      rows.filter { $0.float >= constant && $0.float <= 19.99 }.map(\.id), "BETWEEN \(constant)")
    for (function, value) in [("min", { $0.min() }), ("max", { $0.max() })]
      as [(
        String, (List<Float>) -> Float?
      )] where !constant.isNaN
    {
      for comparing in Comparing.allCases {
        let wanted = rows.filter { row in
          !row.floats.contains(where: \.isNaN) && comparing.means(value(row.floats), constant)
        }
        let found = try ids("floats.@\(function) \(comparing.rawValue) \(spelled)", arguments)
          .filter { id in !rows[id].floats.contains(where: \.isNaN) }
        expectEqual(found, wanted.map(\.id), "@\(function) \(comparing) \(constant)")
      }
    }
    for row in rows.prefix(2) {
      let list = row.floats
      let found = Array(try list.filter(parsing: "self == \(spelled)", arguments))
      expectEqual(found, Array(list).filter { $0 == constant }, "self == \(constant)")
      expectEqual(
        list.index(matching: NSPredicate(format: "self >= \(spelled)", argumentArray: arguments)),
        Array(list).firstIndex { $0 >= constant }, "index")
    }
  }

  /// `cases/05`
  @Test func literalsBesideFloats() throws {
    for literal in Self.literals {
      try compareFloats(literal, [], try #require(Float(literal)))
    }
  }

  @Test func argumentsBesideFloats() throws {
    for double in Self.doubles { try compareFloats("%@", [double], Float(double)) }
    for int in Self.ints { try compareFloats("%@", [int], Float(int)) }
    for float in Self.floats { try compareFloats("%@", [float], float) }
    for text in Self.decimals {
      try compareFloats("%@", [Decimal128(string: text)], try #require(Float(text)))
    }
  }

  /// What the compiler has converted is compared as it is, in `where` and in `#Predicate`.
  @Test func typedConstants() throws {
    for constant in Self.floats {
      let wanted = { (meaning: (Float) -> Bool) in rows.filter { meaning($0.float) }.map(\.id) }
      expectEqual(all.where { $0.float == constant }.map(\.id), wanted { $0 == constant })
      expectEqual(all.where { $0.float != constant }.map(\.id), wanted { $0 != constant })
      expectEqual(all.where { $0.float < constant }.map(\.id), wanted { $0 < constant })
      expectEqual(all.where { $0.float >= constant }.map(\.id), wanted { $0 >= constant })
      expectEqual(
        all.where { $0.float.in([constant, 2.5]) }.map(\.id), wanted { $0 == constant || $0 == 2.5 }
      )
      expectEqual(
        all.where { $0.floats.contains(constant) }.map(\.id),
        rows.filter { $0.floats.contains { $0 == constant } }.map(\.id))
      expectEqual(
        try all.filter(#Predicate<Gauge> { $0.float == constant }).map(\.id),
        wanted { $0 == constant })
      expectEqual(
        try all.filter(#Predicate<Gauge> { $0.float <= constant }).map(\.id),
        wanted { $0 <= constant })
    }
  }

  @Test func constantsBesideOtherNumbers() throws {
    for comparing in Comparing.allCases {
      let sign = comparing.rawValue
      for int in Self.ints {
        try expect("double \(sign) %@", int) { comparing.means($0.double, Double(int)) }
        try expect("int \(sign) \(int)") { comparing.means($0.int, int) }
      }
      for float in Self.floats {
        try expect("double \(sign) %@", float) { comparing.means($0.double, Double(float)) }
      }
      for text in Self.decimals {
        let decimal = Decimal128(string: text)
        try expect("double \(sign) %@", decimal) {
          comparing.means($0.double, Double(text) ?? .nan)
        }
        try expect("decimal \(sign) \(text)") { comparing.means($0.decimal, decimal) }
        // `cases/07`
        try expect("decimal \(sign) '\(text)'") { comparing.means($0.decimal, decimal) }
        try expect("decimal \(sign) %@", text) { comparing.means($0.decimal, decimal) }
      }
      for double in Self.doubles {
        // An integer equals a number with a fraction never, and is in order with it.
        try expect("int \(sign) %@", double) { row in
          Int(exactly: double).map { comparing.means(row.int, $0) }
            ?? comparing.means(Double(row.int), double)
        }
        try expect("whole \(sign) %@", double) { row in
          Int(exactly: double).map { comparing.means(row.whole, $0) }
            ?? comparing.means(Double(row.whole), double)
        }
      }
    }
    try expect("decimal < 'Inf'") { _ in true }
    try expect("decimal IN {'0.1', '19.99'}") { $0.decimal == "0.1" || $0.decimal == "19.99" }
    try expect("decimal BETWEEN {'0.1', '19.99'}") { $0.decimal >= "0.1" && $0.decimal <= "19.99" }
  }

  /// `cases/07`
  @Test func textsOfIdentifiers() throws {
    let row = rows[7]
    let realm = realm
    try realm.write {
      for row in rows {
        row.code = UUID()
        row.number = ObjectId.generate()
      }
    }
    for text in [row.code.uuidString, row.code.uuidString.lowercased()] {
      try expect("code == '\(text)'") { $0 == row }
      try expect("code == %@", text) { $0 == row }
      try expect("code != %@", text) { $0 != row }
      try expect("code IN {'\(text)', %@}", rows[3].code) { $0 == row || $0 == rows[3] }
    }
    try expect("number == '\(row.number.stringValue)'") { $0 == row }
    try expect("number IN %@", [row.number.stringValue]) { $0 == row }
    for condition in ["code == 'none'", "number == '12'", "decimal == 'ten'"] {
      #expect(throws: QueryParsingError.self) { try all.filter(parsing: condition) }
    }
  }

  /// Sums of Floats are Doubles, and values of any type keep their own.
  @Test func whatHasNoTypeOfItsOwn() throws {
    let realm = realm
    try realm.write {
      for (row, value) in zip(rows, [.float(0.1), .double(0.1), .int(1)] as [AnyRealmValue]) {
        row.any = value
      }
      rows[0].floats.removeAll()
      rows[0].floats.append(objectsIn: [0.1, 0.25])
    }
    try expect("any == 0.1") { $0.any == .double(0.1) }
    try expect("any == %@", Float(0.1)) { $0.any == .float(0.1) }
    let sum = Double(Float(0.1)) + 0.25
    expectTrue(try ids("floats.@sum == %@", [sum]).contains(0))
    expectFalse(try ids("floats.@sum == 0.35").contains(0))
  }
}

extension Float {
  /// A number that differs between constants, and is the same in each run.
  fileprivate var hashOfBits: Int { Int(bitPattern % 1_000_003) }
}
