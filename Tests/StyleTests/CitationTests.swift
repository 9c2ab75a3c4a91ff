// SPDX-License-Identifier: Apache-2.0

// Comments, tests and pages cite numbered sections of pages, and each of these exists.

import Foundation
import TestExtensions
import Testing

/// The sections that are cited, in code and in pages.
struct CitationTests {
  /// The pages of the repository, as paths.
  private static let pages: [String] = {
    let folders = ["Documentation", "Sources/RealmSwift/RealmSwift.docc", "Benchmarks", "Examples"]
    var found = [
      "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "MAINTAINING.md", "README.md",
      "SECURITY.md",
    ]
    for folder in folders {
      let path = Repository.root.appending(path: folder).path
      let below = FileManager.default.enumerator(atPath: path)
      while let name = below?.nextObject() as? String {
        if name.hasSuffix(".md"), !name.contains(".build") { found.append("\(folder)/\(name)") }
      }
    }
    return found.sorted()
  }()

  private static let stated: Set<Citation> = pages.reduce(into: []) { found, path in
    for kind in Citation.Kind.all where path.hasPrefix(kind.folder) {
      guard let text = try? Repository.text(path) else { continue }
      found.formUnion(Citation.stated(in: text, of: kind))
    }
  }

  /// Code, and pages but for the table of symbols.
  private static let texts: [(path: String, text: String)] = {
    let code = Repository.code.filter { !$0.path.hasPrefix("Tests/StyleTests/") }
      .map { (path: $0.path, text: $0.text) }
    return code
      + pages.filter { !$0.hasSuffix("PublicSymbols.md") }.compactMap { path in
        (try? Repository.text(path)).map { (path: path, text: $0) }
      }
  }()

  /// The lines of the texts in which any of the words occurs.
  private static func lines(
    of words: [String]
  ) -> [(path: String, lines: [Substring])] {
    texts.filter { _, text in words.contains { text.contains($0) } }.map { path, text in
      (path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  @Test(.heavy) func citedSectionsExist() {
    var count = 0
    for (path, lines) in Self.lines(of: Citation.Kind.all.flatMap(\.words)) {
      for (citation, line) in Citation.cited(in: lines) {
        count += 1
        if !Self.stated.contains(citation) {
          Issue.record("\(path):\(line): there is no section \(citation)")
        }
      }
    }
    expectTrue(count > 250)
  }

  @Test(.heavy) func sectionsAreCitedInOneForm() {
    for (path, lines) in Self.lines(of: Citation.retired) where path != "CHANGELOG.md" {
      for (number, line) in zip(1..., lines) {
        for form in Citation.retired where line.contains(form) {
          Issue.record("\(path):\(number): \"\(form)\" cites no section")
        }
      }
    }
  }

  // MARK: The rule itself

  @Test func headingsAreRead() {
    let page = "# Page 3\n## 3.1 One\ntext 3.9\n### 3.1.2 Two\n```\n# 3.4 No\n```\n## 3.5x No\n"
    let found = Citation.stated(in: page, of: .fileFormat)
    expectTrue(found.map(\.number).sorted() == ["3.1", "3.1.2"])
    let other = "# Title\n## P1 A One\n### P1 A.2 Two\n### P5 6 Three <a id=\"p5-1\"></a>\n"
    #expect(
      Citation.stated(in: other, of: .protocolPages).map { "\($0)" }.sorted()
        == ["P1 A", "P1 A.2", "P5 1", "P5 6"])
    let rules = "| SY1 | one |\n| SY20x | no |\n| SY3 | three |\n"
    #expect(
      Citation.stated(in: rules, of: .rules).map { "\($0)" }.sorted() == ["SY1", "SY3"])
  }

  @Test func citationsAreRead() {
    let text = """
      /// One (file format 4.14.5), and (file format 3.2, 3.3 and 3.5).
      // Two, as is known (file format
      // 1.2.3). A sentence about the file format 24 hours later.
      let file = 3  // file format 24, MP3 A, EASY7, SY7, P1 Dogs, P4 B.2 (P5 6; P1 C.4.)
      """
    let found = Citation.cited(in: text.split(separator: "\n"))
    #expect(
      found.map { "\($0.line): \($0.citation)" } == [
        "1: file format 4.14.5", "1: file format 3.2", "1: file format 3.3", "1: file format 3.5",
        "2: file format 1.2.3", "4: P4 B.2", "4: P5 6", "4: P1 C.4",
        "4: SY7",
      ])
  }
}
