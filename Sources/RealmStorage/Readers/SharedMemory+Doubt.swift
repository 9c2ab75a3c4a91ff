// SPDX-License-Identifier: Apache-2.0

// The mark of a failed sync, for the next session of a lock file (`FormerSession`).

extension SharedMemory {
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
