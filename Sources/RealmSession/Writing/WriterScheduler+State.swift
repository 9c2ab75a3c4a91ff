// SPDX-License-Identifier: Apache-2.0

// The book that the writers' desk keeps; everything here runs under its lock.

import Dispatch
import RealmStorage

extension WriterScheduler {
  enum Status {
    case waiting
    case granted(Start)
    case failed(StorageError)
    case cancelled
  }

  /// How to tell a waiter that it does not wait any more.
  enum Wake: Sendable {
    case thread(DispatchSemaphore)
    case task(CheckedContinuation<Void, Never>)
    case callback(@Sendable () -> Void)

    func callAsFunction() {
      switch self {
      case .thread(let semaphore): semaphore.signal()
      case .task(let continuation): continuation.resume()
      case .callback(let body): body()
      }
    }
  }

  struct Waiter {
    /// What a thread keeps busy, or the one place where another writer is going to run.
    let places: [WriterPlace]
    /// Whether it blocks its thread.
    let isThread: Bool
    var wake: Wake?
    var status = Status.waiting
    var ticket: UInt64?

    init(places: [WriterPlace], isThread: Bool, wake: Wake? = nil) {
      self.places = places
      self.isThread = isThread
      self.wake = wake
    }

    var isWaiting: Bool { if case .waiting = status { true } else { false } }
  }

  struct Ticket {
    var owner: UInt64?
    var request: WriteRequest?
  }

  /// Which waiter may write and has not begun: not a thread, those begin at once.
  struct Grant: Sendable {
    let waiter: UInt64
    /// Tells apart the turns that one waiter may get.
    let number: UInt64
  }

  struct State {
    var waiters: [UInt64: Waiter] = [:]
    var tickets: [UInt64: Ticket] = [:]
    /// The waiters that block a thread, in the order in which they came.
    var threads: [UInt64] = []
    var grant: Grant?
    private var isWatched = false
    private var lastNumber: UInt64 = 0
  }
}

extension WriterScheduler.State {
  private mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Coming and going

  /// Takes up a waiter; its ticket is to be submitted.
  mutating func add(_ waiter: WriterScheduler.Waiter) -> (waiter: UInt64, ticket: UInt64) {
    let number = nextNumber()
    waiters[number] = waiter
    if waiter.isThread { threads.append(number) }
    return (number, openTicket(for: number))
  }

  private mutating func openTicket(for waiter: UInt64) -> UInt64 {
    let number = nextNumber()
    tickets[number] = WriterScheduler.Ticket(owner: waiter)
    waiters[waiter]?.ticket = number
    return number
  }

  /// What became of a waiter that was woken; unless it has to wait again, it is forgotten.
  mutating func settle(_ waiter: UInt64) -> WriterScheduler.Status? {
    guard let status = waiters[waiter]?.status else { return nil }
    if case .waiting = status { return status }
    waiters[waiter] = nil
    if grant?.waiter == waiter { grant = nil }
    return status
  }

  /// Takes the waiter's claims away: what wakes it, its request if it has one yet, and the start
  /// that it may have been granted, which is to be dropped.
  mutating func cancel(
    _ waiter: UInt64
  ) -> (WriterScheduler.Wake?, WriteRequest?, WriterScheduler.Start?) {
    guard let status = waiters[waiter]?.status else { return (nil, nil, nil) }
    waiters[waiter]?.status = .cancelled
    var start: WriterScheduler.Start?
    if case .granted(let granted) = status { start = granted }
    if grant?.waiter == waiter { grant = nil }
    return (takeWake(of: waiter), disown(waiter), start)
  }

  private mutating func takeWake(of waiter: UInt64) -> WriterScheduler.Wake? {
    let wake = waiters[waiter]?.wake
    if case .callback = wake { return wake }
    waiters[waiter]?.wake = nil
    return wake
  }

  /// Takes the ticket of a waiter out of use; its request, if it has one yet, is to be cancelled.
  private mutating func disown(_ waiter: UInt64) -> WriteRequest? {
    guard let number = waiters[waiter]?.ticket else { return nil }
    waiters[waiter]?.ticket = nil
    let request = tickets[number]?.request
    if request != nil { tickets[number] = nil } else { tickets[number]?.owner = nil }
    return request
  }

  // MARK: Turns

