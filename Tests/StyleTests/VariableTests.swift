// SPDX-License-Identifier: Apache-2.0

// The table of variables in Documentation/Testing.md.

import Foundation
import TestExtensions
import Testing

/// What the tests and the manifest read of the environment.
struct VariableTests {
  /// Those of programs, which users read about elsewhere.
  private static let ofPrograms: Set<String> = ["REALM_HISTORY"]

  private static func names(in text: String, quotedBy quote: String) -> Set<String> {
    let pattern = "\(quote)((OPENREALM|REALM)_[A-Z_]+)\(quote)"
    let range = NSRange(text.startIndex..., in: text)
    guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
    return Set(
      expression.matches(in: text, range: range).compactMap { match in
        Range(match.range(at: 1), in: text).map { String(text[$0]) }
      })
  }

  @Test func theTableIsWhatTheTestsRead() throws {
    let page = try Repository.text("Documentation/Testing.md")
    let table = page.components(separatedBy: "\n## Variables").last ?? ""
    let rows = table.components(separatedBy: "\n## ")[0].split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
    let described = rows.reduce(into: Set<String>()) { described, row in
      let first = row.split(separator: "|").first.map(String.init) ?? ""
      described.formUnion(Self.names(in: first, quotedBy: "`"))
    }
    let read = Repository.code.reduce(into: Set<String>()) { read, file in
      read.formUnion(Self.names(in: file.text, quotedBy: "\""))
    }
    let expected = read.subtracting(Self.ofPrograms).subtracting(["OPENREALM_PART"])
    expectTrue(described.count > 15)
    expectEqual(described.subtracting(expected).sorted(), [])
    expectEqual(expected.subtracting(described).sorted(), [])
  }

  @Test func contributingIsShort() throws {
    let page = try Repository.text("CONTRIBUTING.md")
    expectTrue(page.split(whereSeparator: \.isWhitespace).count <= 700)
  }
}
