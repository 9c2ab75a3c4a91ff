// SPDX-License-Identifier: Apache-2.0

// What a session begins with: the newest version of its file, and what the disk may have instead.
//
// A process may have died between the change of the selector and the sync after it. The next one
// finds the new selector in the system's memory, while the disk still has the old one. If a commit
// then took space of the version that the old selector selects, a crash of the system would leave
// that selector, and a version that is partly overwritten.
//
// 1. Until the session has synced the file once, no commit overwrites what the alternative needs.
//    Where the alternative is not known, the file is synced before the first commit writes.
// 2. A session that has synced once has no alternative: the first sync follows a write of the
//    header (`DatabaseFile+Selector` 1).

/// The version that a session begins with.
struct SessionStart: Hashable, Sendable {
  var entry: VersionEntry
  /// The version that a crash may leave selected instead, or one of the values below.
  var alternative: UInt64

  /// The disk selects the version for certain.
  static let noAlternative = UInt64.max
  /// It is not known what a crash leaves.
  static let unknownAlternative: UInt64 = 0
}
