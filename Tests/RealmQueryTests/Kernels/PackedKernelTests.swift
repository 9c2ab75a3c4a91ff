// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

/// A node of packed integers in memory of its own.
final class PackedNode {
  private let memory: UnsafeMutableRawPointer
  let node: Node

  init(_ values: [Int64], widthCode: Int) {
    let header = NodeHeader(flags: [], layout: .bits, widthCode: widthCode, count: values.count)
    memory = .allocate(byteCount: header.nodeByteCount, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: header.nodeByteCount)
    memory.storeBytes(of: header.bits, as: UInt64.self)
    for (index, value) in values.enumerated() {
      PackedIntegers.store(value, to: memory + 8, widthCode: widthCode, at: index)
    }
    node = Node(address: UnsafeRawPointer(memory), header: header)
  }

  deinit { memory.deallocate() }
}

struct PackedKernelTests {
  /// What elements of each width can be, with the values at the border.
  static func borders(ofWidthCode code: Int) -> [Int64] {
    switch code {
    case 0: [0]
    case 1: [0, 1]
    case 2: [0, 1, 2, 3]
    case 3: [0, 1, 7, 8, 14, 15]
    case 4: [-128, -127, -1, 0, 1, 126, 127]
    case 5: [-32768, -32767, -129, -1, 0, 1, 128, 32766, 32767]
    case 6: [Int64(Int32.min), Int64(Int32.min) + 1, -32769, -1, 0, 1, 32768, Int64(Int32.max)]
    default: [.min, .min + 1, Int64(Int32.min) - 1, -1, 0, 1, Int64(Int32.max) + 1, .max - 1, .max]
    }
  }

  @Test(arguments: 0...7) func rangesAgreeWithAPlainLoop(code: Int) {
    var random = SeededGenerator(seed: UInt64(code) + 1)
    let values = Self.borders(ofWidthCode: code)
    let outside = (0...7).flatMap(Self.borders(ofWidthCode:))
    for count in [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 255, 256] {
      for first in 0...1 {
        let stored = (0..<count + first).map { _ in values.randomElement(using: &random) ?? 0 }
        let packed = PackedNode(stored, widthCode: code)
        for _ in 0..<40 {
          let lower = outside.randomElement(using: &random) ?? 0
          let upper = random.chance(0.3) ? lower : outside.randomElement(using: &random) ?? 0
          let mask = PackedRange.mask(
            packed.node, first: first, count: count, lower: lower, upper: upper)
          let expected = (0..<count).filter {
            (lower <= upper) && (lower...upper) ~= stored[first + $0]
          }
          expectEqual(Array(mask), expected, "width code \(code), \(lower)...\(upper)")
        }
      }
    }
  }

  @Test(arguments: 0...7) func sumsAndBoundsAgreeWithAPlainLoop(code: Int) {
    var random = SeededGenerator(seed: UInt64(code) + 11)
    let values = Self.borders(ofWidthCode: code)
    for count in [1, 2, 15, 16, 17, 64, 65, 255, 256] {
      for first in 0...1 {
        let stored = (0..<count + first).map { _ in values.randomElement(using: &random) ?? 0 }
        let packed = PackedNode(stored, widthCode: code)
        let elements = stored.dropFirst(first)
        expectEqual(
          PackedSums.sum(packed.node, first: first, count: count), elements.reduce(0, &+))
        var rows = LeafMask.none
        for row in 0..<count where random.chance(0.4) { rows.insert(row) }
        let chosen = rows.map { stored[first + $0] }
        expectEqual(PackedSums.sum(packed.node, first: first, rows: rows), chosen.reduce(0, &+))
        if let smallest = chosen.min(), let largest = chosen.max() {
          expectEqual(
            PackedSums.bounds(packed.node, first: first, rows: rows), smallest...largest)
        }
      }
    }
  }

  /// Partial sums are taken out of their lanes before these overflow.
  @Test(arguments: [4, 5]) func longSumsOfBordersAgreeWithAPlainLoop(code: Int) {
    let borders = Self.borders(ofWidthCode: code)
    for value in [borders.min() ?? 0, -1, borders.max() ?? 0] {
      for count in [1023, 1024, 1025, 2048, 2056, 131_071, 131_072, 131_080, 262_150] {
        let packed = PackedNode(Array(repeating: value, count: count + 1), widthCode: code)
        for first in 0...1 {
          expectEqual(
            PackedSums.sum(packed.node, first: first, count: count), value * Int64(count),
            "\(count) of \(value)")
        }
      }
    }
  }

