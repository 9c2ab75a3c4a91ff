// SPDX-License-Identifier: Apache-2.0

// Writes the literals and matches of one DEFLATE block in its shortest form.

/// The literals and matches of an unfinished block.
struct DeflateBlock {
  private static let itemCountMax = 16_384

  /// A literal, or a match: its length in bits 0 to 8 and its distance, above zero, from bit 16 on.
  private var items: [UInt32] = []
  private var literalFrequencies = [Int](
    repeating: 0, count: DeflateFormat.literalSymbolCount)
  private var distanceFrequencies = [Int](
    repeating: 0, count: DeflateFormat.distanceSymbolCount)
  /// The number of extra bits of all matches.
  private var extraBitCount = 0
  /// The number of bytes of the items.
  private(set) var byteCount = 0

  var isFull: Bool { items.count >= Self.itemCountMax }

  @inline(__always)
  mutating func addLiteral(_ byte: UInt8) {
    items.append(UInt32(byte))
    literalFrequencies[Int(byte)] &+= 1
    byteCount &+= 1
  }

  @inline(__always)
  mutating func addMatch(length: Int, distance: Int) {
    items.append(UInt32(truncatingIfNeeded: distance &<< 16 | length))
    let lengthSymbol = DeflateFormat.lengthSymbol(length)
    let distanceSymbol = DeflateFormat.distanceSymbol(distance)
    literalFrequencies[lengthSymbol.symbol] &+= 1
    distanceFrequencies[distanceSymbol.symbol] &+= 1
    extraBitCount &+= lengthSymbol.extraWidth &+ distanceSymbol.extraWidth
    byteCount &+= length
  }

  mutating func removeAll() {
    items.removeAll(keepingCapacity: true)
    for symbol in literalFrequencies.indices { literalFrequencies[symbol] = 0 }
    for symbol in distanceFrequencies.indices { distanceFrequencies[symbol] = 0 }
    extraBitCount = 0
    byteCount = 0
  }

  /// Writes the block as codes of its own, with the fixed codes, or stored.
  mutating func write(to writer: inout BitWriter, input: ArraySlice<UInt8>, isLast: Bool) {
    literalFrequencies[DeflateFormat.endOfBlock] = 1
    let header = DeflateBlockHeader(
      literals: HuffmanEncoder(frequencies: literalFrequencies, lengthMax: 15),
      distances: HuffmanEncoder(frequencies: distanceFrequencies, lengthMax: 15))
    let ownCount = header.bitCount + bitCount(header.literals.lengths, header.distances.lengths)
    let fixedCount = bitCount(
      DeflateFormat.fixedLiteralLengths, DeflateFormat.fixedDistanceLengths)
    let storedCount = (byteCount + 5 * (byteCount / 0xFFFF + 1)) * 8
    let flag: UInt64 = isLast ? 1 : 0
    if storedCount <= min(ownCount, fixedCount) {
      writeStored(to: &writer, input: input, isLast: isLast)
    } else if ownCount < fixedCount {
      writer.write(flag | 2 << 1, 3)
      header.write(to: &writer)
      writeItems(to: &writer, header.literals, header.distances)
    } else {
      writer.write(flag | 1 << 1, 3)
      writeItems(
        to: &writer, HuffmanEncoder(lengths: DeflateFormat.fixedLiteralLengths),
        HuffmanEncoder(lengths: DeflateFormat.fixedDistanceLengths))
    }
  }

  private func bitCount(_ literals: [UInt8], _ distances: [UInt8]) -> Int {
    var count = extraBitCount
    for (symbol, frequency) in literalFrequencies.enumerated() {
      count += frequency * Int(literals[symbol])
    }
    for (symbol, frequency) in distanceFrequencies.enumerated() {
      count += frequency * Int(distances[symbol])
    }
    return count
  }

  private func writeStored(to writer: inout BitWriter, input: ArraySlice<UInt8>, isLast: Bool) {
    var rest = input
    repeat {
      let part = rest.prefix(0xFFFF)
      rest = rest.dropFirst(part.count)
      writer.write(isLast && rest.isEmpty ? 1 : 0, 3)
      writer.alignToByte()
      writer.write(UInt64(part.count | (part.count ^ 0xFFFF) << 16), 32)
      writer.append(part)
    } while !rest.isEmpty
  }

  private func writeItems(
    to writer: inout BitWriter, _ literals: HuffmanEncoder, _ distances: HuffmanEncoder
  ) {
    for item in items {
      let distance = Int(item >> 16)
      if distance == 0 {
        let symbol = Int(item)
        writer.write(UInt64(literals.codes[symbol]), Int(literals.lengths[symbol]))
        continue
      }
      let first = DeflateFormat.lengthSymbol(Int(item & 0xFFFF))
      let width = Int(literals.lengths[first.symbol])
      writer.write(
        UInt64(literals.codes[first.symbol]) | UInt64(first.extra) &<< UInt64(width),
        width &+ first.extraWidth)
      let second = DeflateFormat.distanceSymbol(distance)
      let secondWidth = Int(distances.lengths[second.symbol])
      writer.write(
        UInt64(distances.codes[second.symbol]) | UInt64(second.extra) &<< UInt64(secondWidth),
        secondWidth &+ second.extraWidth)
    }
    let end = DeflateFormat.endOfBlock
    writer.write(UInt64(literals.codes[end]), Int(literals.lengths[end]))
  }
}
