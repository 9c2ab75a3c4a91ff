// SPDX-License-Identifier: Apache-2.0

// The line of writers, and who of it may write; everything here runs under the scheduler's lock.

import Dispatch

extension WriterScheduler {
  enum Status {
    case waiting
    case granted(Start)
    case failed(StorageError)
    case cancelled
  }

  /// How a waiter learns that it does not wait any more.
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
    /// The file that it is going to write; kept open while it waits.
    let file: DatabaseFile
    /// The confinements that a thread keeps busy, or the one where another writer is going to run.
    let places: [WriterPlace]
    let blocksThread: Bool
    var wake: Wake?
    var status = Status.waiting
    private let arrival = DispatchTime.now().uptimeNanoseconds

    /// The time since the waiter came, in nanoseconds.
    var waitingTime: UInt64 { DispatchTime.now().uptimeNanoseconds - arrival }

    var isWaiting: Bool { if case .waiting = status { true } else { false } }
  }

  /// A waiter that may write and has not begun: not a thread, those begin at once.
  struct Grant: Sendable {
    let waiter: UInt64
    /// Distinguishes the turns that one waiter may get.
    let number: UInt64
  }

  struct State {
    /// Whether a writer of this process has the right to write, or is about to get it.
    private(set) var isBusy = false
    /// By their numbers, which ascend in the order of arrival.
    private(set) var waiters: [UInt64: Waiter] = [:]
    /// Those that wait, the next first.
    private(set) var line: [UInt64] = []
    private(set) var grant: Grant?
    private var isWatched = false
    private var lastNumber: UInt64 = 0
  }
}

extension WriterScheduler.State {
  typealias Start = WriterScheduler.Start
  typealias Wake = WriterScheduler.Wake

  private mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Coming and going

  /// Takes the right to write if it is free; the byte lock is still to be obtained.
  mutating func beginAlone() -> Bool {
    guard !isBusy else { return false }
    isBusy = true
    return true
  }

  /// Adds a waiter; if the right to write was free, the byte lock is to be obtained for it.
  mutating func add(_ waiter: WriterScheduler.Waiter) -> (number: UInt64, isAlone: Bool) {
    let number = nextNumber()
    waiters[number] = waiter
    line.append(number)
    return (number, beginAlone())
  }

  /// Notes what wakes a waiter; false if it does not wait any more.
  mutating func wait(as waiter: UInt64, _ wake: Wake) -> Bool {
    guard waiters[waiter]?.isWaiting == true else { return false }
    waiters[waiter]?.wake = wake
    return true
  }

  /// The status of a waiter that was woken; unless it has to wait again, it is forgotten.
  mutating func settle(_ waiter: UInt64) -> WriterScheduler.Status? {
    guard let known = waiters[waiter] else { return nil }
    let status = known.status
    if case .waiting = status { return status }
    if case .granted(let start) = status { start.noteWaiting(known.waitingTime) }
    waiters[waiter] = nil
    if grant?.waiter == waiter { grant = nil }
    return status
  }

  /// Takes a waiter out of the line.
  ///
  /// - Returns: The call for waking it, and its possibly granted start, to be dropped.
  mutating func cancel(_ waiter: UInt64) -> (wake: Wake?, start: Start?) {
    guard let status = waiters[waiter]?.status else { return (nil, nil) }
    waiters[waiter]?.status = .cancelled
    line.removeAll { $0 == waiter }
    var start: Start?
    if case .granted(let granted) = status { start = granted }
    if grant?.waiter == waiter { grant = nil }
    return (takeWake(of: waiter), start)
  }

  private mutating func takeWake(of waiter: UInt64) -> Wake? {
    let wake = waiters[waiter]?.wake
    if case .callback = wake { return wake }
    waiters[waiter]?.wake = nil
    return wake
  }

  // MARK: Turns

  /// The right to write is released; whether the byte lock is to be obtained for a waiter.
  mutating func release() -> Bool {
    isBusy = !line.isEmpty
    return isBusy
  }

