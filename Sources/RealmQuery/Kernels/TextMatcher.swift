// SPDX-License-Identifier: Apache-2.0

// Comparing strings and their parts, exactly or without regard to case and marks.
//
// Bytes that are ASCII on both sides are compared where they are; others are folded on the stack.

package import RealmStorage

/// A string to search for, and how.
package struct TextMatcher: Sendable {
  /// The operator; of a pattern without wildcards but at its ends, the one that means the same.
  let operation: ComparisonOperator
  private let options: TextOptions
  /// The bytes to look for, without what does not count.
  private let needle: [UInt8]
  private let isNeedleASCII: Bool

  /// - Parameter operation: a textual operator, `equal` or `notEqual`.
  package init(_ operation: ComparisonOperator, _ text: [UInt8], options: TextOptions) {
    let folded = options.isEmpty ? text : TextMatcher.fold(text, options)
    if operation == .like, let (meaning, range) = Wildcard.plainMeaning(of: folded) {
      self.operation = meaning
      needle = Array(folded[range])
    } else {
      self.operation = operation
      needle = folded
    }
    self.options = options
    isNeedleASCII = needle.allSatisfy { $0 < 0x80 }
  }

  /// The bytes to look for in texts of ASCII; nil if these have them nowhere.
  var asciiNeedle: ASCIINeedle? {
    ASCIINeedle(needle, ignoresCase: options.contains(.caseInsensitive))
  }

  /// Whether bytes are compared as they are.
  var isExact: Bool { options.isEmpty }

  /// Whether the bytes match; null matches `notEqual` only.
  package func matches(_ bytes: ByteView?) -> Bool {
    guard let bytes else { return operation == .notEqual }
    guard !options.isEmpty else { return unsafe matches(bytes.bytes) }
    // ASCII changes its case byte by byte and has no marks.
    if unsafe !bytes.bytes.contains(where: { $0 >= 0x80 }) {
      // A pattern's `?` may be any character, so only whole patterns of ASCII can be ruled out.
      guard isNeedleASCII else { return operation == .notEqual }
      if !options.contains(.caseInsensitive) { return unsafe matches(bytes.bytes) }
      return unsafe matchesASCII(bytes.bytes)
    }
    return unsafe FoldedText.withFolded(bytes, options) { unsafe matches($0) }
  }

  // MARK: Exact

  private func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe needle.withUnsafeBytes { unsafe TextMatcher.matches(bytes, operation, $0) }
  }

  /// Whether bytes pass a textual operator, `equal` or `notEqual`, as they are.
  static func matches(
    _ bytes: UnsafeRawBufferPointer, _ operation: ComparisonOperator,
    _ needle: UnsafeRawBufferPointer
  ) -> Bool {
    switch operation {
    case .equal: unsafe isEqual(bytes, needle)
    case .notEqual: unsafe !isEqual(bytes, needle)
    // Looking for nothing finds nothing.
    case .beginsWith:
      unsafe !needle.isEmpty && bytes.count >= needle.count
        && isEqual(UnsafeRawBufferPointer(rebasing: bytes.prefix(needle.count)), needle)
    case .endsWith:
      unsafe !needle.isEmpty && bytes.count >= needle.count
        && isEqual(UnsafeRawBufferPointer(rebasing: bytes.suffix(needle.count)), needle)
    case .contains: unsafe ByteView(bytes).contains(ByteView(needle))
    case .like: unsafe Wildcard.matches(bytes, pattern: needle) { $0 }
    default: false
    }
  }

  private static func isEqual(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    unsafe ByteView(left) == ByteView(right)
  }

  // MARK: ASCII without case

  private func matchesASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe needle.withUnsafeBytes { needle in
      switch operation {
      case .equal: unsafe bytes.count == needle.count && isEqualASCII(bytes, at: 0, needle)
      case .notEqual: unsafe bytes.count != needle.count || !isEqualASCII(bytes, at: 0, needle)
      case .beginsWith: unsafe !needle.isEmpty && isEqualASCII(bytes, at: 0, needle)
      case .endsWith:
        unsafe !needle.isEmpty && isEqualASCII(bytes, at: bytes.count - needle.count, needle)
      case .contains:
        unsafe !needle.isEmpty && containsASCII(bytes, needle)
      case .like: unsafe Wildcard.matches(bytes, pattern: needle, TextMatcher.lowered)
      default: false
      }
    }
  }

  /// Whether the folded needle stands anywhere.
  private func containsASCII(
    _ bytes: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer
  ) -> Bool {
    var start = 0
    while start &+ needle.count <= bytes.count {
      if unsafe isEqualASCII(bytes, at: start, needle) { return true }
      start &+= 1
    }
    return false
  }

  /// Whether the folded needle stands at `start`.
  private func isEqualASCII(
    _ bytes: UnsafeRawBufferPointer, at start: Int, _ needle: UnsafeRawBufferPointer
  ) -> Bool {
    guard start >= 0, start &+ needle.count <= bytes.count else { return false }
    for index in 0..<needle.count
    where unsafe TextMatcher.lowered(bytes[start &+ index]) != needle[index] {
      return false
    }
    return true
  }

  @inline(__always)
  private static func lowered(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  // MARK: Folding

  /// The text without case, without marks, or both.
  static func fold(_ bytes: [UInt8], _ options: TextOptions) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe FoldedText.withFolded(ByteView(bytes), options) { unsafe Array($0) }
    }
  }
}

