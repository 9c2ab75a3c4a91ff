// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct BytesLeafTests {
  /// Short values that share their beginnings, so that every part of a cell decides some of them.
  private static func pool(lengths: ClosedRange<Int>) -> [[UInt8]] {
    lengths.flatMap { length -> [[UInt8]] in
      let plain = [UInt8](repeating: 0x61, count: length)
      guard length > 0 else { return [plain] }
      return [0, length / 2, length - 1].map { place in
        var bytes = plain
        bytes[place] = 0x62
        return bytes
      } + [plain, [UInt8](repeating: 0, count: length)]
    }
  }

  // The longest value decides the width of a leaf's cells, or its form.
  @Test(arguments: [0...0, 0...1, 0...3, 0...7, 0...15, 0...63, 0...100])
  func equalityAgreesWithAPlainLoop(lengths: ClosedRange<Int>) throws {
    var random = SeededGenerator(seed: UInt64(lengths.upperBound) + 1)
    let pool = Self.pool(lengths: lengths)
    for count in [1, 7, 8, 9, 63, 64, 65, 127, 200, 255, 256] {
      // From leaves of one value in two to leaves in which nearly all values differ.
      for choices in [1, 2, pool.count] {
        let chosen = (0..<choices).compactMap { _ in pool.randomElement(using: &random) }
        let values = (0..<count).map { _ in
          random.chance(0.1) ? nil : chosen.randomElement(using: &random)
        }
        let scratch = try ScratchSpace()
        var ref = try StringLeaf.make(in: scratch.allocator)
        for (index, value) in values.enumerated() {
          ref = try withView(value) { (view) throws(StorageError) in
            try StringLeaf.insert(view, at: index, in: ref, scratch.allocator)
          }
        }
        let space = scratch.allocator.space
        let leaf = try BytesLeaf(
          try space.node(at: ref), count: count, terminator: 1, in: space)
        var rows = LeafMask.none
        for row in 0..<count where random.chance(0.8) { rows.insert(row) }
        for wanted in chosen.map(Optional.some) + [nil, Array("absent".utf8)] {
          let mask = try withView(wanted) { (view) throws(StorageError) in
            try leaf.mask(equalTo: view, count: count, rows: rows)
          }
          let expected = (0..<count).filter { rows.contains($0) && values[$0] == wanted }
          expectEqual(Array(mask), expected, "lengths \(lengths), \(count) values")
        }
      }
    }
  }

  @Test(arguments: [0...3, 0...15, 0...16, 0...40, 0...63, 0...100])
  func containingAgreesWithAPlainLoop(lengths: ClosedRange<Int>) throws {
    let letters: [UInt8] = [0, 0x61, 0x62]
    var random = SeededGenerator(seed: UInt64(lengths.upperBound) + 7)
    for count in [1, 3, 16, 17, 100, 256] {
      // Few letters, zero among them, so that parts are often found, also across two values.
      let values = (0..<count).map { _ -> [UInt8]? in
        random.chance(0.1)
          ? nil
          : (0..<Int.random(in: lengths, using: &random)).map { _ in
            letters.randomElement(using: &random) ?? 0
          }
      }
      let scratch = try ScratchSpace()
      var ref = try StringLeaf.make(in: scratch.allocator)
      for (index, value) in values.enumerated() {
        ref = try withView(value) { (view) throws(StorageError) in
          try StringLeaf.insert(view, at: index, in: ref, scratch.allocator)
        }
      }
      let space = scratch.allocator.space
      let leaf = try BytesLeaf(try space.node(at: ref), count: count, terminator: 1, in: space)
      var rows = LeafMask.none
      for row in 0..<count where random.chance(0.8) { rows.insert(row) }
      for length in [1, 2, 3, 5, 17, 70] {
        let part = (0..<length).map { _ in letters.randomElement(using: &random) ?? 0 }
        let mask = try withView(part) { (view) throws(StorageError) in
          try leaf.mask(containing: view ?? .empty, count: count, rows: rows)
        }
        let expected = (0..<count).filter { row in
          guard rows.contains(row), let value = values[row] else { return false }
          return value.indices.contains { value[$0...].starts(with: part) }
        }
        expectEqual(Array(mask), expected, "lengths \(lengths), \(count) values, part \(part)")
      }
    }
  }

  private func withView<R>(
    _ bytes: [UInt8]?, _ body: (ByteView?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    guard let bytes else { return try body(nil) }
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(StorageError) in try body(ByteView(buffer)) }
    }
    return try result.get()
  }
}
