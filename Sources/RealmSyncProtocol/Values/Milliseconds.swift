// SPDX-License-Identifier: Apache-2.0

// The time as machines are told it.

/// Milliseconds of a clock that never goes back.
package typealias Milliseconds = UInt64
