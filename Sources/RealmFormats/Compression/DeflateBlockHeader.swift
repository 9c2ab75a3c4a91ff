// SPDX-License-Identifier: Apache-2.0

// Writes the codes of a DEFLATE block.

/// The codes of a block as they stand before its items: their lengths, compressed themselves.
struct DeflateBlockHeader {
  /// A symbol for one or more code lengths, and the extra bits after it.
  private struct Item {
    var symbol: Int
    var extraWidth = 0
    var extra = 0
  }

  let literals: HuffmanEncoder
  let distances: HuffmanEncoder
  private let literalCount: Int
  private let distanceCount: Int
  private let items: [Item]
  private let code: HuffmanEncoder
  private let codeLengthCount: Int

  init(literals: HuffmanEncoder, distances: HuffmanEncoder) {
    self.literals = literals
    self.distances = distances
    literalCount = literals.lengths.lastIndex { $0 > 0 }.map { max(257, $0 + 1) } ?? 257
    distanceCount = distances.lengths.lastIndex { $0 > 0 }.map { $0 + 1 } ?? 1
    items = Self.items(
      Array(literals.lengths[..<literalCount] + distances.lengths[..<distanceCount]))
    var frequencies = [Int](repeating: 0, count: 19)
    for item in items { frequencies[item.symbol] += 1 }
    // Readers refuse a code for code lengths with one symbol only.
    if frequencies.filter({ $0 > 0 }).count < 2 { frequencies[0] += 1 }
    if frequencies.filter({ $0 > 0 }).count < 2 { frequencies[1] += 1 }
    let code = HuffmanEncoder(frequencies: frequencies, lengthMax: 7)
    self.code = code
    codeLengthCount =
      DeflateFormat.codeLengthOrder.lastIndex { code.lengths[$0] > 0 }.map { max(4, $0 + 1) } ?? 4
  }

  /// Runs of equal lengths become one symbol.
  private static func items(_ lengths: [UInt8]) -> [Item] {
    var items: [Item] = []
    items.reserveCapacity(lengths.count)
    var position = 0
    while position < lengths.count {
      let value = lengths[position]
      let end = min(position + 138, lengths.count)
      var run = 1
      while position + run < end, lengths[position + run] == value { run += 1 }
      var taken = 1
      if value == 0, run >= 3 {
        taken = run
        items.append(
          run <= 10
            ? Item(symbol: 17, extraWidth: 3, extra: run - 3)
            : Item(symbol: 18, extraWidth: 7, extra: run - 11))
      } else if run >= 4 {
        let repeated = min(run - 1, 6)
        taken = repeated + 1
        items.append(Item(symbol: Int(value)))
        items.append(Item(symbol: 16, extraWidth: 2, extra: repeated - 3))
      } else {
        items.append(Item(symbol: Int(value)))
      }
      position += taken
    }
    return items
  }

  var bitCount: Int {
    items.reduce(3 + 14 + 3 * codeLengthCount) {
      $0 + Int(code.lengths[$1.symbol]) + $1.extraWidth
    }
  }

  func write(to writer: inout BitWriter) {
    writer.write(UInt64(literalCount - 257), 5)
    writer.write(UInt64(distanceCount - 1), 5)
    writer.write(UInt64(codeLengthCount - 4), 4)
    for symbol in DeflateFormat.codeLengthOrder[..<codeLengthCount] {
      writer.write(UInt64(code.lengths[symbol]), 3)
    }
    for item in items {
      writer.write(UInt64(code.codes[item.symbol]), Int(code.lengths[item.symbol]))
      writer.write(UInt64(item.extra), item.extraWidth)
    }
  }
}
