// SPDX-License-Identifier: Apache-2.0

// Where comments and pages cite a numbered section of a page, and which sections the pages have.

import Foundation

/// A section of a page by its number, in the one form of its kind: `file format 4.14.5` of
/// `Documentation/FileFormat`, `P4 B.2` of `Documentation/Protocol`.
struct Citation: Hashable, Comparable, CustomStringConvertible {
  /// A group of pages whose sections are numbered, and how they are cited.
  struct Kind: Hashable, Sendable {
    /// The folder of the pages.
    var folder: String
    /// What is in front of a number where it is cited.
    var prefix: String
    /// What is in front of a number in a heading.
    var heading: String
    /// A number.
    var number: String

    static let fileFormat = Kind(
      folder: "Documentation/FileFormat", prefix: "file format ", heading: "",
      number: #"[1-9](\.\d+)*"#)
    static let protocolPages = Kind(
      folder: "Documentation/Protocol", prefix: "P", heading: "P",
      number: #"[1-5] ([A-H](\.\d+)?|\d)"#)

    /// One of these is in each text with a citation.
    var words: [String] {
      switch self {
      case .fileFormat: ["file format"]
      case .protocolPages: (1...5).map { "P\($0) " }
      default: [prefix]
      }
    }

    /// The rules of device sync, rows of a table.
    static let rules = Kind(
      folder: "Documentation/Design", prefix: "SY", heading: "SY", number: #"\d+"#)

    static let coverage = Kind(
      folder: "Documentation/Coverage", prefix: "Coverage ", heading: "", number: #"\d+"#)

    static let all = [fileFormat, protocolPages, rules, coverage]
  }

  var kind: Kind
  var number: String

  var description: String { "\(kind.prefix)\(number)" }

  static func < (left: Citation, right: Citation) -> Bool {
    left.description < right.description
  }

  /// The forms that are not in use any more: pages by their file, parts by their number.
  static let retired = [
    "format, part ", "api.md", "sync-protocol", "sync-spec", "design, section", "P5, section",
    "sync.md",
  ]

  /// The sections that the headings of a page state, its anchors (`<a id="p5-1">`), and the rules
  /// that begin a row of its tables.
  static func stated(in page: String, of kind: Kind) -> Set<Citation> {
    var code = false
    return page.split(separator: "\n").reduce(into: []) { found, line in
      if line.hasPrefix("```") { code.toggle() }
      let anchors = line.components(separatedBy: "<a id=\"p").dropFirst().map {
        $0.prefix { $0 != "\"" }.replacing("-", with: " ")
      }
      for anchor in anchors { found.insert(Citation(kind: kind, number: String(anchor))) }
      guard !code, line.hasPrefix("#") || line.hasPrefix("| \(kind.prefix)") else { return }
      let title = line.drop { $0 == "#" || $0 == "|" }.dropFirst()
      guard title.hasPrefix(kind.heading),
        let number = leading(kind.number, of: title.dropFirst(kind.heading.count))
      else { return }
      found.insert(Citation(kind: kind, number: String(number)))
    }
  }

  /// The sections that a text cites, with the lines; a citation may go on in the next line, and
  /// further numbers may follow after a comma, "and" or "to".
  static func cited(in lines: [Substring]) -> [(citation: Citation, line: Int)] {
    let plain = lines.map { line in
      String(line.drop { " /*".contains($0) })
    }
    var found: [(citation: Citation, line: Int)] = []
    for (index, line) in plain.enumerated() {
      let next = index + 1 < plain.count ? " \(plain[index + 1])" : ""
      for kind in Kind.all where kind.words.contains(where: { (line + next).contains($0) }) {
        for number in numbers(of: kind, in: line, continued: next) {
          found.append((Citation(kind: kind, number: number), index + 1))
        }
      }
    }
    return found
  }

  /// The numbers of the citations that begin in `line`.
  private static func numbers(
    of kind: Kind, in line: String, continued next: String
  ) -> [String] {
    let both = line + next
    var numbers: [String] = []
    var start = both.startIndex
    while let range = both.range(of: kind.prefix, range: start..<both.endIndex),
      both.distance(from: both.startIndex, to: range.lowerBound) < line.count
    {
      start = range.upperBound
      let before = both[..<range.lowerBound].last
      if before?.isLetter == true || before?.isNumber == true { continue }
      var rest = both[range.upperBound...]
      while let number = leading(kind.number, of: rest) {
        numbers.append(String(number))
        rest = rest[number.endIndex...]
        guard let joint = [", ", " and ", " to "].first(where: { rest.hasPrefix($0) }) else {
          break
        }
        rest = rest.dropFirst(joint.count)
      }
    }
    return numbers
  }

  /// The number at the beginning of a text.
  private static func leading(_ number: String, of text: Substring) -> Substring? {
    guard
      let range = text.range(of: number, options: [.regularExpression, .anchored])
    else { return nil }
    let isPartOfMore = text[range.upperBound...].first.map { $0.isLetter || $0.isNumber } ?? false
    return isPartOfMore ? nil : text[range]
  }
}
