// SPDX-License-Identifier: Apache-2.0

// Runs the blocks of `writeAsync` and `beginAsyncWrite` where the realm lives, in their order.
//
// A block waits at the desk of writers like a task does. When its turn comes, the realm is woken by
// the way that leads to it: its queue, its actor, its run loop. A thread without a running run loop
// cannot be woken. There a block runs before the call that asks for it returns, or, if a
// transaction is open, at the end of that.

import RealmStorage
import RealmTables

extension RealmCore {
  // MARK: - Waiting

  /// Lets a block wait for its turn.
  func addAsyncWrite(
    _ kind: AsyncWrites.Entry.Kind, completion: AsyncWrites.Completion? = nil
  ) -> AsyncTransactionId {
    let id = asyncWrites.makeID()
    var entry = AsyncWrites.Entry(id: id, kind: kind)
    if let completion { asyncWrites.completions[id] = completion }
    asyncWrites.operationBegins(in: self)
    if let waker = asyncWriteWaker() {
      entry.waiter = shared.writers.enqueue(in: confinement, wake: waker)
    }
    asyncWrites.append(entry)
    runAsyncWritesOfThread()
    return id
  }

  /// Takes part in the order of the writes as a task that waits at the desk of writers.
  func enterAsyncWrite() -> AsyncTransactionId {
    let id = asyncWrites.makeID()
    asyncWrites.append(AsyncWrites.Entry(id: id, kind: .task))
    asyncWrites.operationBegins(in: self)
    return id
  }

  /// The task has got its turn, or gave up; what waits behind it is first now.
  func leaveAsyncWriteQueue(_ id: AsyncTransactionId) {
    _ = asyncWrites.remove(id)
    guard let waiter = asyncWrites.first?.waiter, shared.writers.isReady(waiter) else { return }
    asyncWriteWaker()?()
  }

  /// Drops a block that waits, or the completion of a commit that is not done yet.
  func cancelAsyncWrite(_ id: AsyncTransactionId) {
    if let entry = asyncWrites.remove(id) {
      if let waiter = entry.waiter { shared.writers.withdraw(waiter) }
      asyncWrites.completions[id] = nil
      asyncWrites.operationEnds()
    } else if asyncWrites.completions[id] != nil, asyncWrites.runningID != id {
      asyncWrites.completions[id] = .dropped
    }
  }

  /// What wakes the realm from any thread, so that it runs what is due; nil if nothing can.
  private func asyncWriteWaker() -> (@Sendable () -> Void)? {
    guard let scheduler = ConfinementScheduler(for: confinement) else { return nil }
    return { [reference, isWoken = asyncWrites.isWoken] in
      guard isWoken.set() else { return }
      scheduler.schedule {
        isWoken.clear()
        reference.core?.runAsyncWrites()
      }
    }
  }

  // MARK: - Running

  /// Runs the blocks whose turn has come.
  func runAsyncWrites() {
    guard !asyncWrites.isRunning, !isInWrite else { return }
    asyncWrites.isRunning = true
    while let entry = asyncWrites.first {
      do throws(StorageError) {
        guard try beginAsyncWrite(entry) else { break }
      } catch {
        if let waiter = entry.waiter { shared.writers.withdraw(waiter) }
        _ = asyncWrites.remove(entry.id)
        fail(entry, error)
        continue
      }
      _ = asyncWrites.remove(entry.id)
      run(entry)
    }
    asyncWrites.isRunning = false
    flushGroup()
  }

  /// Runs the blocks that nothing else would run.
  func runAsyncWritesOfThread() {
    guard case .thread = confinement, asyncWrites.first != nil, !isReachable else { return }
    runAsyncWrites()
  }

  /// Whether the realm can be woken. To be asked where it lives.
  private var isReachable: Bool { ConfinementScheduler(for: confinement) != nil }

  /// Begins the transaction of the first block; false if its turn has not come.
  private func beginAsyncWrite(_ entry: AsyncWrites.Entry) throws(StorageError) -> Bool {
    if case .task = entry.kind { return false }
    if !asyncWrites.held.isEmpty {
      // As before every transaction; observers may end this one's wait meanwhile.
      try delivery?.catchUp()
      guard asyncWrites.first?.id == entry.id else { return false }
    }
    if let held = takeHeld() {
      if let waiter = entry.waiter { shared.writers.withdraw(waiter) }
      try begin(on: held)
      return true
    }
    guard let waiter = entry.waiter, isReachable else {
      if let waiter = entry.waiter { shared.writers.withdraw(waiter) }
      try beginWrite()
      return true
    }
    guard shared.writers.isReady(waiter) else { return false }
    // Observers may write meanwhile; that goes first.
    try delivery?.catchUp()
    guard asyncWrites.first?.id == entry.id, let transaction = try shared.writers.take(waiter)
    else { return false }
    try begin(transaction)
    return true
  }

  private func run(_ entry: AsyncWrites.Entry) {
    asyncWrites.runningID = entry.id
    defer { asyncWrites.runningID = nil }
    switch entry.kind {
    case .task: break
    case .begin(let block):
      block()
      if isInWrite { cancelWrite() }
      asyncWrites.operationEnds()
    case .write(let block):
      block()
      if isInWrite {
        commitAsync(entry.id, allowGrouping: false)
      } else {
        completeWithCommits(entry.id)
      }
    }
  }

  private func fail(_ entry: AsyncWrites.Entry, _ error: StorageError) {
    switch entry.kind {
    case .task: break
    case .begin: stop(error)
    case .write: completeLater(entry.id, .failure(error))
    }
  }
}
