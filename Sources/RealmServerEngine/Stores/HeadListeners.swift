// SPDX-License-Identifier: Apache-2.0

// The streams of new heads of a store.

import RealmStorage

/// Brings the heads of a store to all its streams.
package final class HeadListeners: Sendable {
  private struct Stream {
    let number: Int
    /// What the identifiers of the realms begin with; nil for all realms.
    let appName: String?
    let continuation: AsyncStream<RealmHead>.Continuation
  }

  private struct State {
    var streams: [Stream] = []
    var count = 0
  }

  private let state = Locked(State())

  package init() {}

  /// Brings a head to the streams of its app, and to those of all realms.
  package func report(_ head: RealmHead) {
    for stream in state.withLock({ $0.streams }) {
      if let name = stream.appName, head.realm.appName != name { continue }
      stream.continuation.yield(head)
    }
  }

  /// A stream of the heads from now on, of the realms of an app or of all.
  package func heads(ofApp app: String?) -> AsyncStream<RealmHead> {
    let appName = app.map { RealmID.name(ofApp: $0) }
    return AsyncStream { continuation in
      let number = state.withLock { state in
        state.count += 1
        state.streams.append(
          Stream(number: state.count, appName: appName, continuation: continuation))
        return state.count
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.streams.removeAll { $0.number == number } }
      }
    }
  }
}
