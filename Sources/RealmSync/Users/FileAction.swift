// SPDX-License-Identifier: Apache-2.0

// What is to be done with a file that the server cannot go on with, once no realm of it is open.

/// A decision about a file that waits until the file is closed (P3 D.1).
package struct FileAction: Hashable, Sendable {
  /// What is done, with its number in the file of users.
  package enum Kind: Int64, Hashable, Sendable {
    /// The file is deleted.
    case delete = 0
    /// The file is moved to the place of its backup.
    case backUpAndDelete = 1
  }

  package var kind: Kind
  /// The file.
  package var path: String
  /// The place of its backup; nil if it is deleted.
  package var backupPath: String?
  /// The text of the partition's value; empty in flexible mode.
  package var partition: String
  /// The id of the user.
  package var user: String

  /// The deletion of a file.
  package init(deleting path: String, partition: String = "", user: String = "") {
    kind = .delete
    self.path = path
    self.partition = partition
    self.user = user
  }

  /// The move of a file to the place of its backup.
  package init(
    movingFrom path: String, to backupPath: String, partition: String = "", user: String = ""
  ) {
    kind = .backUpAndDelete
    self.path = path
    self.backupPath = backupPath
    self.partition = partition
    self.user = user
  }
}
