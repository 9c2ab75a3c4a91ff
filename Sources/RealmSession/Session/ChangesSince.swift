// SPDX-License-Identifier: Apache-2.0

// The changes between two versions that a session computed last, kept because several results ask
// for the same ones in a row.

import RealmTables

/// The changes between two versions, cached by a session.
struct ChangesSince {
  let start: UInt64
  let end: UInt64
  /// The limit on the length of the log with which the changes were computed.
  let byteLimit: Int
  /// Nil if they are not known, or if the log is longer than the limit.
  let changes: VersionChanges?
}
