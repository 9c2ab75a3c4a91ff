// SPDX-License-Identifier: Apache-2.0

// The time of machines.

/// Milliseconds of a monotonic clock.
package typealias Milliseconds = UInt64
