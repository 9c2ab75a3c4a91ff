// SPDX-License-Identifier: Apache-2.0

// One client's part of the clients' memory.
//
// Invariants:
// 1. The lock of a share is taken before that of its budget, never after.

#if Server
import NIOConcurrencyHelpers
import RealmNetworking
import RealmServerEngine

/// What one connection or body has taken of a `MemoryBudget`.
final class MemoryShare: SocketMemory, ConnectionMemory {
  private struct State {
    var payer: MemoryBudget.Payer
    /// What is taken, all in all.
    var byteCount = 0
    /// The part of it that the connection has noted.
    var heldByteCount = 0
    var hasEnded = false
  }

  private let budget: MemoryBudget
  private let state: NIOLockedValueBox<State>

  init(_ budget: MemoryBudget, _ payer: MemoryBudget.Payer) {
    self.budget = budget
    state = NIOLockedValueBox(State(payer: payer))
  }

  deinit {
    let (count, payer) = state.withLockedValue { ($0.byteCount, $0.payer) }
    if count > 0 { budget.change(by: -count, payer) }
  }

  /// Names the user, whose limit counts too from now on.
  func setUser(_ user: String) {
    state.withLockedValue { state in
      budget.change(by: -state.byteCount, state.payer)
      state.payer.user = "user " + user
      budget.change(by: state.byteCount, state.payer)
    }
  }

  // MARK: Sockets and bodies

  func take(_ byteCount: Int) -> Bool { take(byteCount, isOutput: false) }

  private func take(_ byteCount: Int, isOutput: Bool) -> Bool {
    state.withLockedValue { state in
      guard budget.take(byteCount, state.payer, isOutput: isOutput) else { return false }
      state.byteCount += byteCount
      return true
    }
  }

  func giveBack(_ byteCount: Int) {
    state.withLockedValue { state in
      let count = min(byteCount, state.byteCount - state.heldByteCount)
      state.byteCount -= count
      budget.change(by: -count, state.payer)
    }
  }

  // MARK: Connections

  func hold(_ byteCount: Int) -> Bool {
    state.withLockedValue { state in
      let change = byteCount - state.heldByteCount
      state.heldByteCount = byteCount
      state.byteCount += change
      return budget.change(by: change, state.payer)
    }
  }

  func reserve(_ byteCount: Int) -> Bool { take(byteCount, isOutput: true) }

  func release(_ byteCount: Int) { giveBack(byteCount) }

  func waitForRoom(_ byteCount: Int) async {
    await withCheckedContinuation { continuation in
      let isWaiting = state.withLockedValue { state in
        !state.hasEnded
          && budget.wait(byteCount, state.payer, for: ObjectIdentifier(self), continuation)
      }
      if !isWaiting { continuation.resume() }
    }
  }

  func end() {
    state.withLockedValue { $0.hasEnded = true }
    budget.endWaits(of: ObjectIdentifier(self))
  }
}
#endif
