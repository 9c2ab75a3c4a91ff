// SPDX-License-Identifier: Apache-2.0

// The value of a date.

/// A point in time with nanoseconds (file format 4.5).
///
/// Seconds since 1970-01-01T00:00:00Z and nanoseconds have the same sign, or one of them is 0; the
/// nanoseconds are below 10^9 in magnitude.
@frozen @usableFromInline
package struct Timestamp: Hashable, Sendable, Comparable {
  /// Whole seconds since 1970.
  @usableFromInline package var seconds: Int64
  /// The rest in nanoseconds, with the sign of the seconds.
  @usableFromInline package var nanoseconds: Int32

  @inlinable
  package init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The beginning of 1970, the value of a new object's property.
  @inlinable package static var zero: Timestamp { Timestamp(seconds: 0, nanoseconds: 0) }

  @inlinable
  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.seconds != right.seconds
      ? left.seconds < right.seconds : left.nanoseconds < right.nanoseconds
  }
}
