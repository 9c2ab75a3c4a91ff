// SPDX-License-Identifier: Apache-2.0

// Times of many repetitions, and how they are shown.

import Foundation

/// Measured durations.
struct Samples {
  private var nanoseconds: [Double] = []

  mutating func add(_ duration: Duration) {
    // Less than nothing: the observer was called before the commit had returned to its thread.
    nanoseconds.append(max(0, duration / .nanoseconds(1)))
  }

  mutating func add(_ duration: Duration, per count: Int) {
    nanoseconds.append(duration / .nanoseconds(1) / Double(count))
  }

  /// The duration that a share of the samples does not exceed.
  func quantile(_ share: Double) -> Double {
    let sorted = nanoseconds.sorted()
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  var median: Double { quantile(0.5) }
}

/// Rows of text in columns.
struct Table {
  private var lines: [[String]]

  init(_ header: String...) { lines = [header] }

  mutating func add(_ cells: String...) { lines.append(cells) }

  var text: String {
    let columns = lines[0].indices
    let widths = columns.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      columns.map { column in
        let space = String(repeating: " ", count: widths[column] - line[column].count)
        return column == 0 ? line[column] + space : space + line[column]
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}

/// Nanoseconds as microseconds.
func microseconds(_ nanoseconds: Double) -> String {
  String(format: nanoseconds < 100_000 ? "%.1f" : "%.0f", nanoseconds / 1000)
}
