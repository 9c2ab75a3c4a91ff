// SPDX-License-Identifier: Apache-2.0

// Who may write next.
//
// One write transaction exists at a time, in all processes. Between processes the lock is a byte
// lock of the lock file: it belongs to the open file, so that any thread may release what another
// took, and the kernel drops it when the process dies. Inside the process writers wait in one line,
// first in, first out.
//
// A thread that waits blocks the places that it keeps busy. Tasks and callbacks wait without a
// thread, and may be granted the right to write while the place where they are to run is busy. If
// that is with a thread that waits for its own turn, the two would wait for each other: they
// exchange their turns, so the thread goes first. The same happens, after a grace time, if threads
// elsewhere wait: they may block all threads that the granted writer could run on. And a writer
// that does not begin for long, because its place is busy or its run loop has ended, goes to the
// end of the line.
//
// Invariants:
// 1. `isBusy` is true while a writer of this process holds the right to write or is about to get
//    it. Only who set it to true, or was handed it, touches the byte lock.
// 2. A waiter is in the line, or granted, or failed, or cancelled. At most one is granted and has
//    not begun.
// 3. Of the waiters of one place that do not block, the earlier one is first in the line.
// 4. Under the lock nothing is called and no start is released: a start that is released unused
//    passes the right to write on, on the releasing thread.
// 5. No thread sleeps on behalf of a waiter but one of our own, and only if another process holds
//    the byte lock.

import CRealmPlatform
package import Dispatch

