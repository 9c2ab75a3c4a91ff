// SPDX-License-Identifier: Apache-2.0

// The time that machines are given.

/// Milliseconds of a clock that never goes back.
package typealias Milliseconds = UInt64
