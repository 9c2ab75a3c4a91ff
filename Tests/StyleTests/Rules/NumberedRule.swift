// SPDX-License-Identifier: Apache-2.0

// The numbered rules of files, and where others cite them.

import Foundation

/// A rule of a file by its number, as comments and messages cite it: `FreeSpace` 2.
///
/// The rules of a file are the numbered items of its comments; they are cited by the file's name
/// without suffix, or by its first part: those of `BTree+Insert.swift` are rules of `BTree`, too.
/// `ARCHITECTURE` represents the invariants of that document.
struct NumberedRule: Hashable, Comparable, CustomStringConvertible {
  var name: String
  var number: Int

  var description: String { "`\(name)` \(number)" }

  static func < (left: NumberedRule, right: NumberedRule) -> Bool {
    (left.name, left.number) < (right.name, right.number)
  }

  /// The rules that the comments of a file state.
  static func stated(in file: SourceFile) -> Set<NumberedRule> {
    var rules: Set<NumberedRule> = []
    for comment in file.comments {
      guard let number = itemNumber(comment.text.drop { $0 == "/" }) else { continue }
      rules.insert(NumberedRule(name: file.name, number: number))
    }
    return rules
  }

  /// The numbered items of the section of a document that begins with `heading`.
  static func stated(
    in document: String, below heading: String, as name: String
  ) -> Set<NumberedRule> {
    guard let start = document.range(of: "\n\(heading)")?.upperBound else { return [] }
    let section = document[start...].components(separatedBy: "\n## ")[0]
    return Set(
      section.split(separator: "\n").compactMap { itemNumber($0) }.map {
        NumberedRule(name: name, number: $0)
      })
  }

  /// The number of a line that begins with `1. `; nil for other lines.
  private static func itemNumber(_ line: Substring) -> Int? {
    let line = line.drop { $0 == " " }
    let digits = line.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, digits.count < 3, line.dropFirst(digits.count).hasPrefix(". ") else {
      return nil
    }
    return Int(digits)
  }

  /// The rules that a file cites, with the lines that do.
  static func cited(in file: SourceFile) -> [(rule: NumberedRule, line: Int)] {
    zip(1..., file.lines).flatMap { number, line -> [(rule: NumberedRule, line: Int)] in
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      return zip(parts, parts.dropFirst()).enumerated().flatMap { index, pair in
        index % 2 == 1 ? numbers(pair.1).map { rule(pair.0, $0, number) } : []
      }
    }
  }

  private static func rule(
    _ name: Substring, _ number: Int, _ line: Int
  ) -> (rule: NumberedRule, line: Int) {
    (NumberedRule(name: String(name), number: number), line)
  }

  /// The numbers in " 2", " 2, 3" or " 1 and 2" at the beginning of a text.
  private static func numbers(_ text: Substring) -> [Int] {
    var found: [Int] = []
    var rest = text
    while rest.first == " " {
      let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(1 + digits.count)
      guard digits.count == 1 || digits.count == 2, let number = Int(digits),
        !isPartOfMore(rest)
      else { return found }
      found.append(number)
      if rest.hasPrefix(",") { rest = rest.dropFirst() }
      if rest.hasPrefix(" and ") { rest = rest.dropFirst(4) }
    }
    return found
  }

  /// Whether what follows digits makes them part of a word or of a number with a fraction.
  private static func isPartOfMore(_ rest: Substring) -> Bool {
    guard let next = rest.first else { return false }
    return next.isLetter || next == "." && rest.dropFirst().first?.isNumber == true
  }
}
