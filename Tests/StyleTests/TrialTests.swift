// SPDX-License-Identifier: Apache-2.0

// The rows of Scripts/trials: they are those of the page, and name suites that exist.

import Foundation
import TestExtensions
import Testing

struct TrialTests {
  private static func groups(_ pattern: String, in text: String) -> [String] {
    let range = NSRange(text.startIndex..., in: text)
    guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
    return expression.matches(in: text, range: range).compactMap { match in
      Range(match.range(at: 1), in: text).map { String(text[$0]) }
    }
  }

  /// The alternatives of a pattern with groups in parentheses.
  private static func alternatives(_ pattern: Substring) -> [String] {
    var parts: [Substring] = []
    var (start, depth) = (pattern.startIndex, 0)
    for index in pattern.indices {
      if pattern[index] == "(" { depth += 1 }
      if pattern[index] == ")" { depth -= 1 }
      if pattern[index] == "|", depth == 0 {
        parts.append(pattern[start..<index])
        start = pattern.index(after: index)
      }
    }
    parts.append(pattern[start...])
    return parts.flatMap { part -> [String] in
      guard let open = part.firstIndex(of: "("), let close = part.firstIndex(of: ")") else {
        return [String(part)]
      }
      return alternatives(part[part.index(after: open)..<close]).map {
        String(part[..<open]) + $0 + String(part[part.index(after: close)...])
      }
    }
  }

  @Test func thePageHasTheRowsOfTheScript() throws {
    let script = try Repository.text("Scripts/trials")
    let rows = Self.groups("\n    ([a-z]+)\\)", in: script)
    let page = try Repository.text("Documentation/Testing.md")
    let table = page.components(separatedBy: "\n## The table of trials").last ?? ""
    let described = Self.groups(
      "\n\\| `([a-z]+)` \\|", in: table.components(separatedBy: "\n## ")[0])
    expectTrue(rows.count > 10)
    expectEqual(described.sorted(), rows.sorted())
    let all = Self.groups("\nall=\\(([a-z ]+)\\)", in: script).first ?? ""
    expectEqual(
      (all.split(separator: " ").map(String.init) + ["fuzz", "mutants"]).sorted(), rows.sorted())
  }

  /// A pattern that matches nothing would be no failure of the row.
  @Test func everySuiteThatARowNamesExists() throws {
    let script = try Repository.text("Scripts/trials")
    let code = Repository.code.filter { $0.path.hasPrefix("Tests/") }
    let modules = Set(code.map { $0.path.split(separator: "/")[1] })
    var suites: Set<String> = []
    for pattern in Self.groups("tests '([^']+)'", in: script) {
      for name in Self.alternatives(pattern[...]) {
        for part in name.split(separator: ".") where part.hasSuffix("Tests") {
          if !part.contains("*"), !modules.contains(part) { suites.insert(String(part)) }
        }
      }
    }
    expectTrue(suites.count > 20)
    for suite in suites {
      #expect(code.contains { $0.text.contains("struct \(suite) ") }, "\(suite)")
    }
  }

  /// A reason of a mutant is about a line that is there.
  @Test func everyMutantWithAReasonIsThere() throws {
    let reasons = try Repository.text("Scripts/mutants.txt")
    var count = 0
    for line in reasons.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix(" ") {
      let parts = line.components(separatedBy: "\t")
      try #require(parts.count == 3, "\(line)")
      let lines = try Repository.text(parts[0]).split(separator: "\n")
      #expect(
        lines.contains { $0.trimmingCharacters(in: .whitespaces) == parts[2] }, "\(line)")
      count += 1
    }
    expectTrue(count > 0)
  }
}
