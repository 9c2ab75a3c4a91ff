// SPDX-License-Identifier: Apache-2.0

// The header of a file that is written: which version it selects, which it names, and which one a
// crash may leave. Callers hold the writer lock where nothing else is said.
//
// 1. The header is written whole, in one call. It selects a version that was synced since it was
//    written; the other slot names the newest version, or the one that the newest followed, or
//    nothing.
// 2. `settled` <= `selected` <= `newest` (`SharedMemory`). A sync settles what the header selected
//    when it began.

import CRealmPlatform
import Dispatch
import Synchronization

extension DatabaseFile {
  // MARK: Changing the header

  /// The header as the processes see it.
  func storedHeader() throws(StorageError) -> FileHeader {
    let place = currentMapping
    let stored = withExtendedLifetime(place) {
      unsafe FileHeader(
        UnsafeRawBufferPointer(start: place.base, count: FileHeader.byteCount))
    }
    guard let header = stored else {
      throw .corrupted("the header of '\(path)' was overwritten while the file was open")
    }
    return header
  }

  /// Waits until everything that was written is on the disk.
  func syncOrPoison() throws(StorageError) {
    do throws(StorageError) {
      try storage.sync()
    } catch {
      poison()
      throw error
    }
    noteSync()
  }

  private func noteSync() {
    unsafe session.memory.alternative.pointee.store(
      SessionStart.noAlternative, ordering: .sequentiallyConsistent)
  }

  /// Makes the version durable that the session began with, if what the disk may select instead is
  /// not known (`SessionStart` 1). To be called before anything is written.
  ///
  /// - Returns: The header as it is then.
  func syncUnknownStart(_ header: FileHeader) throws(StorageError) -> FileHeader {
    let alternative = unsafe session.memory.alternative.pointee.load(ordering: .relaxed)
    guard alternative == SessionStart.unknownAlternative else { return header }
    let start: FileHeader
    do throws(StorageError) {
      start = try storage.syncAsFound(header)
    } catch {
      poison()
      throw error
    }
    noteSync()
    return start
  }

  /// Waits until the version that the session began with is durable: others are going to be told
  /// what it holds. May be called without the right to write.
  func syncStart() throws(StorageError) {
    let alternative = unsafe session.memory.alternative.pointee.load(ordering: .relaxed)
    guard alternative != SessionStart.noAlternative else { return }
    do throws(StorageError) {
      // The system may take the header for written. A writer at work writes it anyway.
      if encrypted == nil, let start = try writers.startAtOnce(on: self) {
        try storage.write(try storedHeader())
        withExtendedLifetime(start) {}
      }
      try (encrypted?.file ?? storage).sync()
    } catch {
      poison()
      throw error
    }
  }

  /// Changes the flags of the header, and with them which slot is selected.
  func flipOrPoison(_ flags: UInt8) throws(StorageError) {
    do throws(StorageError) {
      try storage.write(flags, at: FileHeader.flagsOffset)
    } catch {
      poison()
      throw error
    }
  }

  /// Names a version in the slot that is not selected.
  ///
  /// If this throws, the header is as before, or the session is poisoned.
  func name(_ topRef: Ref, after header: FileHeader) throws(StorageError) {
    do throws(StorageError) {
      try storage.write(header.naming(topRef, inSlot: 1 - header.selectedSlot))
    } catch {
      restore(header)
      throw error
    }
  }

  /// Waits until all is on the disk that the version needs which was named.
  func syncNamed(after header: FileHeader) throws(StorageError) {
    do throws(StorageError) {
      try storage.sync()
    } catch {
      // What the system could not write may be in its memory still: no opener must find the version
      // there and take it for durable.
      poison()
      restore(header)
      throw error
    }
    noteSync()
    let memory = session.memory
    let selected = unsafe memory.selected.pointee.load(ordering: .sequentiallyConsistent)
    assert(
      unsafe memory.settled.pointee.load(ordering: .relaxed) <= selected,
      "`DatabaseFile+Selector` 2")
    unsafe memory.settled.pointee.store(selected, ordering: .sequentiallyConsistent)
  }

  private func restore(_ header: FileHeader) {
    let memory = session.memory
    do throws(StorageError) {
      try storage.write(header)
      unsafe memory.committing.pointee.store(0, ordering: .sequentiallyConsistent)
    } catch {
      // The next writer finds out which versions the header names.
      poison()
    }
  }

