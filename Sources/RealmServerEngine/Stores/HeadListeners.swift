// SPDX-License-Identifier: Apache-2.0

// The streams of new heads that a store has given out.

import RealmStorage

/// Brings the heads of a store to all its streams.
package final class HeadListeners: Sendable {
  private struct State {
    var streams: [Int: AsyncStream<RealmHead>.Continuation] = [:]
    var count = 0
  }

  private let state = Locked(State())

  package init() {}

  /// Brings a head to all streams.
  package func report(_ head: RealmHead) {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(head) }
  }

  /// A stream of the heads from now on.
  package func heads() -> AsyncStream<RealmHead> {
    AsyncStream { continuation in
      let number = state.withLock { state in
        state.count += 1
        state.streams[state.count] = continuation
        return state.count
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.streams[number] = nil }
      }
    }
  }
}
