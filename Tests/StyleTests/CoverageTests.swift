// SPDX-License-Identifier: Apache-2.0

// The pages that name the tests of each promise of the interface name tests that exist.

import Foundation
import TestExtensions
import Testing

/// The pages of `Documentation/Coverage`: tables with a promise in each row, and its tests.
struct CoverageTests {
  /// A row of a page.
  struct Row: Equatable {
    var page: String
    var promise: String
    /// As `Suite.test`, or `Suite.test(argument)` for one case of a test with arguments.
    var tests: [String]
  }

  private static let folder = "Documentation/Coverage"

  private static let rows: [Row] = {
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: Repository.root.appending(path: folder).path)
    let pages = (names ?? []).filter { $0.hasSuffix(".md") && $0 != "README.md" }
    return pages.sorted().flatMap { name in
      (try? Repository.text("\(folder)/\(name)")).map { rows(of: $0, page: name) } ?? []
    }
  }()

  /// Reads the rows of a page: lines with two columns, the second with tests as code.
  static func rows(of text: String, page: String) -> [Row] {
    text.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("| "), !line.hasPrefix("| promise |"), !line.hasPrefix("|---") else {
        return nil
      }
      let columns = line.replacing("\\|", with: "/").split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      let tests = (columns.last ?? "").split(separator: "`").filter { $0.contains(".") }
      return Row(
        page: page, promise: columns.first ?? "",
        tests: columns.count == 2 ? tests.map(String.init) : [])
    }
  }

  /// The tests of the repository as `Suite.test`, for every type that their file declares.
  private static let tests: Set<String> = Repository.code.reduce(into: []) { found, file in
    guard file.path.hasPrefix("Tests/") else { return }
    var suites: Set<String> = [], names: Set<String> = []
    var isTest = false
    for (token, next) in zip(file.tokens, file.tokens.dropFirst()) {
      switch token.text {
      case "struct", "class", "enum", "actor", "extension": suites.insert(next.text)
      case "@Test": isTest = true
      case "func" where isTest:
        names.insert(next.text)
        isTest = false
      default: break
      }
    }
    for suite in suites { found.formUnion(names.map { "\(suite).\($0)" }) }
  }

  /// The texts of the files that declare the types of tests.
  private static let sources: [String: String] = Repository.code.reduce(into: [:]) { found, file in
    guard file.path.hasPrefix("Tests/") else { return }
    for (token, next) in zip(file.tokens, file.tokens.dropFirst()) where token.text == "struct" {
      if found[next.text] == nil { found[next.text] = file.text }
    }
  }

  static func exists(_ test: String) -> Bool {
    let parts = test.split(separator: "(", maxSplits: 1)
    guard parts.count == 2 else { return tests.contains(test) }
    // The argument is a text of the suite's file.
    let argument = parts[1].dropLast()
    let suite = parts[0].prefix { $0 != "." }
    return tests.contains(String(parts[0])) && test.hasSuffix(")")
      && sources[String(suite)]?.contains("\"\(argument)\"") == true
  }

  @Test(.heavy) func everyPromiseNamesTestsThatExist() {
    expectFalse(Self.rows.isEmpty)
    for row in Self.rows {
      if row.tests.isEmpty { Issue.record("\(row.page): no test for: \(row.promise)") }
      for test in row.tests where !Self.exists(test) {
        Issue.record("\(row.page): there is no test \(test) (\(row.promise))")
      }
    }
  }

  /// A limit that no test goes over is a hope.
  @Test(.heavy) func everyLimitOfTheServerHasATest() throws {
    let page = try Repository.text("Documentation/Sync/Limits.md")
    let rows = page.split(separator: "\n").filter {
      $0.hasPrefix("| ") && !$0.hasPrefix("| what |") && !$0.hasPrefix("| --- |")
    }
    expectTrue(rows.count > 40)
    for row in rows {
      let cell = row.split(separator: "|").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
      let tests = cell.split(separator: "`").filter { $0.contains("Tests.") }
      if tests.isEmpty { Issue.record("no test for: \(row)") }
      for test in tests where !Self.exists(String(test)) {
        Issue.record("there is no test \(test)")
      }
    }
  }

  /// The numbers of the pages go on without a gap, and begin their headings: tests cite them.
  @Test func pagesAreNumbered() throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: Repository.root.appending(path: Self.folder).path)
    let pages = names.filter { $0 != "README.md" }
    let numbers = pages.compactMap { Int($0.prefix { $0.isNumber }) }
    expectEqual(numbers.count, pages.count)
    expectEqual(numbers.sorted(), Array(1...pages.count))
    for page in pages {
      let text = try Repository.text("\(Self.folder)/\(page)")
      #expect(text.hasPrefix("# \(page.prefix { $0.isNumber }) "), "\(page)")
    }
  }

  @Test func rowsAreRead() {
    let page = """
      # Things
      | promise | tests |
      |---|---|
      | `a \\| b` does | `ThingTests.aOrB`, `ThingTests.other` |
      | is forgotten | |
      """
    #expect(
      Self.rows(of: page, page: "p")
        == [
          Row(page: "p", promise: "`a / b` does", tests: ["ThingTests.aOrB", "ThingTests.other"]),
          Row(page: "p", promise: "is forgotten", tests: []),
        ])
    expectTrue(Self.tests.contains("CoverageTests.rowsAreRead"))
    expectFalse(Self.tests.contains("CoverageTests.rows"))
    expectTrue(Self.exists("RuleTests.lexer"))
    expectTrue(Self.exists("WriteMisuseTests.misuse(deletingOutside)"))
    expectFalse(Self.exists("WriteMisuseTests.misuse(nothing)"))
  }
}
