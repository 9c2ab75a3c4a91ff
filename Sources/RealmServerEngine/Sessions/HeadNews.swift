// SPDX-License-Identifier: Apache-2.0

// New versions of realms, for waiting sessions.
//
// Invariants:
// 1. A realm's sessions get the newest head, at once or after the interval, and no more often than
//    once in an interval.
// 2. A session whose realm has got another owner ends: what it would read is not the newest.

import RealmStorage
package import RealmSyncProtocol

/// Brings the heads of realms to their sessions.
package final class HeadNews: Sendable {
  /// A session with interest in a realm.
  package struct Subscription: Hashable, Sendable {
    let realm: RealmID
    let number: UInt64
  }

  private struct Subscriber {
    let number: UInt64
    let link: ServerSessionLink
    /// That of this server as the owner of the realm.
    let epoch: UInt64
  }

  private struct Realm {
    /// In the order of their numbers.
    var subscribers: [Subscriber] = []
    var lastTime: Milliseconds?
    /// The newest head, held until the end of the interval.
    var waiting: SaltedVersion?

    mutating func remove(_ number: UInt64) {
      var (low, high) = (0, subscribers.count)
      while low < high {
        let middle = (low + high) / 2
        if subscribers[middle].number < number { low = middle + 1 } else { high = middle }
      }
      guard low < subscribers.count, subscribers[low].number == number else { return }
      subscribers.remove(at: low)
    }
  }

  private struct State {
    var realms: [RealmID: Realm] = [:]
    var lastNumber: UInt64 = 0
  }

  /// The end of a session whose realm is opened again, here or at another server.
  static let moved = SessionRefusal(.sessionClosed, "The realm has moved to another server")

  private let timer: SyncClock
  private let state = Locked(State())

  package init(timer: SyncClock) { self.timer = timer }

  /// The time between two news of a realm: it grows with the sessions, as each asks for changes.
  static func interval(sessionCount: Int) -> Milliseconds {
    5 + Milliseconds(sessionCount) / 50
  }

  /// Brings the news of a realm to a session from now on.
  ///
  /// - Parameter epoch: This server's as the owner of the realm.
  package func subscribe(
    _ session: ServerSessionLink, to realm: RealmID, epoch: UInt64 = .max
  ) -> Subscription {
    state.withLock { state in
      state.lastNumber += 1
      state.realms[realm, default: Realm()].subscribers.append(
        Subscriber(number: state.lastNumber, link: session, epoch: epoch))
      return Subscription(realm: realm, number: state.lastNumber)
    }
  }

  /// Ends a subscription.
  package func cancel(_ subscription: Subscription) {
    state.withLock { state in
      state.realms[subscription.realm]?.remove(subscription.number)
      if state.realms[subscription.realm]?.subscribers.isEmpty == true {
        state.realms[subscription.realm] = nil
      }
    }
  }

  /// Brings the heads of a store until the stream ends.
  package func follow(_ heads: AsyncStream<RealmHead>) async {
    for await head in heads { add(head) }
  }

  /// Brings a head to the realm's sessions, now or after the interval.
  func add(_ head: RealmHead) {
    endSessions(of: head.realm, before: head.epoch)
    let now = timer.now()
    let news = SaltedVersion(version: head.version, salt: head.salt)
    let (links, delay) = state.withLock { state -> ([ServerSessionLink], Milliseconds?) in
      guard var realm = state.realms[head.realm] else { return ([], nil) }
      assert(!realm.subscribers.isEmpty, "a realm without sessions is forgotten")
      defer { state.realms[head.realm] = realm }
      if let waiting = realm.waiting {
        if waiting.version < news.version { realm.waiting = news }
        return ([], nil)
      }
      let interval = Self.interval(sessionCount: realm.subscribers.count)
      let next = realm.lastTime.map { $0 + interval } ?? now
      guard next > now else {
        realm.lastTime = now
        return (realm.subscribers.map(\.link), nil)
      }
      realm.waiting = news
      return ([], next)
    }
    for link in links { link.headDidChange(news) }
    guard let delay else { return }
    Task { [weak self, timer] in
      try? await timer.sleep(delay)
      self?.bringWaiting(of: head.realm)
    }
  }

  /// Ends the sessions of a realm that is opened again, with its epoch or an earlier one: what they
  /// hold gets no news.
  package func endSessions(of id: RealmID, through epoch: UInt64) {
    endSessions(of: id, before: epoch == .max ? epoch : epoch + 1)
  }

  /// Ends the sessions of earlier owners.
  private func endSessions(of id: RealmID, before epoch: UInt64) {
    let links = state.withLock { state -> [ServerSessionLink] in
      guard var realm = state.realms[id] else { return [] }
      let ended = realm.subscribers.filter { $0.epoch < epoch }
      guard !ended.isEmpty else { return [] }
      realm.subscribers.removeAll { $0.epoch < epoch }
      state.realms[id] = realm.subscribers.isEmpty ? nil : realm
      return ended.map(\.link)
    }
    for link in links { link.refuse(Self.moved) }
  }

  private func bringWaiting(of id: RealmID) {
    let now = timer.now()
    let (links, news) = state.withLock { state -> ([ServerSessionLink], SaltedVersion?) in
      guard var realm = state.realms[id], let news = realm.waiting else { return ([], nil) }
      realm.waiting = nil
      realm.lastTime = now
      state.realms[id] = realm
      return (realm.subscribers.map(\.link), news)
    }
    guard let news else { return }
    for link in links { link.headDidChange(news) }
  }
}
