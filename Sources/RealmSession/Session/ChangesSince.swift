// SPDX-License-Identifier: Apache-2.0

// What happened since a version that a session showed before.

import RealmTables

/// The changes between two versions.
struct ChangesSince {
  let start: UInt64
  let end: UInt64
  /// The log had to be no longer than this.
  let byteLimit: Int
  /// Nil if they are not known, or too many to be of use.
  let changes: VersionChanges?
}
