// SPDX-License-Identifier: Apache-2.0

// The page of guarantees promises nothing without a test.

import Foundation
import TestExtensions
import Testing

/// `Documentation/Guarantees.md`: an introduction, then tables with a sentence in each row.
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

  /// The sentences of a page that name no test, or one that does not exist.
  static func unproven(in text: String) -> [String] {
    CoverageTests.rows(of: text, page: page).filter { row in
      row.tests.isEmpty || !row.tests.allSatisfy(CoverageTests.exists)
    }.map(\.promise)
  }

  @Test(.heavy) func everySentenceNamesItsTests() throws {
    let text = try Repository.text(Self.page)
    let rows = CoverageTests.rows(of: text, page: Self.page)
    expectTrue(rows.count > 25)
    expectEqual(Self.unproven(in: text), [])
    expectEqual(Self.looseLines(of: text), [])
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
      """
    expectEqual(Self.looseLines(of: text), ["Nothing is ever lost."])
    expectEqual(Self.unproven(in: text), ["This is hoped.", "This was renamed."])
  }
}
