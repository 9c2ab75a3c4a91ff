// SPDX-License-Identifier: Apache-2.0

// An open database: where versions are read and made.
//
// 1. The mapping is read-only and never moves. Bytes reach the file through `CommitWriter` only.
// 2. `mappedByteCount` never shrinks, and is at least the logical size of every version that a
//    snapshot was made of.
// 3. `writer` belongs to the holder of the writer lock (`WriterScheduler`).
// 4. A process that was forked without exec can neither read nor write: its parent does not know
//    of it, and would reuse what it reads.
// 5. After a failed sync, what the kernel holds and what the disk holds may differ, in unknown
//    ways. The session is poisoned: it goes on reading, and takes no more writes.

import Synchronization

/// How to open a database.
package struct OpenOptions: Hashable, Sendable {
  /// No locks are taken and nothing is written; no other process may write the file meanwhile,
  /// unless `joinsSession`.
  package var isReadOnly = false
  /// Whether a file that is open for reading only is read beside the processes that have it open,
  /// as one of them: the versions that it reads are kept by their writers. There must be such
  /// processes.
  package var joinsSession = false
  /// Whether a missing file is an error.
  package var mustExist = false
  /// Whether the database lives in memory, under its path as a name, as long as it is open.
  package var isInMemory = false
  /// The key of an encrypted file; nil for a plain one.
  package var encryptionKey: EncryptionKey?
  /// Where the cipher of an encrypted file comes from.
  package var cipher = CipherSource.standard
  /// The kind of history that commits continue; of no account for reading only.
  package var history = HistoryKind.inFile
  /// The address space that is reserved for the file, which cannot grow beyond it while it is open.
  /// Four times the file's present length is reserved in any case.
  package var reservedByteCount = 64 << 30
  /// The address space that is reserved for what one transaction writes.
  package var slabByteCount = 16 << 30

  package init(
    isReadOnly: Bool = false, joinsSession: Bool = false, mustExist: Bool = false,
    isInMemory: Bool = false, encryptionKey: EncryptionKey? = nil, history: HistoryKind = .inFile
  ) {
    assert(isReadOnly || !joinsSession, "a writer joins in any case")
    self.isReadOnly = isReadOnly
    self.joinsSession = joinsSession
    self.mustExist = mustExist
    self.isInMemory = isInMemory
    self.encryptionKey = encryptionKey
    self.history = history
  }
}

