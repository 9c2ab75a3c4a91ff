// SPDX-License-Identifier: Apache-2.0

// The times of changes and of machines.

/// Milliseconds since the beginning of 2015 (UTC).
package struct OriginTimestamp: Hashable, Comparable, Sendable {
  package var milliseconds: UInt64

  /// The milliseconds from 1970 to 2015.
  package static let unixOffset: UInt64 = 1_420_070_400_000

  package init(milliseconds: UInt64) { self.milliseconds = milliseconds }

  /// The timestamp of a Unix time; times before 2015 become 0.
  package init(unixMilliseconds: Int64) {
    let unix = UInt64(max(0, unixMilliseconds))
    milliseconds = unix > Self.unixOffset ? unix - Self.unixOffset : 0
  }

  /// The time since 1970.
  package var unixMilliseconds: Int64 { Int64(clamping: milliseconds &+ Self.unixOffset) }

  package static func < (left: OriginTimestamp, right: OriginTimestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

/// Milliseconds of a monotonic clock.
package typealias Milliseconds = UInt64
