// SPDX-License-Identifier: Apache-2.0

// One row of the measurements.

/// A measurement with a name, the unit that it counts, and how many of them it does in a second.
struct SyncRow: Sendable {
  var name: String
  var unit: String
  /// Runs once and returns units per second.
  var measure: @Sendable () -> Double

  /// The rate at which the work did `count` units.
  static func rate(of count: Int, _ work: () -> Void) -> Double {
    let time = ContinuousClock().measure(work)
    let seconds =
      Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    return Double(count) / seconds
  }
}
