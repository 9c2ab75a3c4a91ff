// SPDX-License-Identifier: Apache-2.0

// What a commit promises when it returns.

/// When a commit reaches the disk.
///
/// In every case a crash leaves whole versions, and a process that is killed loses none that it
/// committed.
package enum CommitDurability: Hashable, Sendable {
  /// The version is on the disk, and the header selects it there: every reader of the format finds
  /// it.
  case twoSyncs
  /// The version is on the disk, with a record that proves it (`CommitRecord`). The header selects
  /// it there with the next commit, or when the file is closed. After a crash an opener that knows
  /// the record finds the version, others find the one before.
  case oneSync
  /// The version is in the system's memory. It is on the disk some time later, and a crash of the
  /// system or of the power may lose it, with all that were committed after the last sync.
  case deferred
}
