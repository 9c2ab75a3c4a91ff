// SPDX-License-Identifier: Apache-2.0

// Commits that do not wait for the disk.
//
// 1. The changes are written to the file as a version that only this session knows, and the session
//    shows it at once. The pending commit is held.
// 2. If grouping is allowed, the next transaction of this session continues from the held commit:
//    up to 20 share a commit. The session keeps the right to write only as long as it runs its
//    blocks one after the other, and at most for a grace time.
// 3. The commit queue makes all of them durable, so other writers can begin, and then the waiting
//    callers are notified: tasks on the queue, callbacks in the session's confinement.

import Dispatch
package import RealmStorage
import RealmTables

extension AsyncWrites {
  private typealias Outcome = Result<Void, StorageError>

  // MARK: - Committing

  /// Commits the open transaction; the completion is called when it is durable.
  package func commit(completion: Completion, allowGrouping: Bool) -> AsyncWriteID {
    let id = makeID()
    completions[id] = completion
    operationBegins()
    commit(id, allowGrouping: allowGrouping)
    return id
  }

  /// Commits the open transaction; the completion that `id` names is called when it is durable.
  func commit(_ id: AsyncWriteID, allowGrouping: Bool) {
    let count: Int
    do throws(StorageError) {
      count = try hold { $0.ids.append(id) }
    } catch {
      flush()
      completeLater(id, .failure(error))
      return
    }
    guard allowGrouping, let place = ConfinementScheduler(for: session.confinement) else {
      flush()
      return
    }
    if count == 1 { holdForGraceTime(place) }
  }

  /// Commits the open transaction; `task` is resumed when it is durable, or when that has failed.
  package func commit(resuming task: CheckedContinuation<Result<Void, StorageError>, Never>) {
    do throws(StorageError) {
      _ = try hold { $0.task = WaitingTask(task) }
    } catch {
      flush()
      task.resume(returning: .failure(error))
      return
    }
    flush()
  }

  /// Writes the open transaction as a version, holds it, and shows it.
  ///
  /// - Returns: How many transactions share the pending commit.
  private func hold(_ adding: (inout Group) -> Void) throws(StorageError) -> Int {
    let (pending, committed) = try session.writeVersion()
    var group = continued?.group ?? Group()
    continued = nil
    group.count += 1
    assert(group.count <= AsyncWrites.maximumGroupCount, "a full group goes on")
    adding(&group)
    // Held before the version is shown: observers may write.
    held.put(Held(pending: pending, group: group))
    session.shared.beginPending(committed)
    session.didCommit(committed)
    return group.count
  }

  /// Makes the open transaction and its predecessors durable together.
  func commitGroup(skipping skipped: SkippedObservers) throws(StorageError) {
    assert(continued != nil, "`AsyncWrites` 4: nothing is committed with the transaction")
    var outcome: Outcome = .success(())
    let (pending, committed) = try session.writeVersion()
    let group = continued?.group ?? Group()
    continued = nil
    do throws(StorageError) {
      try pending.makeDurable()
    } catch {
      outcome = .failure(error)
    }
    session.shared.endPending(through: committed.version)
    group.task?.resume(returning: outcome)
    for id in group.ids { completeLater(id, outcome) }
    if case .failure(let error) = outcome {
      session.leaveLostVersion()
      session.observers?.rolledBack(session)
      throw error
    }
    session.didCommit(committed, skipping: skipped)
  }

  /// The held commit that the next transaction continues; nil if there is none or its group is
  /// full.
  func takeHeld() -> Held? {
    guard let held = held.take() else { return nil }
    if held.group.count < AsyncWrites.maximumGroupCount { return held }
    bringToDisk(held)
    return nil
  }

  /// Begins a transaction that continues a held commit.
  func begin(on held: Held) throws(StorageError) {
    assert(continued == nil, "`AsyncWrites` 4: a transaction continues one commit")
    let transaction: WriteTransaction
    do throws(StorageError) {
      transaction = try held.pending.begin()
    } catch {
      bringToDisk(held)
      throw error
    }
    continued = held
    do throws(StorageError) {
      try session.begin(transaction)
    } catch {
      continued = nil
      bringToDisk(held)
      throw error
    }
  }

