// SPDX-License-Identifier: Apache-2.0

// What a row of the report measures, and how its numbers are shown.

import Foundation

/// A kind of measured number, with the unit that it is shown in. Durations are kept in seconds,
/// sizes in bytes.
package enum Quantity: String, Codable, Sendable {
  case nanoseconds, microseconds, milliseconds, seconds
  case bytes, megabytes
  /// A number of times of something else.
  case ratio
  /// Work in a second: more is better.
  case perSecond
  case gigabytesPerSecond

  /// The unit behind a title.
  package var unit: String {
    switch self {
    case .nanoseconds: "ns"
    case .microseconds: "µs"
    case .milliseconds: "ms"
    case .seconds: "s"
    case .bytes: "bytes"
    case .megabytes: "MB"
    case .ratio: "×"
    case .perSecond: "/s"
    case .gigabytesPerSecond: "GB/s"
    }
  }

  /// How many of the kept unit are one of the shown.
  private var scale: Double {
    switch self {
    case .nanoseconds: 1e-9
    case .microseconds: 1e-6
    case .milliseconds: 1e-3
    case .seconds, .bytes, .ratio, .perSecond: 1
    case .megabytes: 1e6
    case .gigabytesPerSecond: 1e9
    }
  }

  /// Whether less is better.
  package var isLessBetter: Bool { self != .perSecond && self != .gigabytesPerSecond }

  /// A number in the shown unit, with three digits that count, or all before the point.
  package func text(_ value: Double) -> String {
    let shown = value / scale
    let magnitude = abs(shown)
    let places = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3
    return String(format: "%.\(places)f", shown)
  }
}
