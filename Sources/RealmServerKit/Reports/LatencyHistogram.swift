// SPDX-License-Identifier: Apache-2.0

// How long things take, in few numbers.

#if Server
import NIOConcurrencyHelpers

/// Counts durations in ranges, as Prometheus has them.
final class LatencyHistogram: Sendable {
  /// The upper bounds of the ranges, in seconds; one more range has the rest.
  static let bounds = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// The counts at a point in time.
  struct Snapshot: Hashable, Sendable {
    fileprivate(set) var counts = [Int](repeating: 0, count: LatencyHistogram.bounds.count + 1)
    fileprivate(set) var seconds = 0.0

    var count: Int { counts.reduce(0, +) }

    /// The duration that a share of all durations does not exceed, about; nil if there are none.
    func quantile(_ share: Double) -> Double? {
      guard count > 0 else { return nil }
      let rank = share * Double(count)
      var below = 0
      for (index, number) in counts.enumerated() where number > 0 {
        guard Double(below + number) >= rank else {
          below += number
          continue
        }
        // Nothing is known of durations beyond the last bound.
        guard index < LatencyHistogram.bounds.count else { return LatencyHistogram.bounds.last }
        let lower = index == 0 ? 0 : LatencyHistogram.bounds[index - 1]
        let part = (rank - Double(below)) / Double(number)
        return lower + (LatencyHistogram.bounds[index] - lower) * part
      }
      return LatencyHistogram.bounds.last
    }
  }

  private let state = NIOLockedValueBox(Snapshot())

  var snapshot: Snapshot { state.withLockedValue { $0 } }

  func add(seconds: Double) {
    let index = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
    state.withLockedValue { state in
      state.counts[index] += 1
      state.seconds += seconds
    }
  }

  func add(_ time: Duration) { add(seconds: time / .seconds(1)) }
}
#endif
