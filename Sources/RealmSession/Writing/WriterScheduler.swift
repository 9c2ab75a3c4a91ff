// SPDX-License-Identifier: Apache-2.0

// Where the writers of one file in this process wait for their turn.
//
// The queue of the file is first in, first out. What this adds is for writers that wait without a
// thread: tasks, and blocks that are to run where a realm lives. Such a writer may be granted the
// right to write while its place (its actor, its queue) is busy with something else. If that is a
// synchronous write, which blocks the place until its turn comes, the two would wait for each other
// for ever. So they exchange their turns: the synchronous write goes first, and the other gets the
// turn that the synchronous write had. The same happens, after a grace time, if synchronous writes
// elsewhere block: they may block all threads that the writer could run on. And who does not begin
// for long, because its place is busy or its run loop has ended, goes behind all others.
//
// Invariants:
// 1. A waiter that waits owns exactly one ticket, and each ticket is one request in the queue of
//    the file. Tickets change owners; requests do not move.
// 2. Of the waiters of one place, who came earlier has the earlier ticket.
// 3. A start that is granted to a ticket without an owner is dropped, which lets the next writer
//    go.
// 4. Under the lock nothing is called and no start is released: the queue of the file may grant at
//    once, on this thread.

import Dispatch
package import RealmStorage

/// The waiting writers of one file.
package final class WriterScheduler: Sendable {
  typealias Start = WriteTransaction.Start

  private let file: DatabaseFile
  private let state = Guarded(State())

  package init(_ file: DatabaseFile) { self.file = file }

  /// How many writers wait, or were granted the right to write and have not begun.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  // MARK: - Threads

  /// Begins a write transaction; blocks until it is the caller's turn.
  ///
  /// - Parameter confinement: Where the realm lives that is to be written, if there is one yet.
  package func begin(for confinement: Confinement? = nil) throws(StorageError) -> WriteTransaction {
    // No writer of this place can come to wait from here on: the place is busy with this call.
    if state.withLock({ $0.waiters.isEmpty }) { return try file.beginWrite() }
    let places = WriterPlace.keptBusy(by: confinement)
    if let (start, ticket) = state.withLock({ $0.takeStart(grantedTo: places) }) {
      submit(ticket)
      return try start.begin()
    }
    let semaphore = DispatchSemaphore(value: 0)
    let waiter = add(Waiter(places: places, isThread: true, wake: .thread(semaphore)))
    if let grant = state.withLock({ $0.grant }) { giveWayLater(grant) }
    semaphore.wait()
    switch state.withLock({ $0.settle(waiter) }) {
    case .granted(let start): return try start.begin()
    case .failed(let error): throw error
    case .waiting, .cancelled, nil: preconditionFailure("a thread was woken without its turn")
    }
  }

  // MARK: - Tasks

  /// Begins a write transaction on the actor of a realm; suspends until it is the task's turn.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before; others keep their places.
  package func begin(
    in confinement: Confinement, isolation: isolated any Actor
  ) async throws -> WriteTransaction {
    try Task.checkCancellation()
    let waiter = add(Waiter(places: [WriterPlace(confinement)], isThread: false))
    while true {
      await withTaskCancellationHandler {
        await withCheckedContinuation { wait(as: waiter, $0) }
      } onCancel: {
        cancel(waiter)
      }
      switch state.withLock({ $0.settle(waiter) }) {
      case .granted(let start): return try start.begin()
      case .failed(let error): throw error
      case .cancelled, nil: throw CancellationError()
      case .waiting: continue  // A synchronous write of this actor went first.
      }
    }
  }

  private func wait(as waiter: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
    let isSettled = state.withLock { state in
      if state.waiters[waiter]?.isWaiting != true { return true }
      state.waiters[waiter]?.wake = .task(continuation)
      return false
    }
    if isSettled { continuation.resume() }
  }

  private func cancel(_ waiter: UInt64) {
    let (wake, request, start) = state.withLock { $0.cancel(waiter) }
    request?.cancel()
    wake?()
    _ = start  // It is dropped here, which lets the next writer go.
  }

  // MARK: - Callbacks

  /// Lets a block of a realm queue.
  ///
  /// - Parameter wake: Called on any thread, maybe before this returns and maybe more than once,
  ///   when there is something to `take`.
  /// - Returns: The number of the waiter, which must be taken or withdrawn.
  package func enqueue(in confinement: Confinement, wake: @escaping @Sendable () -> Void) -> UInt64
  {
    add(Waiter(places: [WriterPlace(confinement)], isThread: false, wake: .callback(wake)))
  }

  /// Whether `take` has something for the waiter, unless somebody is faster.
  package func isReady(_ waiter: UInt64) -> Bool {
    state.withLock { $0.waiters[waiter]?.isWaiting == false }
  }

  /// What the waiter waited for; nil if it still waits. Otherwise it waits no more.
  package func take(_ waiter: UInt64) throws(StorageError) -> WriteTransaction? {
    switch state.withLock({ $0.settle(waiter) }) {
    case .granted(let start): return try start.begin()
    case .failed(let error): throw error
    case .waiting, .cancelled, nil: return nil
    }
  }

  /// Takes a waiter out; others keep their places.
  package func withdraw(_ waiter: UInt64) {
    let (_, request, start) = state.withLock { state in
      defer { _ = state.settle(waiter) }
      return state.cancel(waiter)
    }
    request?.cancel()
    _ = start  // It is dropped here, which lets the next writer go.
  }

  // MARK: - Tickets

  /// Lets a waiter queue.
  private func add(_ waiter: Waiter) -> UInt64 {
    let (number, ticket) = state.withLock { $0.add(waiter) }
    submit(ticket)
    return number
  }

  /// Makes the request that a ticket stands for.
  private func submit(_ ticket: UInt64) {
    let request = file.requestWrite { [weak self] result in self?.grant(ticket, result) }
    let isUnwanted = state.withLock { state in
      // The ticket is gone if it was granted already, and has no owner if that was cancelled.
      guard state.tickets[ticket] != nil else { return false }
      if state.tickets[ticket]?.owner == nil {
        state.tickets[ticket] = nil
        return true
      }
      state.tickets[ticket]?.request = request
      return false
    }
    if isUnwanted { request.cancel() }
  }

  private func grant(_ ticket: UInt64, _ result: Result<Start, StorageError>) {
    let (wake, grant, isBlocking) = state.withLock { state in
      let wake = state.grant(ticket, result)
      return (wake, state.grant, !state.threads.isEmpty)
    }
    wake?()
    guard let grant else { return }
    if isBlocking { giveWayLater(grant) }
    watch()
  }

  // MARK: - Giving way

  /// Lets a blocked thread go first if a granted writer has not begun within the grace time.
  private func giveWayLater(_ grant: Grant) {
    WriterScheduler.graceQueue.asyncAfter(deadline: .now() + .milliseconds(5)) { [weak self] in
      self?.state.withLock { $0.giveWay(grant) }?()
    }
  }

  /// Looks again, some time later, whether the writer that may begin has done so; if not, and if
  /// others wait, it goes behind them.
  private func watch() {
    let grant = state.withLock { $0.beginWatch() }
    guard let grant else { return }
    WriterScheduler.graceQueue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
      guard let self else { return }
      let (start, ticket) = state.withLock { $0.endWatch(grant) }
      if let ticket { submit(ticket) }
      watch()
      _ = start  // It is dropped here, which lets the next writer go.
    }
  }

  /// Its blocks never wait, and serial queues get a thread however many others are blocked.
  static let graceQueue = DispatchQueue(label: "OpenRealm writers")
}
