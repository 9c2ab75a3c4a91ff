// SPDX-License-Identifier: Apache-2.0

// One row of the report: a piece of work, and what each engine took for it in each round.

/// A measured piece of work.
package struct ReportRow: Codable, Sendable {
  /// The name by which a row is chosen, and found again in another run.
  package let id: String
  package let title: String
  package let quantity: Quantity
  package let goals: [Goal]
  /// By column, what was measured in each round.
  package private(set) var samples: [String: [Double]] = [:]
  /// Why a number is missing, or what it stands for.
  package var note: String?

  package init(
    _ id: String, _ title: String, _ quantity: Quantity, goals: [Goal] = [], note: String? = nil
  ) {
    self.id = id
    self.title = title
    self.quantity = quantity
    self.goals = goals
    self.note = note
  }

  /// The same row under another name, without goals.
  package func renamed(_ id: String, _ title: String) -> ReportRow {
    var row = ReportRow(id, title, quantity, note: note)
    row.samples = samples
    return row
  }

  /// Adds what a round measured, in seconds, bytes, or times.
  package mutating func add(_ sample: Double, _ column: String) {
    samples[column, default: []].append(sample)
  }

  /// The median of a column; nil if it was not measured.
  package func median(of column: String) -> Double? { samples[column].flatMap(Self.median) }

  /// The middle number, or the mean of the two in the middle; nil of nothing.
  package static func median(_ numbers: [Double]) -> Double? {
    let sorted = numbers.sorted()
    guard !sorted.isEmpty else { return nil }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
