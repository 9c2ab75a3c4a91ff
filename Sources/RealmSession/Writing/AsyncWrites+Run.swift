// SPDX-License-Identifier: Apache-2.0

// Runs the blocks that wait for their turn to write, in the session's confinement and in order.
//
// A block waits in the writer scheduler like a task does. When its turn comes, the session is woken
// in its confinement: by its queue, its actor, its run loop. A thread without a running run loop
// cannot be woken. There a block runs before the enqueuing call returns, or, if a transaction is
// open, at its end.

import RealmStorage

extension AsyncWrites {
  private var scheduler: WriterScheduler { session.file.writers }

  // MARK: - Waiting

  /// Enqueues a block, which waits for its turn.
  package func add(_ kind: Kind, completion: Completion? = nil) -> AsyncWriteID {
    let id = makeID()
    var entry = Entry(id: id, kind: kind)
    if let completion { completions[id] = completion }
    operationBegins()
    if let waker = waker() {
      entry.waiter = session.file.enqueueWriter(in: session.confinement, wake: waker)
    }
    append(entry)
    runOfThread()
    return id
  }

  /// Enqueues a task, which waits in the writer scheduler itself, in the order of the writes.
  package func enter() -> AsyncWriteID {
    let id = makeID()
    append(Entry(id: id, kind: .task))
    operationBegins()
    return id
  }

  /// Removes a task that has got its turn, or gave up, and wakes the session for the next entry.
  package func leave(_ id: AsyncWriteID) {
    _ = remove(id)
    guard let waiter = first?.waiter, scheduler.isReady(waiter) else { return }
    waker()?()
  }

  /// Removes a waiting block, or drops the completion of a commit that is not durable yet.
  package func cancel(_ id: AsyncWriteID) {
    if let entry = remove(id) {
      if let waiter = entry.waiter { scheduler.withdraw(waiter) }
      completions[id] = nil
      operationEnds()
    } else if completions[id] != nil, runningID != id {
      completions[id] = .dropped
    }
  }

  /// A function for waking the session from any thread, to run its due blocks; nil if the session
  /// cannot be woken.
  private func waker() -> (@Sendable () -> Void)? {
    guard let place = ConfinementScheduler(for: session.confinement) else { return nil }
    return { [reference = session.reference, isWoken] in
      guard isWoken.set() else { return }
      place.schedule {
        isWoken.clear()
        reference.withSession { $0.asyncWrites.run() }
      }
    }
  }

  // MARK: - Running

  /// Runs the blocks whose turn has come.
  func run() {
    guard !isRunning, !session.isInWrite else { return }
    isRunning = true
    while let entry = first {
      do throws(StorageError) {
        guard try begin(entry) else { break }
      } catch {
        if let waiter = entry.waiter { scheduler.withdraw(waiter) }
        _ = remove(entry.id)
        fail(entry, error)
        continue
      }
      _ = remove(entry.id)
      run(entry)
    }
    isRunning = false
    flush()
  }

  /// Runs the waiting blocks of a thread that cannot be woken.
  func runOfThread() {
    guard case .thread = session.confinement, first != nil, !isReachable else { return }
    run()
  }

  /// Whether the session can be woken. To be called in its confinement.
  private var isReachable: Bool { ConfinementScheduler(for: session.confinement) != nil }

  /// Begins the transaction of the first block; returns false if its turn has not come.
  private func begin(_ entry: Entry) throws(StorageError) -> Bool {
    if case .task = entry.kind { return false }
    if !held.isEmpty {
      // As before every transaction; observers may remove this block meanwhile.
      try session.catchUp()
      guard first?.id == entry.id else { return false }
    }
    if let held = takeHeld() {
      if let waiter = entry.waiter { scheduler.withdraw(waiter) }
      try begin(on: held)
      return true
    }
    guard let waiter = entry.waiter, isReachable else {
      if let waiter = entry.waiter { scheduler.withdraw(waiter) }
      try session.beginWrite()
      return true
    }
    guard scheduler.isReady(waiter) else { return false }
    // Observers may write meanwhile; their write goes first.
    try session.catchUp()
    guard first?.id == entry.id, let transaction = try scheduler.take(waiter) else { return false }
    try session.begin(transaction)
    return true
  }

  private func run(_ entry: Entry) {
    assert(isRunning && runningID == nil, "`AsyncWrites` 2: blocks run one after the other")
    assert(session.isInWrite, "a block runs in its transaction")
    runningID = entry.id
    defer { runningID = nil }
    switch entry.kind {
    case .task: break
    case .begin(let block):
      block()
      if session.isInWrite { session.cancelWrite() }
      operationEnds()
    case .write(let block):
      block()
      if session.isInWrite {
        commit(entry.id, allowGrouping: false)
      } else {
        completeWithCommits(entry.id)
      }
    }
  }

  private func fail(_ entry: Entry, _ error: StorageError) {
    switch entry.kind {
    case .task: break
    case .begin: stop(error)
    case .write: completeLater(entry.id, .failure(error))
    }
  }
}
