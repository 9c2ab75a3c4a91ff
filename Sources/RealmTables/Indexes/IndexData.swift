// SPDX-License-Identifier: Apache-2.0

// The byte string under which a value is found in a search index, four bytes at a time.

package import RealmStorage

/// The index data of a value, ready to be cut into chunks.
///
/// Up to 16 bytes are held as big-endian words, longer data is borrowed.
///
/// - SeeAlso: file format 4.14.1.
package struct IndexData {
  private enum Storage {
    case null
    /// Four big-endian words, of which `count` bytes count.
    case words(SIMD4<UInt32>, count: Int)
    case bytes(ByteView)
  }

  private let storage: Storage

  private init(_ storage: Storage) { self.storage = storage }

  /// The index data of `value`.
  ///
  /// The data of strings and binaries borrow the value's bytes.
  package init(_ value: MixedValue) {
    switch value {
    case .null: self.init(Storage.null)
    case .int(let number): self.init(integer: number)
    case .bool(let flag): self.init(integer: flag ? 1 : 0)
    case .string(let bytes), .binary(let bytes): self.init(.bytes(bytes))
    case .timestamp(let time):
      let seconds = UInt64(bitPattern: time.seconds)
      self.init(
        .words(
          SIMD4(
            UInt32(truncatingIfNeeded: seconds).byteSwapped,
            UInt32(truncatingIfNeeded: seconds >> 32).byteSwapped,
            UInt32(bitPattern: time.nanoseconds).byteSwapped, 0), count: 12))
    case .float(let number):
      if let whole = Int32(exactly: number) {
        self.init(integer: Int64(whole))
      } else {
        self.init(.words(SIMD4(number.bitPattern.byteSwapped, 0, 0, 0), count: 4))
      }
    case .double(let number):
      if let whole = Int32(exactly: number) {
        self.init(integer: Int64(whole))
      } else {
        self.init(low: number.bitPattern, high: 0, count: 8)
      }
    case .decimal(let decimal):
      // Unlike floating numbers, decimals lose their fraction here: seen in files of Realm Core.
      if let whole = decimal.truncatedInteger {
        self.init(integer: whole)
      } else {
        self.init(low: decimal.low, high: decimal.high, count: 16)
      }
    case .objectId(let id):
      self.init(
        .words(
          SIMD4(
            UInt32(truncatingIfNeeded: id.high >> 32), UInt32(truncatingIfNeeded: id.high), id.low,
            0), count: 12))
    case .uuid(let id):
      self.init(
        .words(
          SIMD4(
            UInt32(truncatingIfNeeded: id.high >> 32), UInt32(truncatingIfNeeded: id.high),
            UInt32(truncatingIfNeeded: id.low >> 32), UInt32(truncatingIfNeeded: id.low)), count: 16
        ))
    case .typedLink(let table, let key):
      let key = UInt64(bitPattern: Int64(key))
      self.init(
        .words(
          SIMD4(
            UInt32(truncatingIfNeeded: table).byteSwapped,
            UInt32(truncatingIfNeeded: key).byteSwapped,
            UInt32(truncatingIfNeeded: key >> 32).byteSwapped, 0), count: 12))
    // The ASCII texts "__List__" and "__Dictionary__".
    case .list:
      self.init(.words(SIMD4(0x5F5F_4C69, 0x7374_5F5F, 0, 0), count: 8))
    case .dictionary:
      self.init(.words(SIMD4(0x5F5F_4469, 0x6374_696F, 0x6E61_7279, 0x5F5F_0000), count: 14))
    }
  }

  private init(integer: Int64) {
    self.init(low: UInt64(bitPattern: integer), high: 0, count: 8)
  }

  private init(low: UInt64, high: UInt64, count: Int) {
    self.init(
      .words(
        SIMD4(
          UInt32(truncatingIfNeeded: low).byteSwapped,
          UInt32(truncatingIfNeeded: low >> 32).byteSwapped,
          UInt32(truncatingIfNeeded: high).byteSwapped,
          UInt32(truncatingIfNeeded: high >> 32).byteSwapped), count: count))
  }

  /// The four bytes at `offset`, a multiple of 4, as the signed number by which nodes are ordered.
  ///
  /// Data that ends before is completed by an `X` and zeros; beyond that, and for null, it is 0.
  package func chunk(at offset: Int) -> Int32 {
    switch storage {
    case .null:
      return 0
    case .words(let words, let count):
      if offset > count { return 0 }
      let left = count - offset
      let word = offset < 16 ? words[offset / 4] : 0
      return Int32(bitPattern: left >= 4 ? word : Self.terminated(word, byteCount: left))
    case .bytes(let view):
      if offset > view.count { return 0 }
      let left = view.count - offset
      if left >= 4 { return Int32(bitPattern: view.bigEndianWord(at: offset)) }
      var word: UInt32 = 0
      for index in 0..<left {
        word |= UInt32(view[offset + index]) << UInt32(24 - 8 * index)
      }
      return Int32(bitPattern: Self.terminated(word, byteCount: left))
    }
  }

  private static func terminated(_ word: UInt32, byteCount: Int) -> UInt32 {
    let kept = byteCount == 0 ? 0 : word & ~(UInt32.max >> UInt32(8 * byteCount))
    return kept | 0x58 << UInt32(24 - 8 * byteCount)
  }

  /// Whether two values have the same index data, so that no chunk distinguishes them.
  package func isEqual(to other: IndexData) -> Bool {
    switch (storage, other.storage) {
    case (.null, .null): true
    case (.words(let left, let leftCount), .words(let right, let rightCount)):
      left == right && leftCount == rightCount
    case (.bytes(let left), .bytes(let right)): left == right
    case (.null, _), (_, .null): false
    case (.words, .bytes), (.bytes, .words):
      byteCount == other.byteCount
        && (0..<(byteCount + 3) / 4).allSatisfy { chunk(at: $0 * 4) == other.chunk(at: $0 * 4) }
    }
  }

  var byteCount: Int {
    switch storage {
    case .null: 0
    case .words(_, let count): count
    case .bytes(let view): view.count
    }
  }
}
