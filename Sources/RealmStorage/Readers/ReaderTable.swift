// SPDX-License-Identifier: Apache-2.0

// The table of the versions that snapshots still read.
//
// The reader table is an array of 64-byte slots in the session's shared memory. A slot holds the
// version that one snapshot pins, or 0. Readers take no lock and make no system call; a writer
// reads the whole table once a commit to learn which space it may reuse.
//
// Pinning is two steps. A reader loads the newest version n, stores n in a free slot (the
// compare-and-swap that claims the slot stores it at once), and loads the newest version again. If
// it is still n, version n is pinned; if not, it stores the new number and loads again.
//
// Why that is enough. The stores and loads above are sequentially consistent, so they have one
// order that all threads agree on. A writer reuses a block only if every slot that it saw, and the
// version it started from, is at or after the commit that freed the block. Say its scan passed our
// slot before our store. The writer's own version w was the newest before the scan began, so our
// second load, which comes after our store, sees w or later. If we read w' > w, we try again. If we
// read w and had pinned w, the writer may overwrite only what version w does not use, as w is what
// the file falls back to after a crash. In any other case n < w, and we try again. So a reader that
// went past its second load is either seen, or needs no protection from this writer; and the next
// writer's scan comes after the publication of w + 1, hence after our store.
//
// 1. A slot holds 0, or the version that one snapshot has pinned; only that snapshot's process sets
//    it back to 0 while it lives.
// 2. A snapshot is of a version that its reader saw to be the newest after it had pinned it, or of
//    one that was pinned already.
// 3. A segment of slots belongs to one process at most: the one that holds the lock of its byte.
//
// Stale values: a slot may still hold a version while its snapshot is going away, and for a short
// time a version that is about to be replaced by a newer one. Either only delays reuse.
//
// Slots are a cache line each, because readers of different threads would otherwise slow each other
// down; a thread starts its search at a slot of its own. Slots come in segments of 64. A process
// takes whole segments and holds a lock on one byte for each, which the kernel drops when the
// process dies: a segment whose byte can be locked has no owner, and what it pins is void.

import CRealmPlatform
import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The versions that snapshots of all processes have pinned.
@safe
final class ReaderTable: Sendable {
  /// A slot of the table that belongs to one snapshot.
  @safe
  struct Pin: @unchecked Sendable {
    // Sendable: points to an atomic in memory that the snapshot's file keeps mapped.
    let slot: UnsafeMutablePointer<Atomic<UInt64>>
  }

  static let segmentSlotCount = 64

  private let memory: SharedMemory
  /// The offsets of this process's segments; the first `ownedCount` are valid and never change.
  nonisolated(unsafe) private let ownedOffsets: UnsafeMutablePointer<Int>
  private let ownedCount = Atomic<Int>(0)
  private let ownedCountMax: Int
  private let growth = Locked(())

  /// - Parameter ownedCountMax: How many segments a process may have.
  init(_ memory: SharedMemory, ownedCountMax: Int = 1024) throws(StorageError) {
    self.memory = memory
    self.ownedCountMax = ownedCountMax
    unsafe ownedOffsets = .allocate(capacity: ownedCountMax)
    try grow(from: 0)
  }

  deinit { unsafe ownedOffsets.deallocate() }

  // MARK: Readers

  func pinNewest() throws(StorageError) -> (version: UInt64, pin: Pin) {
    var version = unsafe memory.newest.pointee.load(ordering: .sequentiallyConsistent)
    let pin = try self.pin(version)
    while true {
      let newest = unsafe memory.newest.pointee.load(ordering: .sequentiallyConsistent)
      if newest == version { return (version, pin) }
      version = newest
      unsafe pin.slot.pointee.store(version, ordering: .sequentiallyConsistent)
    }
  }