  @Test func floatingRangesLeaveOutNaN() {
    let doubles: [Double] = [
      .nan, -.infinity, -1.5, -0.0, 0.0, 2, .infinity, Double(bitPattern: 0x7FF8_0000_0000_00AA),
    ]
    let mask = doubles.withUnsafeBytes { cells in
      cells.baseAddress.map {
        FloatingRange.mask(
          doubles: $0, count: doubles.count, lower: -1.5, upper: .infinity, upcoming: $0)
      }
    }
    expectEqual(mask.map(Array.init), [2, 3, 4, 5, 6])
    let floats: [Float] = [.nan, -3, 4, .infinity, Float(bitPattern: 0x7FC0_00AA)]
    let narrow = floats.withUnsafeBytes { cells in
      cells.baseAddress.map {
        FloatingRange.mask(
          floats: $0, count: floats.count, lower: -.infinity, upper: 4, upcoming: $0)
      }
    }
    expectEqual(narrow.map(Array.init), [1, 2])
  }

  @Test func floatingRangesAgreeWithAPlainLoop() {
    var random = SeededGenerator(seed: 21)
    let borders: [Double] = [.nan, -.infinity, -2.5, -0.0, 0, 1, 2.5, .infinity]
    for count in [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 200, 255, 256] {
      let doubles = (0..<count).map { _ in borders.randomElement(using: &random) ?? 0 }
      let floats = doubles.map(Float.init)
      for _ in 0..<20 {
        let lower = borders.randomElement(using: &random) ?? 0
        let upper = borders.randomElement(using: &random) ?? 0
        let expected = (0..<count).filter { doubles[$0] >= lower && doubles[$0] <= upper }
        // Allocations of the exact size: a sanitizer reports a kernel that reads more.
        let wide = UnsafeMutableBufferPointer<Double>.allocate(capacity: max(count, 1))
        let narrow = UnsafeMutableBufferPointer<Float>.allocate(capacity: max(count, 1))
        defer {
          wide.deallocate()
          narrow.deallocate()
        }
        _ = wide.initialize(from: doubles)
        _ = narrow.initialize(from: floats)
        guard let cells8 = UnsafeRawPointer(wide.baseAddress),
          let cells4 = UnsafeRawPointer(narrow.baseAddress)
        else { return }
        let found8 = FloatingRange.mask(
          doubles: cells8, count: count, lower: lower, upper: upper, upcoming: cells8)
        let found4 = FloatingRange.mask(
          floats: cells4, count: count, lower: Float(lower), upper: Float(upper), upcoming: cells4)
        expectEqual(Array(found8), expected)
        expectEqual(Array(found4), expected)
        let bits = lower.bitPattern
        let same = FloatingRange.mask(
          cells8: cells8, count: count, equalTo: bits, upcoming: cells8)
        expectEqual(Array(same), (0..<count).filter { doubles[$0].bitPattern == bits })
        let bits4 = Float(lower).bitPattern
        let same4 = FloatingRange.mask(
          cells4: cells4, count: count, equalTo: bits4, upcoming: cells4)
        expectEqual(Array(same4), (0..<count).filter { floats[$0].bitPattern == bits4 })
      }
    }
  }

  @Test func boundsOfWholeLeavesAgreeWithAPlainLoop() {
    var random = SeededGenerator(seed: 8)
    for code in 0...7 {
      for first in 0...1 {
        let values = Self.borders(ofWidthCode: code)
        let stored = (0..<37 + first).map { _ in values.randomElement(using: &random) ?? 0 }
        let packed = PackedNode(stored, widthCode: code)
        let elements = stored.dropFirst(first)
        let bounds = PackedSums.bounds(
          packed.node, first: first, rows: LeafMask(firstRows: 37))
        expectEqual(bounds.lowerBound, elements.min())
        expectEqual(bounds.upperBound, elements.max())
      }
    }
  }

  @Test func sumsOfDoubles() {
    for count in [0, 1, 3, 4, 5, 8, 255, 256] {
      let numbers = (0..<count).map { Double($0) / 4 - 7 }
      let sum = numbers.withUnsafeBytes { cells in
        cells.baseAddress.map { FloatingSums.sum(doubles: $0, count: count, upcoming: $0) }
      }
      expectEqual(sum ?? 0, numbers.reduce(0, +))
    }
  }

  @Test func masksBehaveAsSets() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      var left = Set<Int>()
      var right = Set<Int>()
      for row in 0..<256 {
        if random.chance(0.3) { left.insert(row) }
        if random.chance(0.3) { right.insert(row) }
      }
      func mask(_ rows: Set<Int>) -> LeafMask {
        rows.reduce(into: LeafMask.none) { $0.insert($1) }
      }
      expectEqual(Array(mask(left) & mask(right)), left.intersection(right).sorted())
      expectEqual(Array(mask(left) | mask(right)), left.union(right).sorted())
      expectEqual(Array(mask(left) - mask(right)), left.subtracting(right).sorted())
      expectEqual(Array(mask(left).shiftedDown()), left.filter { $0 > 0 }.map { $0 - 1 }.sorted())
      expectEqual(mask(left).count, left.count)
      expectEqual(mask(left).first, left.min())
    }
    for count in [0, 1, 63, 64, 65, 128, 192, 255, 256] {
      expectEqual(Array(LeafMask(firstRows: count)), Array(0..<count))
    }
  }
}
