// SPDX-License-Identifier: Apache-2.0

// Random values of each type, of few so that they meet, and with the edges.

import RealmStorage
import RealmTables
import RealmTestSupport

extension SeededGenerator {
  mutating func number(below count: Int) -> Int { Int(next() >> 33) % count }

  /// Whether something with that chance in a hundred happens.
  mutating func percent(_ chance: Int) -> Bool { number(below: 100) < chance }

  mutating func pick<T>(_ values: [T]) -> T { values[number(below: values.count)] }

  /// A value of a type that is no link; null at times if it may be.
  mutating func value(_ type: ColumnType, isNullable: Bool) -> TableValue {
    if isNullable, percent(15) { return .null }
    switch type {
    case .int: return .int(pick([0, 1, -1, 7, 300, .max, .min, Int64(number(below: 50))]))
    case .bool: return .bool(percent(50))
    case .string: return .string(text())
    case .binary:
      let count = pick([0, 1, 5, 70])
      return .binary((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) })
    case .timestamp:
      let seconds = pick([0, 1, -1, 1_700_000_000, -62_135_596_800] as [Int64])
      return .timestamp(
        Timestamp(
          seconds: seconds, nanoseconds: seconds < 0 ? -Int32(number(below: 9)) : 999_999_999))
    case .float: return .float(pick([0, 1.5, -2, .infinity, .greatestFiniteMagnitude]))
    case .double: return .double(pick([0, 2.5, -1, .infinity, .leastNonzeroMagnitude]))
    case .decimal:
      return .decimal(
        DecimalBits(
          isNegative: percent(50), coefficient: UInt128(number(below: 1000)),
          exponent: pick([0, -2, 3])))
    case .objectId: return .objectId(Bytes12(high: 7, low: UInt32(number(below: 9))))
    case .uuid: return .uuid(Bytes16(high: .max, low: UInt64(number(below: 9))))
    case .mixed:
      let types: [ColumnType] = [
        .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid,
      ]
      return value(pick(types), isNullable: false)
    case .link, .backlink, .typedLink: return .null
    }
  }

  mutating func text() -> String {
    pick(["", "a", "b", "k\(number(below: 6))", "Zürich 🦜", String(repeating: "long", count: 20)])
  }
}
