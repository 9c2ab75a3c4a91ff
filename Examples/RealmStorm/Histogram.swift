// SPDX-License-Identifier: Apache-2.0

// A picture of times in text.

#if Server
import Foundation

/// Times by their order of magnitude.
struct Histogram {
  private static let width = 50
  /// The upper bounds of the bars, in milliseconds.
  private static let bounds = [
    5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, Int.max,
  ]

  let lines: [String]

  /// - Parameter times: In microseconds.
  init(_ times: [Int]) {
    guard !times.isEmpty else {
      lines = ["nothing arrived"]
      return
    }
    var counts = Self.bounds.map { _ in 0 }
    for time in times {
      counts[Self.bounds.firstIndex { time / 1_000 < $0 } ?? counts.count - 1] += 1
    }
    let largest = counts.max() ?? 1
    // Without the empty bars at both ends.
    let first = counts.firstIndex { $0 > 0 } ?? 0
    let last = counts.lastIndex { $0 > 0 } ?? 0
    lines = (first...last).map { index in
      let isLast = index == counts.count - 1
      let bound = isLast ? "longer" : "< \(Self.bounds[index]) ms"
      let bar = String(
        repeating: "#", count: (counts[index] * Self.width + largest - 1) / largest)
      return Self.padded(bound, 11) + "  " + Self.padded("\(counts[index])", 7) + "  " + bar
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
#endif
