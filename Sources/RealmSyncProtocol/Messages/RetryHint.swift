// SPDX-License-Identifier: Apache-2.0

// A server's wish for when a client tries again.

/// The retry schedule of an error document, in place of the client's own.
package struct RetryHint: Hashable, Sendable {
  package var intervalSeconds: UInt64
  package var delaySecondsMax: UInt64?
  package var multiplier: UInt64?

  package init(
    intervalSeconds: UInt64, delaySecondsMax: UInt64? = nil, multiplier: UInt64? = nil
  ) {
    self.intervalSeconds = intervalSeconds
    self.delaySecondsMax = delaySecondsMax
    self.multiplier = multiplier
  }
}