/// An open database file, shared by all its users in the process.
package final class DatabaseFile: Sendable {
  package let path: String
  package let options: OpenOptions

  let storage: any StorageFile
  /// The same as `storage`, if that is encrypted.
  let encrypted: EncryptedFile?
  let reservation: AddressReservation
  let session: LockFileSession
  let listeners = VersionListeners()
  /// Who may write next.
  package let writers: WriterScheduler
  private let mappedByteCount: Atomic<Int>
  private let mapping = Locked(())
  private let keptCommits = Atomic(0)
  /// Whether the file is going to be settled some time from now.
  let isSettlingLater = Atomic(false)
  // Touched only by the holder of the writer lock, which hands it over with acquire and release.
  nonisolated(unsafe) let writer: WriterState

  var readers: ReaderTable { session.readers }

  init(
    path: String, options: OpenOptions, storage: any StorageFile,
    reservation: AddressReservation, mappedByteCount: Int, session: LockFileSession
  ) {
    self.path = path
    self.options = options
    self.storage = storage
    encrypted = storage as? EncryptedFile
    self.reservation = reservation
    self.mappedByteCount = Atomic(mappedByteCount)
    self.session = session
    writers = WriterScheduler(lockFile: session.memory.file)
    unsafe writer = WriterState()
  }

  deinit {
    settleBeforeClosing()
    listeners.stop(session.memory)
  }

  // MARK: Reading

  /// The newest version that a snapshot can be made of.
  package var newestVersion: UInt64 {
    unsafe session.memory.newest.pointee.load(ordering: .acquiring)
  }

  /// The newest version, pinned as long as the snapshot lives.
  package func snapshot() throws(StorageError) -> Snapshot {
    try requireOwnProcess()
    while true {
      let (version, pin) = try readers.pinNewest()
      do throws(StorageError) {
        // The entry is gone if 64 commits passed since; then there is a newer version to take.
        if let entry = session.memory.entry(of: version) {
          return try snapshot(of: entry, pin: pin)
        }
        readers.release(pin)
      } catch {
        readers.release(pin)
        throw error
      }
    }
  }

  /// A snapshot of a version that `pin` protects.
  ///
  /// - Parameter isOwn: Whether the running commit has just written it.
  func snapshot(
    of entry: VersionEntry, pin: ReaderTable.Pin, isOwn: Bool = false
  ) throws(StorageError) -> Snapshot {
    try mapThrough(entry.logicalSize)
    if encrypted != nil, !isOwn { try bringImage(to: entry) }
    let space = unsafe NodeSpace(
      base: UnsafeRawPointer(reservation.base), fileEnd: entry.logicalSize)
    let roots = try TopArray.roots(at: entry.topRef, in: space)
    return Snapshot(file: self, entry: entry, space: space, roots: roots, pin: pin)
  }

  /// Maps the file up to `byteCount`, if another process or this commit made it grow.
  func mapThrough(_ byteCount: Int) throws(StorageError) {
    guard mappedByteCount.load(ordering: .acquiring) < byteCount else { return }
    try mapping.withLock { _ throws(StorageError) in
      let mapped = mappedByteCount.load(ordering: .relaxed)
      guard mapped < byteCount else { return }
      guard byteCount <= reservation.fileCapacity else {
        throw .addressSpaceExhausted(path: path, byteCount: byteCount)
      }
      let physical = try requireLength(byteCount)
      let start = mapped & ~(SystemFiles.pageSize - 1)
      try unsafe storage.map(start..<byteCount, at: reservation.base + start, isWritable: false)
      let end = (byteCount + SystemFiles.pageSize - 1) & ~(SystemFiles.pageSize - 1)
      mappedByteCount.store(min(end, physical), ordering: .releasing)
    }
  }

  /// Checks that no other program has cut the file to less than `byteCount`; returns its length.
  @discardableResult
  func requireLength(_ byteCount: Int) throws(StorageError) -> Int {
    let physical = try storage.byteCount()
    guard physical >= byteCount else {
      throw .corrupted(
        "another program cut the file to \(physical) bytes while it was open and needed "
          + "\(byteCount)")
    }
    return physical
  }

  /// Checks the same of the newest version, which another process may have made.
  ///
  /// The caller holds the writer lock. It costs a system call, so it stands where the length is
  /// about to matter: a transaction that goes on would make the file as long as it was, with zeros
  /// where data were. A file in memory has no name for others to cut it by.
  func requireNewestLength() throws(StorageError) {
    guard !options.isInMemory, let newest = session.memory.entry(of: newestVersion) else { return }
    try requireLength(newest.logicalSize)
  }

  // MARK: History

  /// The number of commits whose changes stay in the file, needed or not; up to an eighth more
  /// may be there.
  package var historyLimit: Int { keptCommits.load(ordering: .relaxed) }

  /// Lets the commits of this process keep the changes of the last `count` commits from now on;
  /// what was requested before stays in force if it is more.
  package func keepHistory(ofCommits count: Int) {
    keptCommits.max(count, ordering: .relaxed)
  }

  // MARK: Watching

  /// Calls `body` with the newest version after each commit, off all locks, on the thread that
  /// committed or, if that was in another process, on one of our own. One call may cover several
  /// commits. Ends when the listener is cancelled or goes away.
  ///
  /// - Throws: `StorageError.threadUnavailable`.
  package func onNewVersion(
    _ body: @escaping @Sendable (UInt64) -> Void
  ) throws(StorageError) -> VersionListener {
    try listeners.add(body, session.memory, newestVersion)
  }

  // MARK: Figures

  /// The oldest version that a snapshot of any process pins, or the newest.
  package var oldestPinnedVersion: UInt64 { readers.pinnedVersions().first ?? newestVersion }

  /// The versions that snapshots of any process pin, ascending.
  package var pinnedVersions: [UInt64] { readers.pinnedVersions() }

  /// The length of the file.
  package func fileByteCount() throws(StorageError) -> Int {
    if let encrypted { return try encrypted.file.byteCount() }
    return try storage.byteCount()
  }
}
