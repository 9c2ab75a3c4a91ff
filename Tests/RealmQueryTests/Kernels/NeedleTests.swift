// SPDX-License-Identifier: Apache-2.0

// Texts that are looked for in whole leaves without regard to case, against values one by one.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct NeedleTests {
  private static let operations: [(operation: ComparisonOperator, place: NeedlePlace)] = [
    (.equal, .whole), (.beginsWith, .start), (.endsWith, .end), (.contains, .anywhere),
  ]

  /// Letters of both cases, neighbours of letters that differ from others in the same bit, zero.
  private static let plain = ["a", "A", "b", "B", "z", "Z", "@", "`", "[", "{", "1", "\0"]
  /// Two become letters of ASCII when they lose their case, one when it loses its mark.
  private static let special = ["\u{212A}", "\u{130}", "é", "É", "e\u{301}", "ß", "ſ", "😀"]

  private static func text(
    _ lengths: ClosedRange<Int>, specialShare: Double, _ random: inout SeededGenerator
  ) -> [UInt8] {
    let length = Int.random(in: lengths, using: &random)
    var bytes: [UInt8] = []
    while bytes.count < length {
      let pool = random.chance(specialShare) ? special : plain
      let next = Array((pool.randomElement(using: &random) ?? "a").utf8)
      if bytes.count + next.count > length { return bytes }
      bytes += next
    }
    return bytes
  }

  /// A part of a value with letters in the other case, or another text.
  private static func needle(
    _ values: [[UInt8]?], _ random: inout SeededGenerator
  ) -> [UInt8] {
    guard random.chance(0.8), let value = values.compactMap(\.self).randomElement(using: &random)
    else { return text(0...9, specialShare: 0.2, &random) }
    let start = Int.random(in: 0...value.count, using: &random)
    let end = random.chance(0.3) ? value.count : Int.random(in: start...value.count, using: &random)
    let part = random.chance(0.3) ? value[..<end] : value[start..<end]
    return part.map { byte in
      let isLetter = (0x41...0x5A).contains(byte | 0x20 ^ 0x20) && byte < 0x80
      return isLetter && random.chance(0.5) ? byte ^ 0x20 : byte
    }
  }

  /// What the operators mean, by the texts in another form.
  private static func isMatch(
    _ value: [UInt8], _ operation: ComparisonOperator, _ needle: [UInt8], _ options: TextOptions
  ) -> Bool {
    let value = options.isEmpty ? value : TextMatcher.fold(value, options)
    let needle = options.isEmpty ? needle : TextMatcher.fold(needle, options)
    switch operation {
    case .equal: return value == needle
    case .beginsWith: return !needle.isEmpty && value.starts(with: needle)
    case .endsWith: return !needle.isEmpty && value.reversed().starts(with: needle.reversed())
    default:
      return !needle.isEmpty && value.indices.contains { value[$0...].starts(with: needle) }
    }
  }

  // The longest value decides the form of a leaf.
  @Test(arguments: [0...0, 0...3, 0...7, 0...15, 0...16, 0...40, 0...63, 0...100])
  func leavesAgreeWithPlainComparisons(lengths: ClosedRange<Int>) throws {
    var random = SeededGenerator(seed: UInt64(lengths.upperBound) + 31)
    var foundCount = 0
    for (count, specialShare) in [(1, 0.0), (17, 0.3), (64, 0), (129, 0.01), (200, 0), (256, 0.1)] {
      var values = (0..<count).map { _ in
        random.chance(0.1) ? nil : Self.text(lengths, specialShare: specialShare, &random)
      }
      let scratch = try ScratchSpace()
      var ref = try StringLeaf.make(in: scratch.allocator)
      for (index, value) in values.enumerated() {
        ref = try withView(value) { (view) throws(StorageError) in
          try StringLeaf.insert(view, at: index, in: ref, scratch.allocator)
        }
      }
      // Removed values leave what they were in cells and blobs.
      for _ in 0..<count / 4 {
        let index = Int.random(in: values.indices, using: &random)
        values.remove(at: index)
        ref = try StringLeaf.remove(at: index, from: ref, scratch.allocator)
      }
      let space = scratch.allocator.space
      let leaf = try BytesLeaf(
        try space.node(at: ref), count: values.count, terminator: 1, in: space)
      var rows = LeafMask.none
      for row in values.indices where random.chance(0.8) { rows.insert(row) }
      for _ in 0..<40 {
        let needle = Self.needle(values, &random)
        let options: TextOptions =
          [[], .caseInsensitive, .caseInsensitive, .diacriticInsensitive]
          .randomElement(using: &random) ?? []
        for (operation, place) in Self.operations {
          let matcher = TextMatcher(operation, needle, options: options)
          let mask = try leaf.mask(
            of: matcher.asciiNeedle, place, count: values.count, rows: rows
          ) { matcher.matches($0) }
          let expected = values.indices.filter { row in
            rows.contains(row)
              && values[row].map { Self.isMatch($0, operation, needle, options) } ?? false
          }
          expectEqual(
            Array(mask), expected, "\(operation) \(needle) \(options) in \(values.count) values")
          foundCount += expected.count
        }
      }
    }
    expectTrue(foundCount > (lengths.upperBound == 0 ? 0 : 200), "too little is found")
  }

  @Test func otherLettersThatBecomeLettersOfASCIIAreFound() {
    for (text, part) in [("\u{212A}elvin", "kel"), ("\u{130}stanbul", "i"), ("Kelvin", "kEL")] {
      let matcher = TextMatcher(.contains, Array(part.utf8), options: .caseInsensitive)
      #expect(Array(text.utf8).withUnsafeBytes { matcher.matches(ByteView($0)) })
    }
  }

  @Test func patternsWithWildcardsAtTheirEndsAreOtherOperators() {
    var random = SeededGenerator(seed: 5)
    let characters = ["a", "b", "*", "*", "?", "é", "\u{301}"]
    var plainCount = 0
    for _ in 0..<4000 {
      func text(_ pool: [String]) -> [UInt8] {
        (0..<Int.random(in: 0...4, using: &random)).flatMap { _ in
          Array((pool.randomElement(using: &random) ?? "").utf8)
        }
      }
      let pattern = text(characters)
      let value = text(["a", "b", "é", "\u{301}"])
      let expected = value.withUnsafeBytes { value in
        pattern.withUnsafeBytes { Wildcard.matches(value, pattern: $0) { $0 } }
      }
      let matcher = TextMatcher(.like, pattern, options: [])
      expectEqual(
        value.withUnsafeBytes { matcher.matches(ByteView($0)) }, expected,
        "\(value) like \(pattern)")
      plainCount += matcher.operation == .like ? 0 : 1
    }
    expectTrue(plainCount > 1000)
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
