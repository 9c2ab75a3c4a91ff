// SPDX-License-Identifier: Apache-2.0

// Where the writers of one file in this process wait for their turn.
//
// The queue of the file is first in, first out. What this adds is for tasks: a task waits without a
// thread, and may have been granted the right to write while its actor is busy with something else.
// If that something else is a synchronous write, which blocks the actor until its turn comes, the
// two would wait for each other for ever. So they exchange their places: the synchronous write goes
// first, and the task gets the place in the queue that the synchronous write had. The same happens,
// after a grace time, if synchronous writes elsewhere block: they may block all threads on which
// the task could run.
//
// Invariants:
// 1. A waiter that waits owns exactly one ticket, and each ticket is one request in the queue of
//    the file. Tickets change owners; requests do not move.
// 2. A start that is granted to a ticket without an owner is dropped, which lets the next writer
//    go.
// 3. Under the lock nothing is called and no start is released: the queue of the file may grant at
//    once, on this thread.

import Dispatch
import RealmStorage
import Synchronization

/// The waiting writers of one file.
final class WriterDesk: Sendable {
  fileprivate typealias Start = WriteTransaction.Start

  fileprivate enum Status {
    case waiting
    case granted(Start)
    case failed(StorageError)
    case cancelled
  }

  /// How to tell a waiter that it does not wait any more.
  fileprivate enum Wake: Sendable {
    case thread(DispatchSemaphore)
    case task(CheckedContinuation<Void, Never>)

    func callAsFunction() {
      switch self {
      case .thread(let semaphore): semaphore.signal()
      case .task(let continuation): continuation.resume()
      }
    }
  }

  fileprivate struct Waiter {
    let place: WriterPlace
    let isTask: Bool
    var status = Status.waiting
    var wake: Wake?

    var isWaiting: Bool { if case .waiting = status { true } else { false } }
  }

  fileprivate struct Ticket {
    var owner: UInt64?
    var request: WriteRequest?
  }

  fileprivate struct State {
    var waiters: [UInt64: Waiter] = [:]
    var tickets: [UInt64: Ticket] = [:]
    var lastNumber: UInt64 = 0

    mutating func nextNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }
  }

  private let file: DatabaseFile
  private let state = Mutex(State())

  init(_ file: DatabaseFile) { self.file = file }

  // MARK: - Threads

  /// Begins a write transaction; blocks until it is the caller's turn.
  func begin() throws(StorageError) -> WriteTransaction {
    // No task of this place can come to wait from here on: the place is busy with this call.
    if state.withLock({ $0.waiters.isEmpty }) { return try file.beginWrite() }
    let place = WriterPlace.ofCaller
    if let (start, ticket) = state.withLock({ $0.takeStart(grantedTo: place) }) {
      submit(ticket)
      return try start.begin()
    }
    for task in state.withLock({ $0.grantedTasks }) { giveWayLater(task) }
    let semaphore = DispatchSemaphore(value: 0)
    let waiter = add(Waiter(place: place, isTask: false, wake: .thread(semaphore)))
    semaphore.wait()
    let status = state.withLock { $0.waiters.removeValue(forKey: waiter)?.status }
    switch status {
    case .granted(let start): return try start.begin()
    case .failed(let error): throw error
    case .waiting, .cancelled, nil: preconditionFailure("a thread was woken without its turn")
    }
  }

  // MARK: - Tasks

  /// Begins a write transaction on the actor of a realm; suspends until it is the task's turn.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before; others keep their places.
  func begin(
    in confinement: Confinement, isolation: isolated any Actor
  ) async throws -> WriteTransaction {
    try Task.checkCancellation()
    let waiter = add(Waiter(place: WriterPlace(confinement), isTask: true))
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
    let (wake, request, status) = state.withLock { state -> (Wake?, WriteRequest?, Status?) in
      guard let status = state.waiters[waiter]?.status else { return (nil, nil, nil) }
      state.waiters[waiter]?.status = .cancelled
      return (state.takeWake(of: waiter), state.disown(waiter), status)
    }
    request?.cancel()
    wake?()
    _ = status  // A start in it is dropped here.
  }

  // MARK: - Tickets

  /// Lets a waiter queue.
  private func add(_ waiter: Waiter) -> UInt64 {
    let (number, ticket) = state.withLock { state in
      let number = state.nextNumber()
      state.waiters[number] = waiter
      return (number, state.openTicket(for: number))
    }
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
    let (wake, task) = state.withLock { state in
      let wake = state.grant(ticket, result)
      return (wake, state.blockedThread() == nil ? nil : state.grantedTasks.first)
    }
    wake?()
    if let task { giveWayLater(task) }
  }

  /// Lets a blocked thread go before a task that has not begun within the grace time.
  private func giveWayLater(_ task: UInt64) {
    WriterDesk.graceQueue.asyncAfter(deadline: .now() + .milliseconds(5)) { [weak self] in
      self?.state.withLock { $0.giveWay(task) }?()
    }
  }

  // Its blocks never wait, and serial queues get a thread however many others are blocked.
  private static let graceQueue = DispatchQueue(label: "OpenRealm writers")
}