  /// The top array that the header is expected to select.
  ///
  /// - Parameter newest: The version that the transaction, or its group, started from.
  func selectedTopRef(_ newest: Snapshot) -> UInt64? {
    let memory = session.memory
    let selected = unsafe memory.selected.pointee.load(ordering: .sequentiallyConsistent)
    let topRef = selected == newest.version ? newest.topRef : memory.entry(of: selected)?.topRef
    return topRef.map { UInt64($0.offset) }
  }

  // MARK: Commits that are given up

  /// Makes the records of versions that were given up void on the disk, before another writer may
  /// begin.
  ///
  /// The next versions have their numbers, and perhaps their places: a crash could leave there what
  /// was given up, and its record would prove it (`CommitRecord` 4). If this fails, the session is
  /// poisoned.
  ///
  /// - Parameters:
  ///   - count: So many records stay: those of versions that are still pending.
  ///   - recorded: The greatest version of which the file has a record then; nil if it may have
  ///     others, which are not this process's.
  func withdrawRecords(after count: Int = 0, leaving recorded: UInt64?) {
    let records = unsafe writer.records.dropFirst(count)
    guard !records.isEmpty else { return }
    unsafe writer.records.removeLast(records.count)
    guard !isPoisoned else { return }
    do throws(StorageError) {
      for record in records { try storage.write(UInt64(0), at: record) }
      try storage.sync()
      guard let recorded else { return }
      unsafe session.memory.recorded.pointee.store(recorded, ordering: .sequentiallyConsistent)
    } catch { poison() }
  }

  // MARK: Commits of processes that died

  /// Publishes a version that a writer of another process committed before it died, or undoes what
  /// it did to the header.
  func finishInterruptedCommit() throws(StorageError) {
    let memory = session.memory
    guard unsafe memory.committing.pointee.load(ordering: .sequentiallyConsistent) != 0, !isPoisoned
    else { return }
    unsafe writer.freeSpace = nil
    if let encrypted {
      _ = try mapping(through: try storage.byteCount())
      try encrypted.load()
      // The process may have died between the entries of pages and the pages.
      unsafe memory.alternative.pointee.store(
        SessionStart.unknownAlternative, ordering: .sequentiallyConsistent)
    }
    let header = try storedHeader()
    if !header.isStreaming {
      let topRef = Ref(Int(truncatingIfNeeded: header.topRef(slot: header.selectedSlot)))
      let newest = unsafe memory.newest.pointee.load(ordering: .sequentiallyConsistent)
      let selected = unsafe memory.selected.pointee.load(ordering: .sequentiallyConsistent)
      if topRef != memory.entry(of: selected)?.topRef {
        try publishSelected(topRef)
      } else if newest != selected, let entry = memory.entry(of: newest) {
        // The version that died takes the place of one that was committed, and deferred.
        try name(entry.topRef, after: header)
      }
    }
    unsafe memory.committing.pointee.store(0, ordering: .sequentiallyConsistent)
  }

  private func publishSelected(_ topRef: Ref) throws(StorageError) {
    let memory = session.memory
    // A sync of the dead process may have failed: the system takes the header for written.
    if encrypted == nil { try storage.write(try storedHeader()) }
    try syncOrPoison()
    let physical = try storage.byteCount()
    let place = try mapping(through: physical)
    let top = try TopArray(at: topRef, in: place.space(through: physical))
    unsafe memory.selected.pointee.store(top.version, ordering: .sequentiallyConsistent)
    unsafe memory.settled.pointee.store(top.version, ordering: .sequentiallyConsistent)
    memory.publish(
      VersionEntry(version: top.version, topRef: topRef, logicalSize: top.logicalSize))
  }

  // MARK: Settling

  /// The number of deferred commits after which one syncs.
  private static let deferredCommitCountMax: UInt64 = 16
  /// How long a deferred commit is not on the disk, if no other one syncs.
  private static let deferredSeconds = 1.0

  /// Whether the version can be published before the disk has it.
  func mayDefer(_ version: UInt64) -> Bool {
    let settled = unsafe session.memory.settled.pointee.load(ordering: .sequentiallyConsistent)
    return version - settled < Self.deferredCommitCountMax
  }

