// SPDX-License-Identifier: Apache-2.0

// The page of guarantees promises nothing without a test.

import Foundation
import TestExtensions
import Testing

/// `Documentation/Guarantees.md`: an introduction, then tables with a sentence in each row, its
/// tests, and what their last long run tried, if they count that.
struct GuaranteePageTests {
  private static let page = "Documentation/Guarantees.md"

  /// The lines after the introduction that are neither headings nor rows of a table.
  static func looseLines(of text: String) -> [String] {
    var isIntroduction = true
    return text.split(separator: "\n").compactMap { line in
      if line.hasPrefix("## ") { isIntroduction = false }
      let isAllowed = isIntroduction || line.hasPrefix("#") || line.hasPrefix("|")
      return isAllowed ? nil : String(line)
    }
  }

  private static func cells(of line: Substring) -> [Substring] {
    line.hasPrefix("|") ? line.split(separator: "|") : []
  }

  /// The rows of a page, without what was tried.
  static func rows(of text: String) -> [CoverageTests.Row] {
    let lines = text.split(separator: "\n").map { line in
      let cells = cells(of: line)
      return cells.count == 3 ? "|\(cells[0])|\(cells[1])|" : String(line)
    }
    return CoverageTests.rows(of: lines.joined(separator: "\n"), page: page)
  }

  /// What was tried, for each row that says it.
  static func tried(in text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let cells = cells(of: line)
      guard cells.count == 3, !line.hasPrefix("| promise |"), !line.hasPrefix("|---") else {
        return nil
      }
      let figure = cells[2].trimmingCharacters(in: .whitespaces)
      return figure.isEmpty ? nil : figure
    }
  }

  /// The sentences of a page that name no test, or one that does not exist.
  static func unproven(in text: String) -> [String] {
    rows(of: text).filter { row in
      row.tests.isEmpty || !row.tests.allSatisfy(CoverageTests.exists)
    }.map(\.promise)
  }

  @Test(.heavy) func everySentenceNamesItsTests() throws {
    let text = try Repository.text(Self.page)
    let rows = Self.rows(of: text)
    expectTrue(rows.count > 40)
    expectEqual(Self.unproven(in: text), [])
    expectEqual(Self.looseLines(of: text), [])
    let figures = Self.tried(in: text)
    expectTrue(figures.count > 8)
    for figure in figures {
      #expect(figure.first?.isNumber == true, "no figure: \(figure)")
    }
    for row in rows {
      #expect(row.promise.hasSuffix("."), "no sentence: \(row.promise)")
      #expect(!row.promise.contains(". "), "one sentence in a row: \(row.promise)")
    }
  }

  @Test func sentencesWithoutTestsAreFound() {
    let text = """
      # Page
      An introduction.

      ## Part

      Nothing is ever lost.

      | promise | tests |
      |---|---|
      | This is known. | `GuaranteePageTests.sentencesWithoutTestsAreFound` |
      | This is hoped. | |
      | This was renamed. | `GuaranteePageTests.isGone` |

      | promise | tests | tried |
      |---|---|---|
      | This was tried. | `GuaranteePageTests.sentencesWithoutTestsAreFound` | 12 files |
      | This was not. | `GuaranteePageTests.sentencesWithoutTestsAreFound` | |
      | This is a figure without a test. | | 3 files |
      """
    expectEqual(Self.tried(in: text), ["12 files", "3 files"])
    expectEqual(Self.looseLines(of: text), ["Nothing is ever lost."])
    expectEqual(
      Self.unproven(in: text),
      [
        "This is hoped.", "This was renamed.", "This is a figure without a test.",
      ])
  }
}
