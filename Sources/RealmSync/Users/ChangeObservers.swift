// SPDX-License-Identifier: Apache-2.0

// Those who want to know of each change of a user, or of an app's users.

import RealmStorage

/// Blocks that are called after each change of something, on the thread of the change, which holds
/// no lock then.
package final class ChangeObservers: Sendable {
  private struct State {
    var last = 0
    var blocks: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())

  init() {}

  /// Adds a block. Returns its number, for `remove(_:)`.
  package func add(_ block: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.last += 1
      state.blocks[state.last] = block
      return state.last
    }
  }

  /// Removes the block of a number. A call that is under way ends.
  package func remove(_ number: Int) {
    // The block is released after the lock.
    _ = state.withLock { $0.blocks.removeValue(forKey: number) }
  }

  /// Calls the blocks, in the order in which they were added.
  func notify() {
    let blocks = state.withLock { state in
      state.blocks.isEmpty ? [] : state.blocks.sorted { $0.key < $1.key }.map(\.value)
    }
    for block in blocks { block() }
  }
}
