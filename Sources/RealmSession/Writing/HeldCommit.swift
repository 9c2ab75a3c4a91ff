// SPDX-License-Identifier: Apache-2.0

// The pending commit of a session, which a timer may take as well.

import RealmStorage

/// Holds at most one pending commit; usable on any thread.
final class HeldCommit: Sendable {
  private let held = Locked<AsyncWrites.Held?>(nil)

  func put(_ new: AsyncWrites.Held) {
    held.withLock { held in
      // Taken before; nothing is released under the lock.
      assert(held == nil, "`AsyncWrites` 4")
      held = new
    }
  }

  func take() -> AsyncWrites.Held? { held.withLock { $0.take() } }

  var isEmpty: Bool { held.withLock { $0 == nil } }
}
