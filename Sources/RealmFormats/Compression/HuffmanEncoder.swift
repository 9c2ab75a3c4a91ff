// SPDX-License-Identifier: Apache-2.0

// The prefix codes of a DEFLATE block, for writing.

/// A prefix code for the frequencies of its symbols.
struct HuffmanEncoder {
  private(set) var lengths: [UInt8]
  /// The codes with their first bit lowest, as they are written.
  private(set) var codes: [UInt16]

  private static let symbolWidth = 9
  private static let symbolMask = 1 << symbolWidth - 1

  /// The code with these lengths.
  init(lengths: [UInt8]) {
    self.lengths = lengths
    codes = [UInt16](repeating: 0, count: lengths.count)
    var counts = [UInt16](repeating: 0, count: 16)
    for length in lengths { counts[Int(length)] += 1 }
    counts[0] = 0
    var next = [UInt16](repeating: 0, count: 16)
    for length in 1..<16 { next[length] = (next[length - 1] + counts[length - 1]) << 1 }
    for (symbol, length) in lengths.enumerated() where length > 0 {
      codes[symbol] = Self.reversed(next[Int(length)], Int(length))
      next[Int(length)] += 1
    }
  }

  /// The code with the shortest output for these frequencies, without codes of more than
  /// `lengthMax` bits. An alphabet with one used symbol gives it one bit.
  init(frequencies: [Int], lengthMax: Int) {
    // A frequency with its symbol in one number sorts as a pair would, in half the time.
    var order: [Int] = []
    order.reserveCapacity(frequencies.count)
    for (symbol, frequency) in frequencies.enumerated() where frequency > 0 {
      order.append(frequency << Self.symbolWidth | symbol)
    }
    order.sort()
    var lengths = [UInt8](repeating: 0, count: frequencies.count)
    if order.count == 1 { lengths[order[0] & Self.symbolMask] = 1 }
    if order.count > 1 {
      var counts = Self.depthCounts(
        order.map { $0 >> Self.symbolWidth }, lengthMax: lengthMax)
      var length = lengthMax
      for entry in order {
        while counts[length] == 0 { length -= 1 }
        lengths[entry & Self.symbolMask] = UInt8(length)
        counts[length] -= 1
      }
    }
    self.init(lengths: lengths)
  }

  /// How many leaves a Huffman tree has in each depth, for frequencies in rising order.
  private static func depthCounts(_ frequencies: [Int], lengthMax: Int) -> [Int] {
    let leafCount = frequencies.count
    // Nodes are made in rising order of their weights, so the two lightest are always next.
    var weights = frequencies
    weights.reserveCapacity(2 * leafCount - 1)
    var parents = [Int](repeating: 0, count: 2 * leafCount - 1)
    var (leaf, node) = (0, leafCount)
    for _ in 1..<leafCount {
      var weight = 0
      for _ in 0..<2 {
        let takesLeaf =
          leaf < leafCount && (node == weights.count || weights[leaf] <= weights[node])
        let taken = takesLeaf ? leaf : node
        if takesLeaf { leaf += 1 } else { node += 1 }
        weight += weights[taken]
        parents[taken] = weights.count
      }
      weights.append(weight)
    }
    var depths = [Int](repeating: 0, count: weights.count)
    var counts = [Int](repeating: 0, count: lengthMax + 1)
    for index in depths.indices.dropLast().reversed() {
      depths[index] = depths[parents[index]] + 1
      if index < leafCount { counts[min(depths[index], lengthMax)] += 1 }
    }
    limit(&counts, lengthMax: lengthMax)
    return counts
  }

  /// Lengthens other codes until the ones cut to the longest length have room.
  private static func limit(_ counts: inout [Int], lengthMax: Int) {
    var total = 0
    for length in 1...lengthMax { total += counts[length] << (lengthMax - length) }
    while total > 1 << lengthMax {
      counts[lengthMax] -= 1
      if let length = (1..<lengthMax).last(where: { counts[$0] > 0 }) {
        counts[length] -= 1
        counts[length + 1] += 2
      }
      total -= 1
    }
  }

  private static func reversed(_ code: UInt16, _ length: Int) -> UInt16 {
    var (rest, result): (UInt16, UInt16) = (code, 0)
    for _ in 0..<length {
      result = result << 1 | rest & 1
      rest >>= 1
    }
    return result
  }
}
