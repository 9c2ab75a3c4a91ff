// SPDX-License-Identifier: Apache-2.0

// Values of every type, with the edges that change how a leaf is laid out.

import RealmStorage

@testable import RealmTables

extension ColumnType {
  /// The types whose values represent themselves.
  static let scalars: [ColumnType] = [
    .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid,
  ]

  /// What a new object has in a column that is not nullable.
  var zero: TableValue {
    switch self {
    case .int: .int(0)
    case .bool: .bool(false)
    case .string: .string("")
    case .binary: .binary([])
    case .timestamp: .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
    case .float: .float(0)
    case .double: .double(0)
    case .decimal: .decimal(DecimalBits(integer: 0))
    case .objectId: .objectId(Bytes12(high: 0, low: 0))
    case .uuid: .uuid(Bytes16(high: 0, low: 0))
    case .mixed, .link, .backlink, .typedLink: .null
    }
  }

  /// A random value, never null.
  func random(using random: inout some RandomNumberGenerator) -> TableValue {
    switch self {
    case .int:
      let width = Int.random(in: 0...63, using: &random)
      let magnitude = Int64(truncatingIfNeeded: random.next() >> UInt64(width))
      return .int(Bool.random(using: &random) ? magnitude : ~magnitude)
    case .bool: return .bool(Bool.random(using: &random))
    case .string:
      let length = [0, 1, 3, 7, 14, 15, 16, 62, 63, 64, 300].randomElement(using: &random) ?? 0
      let tail = length > 3 ? "é\u{0}😀\(UInt16.random(in: 0...UInt16.max, using: &random))" : ""
      return .string(String(repeating: "x", count: length) + tail)
    case .binary:
      let length = [0, 1, 63, 64, 65, 200].randomElement(using: &random) ?? 0
      return .binary((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
    case .timestamp:
      let isNegative = Bool.random(using: &random)
      let seconds = Int64.random(in: 0...1 << 40, using: &random)
      let nanoseconds = Int32.random(in: 0..<1_000_000_000, using: &random)
      return .timestamp(
        Timestamp(
          seconds: isNegative ? -seconds : seconds,
          nanoseconds: isNegative ? -nanoseconds : nanoseconds))
    case .float: return .float(Float.random(in: -1e6...1e6, using: &random))
    case .double: return .double(Double.random(in: -1e12...1e12, using: &random))
    case .decimal:
      return .decimal(
        DecimalBits(
          isNegative: Bool.random(using: &random),
          coefficient: UInt128(random.next() >> UInt64.random(in: 0...63, using: &random)),
          exponent: Int.random(in: -20...20, using: &random)))
    case .objectId:
      return .objectId(
        Bytes12(high: random.next(), low: UInt32(truncatingIfNeeded: random.next())))
    case .uuid: return .uuid(Bytes16(high: random.next(), low: random.next()))
    case .mixed:
      let type = ColumnType.scalars.randomElement(using: &random) ?? .int
      return type.random(using: &random)
    case .link, .backlink, .typedLink: return .null
    }
  }
}