  /// Holds again the commit that the open transaction continued, after the transaction was undone.
  func holdContinued() {
    guard let last = continued else { return }
    continued = nil
    held.put(last)
    if !isRunning { flush() }
  }

  // MARK: - Making commits durable

  /// Starts making the held commit durable.
  func flush() {
    if let held = held.take() { bringToDisk(held) }
  }

  /// Lets the held commit wait for further transactions: until the waiting blocks have been run, or
  /// the grace time is over. The latter matters if code in this confinement waits for another
  /// writer.
  private func holdForGraceTime(_ place: ConfinementScheduler) {
    let finish = finishing()
    let deadline = DispatchTime.now() + graceTime
    WriterScheduler.graceQueue.asyncAfter(deadline: deadline) { [shared = session.shared, held] in
      guard let late = held.take() else { return }
      AsyncWrites.bringToDisk(late, in: shared, finish)
    }
    guard !isRunning else { return }
    place.schedule { [reference = session.reference] in
      reference.withSession { $0.asyncWrites.run() }
    }
  }

  private func bringToDisk(_ held: Held) {
    guard ConfinementScheduler(for: session.confinement) != nil else {
      let outcome = AsyncWrites.makeDurable(held, in: session.shared)
      finish(held.group, outcome)
      return
    }
    AsyncWrites.bringToDisk(held, in: session.shared, finishing())
  }

  private static func bringToDisk(
    _ held: Held, in shared: SharedFile, _ finish: @escaping @Sendable (Group, Outcome) -> Void
  ) {
    let held = UnsafeTransfer(held)
    shared.commitQueue.async {
      let outcome = makeDurable(held.value, in: shared)
      if !held.value.group.ids.isEmpty { finish(held.value.group, outcome) }
    }
  }

  private static func makeDurable(_ held: Held, in shared: SharedFile) -> Outcome {
    var outcome: Outcome = .success(())
    do throws(StorageError) {
      try held.pending.makeDurable()
    } catch {
      outcome = .failure(error)
    }
    shared.endPending(through: held.pending.snapshot.version)
    held.group.task?.resume(returning: outcome)
    return outcome
  }

  /// Waits until all that was committed is durable.
  func waitForCommits() {
    guard operationCount > 0 else { return }
    flush()
    session.shared.commitQueue.sync {}
  }

  // MARK: - Completions

  /// Returns a function that schedules `finish` from any thread.
  private func finishing() -> @Sendable (Group, Outcome) -> Void {
    guard let place = ConfinementScheduler(for: session.confinement) else { return { _, _ in } }
    return { [reference = session.reference] group, outcome in
      place.schedule {
        reference.withSession { $0.asyncWrites.finish(group, outcome) }
      }
    }
  }

  /// Calls the completion of a block with an end of its own, after those of its commits.
  func completeWithCommits(_ id: AsyncWriteID) {
    guard var last = held.take() else { return completeLater(id, .success(())) }
    last.group.ids.append(id)
    held.put(last)
  }

  /// Calls a completion after those of the present commits.
  func completeLater(_ id: AsyncWriteID, _ outcome: Result<Void, StorageError>) {
    let group = Group(ids: [id], count: 1)
    guard ConfinementScheduler(for: session.confinement) != nil else {
      return finish(group, outcome)
    }
    let finish = finishing()
    session.shared.commitQueue.async { finish(group, outcome) }
  }

  /// Calls the completions of a commit, in the session's confinement.
  private func finish(_ group: Group, _ outcome: Outcome) {
    var failure: StorageError?
    if case .failure(let error) = outcome {
      failure = error
      session.leaveLostVersion()
    }
    for id in group.ids {
      switch completions.removeValue(forKey: id) {
      case .callback(let body):
        isCompleting = true
        body(failure)
        isCompleting = false
      case .some(.none), nil:
        if let failure { stop(failure) }
      case .dropped: break
      }
      operationEnds()
    }
    runOfThread()
  }
}
