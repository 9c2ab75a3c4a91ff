// SPDX-License-Identifier: Apache-2.0

// Texts of other encodings as UTF-8, a block at a time.

#if Tools
/// Makes UTF-8 of the blocks of a file in another encoding.
struct InputDecoder {
  private let encoding: InputEncoding
  /// The bytes of UTF-16 that need the next block: at most a half unit and half a pair.
  private var rest: [UInt8] = []
  /// The order of the bytes of UTF-16, as its mark says; that of Windows without one.
  private var isBigEndian = false
  private var isAtStart = true

  init(_ encoding: InputEncoding) { self.encoding = encoding }

  /// The characters of Windows-1252 where Latin-1 has controls; 0 where it has none either.
  private static let windowsCharacters: [UInt32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
    0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]

  /// The UTF-8 of the next block; nil if it has half of a character without the other.
  ///
  /// - Parameter isLast: Whether nothing follows.
  mutating func decode(_ block: some Collection<UInt8>, isLast: Bool) -> [UInt8]? {
    switch encoding {
    case .utf8: return Array(block)
    case .latin1: return Self.text(block.map { UInt32($0) })
    case .windows1252:
      return Self.text(
        block.map { byte in
          let found = byte & 0xE0 == 0x80 ? Self.windowsCharacters[Int(byte & 0x1F)] : 0
          return found > 0 ? found : UInt32(byte)
        })
    case .utf16: return decodeUTF16(rest + block, isLast: isLast)
    }
  }

  private static func text(_ scalars: [UInt32]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(scalars.count * 2)
    for scalar in scalars {
      if scalar < 0x80 {
        result.append(UInt8(truncatingIfNeeded: scalar))
      } else {
        append(Unicode.Scalar(scalar) ?? "\u{FFFD}", to: &result)
      }
    }
    return result
  }

  private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    if let encoded = UTF8.encode(scalar) { bytes.append(contentsOf: encoded) }
  }

  private mutating func decodeUTF16(_ bytes: [UInt8], isLast: Bool) -> [UInt8]? {
    var index = 0
    if isAtStart, bytes.count >= 2 {
      isAtStart = false
      if InputEncoding.marked(bytes) != nil {
        isBigEndian = bytes[0] == 0xFE
        index = 2
      }
    }
    func unit(_ index: Int) -> UInt16 {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    while index + 1 < bytes.count {
      let first = unit(index)
      if UTF16.isTrailSurrogate(first) { return nil }
      guard UTF16.isLeadSurrogate(first) else {
        Self.append(Unicode.Scalar(first) ?? "\u{FFFD}", to: &result)
        index += 2
        continue
      }
      guard index + 3 < bytes.count else { break }
      let second = unit(index + 2)
      guard UTF16.isTrailSurrogate(second) else { return nil }
      let scalar = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
      Self.append(Unicode.Scalar(scalar) ?? "\u{FFFD}", to: &result)
      index += 4
    }
    rest = Array(bytes[index...])
    return isLast && !rest.isEmpty ? nil : result
  }
}
#endif
