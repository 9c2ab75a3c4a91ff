// SPDX-License-Identifier: Apache-2.0

// Medians, tables and charts are arithmetic, so they are tested as such.

import BenchmarkSupport
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

struct ReportTests {
  private let look = ReportRow(
    "look", "look-up, by key", .nanoseconds, goals: [.times(0.65, of: "SQLite")])

  private func report() -> Report {
    var report = Report()
    for (ours, base) in [(600.0, 1000.0), (500.0, 900.0), (9000.0, 1100.0)] {
      report.add(ours * 1e-9, Report.ours, to: look)
      report.add(base * 1e-9, Report.base, to: look)
    }
    return report
  }

  @Test func mediansAreTheMiddle() {
    #expect(ReportRow.median([]) == nil)
    #expect(ReportRow.median([5]) == 5)
    #expect(ReportRow.median([3, 1]) == 2)
    #expect(ReportRow.median([9, 1, 2]) == 2)
    #expect(ReportRow.median([4, 1, 3, 2]) == 2.5)
  }

  @Test func tablesHaveRatiosAndGoals() {
    var report = report()
    let file = ReportRow("file", "file", .megabytes, goals: [.atMost(90_000_000)])
    report.add(100_000_000, Report.ours, to: file)
    let rate = ReportRow("rate", "rate", .perSecond, goals: [.times(1, of: "SQLite")])
    report.add(3000, Report.ours, to: rate)
    report.add(2000, Report.base, to: rate)
    report.add(2500, "LMDB", to: rate)
    let lines = report.table().text(asMarkdown: true).split(separator: "\n").map { line in
      line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(
      lines == [
        ["work", "unit", "OpenRealm", "SQLite", "LMDB", "goal", "reached"],
        ["---", "---:", "---:", "---:", "---:", "---:", "---:"],
        [
          "look-up, by key", "ns", "600 (0.600)", "1000 (1.00)", "", "≤ 0.65 × SQLite", "0.600 yes",
        ],
        ["file", "MB", "100", "", "", "≤ 90.0 MB", "100 no"],
        ["rate", "/s", "3000 (1.50)", "2000 (1.00)", "2500 (1.25)", "≥ 1 × SQLite", "1.50 yes"],
      ])
  }

  @Test func aGoalWithoutItsReferenceIsNeitherMetNorMissed() {
    var report = Report()
    report.add(1e-9, Report.ours, to: look)
    #expect(report.rows[0].goals[0].isMet(in: report.rows[0]) == nil)
    #expect(report.table().text(asMarkdown: false).hasSuffix("?"))
  }

  @Test func goalsOfOtherColumnsNameThem() {
    let row = ReportRow(
      "commit", "commit", .microseconds, goals: [.times(1.2, of: "one sync", by: "OpenRealm, one")])
    var report = Report()
    report.add(120e-6, "OpenRealm, one", to: row)
    report.add(100e-6, "one sync", to: row)
    report.add(999e-6, Report.ours, to: row)
    #expect(report.rows[0].goals[0].isMet(in: report.rows[0]) == true)
    #expect(report.rows[0].goals[0].text(.microseconds) == "OpenRealm, one: ≤ 1.2 × one sync")
  }

  @Test func runsAreMergedRowByRow() throws {
    var first = report()
    var second = Report()
    second.add(700e-9, Report.ours, to: look)
    second.note("not measured", in: ReportRow("other", "other", .seconds))
    first.merge(try JSONDecoder().decode(Report.self, from: JSONEncoder().encode(second)))
    #expect(first.rows.map(\.id) == ["look", "other"])
    #expect(first.rows[0].median(of: Report.ours) == 650e-9)
    #expect(first.notes == ["other: not measured"])
  }

  @Test(arguments: [
    (Quantity.nanoseconds, 1.2345e-9, "1.23"), (.microseconds, 335e-6, "335"),
    (.milliseconds, 0.25e-3, "0.250"), (.megabytes, 113e6, "113"), (.ratio, 0.0162, "0.016"),
    (.gigabytesPerSecond, 19e9, "19.0"), (.seconds, 0, "0.000"),
  ])
  func numbersHaveThreeDigitsThatCount(_ quantity: Quantity, _ value: Double, _ text: String) {
    #expect(quantity.text(value) == text)
  }

  @Test func chartsAreWellFormedAndWithoutScripts() throws {
    var report = report()
    let behind = ReportRow("behind", "a < b & \"c\"", .microseconds)
    report.add(300e-6, Report.ours, to: behind)
    report.add(100e-6, Report.base, to: behind)
    report.add(1, "LMDB", to: ReportRow("alone", "no bar", .seconds))
    let svg = Chart(report, caption: "3 rows & more").svg
    #expect(XMLParser(data: Data(svg.utf8)).parse())
    #expect(!svg.contains("<script") && !svg.contains("href"))
    #expect(svg.contains("prefers-color-scheme: dark"))
    #expect(svg.contains("a &lt; b &amp; \"c\""))
    #expect(!svg.contains("no bar"))
    // 1000 : 600 to the right of the line at 1, 100 : 300 to its left, both from there.
    #expect(svg.contains("class=\"ahead\" x=\"510.0\""))
    let length: Double = log10(3.0) / 2 * 420
    let width = String(format: "%.1f", length)
    let x = String(format: "%.1f", 510 - length)
    #expect(svg.contains("class=\"behind\" x=\"\(x)\" y=\"80.0\" width=\"\(width)\""))
  }
}
