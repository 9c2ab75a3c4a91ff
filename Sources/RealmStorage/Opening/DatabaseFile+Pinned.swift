// SPDX-License-Identifier: Apache-2.0

// The cost of keeping a version.

extension DatabaseFile {
  /// The bytes of the file freed after the snapshot's version, out of the reach of writers until
  /// its release. (If older versions are kept, before their release, too.)
  package func pinnedByteCount(by snapshot: Snapshot) throws(StorageError) -> Int {
    let newest = try self.snapshot()
    guard newest.version > snapshot.version else { return 0 }
    let free = try FreeSpace(newest.top(), in: newest.space)
    return free.blocks.reduce(0) { $1.tag > snapshot.version ? $0 + $1.byteCount : $0 }
  }
}
