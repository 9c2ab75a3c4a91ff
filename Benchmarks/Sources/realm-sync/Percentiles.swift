// SPDX-License-Identifier: Apache-2.0

// The middle and the end of measured times.

#if Server
/// Times in milliseconds: the median, the 99th percentile and the greatest.
struct Percentiles: CustomStringConvertible {
  private let milliseconds: [Double]

  /// - Parameter seconds: At least one.
  init(_ seconds: [Double]) { milliseconds = seconds.map { $0 * 1_000 }.sorted() }

  private func text(_ percent: Int) -> String {
    let last = milliseconds.count - 1
    let value = milliseconds[min(last, milliseconds.count * percent / 100)]
    return "\((value * 10).rounded() / 10) ms"
  }

  var description: String { "p50 \(text(50)), p99 \(text(99)), max \(text(100))" }
}
#endif
