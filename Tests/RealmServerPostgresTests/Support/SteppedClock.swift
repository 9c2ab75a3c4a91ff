// SPDX-License-Identifier: Apache-2.0

// The time of a store as a test lets it pass.

#if Postgres
import Synchronization

@testable import RealmServerPostgres

/// A clock that its `sleep` alone moves.
final class SteppedClock: Sendable {
  private let moment = Atomic(0)

  var clock: BlockingClock {
    BlockingClock(
      now: { self.moment.load(ordering: .relaxed) },
      sleep: { self.moment.add($0, ordering: .relaxed) }, draw: { $0.lowerBound })
  }
}
#endif