  /// Makes the newest version durable, and the header select it on the disk: the file is as if all
  /// commits had had two syncs.
  func settle() throws(StorageError) {
    try finishInterruptedCommit()
    let memory = session.memory
    let newest = unsafe memory.newest.pointee.load(ordering: .sequentiallyConsistent)
    let settled = unsafe memory.settled.pointee.load(ordering: .sequentiallyConsistent)
    guard settled < newest, !isPoisoned, !options.isReadOnly else { return }
    try syncOrPoison()
    if unsafe memory.selected.pointee.load(ordering: .sequentiallyConsistent) != newest {
      let header = try storedHeader()
      let named = header.topRef(slot: 1 - header.selectedSlot)
      guard let entry = memory.entry(of: newest), named == UInt64(entry.topRef.offset) else {
        throw .corrupted("the header of '\(path)' does not name its newest version")
      }
      unsafe memory.committing.pointee.store(newest, ordering: .sequentiallyConsistent)
      try flipOrPoison(header.flags ^ 1)
      unsafe memory.selected.pointee.store(newest, ordering: .sequentiallyConsistent)
      unsafe memory.committing.pointee.store(0, ordering: .sequentiallyConsistent)
      try syncOrPoison()
    }
    unsafe memory.settled.pointee.store(newest, ordering: .sequentiallyConsistent)
  }

  /// Settles the file some time from now, unless it is settled before.
  func settleLater() {
    guard !isSettlingLater.exchange(true, ordering: .sequentiallyConsistent) else { return }
    settle(after: Self.deferredSeconds)
  }

  private func settle(after seconds: Double) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + seconds) { [weak self] in
      self?.settleIfFree()
    }
  }

  /// Settles the file, or tries again if a transaction is open.
  func settleIfFree() {
    // A failure poisons the session, which the next writer reports.
    guard let start = try? writers.startAtOnce(on: self) else { return settle(after: 0.05) }
    isSettlingLater.store(false, ordering: .sequentiallyConsistent)
    let failure = trySettling()
    _ = consume start
    failure?.report()
  }

  /// Settles the file.
  ///
  /// - Returns: What could not be settled: no caller waits for the error.
  private func trySettling() -> UnsettledVersions? {
    let memory = session.memory
    let first = unsafe memory.settled.pointee.load(ordering: .sequentiallyConsistent) + 1
    let last = unsafe memory.newest.pointee.load(ordering: .sequentiallyConsistent)
    do throws(StorageError) {
      try settle()
      return nil
    } catch {
      guard first <= last else { return nil }
      return UnsettledVersions(path: path, versions: first...last, error: error)
    }
  }

  /// Settles the file before this process closes it, unless another one is writing.
  func settleBeforeClosing() {
    let memory = session.memory
    guard !realm_is_forked(), !options.isReadOnly, !isPoisoned,
      unsafe memory.settled.pointee.load(ordering: .sequentiallyConsistent)
        < memory.newest.pointee.load(ordering: .sequentiallyConsistent),
      (try? memory.file.lockByte(at: SharedMemory.writerLockOffset, waits: false)) == true
    else { return }
    // What is not settled is found by its record when the file is opened, if the disk has it.
    let failure = trySettling()
    memory.file.unlockByte(at: SharedMemory.writerLockOffset)
    failure?.report()
  }
}

extension DatabaseFile {
  /// Makes the file at least `byteCount` bytes long, with disk space allocated for them.
  func extend(to byteCount: Int) throws(StorageError) {
    try reserve(through: byteCount)
    let physical = try storage.byteCount()
    if physical < byteCount { try storage.allocate(physical..<byteCount) }
  }
}

extension StorageFile {
  /// Makes what an opener found durable.
  ///
  /// The header is written again: if a sync failed, the system has it in its memory and takes it
  /// for written. Pages of an encrypted file must not be written again before they are durable.
  ///
  /// The other slot may name a version of before a crash whose record is whole, and whose base is
  /// not. What is written next may lie where that base did, with its number and a record: the two
  /// would prove each other. So the slot names nothing from here on (`CommitRecord` 5).
  ///
  /// - Returns: The header as it is then.
  @discardableResult
  func syncAsFound(_ header: FileHeader) throws(StorageError) -> FileHeader {
    if let encrypted = asEncrypted {
      try encrypted.file.sync()
      return header
    }
    // Files of older formats, which may be copied next, have no records.
    let hasRecords = (0..<2).allSatisfy {
      header.formatVersion(slot: $0) == FileHeader.supportedVersion
    }
    let start =
      hasRecords && !header.isStreaming
      ? header.naming(Ref(0), inSlot: 1 - header.selectedSlot) : header
    try write(start)
    try sync()
    return start
  }

  /// Writes the header of the file, in one call.
  func write(_ header: FileHeader) throws(StorageError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileHeader.byteCount, alignment: 8)
    defer { unsafe buffer.deallocate() }
    unsafe buffer.copyBytes(from: header.bytes)
    try unsafe write(UnsafeRawBufferPointer(buffer), at: 0)
  }
}