/// The waiting writers of one file in this process.
package final class WriterScheduler: Sendable {
  /// The right to write, which is not used yet.
  package typealias Start = WriteTransaction.Start

  private let state = Locked(State())
  private let lockFile: any StorageFile
  /// How long threads wait for a granted writer that has not begun.
  private static let graceTime = DispatchTimeInterval.milliseconds(5)
  /// How long all others wait for it.
  private static let patience = DispatchTimeInterval.milliseconds(100)
  /// Its blocks never wait, and serial queues get a thread however many others are blocked.
  package static let graceQueue = DispatchQueue(label: "OpenRealm writers")

  init(lockFile: any StorageFile) { self.lockFile = lockFile }

  /// How many writers wait, or were granted the right to write and have not begun.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  // MARK: - Threads

  /// Begins a write transaction; blocks until it is the caller's turn.
  ///
  /// - Parameter places: What the calling thread keeps busy while it waits.
  func begin(
    on file: DatabaseFile, keepingBusy places: () -> [WriterPlace]
  ) throws(StorageError) -> WriteTransaction {
    if let start = try startAtOnce(on: file) { return try start.begin() }
    let places = places()
    if let start = state.withLock({ $0.takeStart(grantedToOneOf: places) }) {
      return try start.begin()
    }
    let semaphore = DispatchSemaphore(value: 0)
    let waiter = add(
      Waiter(file: file, places: places, blocksThread: true, wake: .thread(semaphore)))
    if let grant = state.withLock({ $0.grant }) { exchangeLater(grant) }
    semaphore.wait()
    switch state.withLock({ $0.settle(waiter) }) {
    case .granted(let start): return try start.begin()
    case .failed(let error): throw error
    case .waiting, .cancelled, nil: preconditionFailure("a thread was woken without its turn")
    }
  }

  /// The right to write, if no writer of any process has it or waits for it.
  func startAtOnce(on file: DatabaseFile) throws(StorageError) -> Start? {
    guard state.withLock({ $0.beginAlone() }) else { return nil }
    let isLocked: Bool
    do throws(StorageError) {
      isLocked = try lockFile.lockByte(at: SharedMemory.writerLockOffset, waits: false)
    } catch {
      release()
      throw error
    }
    if isLocked { return Start(file) }
    release()
    return nil
  }

  // MARK: - Tasks

  /// Begins a write transaction on an actor; suspends until it is the task's turn.
  ///
  /// - Parameter place: What runs the code of the actor.
  /// - Throws: `CancellationError` if the task is cancelled before; others keep their positions.
  func begin(
    on file: DatabaseFile, at place: WriterPlace, isolation: isolated any Actor
  ) async throws -> WriteTransaction {
    try Task.checkCancellation()
    let waiter = add(Waiter(file: file, places: [place], blocksThread: false))
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
    if !state.withLock({ $0.wait(as: waiter, .task(continuation)) }) { continuation.resume() }
  }

  private func cancel(_ waiter: UInt64) {
    let (wake, start) = state.withLock { $0.cancel(waiter) }
    wake?()
    _ = start  // It is dropped here, which lets the next writer go.
  }

  // MARK: - Callbacks

  /// Lets a block of a queue or run loop wait.
  ///
  /// - Parameter wake: Called on any thread, maybe before this returns and maybe more than once,
  ///   when there is something to `take`.
  /// - Returns: The number of the waiter, which must be taken or withdrawn.
  func enqueue(
    on file: DatabaseFile, at place: WriterPlace, wake: @escaping @Sendable () -> Void
  ) -> UInt64 {
    add(Waiter(file: file, places: [place], blocksThread: false, wake: .callback(wake)))
  }

  /// Whether `take` has something for the waiter, unless a thread is faster.
  package func isReady(_ waiter: UInt64) -> Bool {
    state.withLock { $0.waiters[waiter]?.isWaiting == false }
  }

  /// Begins the transaction that the waiter waited for; it waits no more. Nil if it still waits.
  package func take(_ waiter: UInt64) throws(StorageError) -> WriteTransaction? {
    switch state.withLock({ $0.settle(waiter) }) {
    case .granted(let start): return try start.begin()
    case .failed(let error): throw error
    case .waiting, .cancelled, nil: return nil
    }
  }

  /// Takes a waiter out; others keep their positions.
  package func withdraw(_ waiter: UInt64) {
    let start = state.withLock { state in
      defer { _ = state.settle(waiter) }
      return state.cancel(waiter).start
    }
    _ = start  // It is dropped here, which lets the next writer go.
  }

  // MARK: - The line

  private func add(_ waiter: Waiter) -> UInt64 {
    let (number, isAlone) = state.withLock { $0.add(waiter) }
    if isAlone { lockForFirst() }
    return number
  }

  /// Passes the right to write to the next waiter. The caller has it.
  func release() {
    let hasWaiters = state.withLock { state in
      lockFile.unlockByte(at: SharedMemory.writerLockOffset)
      return state.release()
    }
    if hasWaiters { lockForFirst() }
  }

  /// Obtains the byte lock for the first waiter. Waiters that cannot get it fail, one after the
  /// other: however many they are, not in calls within calls.
  private func lockForFirst() {
    var goesOn = true
    while goesOn {
      do throws(StorageError) {
        if try lockFile.lockByte(at: SharedMemory.writerLockOffset, waits: false) {
          grantToFirst()
        } else {
          try lockOnNewThread()
        }
        goesOn = false
      } catch {
        goesOn = failFirst(error)
      }
    }
  }

  private func lockOnNewThread() throws(StorageError) {
    // The thread keeps the scheduler alive until the other process is done.
    let hasThread = BackgroundThread.start(named: "realm-writer") { [self] in
      do throws(StorageError) {
        _ = try lockFile.lockByte(at: SharedMemory.writerLockOffset, waits: true)
        grantToFirst()
      } catch {
        if failFirst(error) { lockForFirst() }
      }
    }
    guard hasThread else {
      throw .threadUnavailable(
        path: lockFile.path, purpose: "which waits for the writer of another process")
    }
  }

  /// Gives the right to write to the waiter whose turn it is.
  private func grantToFirst() {
    let (wake, grant, isBlocking) = state.withLock { state in
      if state.line.isEmpty { lockFile.unlockByte(at: SharedMemory.writerLockOffset) }
      let wake = state.grantToFirst()
      return (wake, state.grant, state.firstThread != nil)
    }
    wake?()
    guard let grant else { return }
    if isBlocking { exchangeLater(grant) }
    watch()
  }

  /// Lets the first waiter fail; whether another one waits.
  private func failFirst(_ error: StorageError) -> Bool {
    let (wake, hasWaiters) = state.withLock { state in
      let wake = state.failFirst(error)
      lockFile.unlockByte(at: SharedMemory.writerLockOffset)
      return (wake, state.release())
    }
    wake?()
    return hasWaiters
  }

  // MARK: - Granted writers that do not begin

  /// Lets a blocked thread go first if a granted writer has not begun within the grace time.
  private func exchangeLater(_ grant: Grant) {
    Self.graceQueue.asyncAfter(deadline: .now() + Self.graceTime) { [weak self] in
      self?.state.withLock { $0.exchange(grant) }?()
    }
  }

  /// Checks, some time later, whether the granted writer has begun; if not, and if others wait, it
  /// goes to the end of the line.
  private func watch() {
    guard let grant = state.withLock({ $0.beginWatch() }) else { return }
    Self.graceQueue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
      guard let self else { return }
      let start = state.withLock { $0.endWatch(grant) }
      watch()
      _ = start  // It is dropped here, which lets the next writer go.
    }
  }
}
