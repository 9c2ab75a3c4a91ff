// SPDX-License-Identifier: Apache-2.0

// Texts with parts that are not known before.

#if Server
/// Compares texts with patterns, in which `*` stands for any text.
enum Pattern {
  /// What the stars stand for, each for as little as possible; nil if the text does not match.
  static func parts(of text: String, _ pattern: String) -> [String]? {
    let literals = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
    guard text.hasPrefix(literals[0]) else { return nil }
    var rest = text.dropFirst(literals[0].count)
    var parts: [String] = []
    for (index, literal) in literals.enumerated().dropFirst() {
      if index == literals.count - 1 {
        guard rest.hasSuffix(literal), rest.count >= literal.count else { return nil }
        parts.append(String(rest.dropLast(literal.count)))
        return parts
      }
      guard let range = rest.firstRange(of: literal) else { return nil }
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return rest.isEmpty ? parts : nil
  }
}
#endif
