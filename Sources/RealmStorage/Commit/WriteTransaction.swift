// SPDX-License-Identifier: Apache-2.0

// A write transaction: from the newest version to the next.

import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The state that the holder of the writer lock keeps from transaction to transaction.
final class WriterState {
  /// The free space of `freeSpaceVersion`, so that it is not read from the file for each commit.
  var freeSpace: FreeSpace?
  var freeSpaceVersion: UInt64 = 0
  /// The free space of a published version, kept beside older readers, for the time after a newer
  /// one was given up (`FreeSpace.recall`).
  var earlierFreeSpace: (space: FreeSpace, version: UInt64)?
  var header: FileHeader?
  /// The versions before the last commit's base that it found in use.
  var heldVersions: [UInt64] = []
  /// Where the records of the pending versions are in the file.
  var records: [Int] = []
  let staging = NodeWriter.Staging()
}

/// The one write transaction that a file has at a time.
///
/// New nodes are made by `allocator`; `roots` says where the tables are now. Nothing reaches the
/// file before `commit(changeset:)` or `writeVersion(changeset:)`; a transaction that is released
/// without either is rolled back.
///
/// Confined to one user at a time, who may be on another thread each time.
package final class WriteTransaction {
  /// The right to start a write transaction, handed over by the queue of writers. It may be passed
  /// to another thread; if it is dropped, the next writer gets its turn.
  package final class Start: Sendable {
    private let file: DatabaseFile
    private let isUsed = Atomic(false)
    private let waited = Atomic<UInt64>(0)

    init(_ file: DatabaseFile) { self.file = file }

    deinit {
      if !isUsed.load(ordering: .relaxed) { file.releaseWriter() }
    }

    /// Notes how long the writer that begins has waited, in nanoseconds.
    func noteWaiting(_ nanoseconds: UInt64) { waited.store(nanoseconds, ordering: .relaxed) }

    /// Starts the transaction; can be done once.
    package func begin() throws(StorageError) -> WriteTransaction {
      let wasUsed = isUsed.exchange(true, ordering: .acquiringAndReleasing)
      precondition(!wasUsed, "a write transaction was started twice")
      do throws(StorageError) {
        return try WriteTransaction(
          file, on: nil, waited: waited.load(ordering: .relaxed))
      } catch {
        file.releaseWriter()
        throw error
      }
    }
  }

  /// The version that the transaction started from.
  package let base: Snapshot
  /// The version that a commit will make.
  package let version: UInt64
  package let allocator: NodeAllocator
  package var roots: VersionRoots
  /// What the open savepoints return to, the newest last.
  var savepoints: [Savepoint] = []
  /// The part of a compaction that the commit does beside its own work; nil if there is none.
  package var compaction: CompactionStep?
  /// What the transaction does to the history of a synchronised file; nil until it does something.
  var syncEdit: SyncEdit?
  /// What the commit promises when it returns. A version that is made durable later
  /// (`writeVersion(changeset:)`) has one sync if it may be deferred.
  package var durability = CommitDurability.twoSyncs
  /// The version that a crash leaves, whatever this transaction does.
  let durable: Snapshot
  /// The commit that this transaction goes on from, if it is not durable yet. It owns the right to
  /// write.
  private let previous: PendingCommit?
  /// What was done until the transaction began for the commit that it is going to be part of.
  let earlierWork: CommitWork
  /// Whether the transaction was committed or rolled back.
  package private(set) var isEnded = false

  /// Whether the versions since the durable one, if there are any, are proven by their records.
  var isOnProven: Bool { previous?.isProven ?? true }

  /// Whether the file may have records of versions with the numbers of this version and those that
  /// it goes on from, down to the durable one, which no one published (`CommitRecord` 4).
  let reusesNumbers: Bool

  /// The caller holds the writer lock, which the transaction releases when it ends, unless it
  /// belongs to `previous`.
  ///
  /// - Parameter waited: How long the writer waited for its turn, in nanoseconds.
  init(_ file: DatabaseFile, on previous: PendingCommit?, waited: UInt64 = 0) throws(StorageError) {
    guard !file.options.isReadOnly || file.options.allowsDrafts else {
      throw .system(operation: "Writing", path: file.path, code: EROFS)
    }
    if previous == nil { try file.finishInterruptedCommit() }
    guard !file.isPoisoned else { throw .poisoned(path: file.path) }
    self.previous = previous
    var work = previous?.work ?? CommitWork()
    work.waitNanoseconds += waited
    earlierWork = work
    try file.requireNewestLength()
    let newest = if let previous { previous.snapshot } else { try file.snapshot() }
    base = try file.takeSlab(for: newest)
    durable = previous?.durable ?? base
    version = base.version + 1
    let recorded = unsafe file.session.memory.recorded.pointee.load(ordering: .relaxed)
    reusesNumbers =
      previous?.reusesNumbers ?? false
      || file.encrypted == nil && !file.options.isInMemory && recorded >= version
    roots = base.roots
    let slabStart = base.mapping.reservation.slabStart
    allocator = unsafe NodeAllocator(
      space: NodeSpace(
        base: base.space.base, fileEnd: base.space.fileEnd, slabStart: slabStart,
        slabEnd: slabStart + base.mapping.reservation.slabCapacity))
  }

  deinit {
    if !isEnded { end() }
  }

  /// Drops all changes and lets the next writer start.
  package func rollback() {
    guard !isEnded else { return }
    end()
  }

  /// Runs a part of the transaction, which is rolled back if that throws.
  package func orRollback<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(Failure) {
      return try body()
    } catch {
      rollback()
      throw error
    }
  }

  /// Drops all changes and starts again from the same version, without letting another writer go
  /// first. This transaction is over in any case.
  ///
  /// - Throws: What the start of a transaction does; the next writer starts then.
  package func restarted() throws(StorageError) -> WriteTransaction {
    precondition(!isEnded, "a write transaction was started again after its end")
    isEnded = true
    giveSlabBack()
    do throws(StorageError) {
      let next = try WriteTransaction(base.file, on: previous)
      next.durability = durability
      return next
    } catch {
      if previous == nil { base.file.releaseWriter() }
      throw error
    }
  }

  /// Makes the changes durable, publishes the new version and lets the next writer start. What
  /// durable means is `durability`'s to say.
  ///
  /// The transaction is over in any case. If this throws before the commit point, the file is as it
  /// was; `StorageError.system` from a sync poisons the session.
  ///
  /// - Parameter changeset: What changed, in the format's encoding, for the in-file history.
  /// - Returns: A snapshot of the new version.
  package func commit(changeset: [UInt8]) throws(StorageError) -> Snapshot {
    let isFirst = previous == nil
    let pending = try writeVersion(changeset: changeset)
    try pending.makeDurable(seen: !isFirst, isDeferred: durability == .deferred)
    return pending.snapshot
  }

  /// Writes the changes as a new version that only the caller knows of, and that is durable only
  /// when the result says so. It can be read, and further transactions can go on from it.
  ///
  /// The transaction is over in any case; if this throws, the version before is as it was.
  ///
  /// - Parameter changeset: What changed, in the format's encoding, for the in-file history.
  package func writeVersion(changeset: [UInt8]) throws(StorageError) -> PendingCommit {
    precondition(!isEnded, "a write transaction was committed after its end")
    let recordCount = unsafe base.file.writer.records.count
    do throws(StorageError) {
      let pending = try CommitWriter(self).commit(changeset)
      isEnded = true
      giveSlabBack()
      previous?.giveUp()
      return pending
    } catch {
      unsafe base.file.writer.freeSpace = nil
      if previous == nil { base.file.encrypted?.forgetUnflushed() }
      base.file.withdrawRecords(after: recordCount, leaving: reusesNumbers ? nil : base.version)
      end()
      throw error
    }
  }

  private func end() {
    isEnded = true
    giveSlabBack()
    if previous == nil { base.file.releaseWriter() }
  }

  /// Ends the use of the slab. A small one stays warm for the next transaction; the memory of a
  /// large one goes back to the system.
  private func giveSlabBack() {
    let reservation = base.mapping.reservation
    let slabByteCount = allocator.touchedByteCount
    if slabByteCount > Self.warmSlabByteCount {
      reservation.releaseSlab(byteCount: slabByteCount)
    }
    reservation.giveSlabBack()
  }

  private static let warmSlabByteCount = 4 << 20
}
