// SPDX-License-Identifier: Apache-2.0

// Random values of every type, with a liking for the edges of each.

import RealmStorage
import RealmTestSupport

@testable import RealmTables

extension SeededGenerator {
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func int() -> Int64 {
    switch Int.random(in: 0..<6, using: &self) {
    case 0: return Int64.random(in: 0...1, using: &self)
    case 1: return Int64.random(in: -20...20, using: &self)
    case 2: return Int64.random(in: -40_000...40_000, using: &self)
    case 3: return [.min, .max, 127, 128, -128, 32_767, 32_768].randomElement(using: &self) ?? 0
    case 4: return Int64.random(in: .min ... .max, using: &self)
    default: return Int64.random(in: 0..<16, using: &self)
    }
  }

  mutating func string() -> String {
    let alphabet: [Character] = ["a", "b", "X", "é", "日", "😀", "\0", " "]
    var length = Int.random(in: 0...14, using: &self)
    // Values that leave the short form of a leaf, and those that leave the medium one.
    if chance(15) { length = Int.random(in: 15...70, using: &self) }
    if chance(2) { length = Int.random(in: 200...3000, using: &self) }
    if chance(10) {
      return String(repeating: "a", count: 200) + String(int())
    }
    return String((0..<length).map { _ in alphabet.randomElement(using: &self) ?? "a" })
  }

  mutating func bytes() -> [UInt8] {
    let length = chance(5) ? 5000 : Int.random(in: 0...80, using: &self)
    return (0..<length).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  mutating func timestamp() -> Timestamp {
    let seconds = Int64.random(in: -3...2_000_000_000, using: &self)
    let nanoseconds = Int32.random(in: 0..<1_000_000_000, using: &self)
    return Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
  }

  mutating func decimal() -> DecimalBits {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return DecimalBits(low: 0, high: 0x3040_0000_0000_0000)
    case 1:
      return decimal(
        UInt64.random(in: 0..<1 << 23, using: &self), Int.random(in: -95...95, using: &self))
    case 2:
      return decimal(
        UInt64.random(in: 0..<1 << 55, using: &self), Int.random(in: -400...400, using: &self))
    default:
      return decimal(
        UInt64.random(in: 0 ... .max, using: &self), Int.random(in: -6000...6000, using: &self))
    }
  }

  private mutating func decimal(_ coefficient: UInt64, _ exponent: Int) -> DecimalBits {
    let sign: UInt64 = chance(50) ? 1 << 63 : 0
    return DecimalBits(low: coefficient, high: sign | UInt64(exponent + 6176) << 49)
  }

  mutating func objectId() -> Bytes12 {
    // Few prefixes, so that the index nests.
    Bytes12(
      high: UInt64.random(in: 0..<3, using: &self) << 32 | UInt64.random(in: 0..<4, using: &self),
      low: UInt32.random(in: 0 ... .max, using: &self))
  }

  mutating func uuid() -> Bytes16 {
    Bytes16(
      high: UInt64.random(in: 0 ... .max, using: &self),
      low: UInt64.random(in: 0..<10, using: &self))
  }

  /// A value of a type that is no link; never NaN, which equals nothing.
  mutating func value(_ type: ColumnType, isNullable: Bool) -> TableValue {
    if isNullable, chance(20) { return .null }
    switch type {
    case .int: return .int(int())
    case .bool: return .bool(chance(50))
    case .string: return .string(string())
    case .binary: return .binary(bytes())
    case .timestamp: return .timestamp(timestamp())
    case .float: return .float(Float(int()) / 8)
    case .double: return .double(chance(10) ? .infinity : Double(int()) / 1024)
    case .decimal: return .decimal(decimal())
    case .objectId: return .objectId(objectId())
    case .uuid: return .uuid(uuid())
    case .mixed:
      let types: [ColumnType] = [
        .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid,
      ]
      return value(types.randomElement(using: &self) ?? .int, isNullable: false)
    case .link, .typedLink, .backlink: return .null
    }
  }
}
