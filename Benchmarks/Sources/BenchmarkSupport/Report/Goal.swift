// SPDX-License-Identifier: Apache-2.0

// What a row is to reach.

/// A limit for our number: a multiple of another column's, or a number of the row's own unit.
package struct Goal: Codable, Hashable, Sendable {
  /// What the limit is a multiple of.
  package enum Reference: Codable, Hashable, Sendable {
    case column(String)
    /// The row's kept unit: seconds, or bytes.
    case absolute
  }

  package let limit: Double
  package let reference: Reference
  /// The column that has the goal.
  package let column: String

  /// At most so many times another column's number; where more is better, at least.
  package static func times(
    _ limit: Double, of reference: String, by column: String = Report.ours
  ) -> Goal {
    Goal(limit: limit, reference: .column(reference), column: column)
  }

  /// At most so many seconds, or bytes.
  package static func atMost(_ limit: Double) -> Goal {
    Goal(limit: limit, reference: .absolute, column: Report.ours)
  }

  /// The column's number, as a multiple of the reference; nil if one was not measured.
  package func reached(in row: ReportRow) -> Double? {
    guard let number = row.median(of: column) else { return nil }
    return switch reference {
    case .absolute: number
    case .column(let name): row.median(of: name).map { number / $0 }
    }
  }

  /// Whether the goal is met; nil if its reference was not measured.
  package func isMet(in row: ReportRow) -> Bool? {
    guard let reached = reached(in: row) else { return nil }
    return row.quantity.isLessBetter ? reached <= limit : reached >= limit
  }

  /// The goal as people read it.
  package func text(_ quantity: Quantity) -> String {
    let sign = quantity.isLessBetter ? "≤" : "≥"
    let text =
      switch reference {
      case .absolute: "\(sign) \(quantity.text(limit)) \(quantity.unit)"
      case .column(let name): "\(sign) \(Self.factor(limit)) × \(name)"
      }
    return column == Report.ours ? text : "\(column): \(text)"
  }

  private static func factor(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\(number)"
  }
}
