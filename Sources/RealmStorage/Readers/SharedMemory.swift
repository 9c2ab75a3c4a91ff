// SPDX-License-Identifier: Apache-2.0

// The lock file as memory that all processes of a session share.
//
// Its first 2 KiB are the fence that keeps Realm Core out (file format 2.9.3): a
// Realm Core process that finds the shared file lock taken, byte 0 = 1 and a layout version other
// than its own 14 gives up with a clean error. Everything of ours follows it:
//
//     0     fence: 1 at byte 0, the file format at byte 4, our layout version (u16) at byte 6
//     2048  revision of the layout below (u64) | not 0 while the exclusive lock is kept long (u64)
//     2112  newest version (u64) | number of reader slots (u64)
//     2176  wake word (u32) | poisoned (u32) | version being committed, or 0 (u64)
//     2192  number of processes that sleep on the wake word (u64)
//     2200  settled version (u64) | version that the header in the system's memory selects (u64)
//     2216  version that a crash may leave instead of the session's first one (u64)
//     2224  greatest version of which a record may be in the file (u64)
//     2232  which start of the system the above is of (16 bytes)
//     4096  the newest 64 versions, 32 bytes each: version, top ref, logical size, 0
//     8192  reader slots, 64 bytes each (`ReaderTable`)
//
// Locks on single bytes lie beyond all that: the writer's, the one for growing the reader table,
// the sync agent's, the one for joining or starting the session, and one for each segment of reader
// slots.
//
// 1. The file is initialised under the exclusive file lock, and only then. A holder of the shared
//    lock may rely on everything here.
// 2. All words are atomics. A version's entry is written before the newest version is.
// 3. No byte is touched through the mapping before the file has disk space for it: a store into a
//    hole of a file on a full disk traps (SIGBUS), where a call reports an error.
// 4. A child process, forked without exec, has zeros of its own in its place: its releases must not
//    change its parent's state.

import CRealmPlatform
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Where a version's top array is.
struct VersionEntry: Hashable, Sendable {
  var version: UInt64
  var topRef: Ref
  var logicalSize: Int
}

/// The mapped lock file of a session.
@safe
final class SharedMemory: Sendable {
  static let layoutVersion: UInt16 = 0x5200
  static let realmCoreLayoutVersion: UInt16 = 14
  static let layoutRevision: UInt64 = 6
  static let revisionOffset = 2048
  static let newestOffset = 2112
  static let poisonedOffset = 2180
  static let recordedOffset = 2224
  static let systemStartOffset = 2232
  static let slotsOffset = 8192
  static let slotByteCount = 64
  static let maximumSlotCount = 1 << 20
  static let initialByteCount = slotsOffset
  static let writerLockOffset = 1 << 40
  static let busyMarkOffset = 2056
  static let growthLockOffset = writerLockOffset + 1
  static let agentLockOffset = writerLockOffset + 2
  static let joinLockOffset = writerLockOffset + 3
  static let segmentLockOffset = writerLockOffset + 16
  private static let entryCount: UInt64 = 64
  private static let byteCount = slotsOffset + maximumSlotCount * slotByteCount
  /// The greatest length of a lock file, of Realm Core or ours.
  static let byteCountMax = 1 << 30

  let file: any StorageFile
  // An address that never changes; all words that it points to are atomics.
  nonisolated(unsafe) private let base: UnsafeMutableRawPointer
  // nonisolated(unsafe): set once; only C code, which locks, reads what it points to.
  nonisolated(unsafe) private let forkItem: OpaquePointer?

  /// Maps the lock file, whose reader slots may lie beyond its present end.
  init(_ file: any StorageFile) throws(StorageError) {
    self.file = file
    let range = unsafe mmap(
      nil, Self.byteCount, PROT_NONE, MAP_PRIVATE | Self.anonymous | MAP_NORESERVE, -1, 0)
    guard let range = unsafe range, unsafe range != MAP_FAILED else {
      throw .addressSpaceExhausted(path: file.path, byteCount: Self.byteCount)
    }
    unsafe base = unsafe range
    unsafe forkItem = unsafe realm_fork_add(REALM_FORK_REPLACE, range, Self.byteCount)
    try unsafe file.map(0..<Self.byteCount, at: range, isWritable: true)
  }

  deinit {
    unsafe realm_fork_remove(forkItem)
    unsafe munmap(base, Self.byteCount)
  }

  #if canImport(Darwin)
  private static let anonymous = MAP_ANON
  #else
  private static let anonymous = MAP_ANONYMOUS
  #endif

  // MARK: Words

