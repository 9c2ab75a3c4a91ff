// SPDX-License-Identifier: Apache-2.0

// Values as integers that sort the same way.

import RealmStorage

/// As much of a value's position in the order as nine bytes can hold.
struct SortKey {
  /// Null, NaN, values, those that no link leads to; for values of mixed types the type's rank.
  let rank: UInt8
  /// Ascending with the values of one rank.
  let prefix: UInt64
  /// Whether values with equal keys are equal.
  let isExact: Bool

  /// The rank of NaN, after that of null.
  static let notNumbers: UInt8 = 1
  /// The rank of all other values.
  static let values: UInt8 = 2

  /// The key of values that no link leads to: after all others.
  static let missing = SortKey(15)

  /// - Parameter isMixed: whether values of other types may be compared with this one.
  @inline(__always)
  init(_ value: MixedValue, isMixed: Bool) {
    if isMixed {
      self = value.isNull ? SortKey(0) : SortKey(UInt8(value.kind), 0, isExact: false)
      return
    }
    let values = SortKey.values
    switch value {
    case .null: self = SortKey(0)
    case .int(let number): self = SortKey(values, SortKey.biased(number))
    case .bool(let truth): self = SortKey(values, truth ? 1 : 0)
    case .timestamp(let date):
      self = SortKey(values, SortKey.biased(date.seconds), isExact: false)
    case .double(let number):
      self =
        number.isNaN
        ? SortKey(SortKey.notNumbers, number.bitPattern) : SortKey(values, SortKey.ordered(number))
    case .float(let number):
      self =
        number.isNaN
        ? SortKey(SortKey.notNumbers, UInt64(number.bitPattern))
        : SortKey(values, SortKey.ordered(Double(number)))
    case .string(let bytes), .binary(let bytes):
      self = SortKey(values, SortKey.head(bytes), isExact: false)
    case .objectId(let id): self = SortKey(values, id.high, isExact: false)
    case .uuid(let id): self = SortKey(values, id.high, isExact: false)
    case .decimal, .typedLink, .list, .dictionary: self = SortKey(values, 0, isExact: false)
    }
  }

  @inline(__always)
  private init(_ rank: UInt8, _ prefix: UInt64 = 0, isExact: Bool = true) {
    self.rank = rank
    self.prefix = prefix
    self.isExact = isExact
  }

  @inline(__always)
  private static func biased(_ number: Int64) -> UInt64 {
    UInt64(bitPattern: number) ^ 1 &<< 63
  }

  /// The bits of a number that is not NaN, in its order; both zeros are one.
  @inline(__always)
  private static func ordered(_ number: Double) -> UInt64 {
    let bits = (number == 0 ? 0 : number).bitPattern
    return bits &>> 63 == 1 ? ~bits : bits | 1 &<< 63
  }

  /// The first eight bytes as a big-endian number.
  @inline(__always)
  private static func head(_ bytes: ByteView) -> UInt64 {
    if bytes.count >= 8, let start = unsafe bytes.bytes.baseAddress {
      return unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
    }
    var head: UInt64 = 0
    for index in 0..<bytes.count {
      head |= UInt64(bytes[index]) &<< UInt64(truncatingIfNeeded: 56 &- index &* 8)
    }
    return head
  }
}