  /// Pins a version that cannot go away meanwhile: the caller is the writer that publishes it, or
  /// holds a snapshot of it.
  func pin(_ version: UInt64) throws(StorageError) -> Pin {
    assert(version != 0 || realm_is_forked(), "`ReaderTable` 1: 0 means that a slot is free")
    while true {
      let segments = ownedCount.load(ordering: .acquiring)
      let slots = segments * Self.segmentSlotCount
      let thread = UInt64(realm_thread_pointer())
      let start = Int((thread &* 0x9E37_79B9_7F4A_7C15) &>> 40) % slots
      for step in 0..<slots {
        let index = start + step < slots ? start + step : start + step - slots
        let offset = unsafe ownedOffsets[index / Self.segmentSlotCount]
        let slot = unsafe memory.word(
          at: offset + index % Self.segmentSlotCount * SharedMemory.slotByteCount)
        guard unsafe slot.pointee.load(ordering: .relaxed) == 0 else { continue }
        let (claimed, _) = unsafe slot.pointee.compareExchange(
          expected: 0, desired: version, ordering: .sequentiallyConsistent)
        if claimed { return unsafe Pin(slot: slot) }
      }
      try grow(from: segments)
    }
  }

  func release(_ pin: Pin) {
    unsafe assert(
      pin.slot.pointee.load(ordering: .relaxed) != 0 || realm_is_forked(),
      "`ReaderTable` 1: a slot was released twice")
    unsafe pin.slot.pointee.store(0, ordering: .releasing)
  }

  // MARK: Writers

  /// The versions in use, ascending, each once.
  func pinnedVersions() -> [UInt64] {
    var versions: [UInt64] = []
    forEachPin { _, version in versions.append(version) }
    versions.sort()
    var result: [UInt64] = []
    for version in versions where version != result.last { result.append(version) }
    assert(zip(result, result.dropFirst()).allSatisfy { $0 < $1 }, "versions in use ascend")
    return result
  }

  /// The versions in use, ascending, with their readers.
  func heldVersions() -> [HeldVersion] {
    var found: [UInt64: HeldVersion] = [:]
    var processes: [UInt64: Set<Int32>] = [:]
    let now = DispatchTime.now().uptimeNanoseconds
    forEachPin { slot, version in
      let owner = unsafe self.owner(ofSegment: slot / Self.segmentSlotCount)
        .pointee.load(ordering: .relaxed)
      let process = Int32(truncatingIfNeeded: owner)
      let word = unsafe memory.word(at: Self.offset(ofSlot: slot))
      // A session has a pin with a note beside that of what it reads.
      if let holder = unsafe holder(in: word, of: version, process: process, at: now) {
        found[version, default: HeldVersion(version)].holders.append(holder)
      } else {
        found[version, default: HeldVersion(version)].readerCount += 1
      }
      if owner != 0 { processes[version, default: []].insert(process) }
    }
    return found.values.sorted { $0.version < $1.version }.map { version in
      var version = version
      version.processes = (processes[version.version] ?? []).sorted()
      version.holders.sort { $0.heldNanoseconds > $1.heldNanoseconds }
      return version
    }
  }

  /// The number of the process that a segment belongs to: beside the version in its first slot. It
  /// is for people only, who wrote it may be gone.
  private func owner(ofSegment segment: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe memory.word(at: Self.offset(ofSlot: segment * Self.segmentSlotCount) + 8)
  }

  /// The pinned versions that precede `newest`, and `newest` itself, ascending.
  ///
  /// Pins of dead processes are dropped. The caller holds the writer lock.
  func pinnedVersions(through newest: UInt64) -> [UInt64] {
    while true {
      var versions = pinnedVersions().filter { $0 < newest }
      guard let oldest = versions.first, dropDeadPins(of: oldest) else {
        versions.append(newest)
        return versions
      }
    }
  }

  /// Empties the segments of dead processes that pin `version`. False if there are none.
  private func dropDeadPins(of version: UInt64) -> Bool {
    var segments: Set<Int> = []
    forEachPin { slot, pinned in
      if pinned == version { segments.insert(slot / Self.segmentSlotCount) }
    }
    var dropped = false
    for segment in segments where dropIfOwnerDied(segment) { dropped = true }
    return dropped
  }

  private func forEachPin(_ body: (_ slot: Int, _ version: UInt64) -> Void) {
    let count = unsafe Int(memory.slotCount.pointee.load(ordering: .sequentiallyConsistent))
    for index in 0..<count {
      let slot = unsafe memory.word(at: Self.offset(ofSlot: index))
      let version = unsafe slot.pointee.load(ordering: .sequentiallyConsistent)
      if version != 0 { body(index, version) }
    }
  }

  private static func offset(ofSlot index: Int) -> Int {
    SharedMemory.slotsOffset + index * SharedMemory.slotByteCount
  }

