// SPDX-License-Identifier: Apache-2.0

// What other servers have changed in shared records, until it is taken.

#if Postgres
import RealmServerEngine
import RealmStorage

/// Collects the changes of other servers as a replica gets them, and wakes those who want them.
final class RecordNews: Sendable {
  private struct State {
    var changes = RecordChanges()
    var streams: [Int: AsyncStream<Void>.Continuation] = [:]
    var count = 0
  }

  private let state = Locked(State())

  /// Adds changes that the replica has.
  func note(_ changes: RecordChanges) {
    guard !changes.isEmpty else { return }
    state.withLock { $0.changes.formUnion(changes) }
    report()
  }

  /// The changes since the last call.
  func take() -> RecordChanges {
    state.withLock { state in
      defer { state.changes = RecordChanges() }
      return state.changes
    }
  }

  /// Wakes the readers of all streams.
  func report() {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.yield() }
  }

  /// Has an element after each report that its reader has not seen, and one at the beginning.
  func stream() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = state.withLock { state in
        state.count += 1
        state.streams[state.count] = continuation
        return state.count
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.streams[number] = nil }
      }
      continuation.yield()
    }
  }
}
#endif