// MARK: - Changes under the lock

extension WriterDesk.State {
  /// Gives the turn of a ticket to whom it is due; what is returned wakes that waiter.
  fileprivate mutating func grant(
    _ ticket: UInt64, _ result: Result<WriteTransaction.Start, StorageError>
  ) -> WriterDesk.Wake? {
    guard let owner = tickets.removeValue(forKey: ticket)?.owner, let waiter = waiters[owner] else {
      return nil
    }
    var next = owner
    if waiter.isTask, let thread = blockedThread(of: waiter.place) {
      tickets[thread.ticket]?.owner = owner
      next = thread.waiter
    }
    switch result {
    case .success(let start): waiters[next]?.status = .granted(start)
    case .failure(let error): waiters[next]?.status = .failed(error)
    }
    return takeWake(of: next)
  }

  /// The thread that waits longest, of one place or of all, and its ticket.
  fileprivate func blockedThread(
    of place: WriterPlace? = nil
  ) -> (waiter: UInt64, ticket: UInt64)? {
    var found: (waiter: UInt64, ticket: UInt64)?
    for (number, ticket) in tickets where number < found?.ticket ?? .max {
      guard let owner = ticket.owner, let waiter = waiters[owner], !waiter.isTask,
        place == nil || waiter.place == place
      else { continue }
      found = (owner, number)
    }
    return found
  }

  /// The tasks that may write and have not begun.
  fileprivate var grantedTasks: [UInt64] {
    waiters.compactMap { number, waiter in
      if waiter.isTask, case .granted = waiter.status { number } else { nil }
    }
  }

  /// Lets a blocked thread go before `task`, if there is one and the task has not begun.
  fileprivate mutating func giveWay(_ task: UInt64) -> WriterDesk.Wake? {
    guard case .granted(let start) = waiters[task]?.status, let thread = blockedThread() else {
      return nil
    }
    waiters[task]?.status = .waiting
    tickets[thread.ticket]?.owner = task
    waiters[thread.waiter]?.status = .granted(start)
    return takeWake(of: thread.waiter)
  }

  /// Takes the start from a task of `place` that could not begin yet; the task waits again, with a
  /// new ticket that is to be submitted.
  fileprivate mutating func takeStart(
    grantedTo place: WriterPlace
  ) -> (start: WriteTransaction.Start, ticket: UInt64)? {
    for (number, waiter) in waiters where waiter.isTask && waiter.place == place {
      if case .granted(let start) = waiter.status {
        waiters[number]?.status = .waiting
        return (start, openTicket(for: number))
      }
    }
    return nil
  }

  fileprivate mutating func openTicket(for waiter: UInt64) -> UInt64 {
    let number = nextNumber()
    tickets[number] = WriterDesk.Ticket(owner: waiter)
    return number
  }

  /// What became of a waiter that was woken; unless it has to wait again, it is forgotten.
  fileprivate mutating func settle(_ waiter: UInt64) -> WriterDesk.Status? {
    if waiters[waiter]?.isWaiting == true { return .waiting }
    return waiters.removeValue(forKey: waiter)?.status
  }

  fileprivate mutating func takeWake(of waiter: UInt64) -> WriterDesk.Wake? {
    defer { waiters[waiter]?.wake = nil }
    return waiters[waiter]?.wake
  }

  /// Takes the ticket of a waiter out of use; its request, if it has one yet, is to be cancelled.
  fileprivate mutating func disown(_ waiter: UInt64) -> WriteRequest? {
    guard let (number, ticket) = tickets.first(where: { $0.value.owner == waiter }) else {
      return nil
    }
    if ticket.request != nil { tickets[number] = nil } else { tickets[number]?.owner = nil }
    return ticket.request
  }
}

/// What a waiting writer keeps busy: code of the same place cannot run before it goes on.
struct WriterPlace: Hashable, Sendable {
  private let isMain: Bool
  /// The identity of the executor, 0 for none; that of the main actor is not told apart.
  private let executor: UInt

  static var ofCaller: WriterPlace {
    WriterPlace(isMain: MainPlace.isCurrent, executor: ActorIdentity.currentExecutor)
  }

  init(_ confinement: Confinement) {
    switch confinement {
    case .actor(let actor): self.init(isMain: false, executor: actor.executor)
    default: self.init(isMain: confinement == .main, executor: 0)
    }
  }

  private init(isMain: Bool, executor: UInt) {
    self.isMain = isMain
    self.executor = isMain ? 0 : executor
  }
}