  private func isOurs(_ segment: Int) -> Bool {
    let offset = Self.offset(ofSlot: segment * Self.segmentSlotCount)
    return (0..<ownedCount.load(ordering: .acquiring)).contains {
      unsafe ownedOffsets[$0] == offset
    }
  }

  private func dropIfOwnerDied(_ segment: Int) -> Bool {
    growth.withLock { _ in
      let lock = SharedMemory.segmentLockOffset + segment
      guard !isOurs(segment), (try? memory.file.lockByte(at: lock, waits: false)) == true else {
        return false
      }
      clear(segment)
      memory.file.unlockByte(at: lock)
      return true
    }
  }

  // MARK: Segments

  private func clear(_ segment: Int) {
    for index in 0..<Self.segmentSlotCount {
      let slot = unsafe memory.word(
        at: Self.offset(ofSlot: segment * Self.segmentSlotCount + index))
      unsafe Self.clearNote(of: slot)
      unsafe slot.pointee.store(0, ordering: .sequentiallyConsistent)
    }
  }

  /// Takes one more segment, unless another thread did so since `seen` were counted.
  private func grow(from seen: Int) throws(StorageError) {
    try growth.withLock { _ throws(StorageError) in
      let owned = ownedCount.load(ordering: .acquiring)
      guard owned == seen else { return }
      guard owned < ownedCountMax else {
        throw .limitExceeded(
          "Too many versions of '\(memory.file.path)' are in use at the same time. "
            + "Release frozen objects and realms that are no longer needed.")
      }
      let growthLock = SharedMemory.growthLockOffset
      _ = try memory.file.lockByte(at: growthLock, waits: true)
      defer { memory.file.unlockByte(at: growthLock) }
      let segment = try takeSegment()
      assert(!isOurs(segment), "`ReaderTable` 3: a segment was taken twice")
      unsafe ownedOffsets[owned] = Self.offset(ofSlot: segment * Self.segmentSlotCount)
      unsafe owner(ofSegment: segment).pointee.store(UInt64(getpid()), ordering: .relaxed)
      ownedCount.store(owned + 1, ordering: .releasing)
    }
  }

  /// An ownerless segment, or a new one at the end.
  private func takeSegment() throws(StorageError) -> Int {
    let slots = unsafe Int(memory.slotCount.pointee.load(ordering: .sequentiallyConsistent))
    let count = slots / Self.segmentSlotCount
    for segment in 0..<count where !isOurs(segment) {
      let lock = SharedMemory.segmentLockOffset + segment
      if try memory.file.lockByte(at: lock, waits: false) {
        clear(segment)
        return segment
      }
    }
    guard slots + Self.segmentSlotCount <= SharedMemory.maximumSlotCount else {
      throw .limitExceeded("Too many processes use '\(memory.file.path)' at the same time.")
    }
    // `ReaderTable` 3: a new segment is ours with its lock alone. Somebody who is about to leave
    // may still have that of an earlier session.
    var segment = count
    while try !memory.file.lockByte(at: SharedMemory.segmentLockOffset + segment, waits: false) {
      segment += 1
      guard (segment + 1) * Self.segmentSlotCount <= SharedMemory.maximumSlotCount else {
        throw .limitExceeded("Too many processes use '\(memory.file.path)' at the same time.")
      }
    }
    let lock = SharedMemory.segmentLockOffset + segment
    let newCount = (segment + 1) * Self.segmentSlotCount
    do throws(StorageError) {
      try memory.reserve(Self.offset(ofSlot: slots)..<Self.offset(ofSlot: newCount))
    } catch {
      memory.file.unlockByte(at: lock)
      throw error
    }
    unsafe memory.slotCount.pointee.store(UInt64(newCount), ordering: .sequentiallyConsistent)
    return segment
  }

  /// Gives all segments up, with the end of the session.
  func giveUpSegments() {
    for index in 0..<ownedCount.load(ordering: .acquiring) {
      let offset = unsafe ownedOffsets[index] - SharedMemory.slotsOffset
      let segment = offset / (SharedMemory.slotByteCount * Self.segmentSlotCount)
      memory.file.unlockByte(at: SharedMemory.segmentLockOffset + segment)
    }
  }
}