/// Patterns with `?` for one character and `*` for any number of them.
enum Wildcard {
  /// The operator that does what a pattern does, and the part of the pattern to look for, if it has
  /// wildcards at its ends only.
  static func plainMeaning(
    of pattern: [UInt8]
  ) -> (ComparisonOperator, Range<Int>)? {
    let isOpenBefore = pattern.first == UInt8(ascii: "*")
    let isOpenAfter = pattern.count > 1 && pattern.last == UInt8(ascii: "*")
    let range = (isOpenBefore ? 1 : 0)..<(isOpenAfter ? pattern.count - 1 : pattern.count)
    let part = pattern[range]
    // What begins within a character stands where no character begins, and so no wildcard ends.
    guard !part.contains(UInt8(ascii: "*")), !part.contains(UInt8(ascii: "?")),
      part.first.map({ $0 & 0xC0 != 0x80 }) ?? (!isOpenBefore && !isOpenAfter)
    else { return nil }
    switch (isOpenBefore, isOpenAfter) {
    case (false, false): return (.equal, range)
    case (false, true): return (.beginsWith, range)
    case (true, false): return (.endsWith, range)
    case (true, true): return (.contains, range)
    }
  }

  /// Whether all of `bytes`, each passed through `fold`, match the pattern.
  ///
  /// Greedy with one point of return: the last star takes one character more whenever the rest
  /// fails.
  ///
  /// - Complexity: O(bytes × pattern) at worst, without recursion.
  static func matches(
    _ bytes: UnsafeRawBufferPointer, pattern: UnsafeRawBufferPointer, _ fold: (UInt8) -> UInt8
  ) -> Bool {
    var position = 0
    var place = 0
    var starPlace = -1
    var starPosition = 0
    while position < bytes.count {
      if place < pattern.count, unsafe pattern[place] == UInt8(ascii: "*") {
        starPlace = place
        starPosition = position
        place += 1
      } else if place < pattern.count, unsafe pattern[place] == UInt8(ascii: "?") {
        position = unsafe afterCharacter(bytes, position)
        place += 1
      } else if place < pattern.count, unsafe pattern[place] == fold(bytes[position]) {
        position += 1
        place += 1
      } else if starPlace >= 0 {
        starPosition = unsafe afterCharacter(bytes, starPosition)
        position = starPosition
        place = starPlace + 1
      } else {
        return false
      }
    }
    while place < pattern.count, unsafe pattern[place] == UInt8(ascii: "*") { place += 1 }
    return place == pattern.count
  }

  /// The index after the UTF-8 sequence at `index`.
  private static func afterCharacter(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int {
    var next = index + 1
    while next < bytes.count, unsafe bytes[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }
}
