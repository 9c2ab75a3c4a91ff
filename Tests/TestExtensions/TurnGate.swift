// SPDX-License-Identifier: Apache-2.0

// A gate that lets a few tasks through at a time, in the order in which they came. Tasks that wait
// are suspended, and hold no thread.
//
// Invariants
//
// 1. At most `width` tasks have a turn.
// 2. A task waits only while all turns are taken; the one that has waited longest is the next.
// 3. A cancelled task leaves the line without a turn, and the others stay as they are.

import Synchronization

/// Lets at most `width` tasks run a piece of work at a time, in the order of their calls.
///
/// May be used from any task.
public final class TurnGate: Sendable {
  private struct State {
    var free: Int
    var nextTicket = 0
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    /// Tickets that were cancelled before they stood in the line.
    var cancelled: Set<Int> = []
  }

  private let state: Mutex<State>

  /// A gate with `width` turns.
  public init(width: Int) {
    precondition(width > 0, "a gate without turns lets nobody through")
    state = Mutex(State(free: width))
  }

  /// The number of tasks that wait for their turn.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs `body` when it is this task's turn.
  ///
  /// - Throws: `CancellationError` where the task is cancelled before its turn came, and what
  ///   `body` throws.
  public func withTurn(_ body: () async throws -> Void) async throws {
    try await take()
    defer { giveBack() }
    try await body()
  }

  private func take() async throws {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(ticket) != nil { return .failure(CancellationError()) }
          if state.free > 0 {
            state.free -= 1
            return .success(())
          }
          state.waiting.append((ticket, continuation))
          return nil
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
        guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
          state.cancelled.insert(ticket)
          return nil
        }
        return state.waiting.remove(at: index).continuation
      }
      continuation?.resume(throwing: CancellationError())
    }
    _ = state.withLock { $0.cancelled.remove(ticket) }
  }

  private func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume()
  }
}