  /// Gives the right to write, which the caller has, to the waiter whose turn it is; what is
  /// returned wakes it. If the line is empty, it is released.
  mutating func grantToFirst() -> Wake? {
    guard let first = line.first, let waiter = waiters[first] else {
      isBusy = false
      return nil
    }
    var next = first
    if !waiter.blocksThread, let thread = thread(blocking: waiter.places[0]) {
      exchange(first, with: thread)
      next = thread
    }
    line.removeAll { $0 == next }
    return give(Start(waiter.file), to: next)
  }

  private mutating func give(_ start: Start, to waiter: UInt64) -> Wake? {
    waiters[waiter]?.status = .granted(start)
    if waiters[waiter]?.blocksThread == false {
      grant = WriterScheduler.Grant(waiter: waiter, number: nextNumber())
    }
    return takeWake(of: waiter)
  }

  /// Lets the first waiter fail; what is returned wakes it.
  mutating func failFirst(_ error: StorageError) -> Wake? {
    guard let first = line.first else { return nil }
    line.removeFirst()
    waiters[first]?.status = .failed(error)
    return takeWake(of: first)
  }

  /// The thread that waits longest.
  var firstThread: UInt64? { line.first { waiters[$0]?.blocksThread == true } }

  /// The longest waiting thread of those with `place` busy.
  private func thread(blocking place: WriterPlace) -> UInt64? {
    line.first { number in
      guard let waiter = waiters[number], waiter.blocksThread else { return false }
      return waiter.places.contains(place)
    }
  }

  /// Lets two waiters in the line change positions.
  private mutating func exchange(_ waiter: UInt64, with thread: UInt64) {
    guard let left = line.firstIndex(of: waiter), let right = line.firstIndex(of: thread) else {
      return
    }
    line.swapAt(left, right)
    restoreOrder(at: waiter)
  }

  /// Restores invariant 3 for the place of a waiter that changed its position.
  private mutating func restoreOrder(at waiter: UInt64) {
    guard let place = waiters[waiter]?.places[0] else { return }
    let positions = line.indices.filter { index in
      guard let other = waiters[line[index]], !other.blocksThread else { return false }
      return other.places[0] == place
    }
    for (position, number) in zip(positions, positions.map({ line[$0] }).sorted()) {
      line[position] = number
    }
  }

  // MARK: Granted writers that have not begun

  /// Lets the longest waiting thread go before a writer with a granted turn, not begun yet, and
  /// gives that one the thread's position. The result wakes the thread.
  mutating func exchange(_ seen: WriterScheduler.Grant) -> Wake? {
    guard let waiter = grant?.waiter, grant?.number == seen.number, let thread = firstThread,
      let position = line.firstIndex(of: thread),
      case .granted(let start) = waiters[waiter]?.status
    else { return nil }
    grant = nil
    waiters[waiter]?.status = .waiting
    line[position] = waiter
    restoreOrder(at: waiter)
    return give(start, to: thread)
  }

  /// Takes the start from a writer of one of `places` that was granted its turn and has not begun;
  /// it waits again, at the end of the line.
  mutating func takeStart(grantedToOneOf places: [WriterPlace]) -> Start? {
    guard let waiter = grant?.waiter, let place = waiters[waiter]?.places[0],
      places.contains(place), case .granted(let start) = waiters[waiter]?.status
    else { return nil }
    putBack(waiter)
    return start
  }

  private mutating func putBack(_ waiter: UInt64) {
    grant = nil
    waiters[waiter]?.status = .waiting
    line.append(waiter)
    restoreOrder(at: waiter)
  }

  /// The present grant, if it is not watched yet.
  mutating func beginWatch() -> WriterScheduler.Grant? {
    guard !isWatched, let grant else { return nil }
    isWatched = true
    return grant
  }

  /// Ends a watch. A writer that has not begun while others wait goes to the end of the line; its
  /// start is returned, to be dropped.
  mutating func endWatch(_ seen: WriterScheduler.Grant) -> Start? {
    isWatched = false
    guard let waiter = grant?.waiter, grant?.number == seen.number, !line.isEmpty,
      case .granted(let start) = waiters[waiter]?.status
    else { return nil }
    putBack(waiter)
    return start
  }
}
