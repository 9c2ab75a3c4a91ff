// SPDX-License-Identifier: Apache-2.0

// Identifiers of twelve bytes that are unique without coordination.

public import Foundation
import RealmSession
import Synchronization

/// A unique identifier of 12 bytes: seconds since 1970, a random part of the process, and a
/// counter.
///
/// Identifiers that one process generates are ordered by the time of their generation.
public final class ObjectId: Sendable {
  /// The first eight bytes, as a big-endian number.
  let high: UInt64
  /// The last four bytes, as a big-endian number.
  let low: UInt32

  init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// The identifier whose bytes are all zero.
  public convenience init() { self.init(high: 0, low: 0) }

  /// The identifier that `string` spells in 24 hexadecimal digits.
  ///
  /// - Throws: `Realm.Error.invalidInput` for any other string.
  public convenience init(string: String) throws {
    guard let (high, low) = ObjectId.parse(string) else {
      throw Realm.Error(
        .invalidInput, message: "Invalid Object ID string '\(string)': must be 24 hex digits")
    }
    self.init(high: high, low: low)
  }

  /// The identifier that a literal spells in 24 hexadecimal digits; traps for others.
  public convenience init(_ string: StaticString) {
    let text = string.withUTF8Buffer { unsafe String(decoding: $0, as: UTF8.self) }
    guard let (high, low) = ObjectId.parse(text) else {
      throwRealmException("Invalid Object ID string '\(text)': must be 24 hex digits")
    }
    self.init(high: high, low: low)
  }

  /// An identifier of the given time, machine and process, with the next value of the counter.
  public convenience init(timestamp: Date, machineId: Int, processId: Int) {
    let seconds = ObjectId.seconds(of: timestamp)
    let machine = UInt64(UInt32(truncatingIfNeeded: machineId) & 0xFF_FFFF)
    let process = UInt32(UInt16(truncatingIfNeeded: processId))
    self.init(
      high: seconds << 32 | machine << 8 | UInt64(process >> 8),
      low: process << 24 | ObjectId.nextCount())
  }

  /// The whole seconds since 1970, clamped to 32 bits.
  private static func seconds(of date: Date) -> UInt64 {
    let seconds = date.timeIntervalSince1970
    guard seconds > 0 else { return 0 }
    return seconds < Double(UInt32.max) ? UInt64(seconds) : UInt64(UInt32.max)
  }

  /// A new identifier.
  public static func generate() -> ObjectId {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let seconds = UInt64(UInt32(truncatingIfNeeded: now.tv_sec))
    let origin = processIdentity
    return ObjectId(
      high: seconds << 32 | UInt64(origin >> 8),
      low: UInt32(truncatingIfNeeded: origin) << 24
        | nextCount())
  }

  /// The 24 hexadecimal digits of the bytes.
  public var stringValue: String {
    unsafe String(unsafeUninitializedCapacity: 24) { digits in
      var position = 0
      func append(_ nibble: UInt8) {
        unsafe digits[position] = nibble < 10 ? 0x30 &+ nibble : 0x57 &+ nibble
        position += 1
      }
      for shift in stride(from: 60, through: 0, by: -4) { append(UInt8(high >> shift & 15)) }
      for shift in stride(from: 28, through: 0, by: -4) { append(UInt8(low >> shift & 15)) }
      return 24
    }
  }

  /// The time at which the identifier was generated, to the second.
  public var timestamp: Date { Date(timeIntervalSince1970: Double(high >> 32)) }

  // MARK: Making

  /// Three random bytes for the machine and two for the process.
  private static let processIdentity = UInt64.random(in: 0..<1 << 40)
  private static let counter = Atomic<UInt32>(UInt32.random(in: 0..<1 << 23))

  private static func nextCount() -> UInt32 {
    counter.wrappingAdd(1, ordering: .relaxed).oldValue & 0xFF_FFFF
  }

  private static func parse(_ string: String) -> (high: UInt64, low: UInt32)? {
    let digits = string.utf8
    guard digits.count == 24, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let high = UInt64(string.prefix(16), radix: 16),
      let low = UInt32(string.suffix(8), radix: 16)
    else { return nil }
    return (high, low)
  }
}

extension ObjectId: Hashable, Comparable {
  /// Whether both have the same bytes.
  public static func == (left: ObjectId, right: ObjectId) -> Bool {
    left.high == right.high && left.low == right.low
  }

  /// Orders by bytes, and so by time of generation.
  public static func < (left: ObjectId, right: ObjectId) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// Feeds the bytes to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension ObjectId: CustomStringConvertible {
  /// The 24 hexadecimal digits.
  public var description: String { stringValue }
}

extension ObjectId: Codable {
  /// Decodes the 24 hexadecimal digits.
  public convenience init(from decoder: any Decoder) throws {
    try self.init(string: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the 24 hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}
