// SPDX-License-Identifier: Apache-2.0

// Random inputs of compression, and damage to its outputs.

extension SeededGenerator {
  /// Bytes of one of several natures: noise, few values, text, repetitions, counters.
  package mutating func data(_ count: Int) -> [UInt8] {
    switch Int.random(in: 0..<5, using: &self) {
    case 0: return (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    case 1:
      let value = UInt8.random(in: 0...255, using: &self)
      return (0..<count).map { _ in chance(0.02) ? UInt8.random(in: 0...9, using: &self) : value }
    case 2:
      let words = ["create ", "update ", "list", "Item", "\n", "price=", "0", "ü"].map {
        Array($0.utf8)
      }
      var bytes: [UInt8] = []
      while bytes.count < count { bytes += words[Int.random(in: 0..<8, using: &self)] }
      return Array(bytes.prefix(count))
    case 3:
      var bytes: [UInt8] = [1, 2, 3]
      while bytes.count < count {
        let start = Int.random(in: 0..<bytes.count, using: &self)
        bytes += bytes[start...].prefix(Int.random(in: 1...300, using: &self))
        bytes.append(UInt8.random(in: 0...255, using: &self))
      }
      return Array(bytes.prefix(count))
    default: return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    }
  }

  /// A size that is small more often than large.
  package mutating func size(upTo limit: Int) -> Int {
    Int.random(in: 0...Int.random(in: 0...limit, using: &self), using: &self)
  }

  /// The bytes with a few of them altered, inserted or removed, or cut.
  package mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &self) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &self)
      switch Int.random(in: 0..<8, using: &self) {
      case 0: bytes.remove(at: index)
      case 1: bytes.insert(UInt8.random(in: 0...255, using: &self), at: index)
      case 2: bytes.removeSubrange(index...)
      case 3: bytes[index] = UInt8.random(in: 0...255, using: &self)
      default: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &self)
      }
    }
    return bytes
  }
}
