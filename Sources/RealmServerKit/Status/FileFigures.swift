// SPDX-License-Identifier: Apache-2.0

// What the open realms cost on the disk, and what their old versions keep of it.

#if Server
import RealmStorage

/// The figures of all files that the server has open, at one moment.
struct FileFigures: Sendable {
  /// The length of the files.
  private(set) var byteCount = 0
  /// The versions in use that newer ones have followed.
  private(set) var oldVersionCount = 0
  /// How many versions the oldest of them is behind the newest one of its file.
  private(set) var behindCountMax: UInt64 = 0
  /// For how long commits have found the most lasting of them in use.
  private(set) var heldNanosecondsMax: UInt64 = 0
  /// The bytes that cannot be used before old versions are released.
  private(set) var pinnedByteCount = 0

  /// Looks at files. One that cannot be read now is left out.
  init(_ files: [DatabaseFile]) {
    for file in files {
      byteCount += (try? file.fileByteCount()) ?? 0
      let newest = file.newestVersion
      let old = file.heldVersions.filter { $0.version < newest }
      guard let oldest = old.first else { continue }
      oldVersionCount += old.count
      behindCountMax = max(behindCountMax, newest - oldest.version)
      heldNanosecondsMax = max(heldNanosecondsMax, old.compactMap(\.heldNanoseconds).max() ?? 0)
      // A pass over the free list, for the few files that have an old version in use.
      pinnedByteCount += (try? file.statistics().pinnedByteCount) ?? 0
    }
  }
}
#endif
