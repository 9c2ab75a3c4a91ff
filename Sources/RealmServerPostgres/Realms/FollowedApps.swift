// SPDX-License-Identifier: Apache-2.0

// Apps whose realms are all followed, open on this node or not: their triggers run here.
//
// Invariants:
// 1. A version of a realm is reported once.

#if Postgres
import RealmServerEngine
import RealmStorage

/// The apps whose realms are all followed, and what is known of these.
final class FollowedApps: Sendable {
  private struct State {
    /// The streams of each app.
    var counts: [String: Int] = [:]
    /// The newest known versions of the realms of the apps.
    var versions: [String: [RealmID: UInt64]] = [:]
    /// Whether there is an app whose realms were not read yet.
    var isNew = false
  }

  private let state = Locked(State())

  /// The apps that are followed at present.
  var apps: [String] { state.withLock { Array($0.counts.keys) } }

  /// Whether an app was added since the last call.
  func takeNew() -> Bool {
    state.withLock { state in
      defer { state.isNew = false }
      return state.isNew
    }
  }

  /// Takes a head. Returns whether it is news of a followed app.
  @discardableResult
  func learn(_ head: RealmHead, of app: String) -> Bool {
    state.withLock { state in
      guard state.counts[app] != nil else { return false }
      guard head.version > state.versions[app]?[head.realm] ?? 0 else { return false }
      state.versions[app, default: [:]][head.realm] = head.version
      return true
    }
  }

  /// The heads of all realms of an app, as long as the stream is read. It begins with those that
  /// there are.
  func heads(ofApp app: String, _ listeners: HeadListeners) -> AsyncStream<RealmHead> {
    state.withLock { state in
      state.counts[app, default: 0] += 1
      state.isNew = true
    }
    let heads = listeners.heads(ofApp: app)
    let (stream, continuation) = AsyncStream.makeStream(of: RealmHead.self)
    let relay = Task {
      for await head in heads { continuation.yield(head) }
      continuation.finish()
    }
    continuation.onTermination = { [weak self] _ in
      relay.cancel()
      self?.unfollow(app)
    }
    return stream
  }

  private func unfollow(_ app: String) {
    state.withLock { state in
      let count = state.counts[app, default: 1] - 1
      state.counts[app] = count > 0 ? count : nil
      if count == 0 { state.versions[app] = nil }
    }
  }
}
#endif
