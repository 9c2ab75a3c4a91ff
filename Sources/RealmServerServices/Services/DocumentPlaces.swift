// SPDX-License-Identifier: Apache-2.0

// The threads that search for calls of collections, and whose turn it is.
//
// Invariants:
// 1. A user has at most `limits.runningPerUser` threads, so that one is left for others, and the
//    users that wait take turns: whoever sends many calls waits for its own.
// 2. The server's own program has a thread that no user gets.
// 3. After the end no call waits, and no call gets a thread.

#if Server
import RealmStorage

/// Gives the threads of an app's searches to its users in turn.
final class DocumentPlaces: Sendable {
  /// A thread, until it is given back.
  struct Place: Sendable {
    let worker: DocumentWorker
    fileprivate let number: Int
    fileprivate let user: String?
  }

  private struct State {
    /// The threads without a call.
    var free: [Int]
    var running: [String?: Int] = [:]
    var waiters: [String?: [CheckedContinuation<Place?, Never>]] = [:]
    /// The users that wait, in the order of their turns; nil is the program.
    var turns: [String?] = []
    var hasEnded = false
  }

  /// Those of users, and one of the program.
  private let workers: [DocumentWorker]
  private let runningPerUser: Int
  private let state: Locked<State>
  private var programNumber: Int { workers.count - 1 }

  /// - Parameter runningPerUser: The threads that a user may have at a time; there is one more.
  init(runningPerUser: Int) {
    self.runningPerUser = runningPerUser
    workers = (0..<runningPerUser + 2).map { _ in DocumentWorker() }
    state = Locked(State(free: Array(0..<runningPerUser + 2)))
  }

  /// Whether the places are given up: calls that run end soon.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// The calls that wait.
  var waitingCount: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

  /// Waits for a thread; nil after the end.
  ///
  /// - Parameter user: Nil for the server's own program.
  func begin(_ user: String?) async -> Place? {
    await withCheckedContinuation { continuation in
      let next = state.withLock { state -> (CheckedContinuation<Place?, Never>, Place?)? in
        guard !state.hasEnded else { return (continuation, nil) }
        if state.waiters[user] == nil { state.turns.append(user) }
        state.waiters[user, default: []].append(continuation)
        return takeNext(&state)
      }
      if let next { next.0.resume(returning: next.1) }
    }
  }

  /// Gives a thread back.
  func end(_ place: Place) {
    let next = state.withLock { state -> (CheckedContinuation<Place?, Never>, Place?)? in
      state.free.append(place.number)
      let count = state.running[place.user, default: 1] - 1
      state.running[place.user] = count > 0 ? count : nil
      return takeNext(&state)
    }
    if let next { next.0.resume(returning: next.1) }
  }

  /// Ends all waits, and those to come.
  func end() {
    let ended = state.withLock { state in
      state.hasEnded = true
      defer { (state.waiters, state.turns) = ([:], []) }
      return state.waiters.values.flatMap { $0 }
    }
    for continuation in ended { continuation.resume(returning: nil) }
  }

  /// Takes the first waiter for whom there is a thread, and moves its user behind the others.
  private func takeNext(
    _ state: inout State
  ) -> (CheckedContinuation<Place?, Never>, Place?)? {
    for (index, user) in state.turns.enumerated() {
      // `DocumentPlaces` 1 and 2
      let free = state.free.firstIndex { ($0 == programNumber) == (user == nil) }
      guard let free, state.running[user, default: 0] < runningPerUser else { continue }
      guard var waiters = state.waiters[user], !waiters.isEmpty else { continue }
      state.turns.remove(at: index)
      let number = state.free.remove(at: free)
      state.running[user, default: 0] += 1
      let continuation = waiters.removeFirst()
      state.waiters[user] = waiters.isEmpty ? nil : waiters
      if !waiters.isEmpty { state.turns.append(user) }
      return (continuation, Place(worker: workers[number], number: number, user: user))
    }
    return nil
  }
}
#endif
