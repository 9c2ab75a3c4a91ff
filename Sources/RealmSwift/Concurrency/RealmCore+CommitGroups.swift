// SPDX-License-Identifier: Apache-2.0

// Commits that do not wait for the disk.
//
// 1. The changes are written to the file as a version that only this realm knows, and the realm
//    shows it at once. The pending commit is held.
// 2. If grouping is allowed, the next transaction of this realm goes on from what is held: up to 20
//    share a commit. The realm keeps the right to write only as long as it runs its blocks one
//    after the other, and at most for a grace time.
// 3. The queue for commits makes all of them durable, which lets other writers go, and then those
//    who wait are told: tasks there, callbacks where the realm lives.

import Dispatch
import RealmStorage
import RealmTables

extension RealmCore {
  // MARK: - Committing

  /// Commits the open transaction; the completion is called when it is durable.
  func commitAsync(
    completion: AsyncWrites.Completion, allowGrouping: Bool
  ) -> AsyncTransactionId {
    let id = asyncWrites.makeID()
    asyncWrites.completions[id] = completion
    asyncWrites.operationBegins(in: self)
    commitAsync(id, allowGrouping: allowGrouping)
    return id
  }

  /// Commits the open transaction; the completion that `id` names is called when it is durable.
  func commitAsync(_ id: AsyncTransactionId, allowGrouping: Bool) {
    let count: Int
    do throws(StorageError) {
      count = try commitHeld { $0.ids.append(id) }
    } catch {
      flushGroup()
      completeLater(id, .failure(error))
      return
    }
    guard allowGrouping, let scheduler = ConfinementScheduler(for: confinement) else {
      flushGroup()
      return
    }
    if count == 1 { holdForGraceTime(scheduler) }
  }

  /// Commits the open transaction; `task` goes on when it is durable, or when that has failed.
  func commitAsync(resuming task: CheckedContinuation<Result<Void, StorageError>, Never>) {
    do throws(StorageError) {
      _ = try commitHeld { $0.task = task }
    } catch {
      flushGroup()
      task.resume(returning: .failure(error))
      return
    }
    flushGroup()
  }

  /// Writes the open transaction as a version, holds it, and shows it.
  ///
  /// - Returns: How many transactions share the pending commit.
  private func commitHeld(
    _ adding: (inout AsyncWrites.Group) -> Void
  ) throws(StorageError) -> Int {
    let (pending, committed) = try writeVersion()
    var group = asyncWrites.continued?.group ?? AsyncWrites.Group()
    asyncWrites.continued = nil
    group.count += 1
    adding(&group)
    // Held before it is shown: observers may write.
    asyncWrites.held.put(AsyncWrites.Held(pending: pending, group: group))
    shared.beginPending(committed)
    didCommit(committed)
    return group.count
  }

  /// Makes the open transaction durable together with those that it goes on from.
  func commitGroup(skipping skipped: SkippedObservers) throws(StorageError) {
    var outcome: Result<Void, StorageError> = .success(())
    let (pending, committed) = try writeVersion()
    let group = asyncWrites.continued?.group ?? AsyncWrites.Group()
    asyncWrites.continued = nil
    do throws(StorageError) {
      try pending.makeDurable()
    } catch {
      outcome = .failure(error)
    }
    shared.endPending(through: committed.version)
    group.task?.resume(returning: outcome)
    for id in group.ids { completeLater(id, outcome) }
    if case .failure(let error) = outcome {
      leaveLostVersion()
      delivery?.rolledBack()
      throw error
    }
    didCommit(committed, skipping: skipped)
  }

  /// What the next transaction is to go on from, if there is anything and the group is not full.
  func takeHeld() -> AsyncWrites.Held? {
    guard let held = asyncWrites.held.take() else { return nil }
    if held.group.count < AsyncWrites.maximumGroupCount { return held }
    bringToDisk(held)
    return nil
  }

  /// Begins a transaction that goes on from what was held.
  func begin(on held: AsyncWrites.Held) throws(StorageError) {
    let transaction: WriteTransaction
    do throws(StorageError) {
      transaction = try held.pending.begin()
    } catch {
      bringToDisk(held)
      throw error
    }
    asyncWrites.continued = held
    do throws(StorageError) {
      try begin(transaction)
    } catch {
      asyncWrites.continued = nil
      bringToDisk(held)
      throw error
    }
  }

  /// The open transaction is gone; what it went on from is not.
  func holdContinued() {
    guard let continued = asyncWrites.continued else { return }
    asyncWrites.continued = nil
    asyncWrites.held.put(continued)
    if !asyncWrites.isRunning { flushGroup() }
  }

  // MARK: - To the disk

