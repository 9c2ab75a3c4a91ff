// SPDX-License-Identifier: Apache-2.0

// The prefix codes of a DEFLATE block, for reading.

/// A prefix code as a table of its short codes, and counts for decoding the long ones.
///
/// An entry says all about its symbol: the code's length in bits 0 to 3, the number of extra bits
/// in bits 4 to 7, the kind in bits 8 and 9, the literal or the base in bits 16 to 31.
struct HuffmanDecoder {
  static let literal: UInt32 = 0 << 8
  static let base: UInt32 = 1 << 8
  static let endOfBlock: UInt32 = 2 << 8
  static let invalid: UInt32 = 3 << 8
  static let kindMask: UInt32 = 3 << 8

  private static let lengthMax = 15

  /// The longest codes in the table.
  private let widthMax: Int
  /// An entry for all possible next bits; 0 if their code is longer than the table is wide.
  private var table: [UInt32] = []
  private var counts = [Int](repeating: 0, count: lengthMax + 1)
  /// The symbols in the order of their codes.
  private var sorted: [UInt32] = []

  init(widthMax: Int) { self.widthMax = widthMax }

  /// Takes the code whose symbols have these lengths. `entries` has the symbols' meanings.
  mutating func build(
    lengths: ArraySlice<UInt8>, entries: [UInt32], mayBeIncomplete: Bool
  ) throws(CompressionError) {
    for length in counts.indices { counts[length] = 0 }
    for length in lengths { counts[Int(length)] += 1 }
    let used = lengths.count - counts[0]
    counts[0] = 0
    var left = 1
    for length in 1...Self.lengthMax {
      left = left << 1 - counts[length]
      guard left >= 0 else { throw .badCodeLengths }
    }
    // A single code of one bit is how encoders write an alphabet with one symbol.
    guard left == 0 || mayBeIncomplete && (used == 0 || used == 1 && counts[1] == 1) else {
      throw .badCodeLengths
    }
    sort(lengths, entries, used: used)
    fillTable()
  }

  private mutating func sort(_ lengths: ArraySlice<UInt8>, _ entries: [UInt32], used: Int) {
    var next = [Int](repeating: 0, count: Self.lengthMax + 2)
    for length in 1...Self.lengthMax { next[length + 1] = next[length] + counts[length] }
    sorted.removeAll(keepingCapacity: true)
    sorted.append(contentsOf: repeatElement(0, count: used))
    for (symbol, length) in lengths.enumerated() where length > 0 {
      sorted[next[Int(length)]] = entries[symbol] | UInt32(length)
      next[Int(length)] += 1
    }
  }

  private mutating func fillTable() {
    // Blocks with short codes should not pay for a large table.
    let width = min(widthMax, counts.lastIndex { $0 > 0 } ?? 1)
    table.removeAll(keepingCapacity: true)
    table.append(contentsOf: repeatElement(0, count: 1 << width))
    var index = 0
    var code = 0
    for length in 1...width {
      for _ in 0..<counts[length] {
        var place = Self.reversed(code, length)
        while place < table.count {
          table[place] = sorted[index]
          place += 1 << length
        }
        code += 1
        index += 1
      }
      code <<= 1
    }
  }

  private static func reversed(_ code: Int, _ length: Int) -> Int {
    var (rest, result) = (code, 0)
    for _ in 0..<length {
      result = result << 1 | rest & 1
      rest >>= 1
    }
    return result
  }

  /// The entry of the next code. Consumes it. At least 15 bits are loaded.
  @inline(__always)
  func next(_ reader: inout BitReader) throws(CompressionError) -> UInt32 {
    let entry = table[Int(reader.bits & UInt64(table.count &- 1))]
    guard entry != 0 else { return try nextLong(&reader) }
    reader.drop(Int(entry & 0xF))
    return entry
  }

  private func nextLong(_ reader: inout BitReader) throws(CompressionError) -> UInt32 {
    var (code, first, index) = (0, 0, 0)
    var bits = reader.bits
    for length in 1...Self.lengthMax {
      code |= Int(bits & 1)
      bits >>= 1
      if code - first < counts[length] {
        reader.drop(length)
        return sorted[index + code - first]
      }
      index += counts[length]
      first = (first + counts[length]) << 1
      code <<= 1
    }
    throw .badCode
  }
}
