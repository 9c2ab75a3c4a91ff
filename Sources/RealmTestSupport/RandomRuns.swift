// SPDX-License-Identifier: Apache-2.0

// How long random tests run.

import Foundation

/// The seeds of random tests.
package enum RandomRuns {
  /// As many seeds as a quick run takes, or as `REALM_REPLAY_SEEDS` says, from
  /// `REALM_REPLAY_SEED` on.
  package static func seeds(_ usual: Int) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["REALM_REPLAY_SEEDS"].flatMap { UInt64($0) } ?? UInt64(usual)
    let first = environment["REALM_REPLAY_SEED"].flatMap { UInt64($0) } ?? 0
    return first..<first + count
  }
}
