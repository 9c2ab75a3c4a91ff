// SPDX-License-Identifier: Apache-2.0

// The figures of the article about performance are those of the benchmarks' results.

import Foundation
import Testing

/// The tables of `Performance.md`, compared with `Benchmarks/RESULTS.md`.
struct FigureTests {
  /// The figures of a page's tables: the first number of each cell but the first of a row.
  static func figures(of page: String) -> [String] {
    page.split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { line in
      line.split(separator: "|").dropFirst().compactMap { cell in
        let word = String(cell.split(separator: " ").first ?? "").replacing(",", with: "")
        return Double(word) == nil ? nil : word
      }
    }
  }

  @Test func figuresAreThoseOfTheResults() throws {
    let article = try Repository.text(
      "Sources/RealmSwift/RealmSwift.docc/Articles/Performance.md")
    let results = try Repository.text("Benchmarks/RESULTS.md")
    let known = Set(results.split { " |()\n".contains($0) }.map(String.init))
    let figures = Self.figures(of: article)
    #expect(figures.count > 40)
    for figure in figures {
      #expect(known.contains(figure), "\(figure) is not in RESULTS.md: renew the article")
    }
  }

  @Test func figuresAreRead() {
    let page = "| | A | B |\n| --- | ---: | ---: |\n| insert 7 | 1,550 (0.71) | none |\ntext 5\n"
    #expect(Self.figures(of: page) == ["1550"])
  }
}
