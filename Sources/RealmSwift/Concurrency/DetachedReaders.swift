// SPDX-License-Identifier: Apache-2.0

// Reads on behalf of code that belongs to no actor, on a few threads of the library.
//
// Invariants:
// 1. At most `limit` queues exist; each is idle or held by one read. While a queue is idle, no read
//    waits.
// 2. Reads get queues in the order in which they came.

import Dispatch
import Foundation
import RealmSession
import RealmStorage

/// A bounded number of queues that run reads.
final class DetachedReaders: Sendable {
  static let shared = DetachedReaders(limit: max(2, ProcessInfo.processInfo.activeProcessorCount))

  private struct State {
    var idle: [DispatchQueue] = []
    var count = 0
    /// The reads that wait, in their order. Resumed with nil, a read was cancelled.
    var waiting: [(number: UInt64, continuation: CheckedContinuation<DispatchQueue?, Never>)] = []
    /// Reads that were cancelled, and have not begun to wait.
    var cancelled: Set<UInt64> = []
    var lastNumber: UInt64 = 0
  }

  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  /// The number of reads that wait for a queue.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs `body` on one of the queues.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits for a queue.
  func run<Value: Sendable>(_ body: sending @escaping () throws -> Value) async throws -> Value {
    let queue = try await acquire()
    defer { release(queue) }
    let body = UnsafeTransfer(body)
    // The lock is for the thread sanitizer, which does not track what continuations hand over.
    let outcome = Locked<Result<Value, any Error>?>(nil)
    await withCheckedContinuation { continuation in
      queue.async {
        let result = Result<Value, any Error> { try body.value() }
        outcome.withLock { $0 = result }
        continuation.resume()
      }
    }
    guard let result = outcome.withLock({ $0 }) else {
      preconditionFailure("the continuation was resumed before the read ended")
    }
    return try result.get()
  }

  private func acquire() async throws -> DispatchQueue {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let queue = await withTaskCancellationHandler {
      await withCheckedContinuation { wait(number, $0) }
    } onCancel: {
      cancel(number)
    }
    // A cancellation that came after the queue is left to the caller.
    state.withLock { _ = $0.cancelled.remove(number) }
    guard let queue else { throw CancellationError() }
    return queue
  }

  private func wait(_ number: UInt64, _ continuation: CheckedContinuation<DispatchQueue?, Never>) {
    enum Outcome {
      case queue(DispatchQueue?)
      case waits
    }
    let outcome = state.withLock { state -> Outcome in
      if state.cancelled.remove(number) != nil { return .queue(nil) }
      if let queue = state.idle.popLast() { return .queue(queue) }
      if state.count < limit {
        assert(state.waiting.isEmpty, "`DetachedReaders` 2: those that wait come first")
        state.count += 1
        return .queue(DispatchQueue(label: "OpenRealm detached reads \(state.count)"))
      }
      assert(state.idle.isEmpty && state.count == limit, "`DetachedReaders` 1")
      state.waiting.append((number, continuation))
      return .waits
    }
    if case .queue(let queue) = outcome { continuation.resume(returning: queue) }
  }

  private func cancel(_ number: UInt64) {
    let continuation = state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
        state.cancelled.insert(number)
        return CheckedContinuation<DispatchQueue?, Never>?.none
      }
      return state.waiting.remove(at: index).continuation
    }
    continuation?.resume(returning: nil)
  }

  /// Hands a queue to the read that waits longest.
  private func release(_ queue: DispatchQueue) {
    let next = state.withLock { state -> CheckedContinuation<DispatchQueue?, Never>? in
      if state.waiting.isEmpty {
        state.idle.append(queue)
        assert(state.idle.count <= state.count, "`DetachedReaders` 1: a queue was released twice")
        return nil
      }
      assert(state.idle.isEmpty, "`DetachedReaders` 1: a read waits while a queue is idle")
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: queue)
  }
}
