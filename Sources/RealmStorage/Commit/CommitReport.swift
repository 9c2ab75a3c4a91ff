// SPDX-License-Identifier: Apache-2.0

// Measurements of commits, for programs that watch their databases.

/// What the transactions of one commit took until they were written.
package struct CommitWork: Sendable, Hashable {
  package var transactionCount = 0
  /// The bytes that were written to the file, before encryption.
  package var byteCount = 0
  /// The time that their writers waited for the right to write.
  package var waitNanoseconds: UInt64 = 0

  package init() {}
}

/// A commit that has become durable.
package struct CommitReport: Sendable {
  package let path: String
  /// The newest version that it made.
  package let version: UInt64
  package let work: CommitWork
  /// The time from the first sync to the publication.
  package let syncNanoseconds: UInt64
  /// The number of bytes up to the end of the last node.
  package let logicalSize: Int
  /// The number of versions that readers of all processes pin.
  package let pinnedVersionCount: Int
  /// The number of writers of this process that wait.
  package let waiterCount: Int
}
