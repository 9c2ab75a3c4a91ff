// SPDX-License-Identifier: Apache-2.0

// What a lock file says of the session before, when the processes of that session are gone.
//
// 1. After a failed sync, the system's memory of the database and the disk may differ. The word for
//    the end of writing (`poisoned`) says so. A crash of the system takes the mark away, and the
//    memory as well.
// 2. A process that died may have written records of versions that no one published. The word
//    `recorded` says how far they go. After a crash of the system the lock file may say anything
//    that it said before, so it is believed only if the system has not been started since, and if
//    the newest version is the one that the database has.

/// The words of a lock file that a new session needs.
struct FormerSession: Sendable {
  /// Whether a sync failed in the session, or in a start of the next one.
  let isInDoubt: Bool
  private let newestVersion: UInt64
  private let recorded: UInt64
  private let systemStart: (UInt64, UInt64)

  /// Reads what the session left; nil if the lock file is new, or of other software.
  ///
  /// The caller holds the exclusive lock of the lock file.
  init?(_ file: any StorageFile) throws(StorageError) {
    let first = SharedMemory.revisionOffset
    let count = SharedMemory.systemStartOffset + 16 - first
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { unsafe buffer.deallocate() }
    // A lock file that was new when a start failed ends with the mark of that.
    unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
    guard try unsafe file.read(into: buffer, at: first) >= SharedMemory.poisonedOffset + 4 - first
    else { return nil }
    func word(_ offset: Int) -> UInt64 {
      unsafe UInt64(littleEndian: buffer.load(fromByteOffset: offset - first, as: UInt64.self))
    }
    guard word(first) == SharedMemory.layoutRevision else { return nil }
    let poisoned = unsafe buffer.load(
      fromByteOffset: SharedMemory.poisonedOffset - first, as: UInt32.self)
    isInDoubt = poisoned != 0
    newestVersion = word(SharedMemory.newestOffset)
    recorded = word(SharedMemory.recordedOffset)
    systemStart = (
      word(SharedMemory.systemStartOffset), word(SharedMemory.systemStartOffset + 8)
    )
  }

  /// The greatest version of which the file may have a record; nil if it is not known.
  ///
  /// - Parameter version: The newest version that was found.
  func recordedVersion(at version: UInt64) -> UInt64? {
    let isSameStart = systemStart == SystemStart.identifier && systemStart != (0, 0)
    guard isSameStart, newestVersion == version else { return nil }
    return recorded
  }

  /// The number of versions that one record after the other proves, before two syncs end that.
  static let provenVersionCountMax: UInt64 = 24

  /// The greatest version of which a file with this newest version can have a record.
  ///
  /// Records begin after a version that the header selected, and other software may have gone back
  /// to the one before that.
  static func recordedVersionMax(at entry: VersionEntry) -> UInt64 {
    // The first commit has none.
    guard !entry.topRef.isNull else { return entry.version }
    let (result, isOverflowing) = entry.version.addingReportingOverflow(
      2 * provenVersionCountMax)
    return isOverflowing ? .max : result
  }
}
