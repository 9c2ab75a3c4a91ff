// SPDX-License-Identifier: Apache-2.0

// The table of public symbols as text: written for the repository, and read back.
//
// Invariants:
// 1. The text depends on the symbols and, for the tests named, on the committed text: a test that
//    was named stays named as long as it examines the symbol, so that new tests change nothing.
// 2. A line of the table is found by its type, kind and declaration.

import Foundation

/// The rows of the table, and the page that shows them.
struct SymbolTable {
  static let path = "Documentation/PublicSymbols.md"
  static let noTest = "none"
  /// In place of a test of what this platform cannot compile.
  static let notHere = "not on Linux"

  /// One line of the table.
  struct Row: Equatable {
    var group: String
    var kind: String
    var declaration: String
    var platforms: String
    var source: String
    var test: String

    var key: String { "\(group) \(kind) \(declaration)" }

    fileprivate var text: String {
      let code = declaration.replacing("|", with: "\\|")
      return "| `\(code)` | \(kind) | \(platforms) | \(source) | \(test) |"
    }
  }

  var rows: [Row]

  init(rows: [Row]) { self.rows = rows }

  /// The rows of symbols; tests that `committed` names stay if they still examine their symbol.
  init(symbols: [PublicSymbol], use: SymbolUse, committed: SymbolTable) {
    let named = Dictionary(
      committed.rows.map { ($0.key, $0.test) }, uniquingKeysWith: { first, _ in first })
    rows = symbols.map { symbol in
      var row = Row(
        group: symbol.group, kind: symbol.kindName, declaration: symbol.declaration,
        platforms: symbol.platforms, source: symbol.source ?? "the compiler", test: Self.noTest)
      let tests = use.tests(of: symbol)
      if let test = named[row.key], tests.contains("Tests/\(test)") {
        row.test = test
      } else if let test = use.bestTest(of: symbol) {
        row.test = String(test.dropFirst("Tests/".count))
      }
      return row
    }
  }

  /// Adds what other platforms have: the graph of this one cannot say more of it than the source.
  mutating func append(_ unseen: [PlatformBlocks.Unseen]) {
    rows += unseen.map {
      Row(
        group: "Apple platforms", kind: "", declaration: $0.text, platforms: $0.platforms,
        source: $0.source, test: Self.notHere)
    }
  }

  /// Reads the rows of a page.
  init(page: String) {
    rows = []
    var group = ""
    for line in page.split(separator: "\n") {
      if line.hasPrefix("## ") { group = Self.group(ofHeading: line.dropFirst(3)) }
      guard line.hasPrefix("| `") else { continue }
      let text = line.replacing("\\|", with: "\u{0}").split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces).replacing("\u{0}", with: "|")
      }
      guard text.count == 5 else { continue }
      rows.append(
        Row(
          group: group, kind: text[1], declaration: String(text[0].dropFirst().dropLast()),
          platforms: text[2], source: text[3], test: text[4]))
    }
  }

  /// The page of the repository.
  var page: String {
    var lines = Self.introduction.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    var group: String?
    for row in rows {
      if row.group != group {
        group = row.group
        lines += ["", "## \(Self.heading(of: row.group))", ""]
        lines += ["| declaration | kind | platforms | source | test |", "|---|---|---|---|---|"]
      }
      lines.append(row.text)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let globals = "Not in a type"

  private static func heading(of group: String) -> String { group.isEmpty ? globals : group }

  private static func group(ofHeading heading: Substring) -> String {
    heading == globals ? "" : String(heading)
  }

  private static let introduction = """
    # Public symbols

    Every symbol that `import RealmSwift` gives to an app, by type. **This page is generated** from
    the compiler's symbol graph and its index of the tests; `Tests/StyleTests` fails when it is not
    what the code says. [Testing.md](Testing.md#the-table-of-public-symbols) tells how
    to renew it.

    - *declaration*: as in the source, with the conditions of its extension. All have documentation
      there (tested as well). Not listed: names that begin with an underscore, which are public for
      the compiler's sake only, and the types that a conformance must name (`Element`, `Index`).
    - *platforms*: `all`, `Apple`, or `not Apple` where the system's own frameworks have the symbol
      on Apple platforms; `with Sync` where an app needs the package's trait `Sync`.
    - *source*: below `Sources/RealmSwift`. *test*: below `Tests`, a file that uses exactly this
      overload; for a requirement of a protocol one that uses what fulfils it; for a type, and for
      what the language calls by itself (`makeIterator`, `encode`), one that uses its members.
    """
}
