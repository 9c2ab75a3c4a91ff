// SPDX-License-Identifier: Apache-2.0

// All rows of a run, as a table.

/// The rows that were measured, in the order in which they were first met.
package struct Report: Codable, Sendable {
  /// The column of this library.
  package static let ours = "OpenRealm"
  /// The column that ratios are to.
  package static let base = "SQLite"

  package private(set) var rows: [ReportRow] = []

  package init() {}

  /// Adds a sample to a row, which is made the first time.
  package mutating func add(_ sample: Double, _ column: String, to row: ReportRow) {
    update(row) { $0.add(sample, column) }
  }

  /// Adds a row with its samples.
  package mutating func append(_ row: ReportRow) { rows.append(row) }

  /// Says in a row why a number is missing.
  package mutating func note(_ note: String, in row: ReportRow) { update(row) { $0.note = note } }

  private mutating func update(_ row: ReportRow, _ change: (inout ReportRow) -> Void) {
    let index = rows.firstIndex { $0.id == row.id } ?? rows.count
    if index == rows.count { rows.append(row) }
    change(&rows[index])
  }

  /// Adds the rows of another run: samples come after those that are there.
  package mutating func merge(_ other: Report) {
    for row in other.rows {
      guard let index = rows.firstIndex(where: { $0.id == row.id }) else {
        rows.append(row)
        continue
      }
      for (column, samples) in row.samples {
        for sample in samples { rows[index].add(sample, column) }
      }
      rows[index].note = rows[index].note ?? row.note
    }
  }

  /// The columns: ours, then those that ratios are to, then the others in the order of their names.
  package var columns: [String] {
    let all = Set(rows.flatMap(\.samples.keys))
    let first = [Self.ours, Self.base].filter(all.contains)
    return first + all.subtracting(first).sorted()
  }

  /// The table: medians, in brackets their ratios to the base; the goals, and what was reached.
  package func table() -> TextTable {
    let columns = columns
    let header = ["work", "unit"] + columns + ["goal", "reached"]
    return TextTable([header] + rows.map { line($0, columns) })
  }

  private func line(_ row: ReportRow, _ columns: [String]) -> [String] {
    let base = row.median(of: Self.base)
    let cells = columns.map { column -> String in
      guard let median = row.median(of: column) else { return "" }
      let text = row.quantity.text(median)
      guard let base, base != 0, row.quantity != .ratio else { return text }
      return "\(text) (\(Quantity.ratio.text(median / base)))"
    }
    let goals = row.goals.map { $0.text(row.quantity) }.joined(separator: ", ")
    return [row.title, row.quantity.unit] + cells + [goals, reached(row)]
  }

  private func reached(_ row: ReportRow) -> String {
    row.goals.map { goal in
      guard let reached = goal.reached(in: row), let met = goal.isMet(in: row) else { return "?" }
      let quantity = goal.reference == .absolute ? row.quantity : .ratio
      return "\(quantity.text(reached)) \(met ? "yes" : "no")"
    }.joined(separator: ", ")
  }

  /// The notes of rows, each a line.
  package var notes: [String] { rows.compactMap { row in row.note.map { "\(row.title): \($0)" } } }
}
