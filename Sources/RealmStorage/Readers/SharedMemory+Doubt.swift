// SPDX-License-Identifier: Apache-2.0

// The mark of a failed sync, from one session of a lock file to the next.
//
// After a failed sync, the system's memory of the database and the disk may differ. The word for
// the end of writing (`poisoned`) stays in the lock file when the processes of the session are
// gone, and tells the next one. A crash of the system takes the mark away, and the memory as well.

extension SharedMemory {
  private static let revisionOffset = 2048
  private static let poisonedOffset = 2180

  /// Whether a sync failed in the session before, or in a start of this one.
  ///
  /// The caller holds the exclusive lock of the lock file.
  static func isInDoubt(_ file: any StorageFile) throws(StorageError) -> Bool {
    let count = poisonedOffset + 4 - revisionOffset
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { unsafe buffer.deallocate() }
    guard try unsafe file.read(into: buffer, at: revisionOffset) == count else { return false }
    let revision = unsafe UInt64(littleEndian: buffer.load(as: UInt64.self))
    return unsafe revision == layoutRevision && buffer[(count - 4)...].contains { $0 != 0 }
  }

  /// Marks a lock file if a sync failed; another error changes nothing.
  ///
  /// The caller holds the exclusive lock of the lock file.
  static func noteFailure(_ error: StorageError, in file: any StorageFile) {
    guard case .system("Syncing", _, _) = error else { return }
    // On a disk without room for the mark, the first error is reported.
    try? file.write(layoutRevision, at: revisionOffset)
    try? file.write(UInt32(1), at: poisonedOffset)
  }
}