  func word(at offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  private func halfWord(at offset: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
    unsafe (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  var newest: UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(at: Self.newestOffset) }
  var slotCount: UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(at: 2120) }
  var wakeWord: UnsafeMutablePointer<Atomic<UInt32>> { unsafe halfWord(at: 2176) }
  var poisoned: UnsafeMutablePointer<Atomic<UInt32>> { unsafe halfWord(at: Self.poisonedOffset) }
  /// Not 0 while the header is changed, until the version is published.
  var committing: UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(at: 2184) }
  /// The version that the header selects on the disk, or one before it: what a crash may leave for
  /// readers that do not know commit records. No commit reuses what this version or a later one
  /// needs. Belongs to the holder of the writer lock.
  var settled: UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(at: 2200) }
  /// The version that the header selects in the system's memory: the newest, or one that deferred
  /// commits followed. Belongs to the holder of the writer lock.
  var selected: UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(at: 2208) }
  /// What a crash may leave instead of the session's first version (`SessionStart`). Belongs to the
  /// holder of the writer lock.
  var alternative: UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(at: 2216) }
  /// The greatest version of which the file may have a record, published or not (`CommitRecord` 4).
  /// Belongs to the holder of the writer lock.
  var recorded: UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(at: Self.recordedOffset) }
  /// How many threads sleep on the wake word, one for each open file that has listeners; too many
  /// after a process died.
  private var sleeperCount: UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(at: 2192) }

  // MARK: The session's start

  /// Writes the shared state of a new session.
  ///
  /// The caller holds the exclusive lock of the file.
  ///
  /// - Parameter recordedVersion: The greatest version of which the file may have a record.
  func initialise(
    _ start: SessionStart, recordedVersion: UInt64
  ) throws(StorageError) {
    if try file.byteCount() > Self.initialByteCount {
      try file.resize(to: Self.initialByteCount)
    }
    try reserve(0..<Self.initialByteCount)
    unsafe word(at: Self.revisionOffset).pointee.store(
      Self.layoutRevision, ordering: .relaxed)
    write(start.entry)
    unsafe base.storeBytes(of: UInt8(FileHeader.supportedVersion), toByteOffset: 4, as: UInt8.self)
    unsafe base.storeBytes(
      of: Self.layoutVersion.littleEndian, toByteOffset: 6, as: UInt16.self)
    let version = start.entry.version
    unsafe recorded.pointee.store(recordedVersion, ordering: .sequentiallyConsistent)
    for (index, half) in [SystemStart.identifier.0, SystemStart.identifier.1].enumerated() {
      unsafe word(at: Self.systemStartOffset + index * 8).pointee.store(half, ordering: .relaxed)
    }
    unsafe alternative.pointee.store(start.alternative, ordering: .sequentiallyConsistent)
    unsafe settled.pointee.store(version, ordering: .sequentiallyConsistent)
    unsafe selected.pointee.store(version, ordering: .sequentiallyConsistent)
    unsafe newest.pointee.store(version, ordering: .sequentiallyConsistent)
    unsafe base.storeBytes(of: 1, as: UInt8.self)
  }

  /// Fills a range of the file with zeros that have their space on the disk.
  ///
  /// Invariant 3. The zeros are written, not stored through the mapping: a hole that the file
  /// already has is an error of the call on a full disk, as is a file that cannot grow.
  func reserve(_ range: Range<Int>) throws(StorageError) {
    let byteCount = try file.byteCount()
    if byteCount < range.upperBound {
      try file.allocate(max(byteCount, range.lowerBound)..<range.upperBound)
    }
    let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 8)
    defer { unsafe zeros.deallocate() }
    unsafe zeros.initializeMemory(as: UInt8.self, repeating: 0)
    try unsafe file.write(UnsafeRawBufferPointer(zeros), at: range.lowerBound)
  }

  // MARK: Versions

  private func entryOffset(_ version: UInt64) -> Int {
    4096 + Int(version % Self.entryCount) * 32
  }

  private func write(_ entry: VersionEntry) {
    let offset = entryOffset(entry.version)
    unsafe word(at: offset).pointee.store(0, ordering: .sequentiallyConsistent)
    unsafe word(at: offset + 8).pointee.store(
      UInt64(entry.topRef.offset), ordering: .sequentiallyConsistent)
    unsafe word(at: offset + 16).pointee.store(
      UInt64(entry.logicalSize), ordering: .sequentiallyConsistent)
    unsafe word(at: offset).pointee.store(entry.version, ordering: .sequentiallyConsistent)
  }

  /// Where `version` is, or nil if it is older than the last 64.
  func entry(of version: UInt64) -> VersionEntry? {
    let offset = entryOffset(version)
    guard unsafe word(at: offset).pointee.load(ordering: .sequentiallyConsistent) == version else {
      return nil
    }
    let topRef = unsafe word(at: offset + 8).pointee.load(ordering: .sequentiallyConsistent)
    let size = unsafe word(at: offset + 16).pointee.load(ordering: .sequentiallyConsistent)
    guard unsafe word(at: offset).pointee.load(ordering: .sequentiallyConsistent) == version else {
      return nil
    }
    return VersionEntry(
      version: version, topRef: Ref(Int(topRef)), logicalSize: Int(size))
  }

  /// Makes a durable version the newest and wakes the threads that wait for one.
  ///
  /// The caller holds the writer lock.
  ///
  /// - Parameter sleepers: How many of those who sleep need not be woken, as they know.
  func publish(_ entry: VersionEntry, knownTo sleepers: Int = 0) {
    write(entry)
    unsafe newest.pointee.store(entry.version, ordering: .sequentiallyConsistent)
    unsafe committing.pointee.store(0, ordering: .sequentiallyConsistent)
    unsafe wakeWord.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    // A sleeper that is not counted yet has yet to load the newest version.
    guard unsafe sleeperCount.pointee.load(ordering: .sequentiallyConsistent) > sleepers else {
      return
    }
    unsafe realm_wake_word(UnsafeRawPointer(wakeWord), true)
  }

  // MARK: Waiting

  /// Counts one more sleeper, before it loads the newest version for the first time.
  func addSleeper() {
    unsafe sleeperCount.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
  }

  /// Counts one sleeper less.
  func removeSleeper() {
    unsafe sleeperCount.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }

  /// Wakes all who sleep, news or not.
  func wake() {
    unsafe wakeWord.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    unsafe realm_wake_word(UnsafeRawPointer(wakeWord), true)
  }

  /// Sleeps until `wake()` changes the wake word from `value`, at most a second.
  func wait(whileWakeWordIs value: UInt32) {
    unsafe realm_wait_on_word(UnsafeRawPointer(wakeWord), value, 1_000_000_000, true)
  }
}
