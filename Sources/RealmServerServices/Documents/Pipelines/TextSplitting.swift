// SPDX-License-Identifier: Apache-2.0

// Texts between the places of another text, in a time that is linear in both.

#if Server
import RealmFormats

/// Splits texts.
enum TextSplitting {
  /// The parts of a text at each place of a separator, from the beginning, that overlaps no earlier
  /// one.
  ///
  /// Each part is counted before it is made: a long text may be all separators.
  ///
  /// - Parameter separator: Not empty.
  static func parts(
    of text: String, at separator: String, _ work: inout DocumentWork
  ) throws(DocumentError) -> [BSONValue] {
    let (bytes, pattern) = (Array(text.utf8), Array(separator.utf8))
    let borders = borders(of: pattern)
    var parts: [BSONValue] = []
    var (start, matched) = (0, 0)
    func add(_ part: ArraySlice<UInt8>) throws(DocumentError) {
      try work.make(byteCount: 48 + part.count)
      parts.append(.string(String(decoding: part, as: UTF8.self)))
    }
    for (position, byte) in bytes.enumerated() {
      while matched > 0, pattern[matched] != byte { matched = borders[matched - 1] }
      if pattern[matched] == byte { matched += 1 }
      guard matched == pattern.count else { continue }
      try add(bytes[start...position].dropLast(matched))
      (start, matched) = (position + 1, 0)
    }
    try add(bytes[start...])
    return parts
  }

  /// For each beginning of a pattern the length of its longest part that is both a beginning and an
  /// end of it, and not all of it.
  private static func borders(of pattern: [UInt8]) -> [Int] {
    var borders = [Int](repeating: 0, count: pattern.count)
    var length = 0
    for index in pattern.indices.dropFirst() {
      while length > 0, pattern[index] != pattern[length] { length = borders[length - 1] }
      if pattern[index] == pattern[length] { length += 1 }
      borders[index] = length
    }
    return borders
  }
}
#endif
