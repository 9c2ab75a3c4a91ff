// SPDX-License-Identifier: Apache-2.0

// Durations, as a histogram of seconds.

#if Server
import CoreMetrics

/// A timer of `PrometheusMetrics`.
final class PrometheusTimer: TimerHandler {
  let histogram = LatencyHistogram()

  func recordNanoseconds(_ duration: Int64) {
    histogram.add(seconds: Double(duration) / 1_000_000_000)
  }

  /// The lines of a histogram.
  ///
  /// - Parameter dimensions: In braces, or empty.
  func lines(_ label: String, _ dimensions: String) -> [String] {
    let snapshot = histogram.snapshot
    let inner = dimensions.dropFirst().dropLast()
    var lines: [String] = []
    var total = 0
    for (index, count) in snapshot.counts.enumerated() {
      total += count
      let bounds = LatencyHistogram.bounds
      let bound = index < bounds.count ? "\(bounds[index])" : "+Inf"
      let names = inner.isEmpty ? "le=\"\(bound)\"" : "\(inner),le=\"\(bound)\""
      lines.append("\(label)_bucket{\(names)} \(total)")
    }
    lines.append("\(label)_sum\(dimensions) \(snapshot.seconds)")
    lines.append("\(label)_count\(dimensions) \(total)")
    return lines
  }
}
#endif
