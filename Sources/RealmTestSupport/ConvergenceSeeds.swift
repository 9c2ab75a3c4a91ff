// SPDX-License-Identifier: Apache-2.0

// The number of convergence runs.

import Foundation

/// The seeds of convergence runs.
package enum ConvergenceSeeds {
  /// The seeds of a long run, of which a quick run plays a third, or as many as `OPENREALM_SEEDS`
  /// says, from `OPENREALM_SEED` on.
  package static func seeds(_ all: Int) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let count =
      environment["OPENREALM_SEEDS"].flatMap { UInt64($0) } ?? UInt64(RandomRuns.count(of: all))
    let first = environment["OPENREALM_SEED"].flatMap { UInt64($0) } ?? 1
    return first..<first + count
  }

  /// Whether runs print what they do.
  package static let isTraced = ProcessInfo.processInfo.environment["OPENREALM_TRACE"] != nil
}