  /// Gives the turn of a ticket to whom it is due; what is returned wakes that waiter.
  mutating func grant(
    _ ticket: UInt64, _ result: Result<WriterScheduler.Start, StorageError>
  ) -> WriterScheduler.Wake? {
    guard let owner = tickets.removeValue(forKey: ticket)?.owner, let waiter = waiters[owner] else {
      return nil
    }
    waiters[owner]?.ticket = nil
    var next = owner
    if !waiter.isThread, let thread = thread(blocking: waiter.places[0]) {
      passTicket(of: thread, to: owner)
      next = thread
    }
    switch result {
    case .success(let start): give(start, to: next)
    case .failure(let error):
      waiters[next]?.status = .failed(error)
      threads.removeAll { $0 == next }
    }
    return takeWake(of: next)
  }

  private mutating func give(_ start: WriterScheduler.Start, to waiter: UInt64) {
    waiters[waiter]?.status = .granted(start)
    if waiters[waiter]?.isThread == true {
      threads.removeAll { $0 == waiter }
    } else {
      grant = WriterScheduler.Grant(waiter: waiter, number: nextNumber())
    }
  }

  /// The thread that waits longest of those that keep `place` busy.
  private func thread(blocking place: WriterPlace) -> UInt64? {
    threads.first { waiters[$0]?.places.contains(place) == true }
  }

  /// Lets a waiter without a ticket wait with that of a thread, which is going to write instead.
  private mutating func passTicket(of thread: UInt64, to waiter: UInt64) {
    guard let ticket = waiters[thread]?.ticket, let place = waiters[waiter]?.places[0] else {
      return
    }
    waiters[thread]?.ticket = nil
    waiters[waiter]?.ticket = ticket
    tickets[ticket]?.owner = waiter
    reorder(place)
  }

  /// Restores invariant 2 for a place whose waiters exchanged tickets with others.
  private mutating func reorder(_ place: WriterPlace) {
    let waiting = waiters.filter { !$0.value.isThread && $0.value.ticket != nil }
      .filter { $0.value.places[0] == place }
    let sorted = waiting.compactMap(\.value.ticket).sorted()
    for (waiter, ticket) in zip(waiting.keys.sorted(), sorted) {
      waiters[waiter]?.ticket = ticket
      tickets[ticket]?.owner = waiter
    }
  }

  // MARK: Giving way

  /// Lets the thread that waits longest go before a writer that has not begun.
  mutating func giveWay(_ seen: WriterScheduler.Grant) -> WriterScheduler.Wake? {
    guard let waiter = grant?.waiter, grant?.number == seen.number, let thread = threads.first,
      case .granted(let start) = waiters[waiter]?.status
    else { return nil }
    grant = nil
    waiters[waiter]?.status = .waiting
    passTicket(of: thread, to: waiter)
    give(start, to: thread)
    return takeWake(of: thread)
  }

  /// Takes the start from a writer of one of `places` that could not begin yet; it waits again,
  /// with a new ticket that is to be submitted.
  mutating func takeStart(
    grantedTo places: [WriterPlace]
  ) -> (start: WriterScheduler.Start, ticket: UInt64)? {
    guard let waiter = grant?.waiter, let place = waiters[waiter]?.places[0],
      places.contains(place), case .granted(let start) = waiters[waiter]?.status
    else { return nil }
    return (start, putBack(waiter))
  }

  /// Lets a writer that may begin wait again; its new ticket is to be submitted.
  private mutating func putBack(_ waiter: UInt64) -> UInt64 {
    grant = nil
    waiters[waiter]?.status = .waiting
    let ticket = openTicket(for: waiter)
    if let place = waiters[waiter]?.places[0] { reorder(place) }
    return ticket
  }

  /// The present grant, if nobody watches it yet.
  mutating func beginWatch() -> WriterScheduler.Grant? {
    guard !isWatched, let grant else { return nil }
    isWatched = true
    return grant
  }

  /// Ends a watch. If the writer has not begun and others wait, it is put back: its start is to be
  /// dropped, and its new ticket submitted before.
  mutating func endWatch(
    _ seen: WriterScheduler.Grant
  ) -> (start: WriterScheduler.Start?, ticket: UInt64?) {
    isWatched = false
    guard let waiter = grant?.waiter, grant?.number == seen.number, tickets.count > 0,
      case .granted(let start) = waiters[waiter]?.status
    else { return (nil, nil) }
    return (start, putBack(waiter))
  }
}
