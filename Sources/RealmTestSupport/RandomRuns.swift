// SPDX-License-Identifier: Apache-2.0

// The number of runs of random tests.

import Foundation

/// The seeds of random tests.
package enum RandomRuns {
  /// The seeds of a quick run, or as many as `REALM_REPLAY_SEEDS` says, beginning with
  /// `REALM_REPLAY_SEED`.
  package static func seeds(_ usual: Int) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["REALM_REPLAY_SEEDS"].flatMap { UInt64($0) } ?? UInt64(usual)
    let first = environment["REALM_REPLAY_SEED"].flatMap { UInt64($0) } ?? 0
    return first..<first + count
  }

  /// How many inputs a test damages in a quick run, times `REALM_DAMAGE_FACTOR`.
  package static func damagedInputs(_ usual: Int) -> Int {
    let factor = ProcessInfo.processInfo.environment["REALM_DAMAGE_FACTOR"].flatMap { Int($0) }
    return usual * max(1, factor ?? 1)
  }
}
