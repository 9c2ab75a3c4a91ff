// SPDX-License-Identifier: Apache-2.0

// Versions that are written, and that the disk does not have for certain.
//
// A commit waits for the disk twice, or once. Several transactions can share these waits: each is
// written to the file as a version of its own, on top of the one before, and the header is moved to
// the last of them once. Until then only the writer, and those it notifies, know the versions.
//
// 1. The newest pending commit owns the right to write, until it has ended.
// 2. The version that the header selects (`durable`) stays pinned meanwhile: nothing that it uses
//    is overwritten, so a crash leaves it whole.
// 3. A version that was written never changes. It can be read while others are written on top of
//    it, and while the disk works.
// 4. Versions that a reader may have seen are never followed by others of the same number: either
//    they become durable, or the session is poisoned.

import Dispatch
import Synchronization

/// The versions that one or several transactions made, to be made durable together.
///
/// Confined to one user at a time, who may be on another thread each time. A released object is
/// made durable first.
package final class PendingCommit {
  /// The newest of the versions.
  package let snapshot: Snapshot
  /// The version that a crash would leave.
  let durable: Snapshot
  /// What the transactions took.
  let work: CommitWork
  /// Whether the records of the versions prove that they are whole.
  let isProven: Bool
  /// Whether records that no one published may have the numbers of the versions (`CommitRecord` 4).
  let reusesNumbers: Bool
  private let entry: VersionEntry
  private let header: FileHeader
  private var isEnded = false

  /// The caller holds the writer lock and gives it to the new object.
  init(
    _ snapshot: Snapshot, _ entry: VersionEntry, _ header: FileHeader, since durable: Snapshot,
    _ work: CommitWork, isProven: Bool, reusesNumbers: Bool
  ) {
    self.snapshot = snapshot
    self.entry = entry
    self.header = header
    self.durable = durable
    self.work = work
    self.isProven = isProven
    self.reusesNumbers = reusesNumbers
  }

  deinit {
    guard !isEnded else { return }
    // If this fails, the session is poisoned, which the next writer reports.
    try? makeDurable(seen: true)
  }

  /// Starts a transaction on top of the newest version. If it is rolled back, everything is as it
  /// was; if it is written, its pending commit takes the place of this one.
  package func begin() throws(StorageError) -> WriteTransaction {
    precondition(!isEnded, "a pending commit was continued after its end")
    return try WriteTransaction(snapshot.file, on: self)
  }

  /// Waits until the disk has the versions, publishes the newest and lets the next writer start.
  ///
  /// The commit is over in any case. If this throws, what the versions changed is lost, and the
  /// session takes no more writes.
  package func makeDurable() throws(StorageError) { try makeDurable(seen: true) }

  /// Gives the versions up, of which only the caller knows and none of which it reads any more, and
  /// lets the next writer start. The file is as it was before the first of them.
  package func discard() {
    precondition(!isEnded, "a pending commit was discarded after its end")
    isEnded = true
    let file = snapshot.file
    unsafe file.writer.freeSpace = nil
    file.encrypted?.forgetUnflushed()
    file.withdrawRecords(leaving: reusesNumbers ? nil : durable.version)
    file.releaseWriter()
  }

  /// - Parameters:
  ///   - seen: Whether a reader may have accessed the versions. If none has, and this throws before
  ///     the commit point, the file is as it was and can be written again.
  ///   - isDeferred: Whether the versions are published before the disk has them, if they can be.
  func makeDurable(seen: Bool, isDeferred: Bool = false) throws(StorageError) {
    precondition(!isEnded, "a pending commit was made durable twice")
    isEnded = true
    let file = snapshot.file
    let claimed: Bool
    let isObserved = !CommitObservers.isEmpty
    let start = isObserved ? DispatchTime.now().uptimeNanoseconds : 0
    do throws(StorageError) {
      claimed = try publish(isDeferred: isDeferred)
    } catch {
      if seen { file.poison() }
      unsafe file.writer.freeSpace = nil
      file.withdrawRecords(leaving: reusesNumbers ? nil : durable.version)
      file.releaseWriter()
      throw error
    }
    unsafe file.writer.records = []
    let end = isObserved ? DispatchTime.now().uptimeNanoseconds : 0
    let held = unsafe file.writer.heldVersions
    file.releaseWriter()
    file.counters.add(work)
    if !held.isEmpty || !file.held.isEmpty { file.noteHeld(held) }
    if claimed { file.listeners.tell(entry.version) }
    if isObserved { report(syncNanoseconds: end - start) }
  }

  private func report(syncNanoseconds: UInt64) {
    let file = snapshot.file
    CommitObservers.report(
      CommitReport(
        path: file.path, version: entry.version, work: work, syncNanoseconds: syncNanoseconds,
        logicalSize: entry.logicalSize, pinnedVersionCount: file.pinnedVersions.count,
        waiterCount: file.writers.waiterCount))
  }

  /// Hands the right to write to the commit that continues this one.
  func giveUp() {
    assert(!isEnded, "`PendingCommit` 1: the right to write is handed on once")
    isEnded = true
  }

  /// What follows the writing of nodes in the commit protocol (`CommitWriter`).
  ///
  /// - Returns: Whether the listeners of the new version are this thread's to call.
  private func publish(isDeferred: Bool) throws(StorageError) -> Bool {
    let file = snapshot.file
    let memory = file.session.memory
    assert(entry.version > durable.version, "`PendingCommit` 4: versions ascend")
    if !file.options.isInMemory { try file.requireLength(entry.logicalSize) }
    if reusesNumbers { try file.syncOrPoison() }
    let isDeferred = isDeferred && !reusesNumbers
    unsafe memory.committing.pointee.store(entry.version, ordering: .sequentiallyConsistent)
    try file.name(entry.topRef, after: header)
    let mayWait = isDeferred && isProven && file.mayDefer(entry.version)
    if !mayWait { try select(isDeferred: isDeferred) }
    try requireWholeFile()
    let (isClaimed, sleepers) = file.listeners.claimOwn(entry.version)
    memory.publish(entry, knownTo: sleepers)
    if mayWait { file.settleLater() }
    return isClaimed
  }

  /// Steps 2 to 4; 4 is not for a proven commit, unless many were deferred before it.
  private func select(isDeferred: Bool) throws(StorageError) {
    let file = snapshot.file
    let memory = file.session.memory
    // The page with the header of an encrypted file is written once, after all others: slot and
    // selector go together.
    if file.encrypted == nil { try file.syncNamed(after: header) }
    // From here on nothing may fail but the disk.
    try file.flipOrPoison(header.flags ^ 1)
    if isProven, !isDeferred {
      unsafe memory.selected.pointee.store(entry.version, ordering: .sequentiallyConsistent)
      return
    }
    try file.syncOrPoison()
    unsafe memory.selected.pointee.store(entry.version, ordering: .sequentiallyConsistent)
    unsafe memory.settled.pointee.store(entry.version, ordering: .sequentiallyConsistent)
  }

  /// Nothing is acknowledged that another program has cut off meanwhile.
  private func requireWholeFile() throws(StorageError) {
    let file = snapshot.file
    if file.options.isInMemory { return }
    do throws(StorageError) {
      try file.requireLength(entry.logicalSize)
    } catch {
      file.poison()
      throw error
    }
  }
}
