// SPDX-License-Identifier: Apache-2.0

// Whose turn it is on a thread of searches.
//
// Invariants:
// 1. One search has the turn at a time.
// 2. Waiting users take turns, however many searches each of them has. Every second turn is for one
//    whose search begins: a short one does not wait for many long ones.
// 3. Of each user one search is under way; its others wait before they have anything in memory.
// 4. Once the search of a user takes more than one turn, it and the user's waiting ones have called
//    their `whenLong`.

import RealmStorage

/// Lets the searches of many users have a thread in turn.
final class SearchTurns: Sendable {
  /// Hears of a search of more than one turn, maybe more than once.
  ///
  /// Not a function by itself: optimised code makes a task-local value that is a function, and that
  /// holds during an asynchronous call, without its type, and crashes (Swift 6.3).
  struct LongNotice: Sendable {
    private let notify: @Sendable () -> Void

    init(_ notify: @escaping @Sendable () -> Void) { self.notify = notify }

    func callAsFunction() { notify() }
  }

  /// That of the present task: others must not wait for the rest of its work.
  @TaskLocal static var whenLong: LongNotice?

  private typealias Turn = CheckedContinuation<Void, Never>

  private struct Waiter {
    let continuation: Turn
    let whenLong: LongNotice?
  }

  private struct User {
    /// The search under way, while it waits for its next turn.
    var resting: Turn?
    /// The searches before their first turn, in the order of their arrival.
    var waiting: [Waiter] = []
    var isUnderWay = false
    /// Whether the search under way takes more than one turn.
    var isLong = false
  }

  private struct State {
    var isTaken = false
    var users: [String: User] = [:]
    /// The users whose next search begins, each once.
    var arriving: [String] = []
    /// The users whose search goes on.
    var resting: [String] = []
    /// Whether the last turn was of a search under way.
    var wasResting = false
  }

  private let state = Locked(State())

  /// The waiting searches, begun or not.
  var waitingCount: Int {
    state.withLock { state in
      state.users.values.reduce(0) { $0 + $1.waiting.count + ($1.resting == nil ? 0 : 1) }
    }
  }

  /// Waits for the first turn of a search.
  func begin(_ user: String) async {
    let whenLong = Self.whenLong
    await withCheckedContinuation { (continuation: Turn) in
      let (isTurn, isLong) = state.withLock { state -> (Bool, Bool) in
        if !state.isTaken {
          assert(
            state.arriving.isEmpty && state.resting.isEmpty, "`SearchTurns` 2: who waits is first")
          (state.isTaken, state.wasResting) = (true, false)
          state.users[user, default: User()].isUnderWay = true
          return (true, false)
        }
        var known = state.users[user] ?? User()
        if !known.isUnderWay, known.waiting.isEmpty { state.arriving.append(user) }
        known.waiting.append(Waiter(continuation: continuation, whenLong: whenLong))
        state.users[user] = known
        return (false, known.isLong)
      }
      // `SearchTurns` 4
      if isLong { whenLong?() }
      if isTurn { continuation.resume() }
    }
  }

  /// Lets others have a turn. Returns when it is the search's turn again.
  func rest(_ user: String) async {
    Self.whenLong?()
    await withCheckedContinuation { (continuation: Turn) in
      let (next, notices) = state.withLock { state -> (Turn, [LongNotice]) in
        assert(state.isTaken && state.users[user]?.isUnderWay == true, "`SearchTurns` 1")
        let isNew = state.users[user]?.isLong == false
        state.users[user]?.isLong = true
        let notices = isNew ? state.users[user]?.waiting.compactMap(\.whenLong) ?? [] : []
        guard !state.arriving.isEmpty || !state.resting.isEmpty else {
          return (continuation, notices)
        }
        state.users[user]?.resting = continuation
        state.resting.append(user)
        return (Self.takeNext(&state) ?? continuation, notices)
      }
      for notice in notices { notice() }
      next.resume()
    }
  }

  /// Ends the search with the turn.
  func end(_ user: String) {
    let next = state.withLock { state -> Turn? in
      assert(state.isTaken && state.users[user]?.isUnderWay == true, "`SearchTurns` 1")
      if state.users[user]?.waiting.isEmpty ?? true {
        state.users[user] = nil
      } else {
        state.users[user]?.isUnderWay = false
        state.users[user]?.isLong = false
        // `SearchTurns` 2: behind all waiting users.
        state.arriving.append(user)
      }
      state.isTaken = false
      return Self.takeNext(&state)
    }
    next?.resume()
  }

  /// Gives the turn to the next user; nil if none waits.
  private static func takeNext(_ state: inout State) -> Turn? {
    let begins =
      state.resting.isEmpty || state.wasResting && !state.arriving.isEmpty
    guard !begins || !state.arriving.isEmpty else { return nil }
    (state.isTaken, state.wasResting) = (true, !begins)
    guard begins else {
      let user = state.resting.removeFirst()
      defer { state.users[user]?.resting = nil }
      return state.users[user]?.resting
    }
    let user = state.arriving.removeFirst()
    assert(state.users[user]?.isUnderWay == false, "`SearchTurns` 3")
    state.users[user]?.isUnderWay = true
    return state.users[user]?.waiting.removeFirst().continuation
  }
}