  /// Brings what is held to the disk.
  func flushGroup() {
    if let held = asyncWrites.held.take() { bringToDisk(held) }
  }

  /// Lets what is held wait for further transactions: until the waiting blocks have been run, or
  /// the grace time is over. The latter matters if whatever runs here waits for another writer.
  private func holdForGraceTime(_ scheduler: ConfinementScheduler) {
    let finish = finishing()
    let held = asyncWrites.held
    let deadline = DispatchTime.now() + asyncWrites.graceTime
    WriterDesk.graceQueue.asyncAfter(deadline: deadline) { [shared] in
      guard let late = held.take() else { return }
      RealmCore.bringToDisk(late, in: shared, finish)
    }
    guard !asyncWrites.isRunning else { return }
    scheduler.schedule { [reference] in reference.core?.runAsyncWrites() }
  }

  func bringToDisk(_ held: AsyncWrites.Held) {
    guard ConfinementScheduler(for: confinement) != nil else {
      let outcome = RealmCore.makeDurable(held, in: shared)
      finish(held.group, outcome)
      return
    }
    RealmCore.bringToDisk(held, in: shared, finishing())
  }

  private static func bringToDisk(
    _ held: AsyncWrites.Held, in shared: SharedFile,
    _ finish: @escaping @Sendable (AsyncWrites.Group, Result<Void, StorageError>) -> Void
  ) {
    let held = Passage(held)
    shared.commitQueue.async {
      let outcome = makeDurable(held.value, in: shared)
      if !held.value.group.ids.isEmpty { finish(held.value.group, outcome) }
    }
  }

  private static func makeDurable(
    _ held: AsyncWrites.Held, in shared: SharedFile
  ) -> Result<Void, StorageError> {
    var outcome: Result<Void, StorageError> = .success(())
    do throws(StorageError) {
      try held.pending.makeDurable()
    } catch {
      outcome = .failure(error)
    }
    shared.endPending(through: held.pending.snapshot.version)
    held.group.task?.resume(returning: outcome)
    return outcome
  }

  // MARK: - Telling

  /// The way to `finish`, from any thread.
  private func finishing() -> @Sendable (AsyncWrites.Group, Result<Void, StorageError>) -> Void {
    guard let scheduler = ConfinementScheduler(for: confinement) else { return { _, _ in } }
    return { [reference] group, outcome in
      scheduler.schedule { reference.core?.finish(group, outcome) }
    }
  }

  /// Calls the completion of a block that ended its transaction itself, after those of its commits.
  func completeWithCommits(_ id: AsyncTransactionId) {
    guard var held = asyncWrites.held.take() else { return completeLater(id, .success(())) }
    held.group.ids.append(id)
    asyncWrites.held.put(held)
  }

  /// Calls a completion after those of the commits that are under way.
  func completeLater(_ id: AsyncTransactionId, _ outcome: Result<Void, StorageError>) {
    let group = AsyncWrites.Group(ids: [id], count: 1)
    guard ConfinementScheduler(for: confinement) != nil else { return finish(group, outcome) }
    let finish = finishing()
    shared.commitQueue.async { finish(group, outcome) }
  }

  /// Calls the completions of a commit. Runs where the realm lives.
  private func finish(_ group: AsyncWrites.Group, _ outcome: Result<Void, StorageError>) {
    var failure: Realm.Error?
    if case .failure(let error) = outcome {
      failure = Realm.Error(error, path: file.path)
      leaveLostVersion()
    }
    for id in group.ids {
      switch asyncWrites.completions.removeValue(forKey: id) {
      case .callback(let body):
        asyncWrites.isCompleting = true
        body(failure)
        asyncWrites.isCompleting = false
      case .nobody, nil:
        if case .failure(let error) = outcome { stop(error) }
      case .dropped: break
      }
      asyncWrites.operationEnds()
    }
    runAsyncWritesOfThread()
  }

  /// Ends the process if a completion is being called; there `operation` is not allowed.
  func requireNoCompletion(_ operation: String) {
    if asyncWrites.isCompleting {
      throwRealmException(
        "Can't \(operation) a write transaction from inside a commit completion callback.")
    }
  }

  /// Goes back to the newest version that the disk has, if what is shown could not be made durable.
  func leaveLostVersion() {
    guard !isInWrite, let shownGroup, shownGroup.version > file.newestVersion else { return }
    do throws(StorageError) { show(try shared.newestTables()) } catch { stop(error) }
  }

  /// Waits until all that was committed is durable.
  func waitForAsyncCommits() {
    guard asyncWrites.operationCount > 0 else { return }
    flushGroup()
    shared.commitQueue.sync {}
  }
}
