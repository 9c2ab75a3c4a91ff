// SPDX-License-Identifier: Apache-2.0

// The open streams of an app, which new versions wake.
//
// Invariants:
// 1. A stream is woken after each version of its realm, at least once, and ends when it is removed.

#if Server
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// The seats of streams.
final class WatchTable: Sendable {
  /// A place for a stream, given back when nothing refers to it any more.
  final class Seat: Sendable {
    fileprivate let number: Int
    private let table: WatchTable
    /// Yields when something may have changed, and ends with the stream.
    let wakes: AsyncStream<Void>

    fileprivate init(_ number: Int, _ table: WatchTable, _ wakes: AsyncStream<Void>) {
      self.number = number
      self.table = table
      self.wakes = wakes
    }

    /// Wakes the stream.
    func wake() { table.wake(number) }

    deinit { table.remove(number) }
  }

  private struct Entry {
    /// Nil for the server's own program.
    let user: UserAccess?
    let realm: RealmID
    let wake: AsyncStream<Void>.Continuation
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var lastNumber = 0
    var isTicking = false
    /// Whether no further stream begins.
    var isClosed = false
  }

  /// How often silent streams are woken for a sign of life.
  static let pause: Milliseconds = 15_000

  private let limits: DocumentLimits
  private let timer: SyncClock
  private let state = Locked(State())
  private let news = Locked<Task<Void, Never>?>(nil)

  init(_ limits: DocumentLimits, heads: AsyncStream<RealmHead>, timer: SyncClock) {
    self.limits = limits
    self.timer = timer
    news.withLock { news in
      news = Task { [weak self] in
        for await head in heads { self?.wake { $0.realm == head.realm } }
      }
    }
  }

  deinit { news.withLock { $0?.cancel() } }

  var count: Int { state.withLock { $0.entries.count } }

  /// A seat; nil if there are too many.
  ///
  /// - Parameter user: The user; nil for the server's own program.
  func add(_ user: UserAccess?, realm: RealmID) -> Seat? {
    let (wakes, wake) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (number, startsTicking) = state.withLock { state -> (Int?, Bool) in
      let own = user.map { user in
        state.entries.values.count { $0.user?.account.id == user.account.id }
      }
      guard !state.isClosed, own ?? 0 < limits.streamsPerUser,
        state.entries.count < limits.streamCount
      else {
        return (nil, false)
      }
      state.lastNumber += 1
      state.entries[state.lastNumber] = Entry(user: user, realm: realm, wake: wake)
      let starts = !state.isTicking
      state.isTicking = true
      return (state.lastNumber, starts)
    }
    guard let number else { return nil }
    if startsTicking { tick() }
    return Seat(number, self, wakes)
  }

  /// Whose streams are open.
  var holders: Set<AccessEnds.Holder> {
    state.withLock { state in Set(state.entries.values.compactMap { $0.user?.holder }) }
  }

  /// Ends the streams of some users.
  func end(_ isEnded: (UserAccess) -> Bool) {
    endAll { $0.user.map(isEnded) ?? false }
  }

  private func endAll(_ isEnded: (Entry) -> Bool) {
    let ended = state.withLock { $0.entries.values.filter(isEnded).map(\.wake) }
    for wake in ended { wake.finish() }
  }

  /// Ends all streams, and those that would begin.
  func close() {
    state.withLock { $0.isClosed = true }
    endAll { _ in true }
  }

  private func remove(_ number: Int) {
    let entry = state.withLock { $0.entries.removeValue(forKey: number) }
    entry?.wake.finish()
  }

  private func wake(_ number: Int) { state.withLock { $0.entries[number]?.wake }?.yield() }

  private func wake(_ isWoken: (Entry) -> Bool) {
    let wakes = state.withLock { $0.entries.values.filter(isWoken).map(\.wake) }
    for wake in wakes { wake.yield() }
  }

  private func tick() {
    Task { [weak self, timer] in
      while true {
        try? await timer.sleep(timer.now() + Self.pause)
        guard let self, !Task.isCancelled else { return }
        let isNeeded = state.withLock { state in
          state.isTicking = !state.entries.isEmpty
          return state.isTicking
        }
        guard isNeeded else { return }
        wake { _ in true }
      }
    }
  }
}
#endif
