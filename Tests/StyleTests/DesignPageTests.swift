// SPDX-License-Identifier: Apache-2.0

// The pages that describe the design are short, and name what exists.

import Foundation
import TestExtensions
import Testing

/// `ARCHITECTURE.md` and the pages of `Documentation/Design`.
struct DesignPageTests {
  private static let folder = "Documentation/Design"
  private static let architecture = "ARCHITECTURE.md"

  /// Pages with the most lines that each may have.
  private static let pages: [(path: String, lineCountMax: Int)] = {
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: Repository.root.appending(path: folder).path)
    return [(architecture, 120)]
      + (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { ("\(folder)/\($0)", 150) }
  }()

  /// Names that are not ours: traits, types of the standard library and of other packages.
  private static let others: Set<String> = [
    "ARCHITECTURE", "BitSet", "Encryption", "Metrics", "Mutex", "Postgres", "RangeSet", "Server",
    "Sync", "Tools",
  ]

  /// Words in the code of the repository, modules and folders among them.
  private static let known: Set<String> = Repository.code.reduce(into: others) { known, file in
    if let module = file.module { known.insert(module) }
    known.insert(file.name)
    for part in file.path.split(separator: "/") { known.insert(String(part)) }
    let isOurs = file.module != nil || file.path.hasPrefix("Tests/")
    guard isOurs, !file.path.hasPrefix("Tests/StyleTests/") else { return }
    for token in file.tokens where token.kind == .word { known.insert(token.text) }
  }

  /// The parts of a page in code font that may be names of types, files or folders: each begins
  /// with a capital letter, and has letters alone but for the topic of a file.
  static func names(in page: String) -> [String] {
    var isBlock = false
    return page.split(separator: "\n").flatMap { line -> [String] in
      if line.hasPrefix("```") { isBlock.toggle() }
      guard !isBlock else { return [] }
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      return zip(parts, 0...).compactMap { part, index in
        index % 2 == 1 && isName(part) ? String(part) : nil
      }
    }
  }

  private static func isName(_ text: Substring) -> Bool {
    guard text.first?.isUppercase == true else { return false }
    let name = text.split(separator: ".").first.map { $0.drop { $0 == "/" } } ?? text
    return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "+" || $0 == "/" }
  }

  @Test(.heavy) func pagesNameWhatExists() throws {
    expectTrue(Self.pages.count == 10)
    for (path, _) in Self.pages {
      for name in Self.names(in: try Repository.text(path)) {
        let words = name.split { $0 == "." || $0 == "/" }.map(String.init)
        guard let first = words.first, !Self.known.contains(first) else { continue }
        Issue.record("\(path): there is no \(name)")
      }
    }
  }

  /// A walk is a way from file to file.
  @Test func walksNameFiles() throws {
    let page = try Repository.text(Self.architecture)
    let walks = try #require(page.components(separatedBy: "## Six walks").last)
      .components(separatedBy: "\n## ")[0]
    let files = Set(Repository.code.map(\.name))
    let rows = walks.split(separator: "\n").filter { $0.contains("→") }
    expectTrue(rows.count > 15)
    for name in rows.flatMap({ Self.names(in: String($0)) }) where !files.contains(name) {
      Issue.record("there is no file \(name)")
    }
  }

  @Test func pagesAreShort() throws {
    for (path, lineCountMax) in Self.pages {
      let count =
        try Repository.text(path).split(
          separator: "\n", omittingEmptySubsequences: false
        ).count - 1
      expectTrue(count <= lineCountMax, "\(path)")
    }
  }

  @Test func namesAreRead() {
    let page = "`Alpha` and `beta`, `Gamma+Delta` → `A.b`; `try X()` `Views/`\n```\n`No`\n```\n"
    expectTrue(Self.names(in: page) == ["Alpha", "Gamma+Delta", "A.b", "Views/"])
  }
}
