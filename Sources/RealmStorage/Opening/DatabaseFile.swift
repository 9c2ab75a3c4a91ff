// SPDX-License-Identifier: Apache-2.0

// An open database: where versions are read and made.
//
// 1. The mapping is read-only. Bytes reach the file through `CommitWriter` only.
// 2. A snapshot, and a transaction, has the place where the file was mapped when it was made, and
//    keeps it (`FileMapping`).
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
  /// Whether transactions may begin on a file that is open for reading only. What they make can be
  /// written to other files, and is never committed.
  package var allowsDrafts = false
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
  /// The address space reserved for the file at first; twice the file's length in any case. When
  /// the file outgrows it, it is mapped elsewhere.
  package var reservedByteCount = 64 << 20
  /// The address space for one transaction, reserved while the file is written.
  package var slabByteCount = 16 << 30

  /// Whether commits give their nodes checksums; measurements leave them out.
  package var writesChecksums = true

  /// The same in whole pages.
  var slabCapacity: Int {
    let page = SystemFiles.pageSize
    return isReadOnly && !allowsDrafts ? 0 : (slabByteCount + page - 1) / page * page
  }

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
  /// Where the file is mapped now.
  let mapping: Locked<FileMapping>
  let session: LockFileSession
  let listeners = VersionListeners()
  let counters = CommitCounters()
  let held = HeldVersions()
  /// Who may write next.
  package let writers: WriterScheduler
  private let keptCommits = Atomic(0)
  private let comparesChecksums = Atomic(false)
  /// Whether the file is going to be settled some time from now.
  let isSettlingLater = Atomic(false)
  // Touched only by the holder of the writer lock, which hands it over with acquire and release.
  nonisolated(unsafe) let writer: WriterState

  var readers: ReaderTable { session.readers }

  init(
    path: String, options: OpenOptions, storage: any StorageFile,
    mapping: FileMapping, session: LockFileSession
  ) {
    self.path = path
    self.options = options
    self.storage = storage
    encrypted = storage.asEncrypted
    self.mapping = Locked(mapping)
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
    var place = try mapping(through: entry.logicalSize)
    if encrypted != nil, !isOwn {
      try bringImage(to: entry)
      // The image may have moved meanwhile, and was brought to the version where it is now.
      place = currentMapping
    }
    let space = place.space(through: entry.logicalSize)
    let verifier = verifiesChecksums && !isOwn ? try NodeVerifier(space, path: path) : nil
    let roots = try TopArray.roots(
      at: entry.topRef, in: verifier.map { NodeSpace(verifiedBy: $0) } ?? space)
    return Snapshot(
      file: self, entry: entry, mapping: place, roots: roots, verifier: verifier, pin: pin)
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

  // MARK: Checksums

  /// Whether reads compare the nodes of a version with their checksums when they first reach them.
  package var verifiesChecksums: Bool { comparesChecksums.load(ordering: .relaxed) }

  /// Lets reads of this process compare checksums, in all versions that are read from now on. It
  /// stays in force.
  package func verifyChecksums() { comparesChecksums.store(true, ordering: .relaxed) }

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
