// SPDX-License-Identifier: Apache-2.0

// Asynchronous calls of synchronous functions, which run one after the other.
//
// 1. A call begins when all that were added before it have ended. Tasks of their own would not keep
//    the order: of two tasks that are started one after the other, the second may run first.

import RealmStorage

/// A queue of asynchronous calls.
package final class OrderedCalls: Sendable {
  private let last = Locked<Task<Void, Never>?>(nil)

  package init() {}

  /// Adds a call, which runs after those that were added before. Any thread may add one.
  package func add(_ call: @escaping @Sendable () async -> Void) {
    last.withLock { last in
      let preceding = last
      last = Task {
        await preceding?.value
        await call()
      }
    }
  }

  /// Waits until the calls that were added have ended.
  package func finish() async { await last.withLock { $0 }?.value }
}
