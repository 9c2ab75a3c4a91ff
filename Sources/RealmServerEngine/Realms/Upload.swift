// SPDX-License-Identifier: Apache-2.0

// Uploads on their way into a realm.

package import RealmSyncProtocol

/// A client's changes and its progress.
package struct Upload: Hashable, Sendable {
  package var file: FileIdentifier
  package var entries: [UploadEntry]
  package var progress: UploadCursor
  package var lockedServerVersion: UInt64 = 0
  /// The client's view, as far as its session knows; nil in partition mode.
  package var query: EffectiveQuery?
  package var right: WriteRight = .allowed
  /// What the user may change in flexible mode; nil for everything.
  package var rules: WriteRules?

  package init(of file: FileIdentifier, _ entries: [UploadEntry], progress: UploadCursor) {
    self.init(file: file, entries: entries, progress: progress)
  }

  init(
    file: FileIdentifier, entries: [UploadEntry], progress: UploadCursor,
    lockedServerVersion: UInt64 = 0, query: EffectiveQuery? = nil, right: WriteRight = .allowed,
    rules: WriteRules? = nil
  ) {
    self.file = file
    self.entries = entries
    self.progress = progress
    self.lockedServerVersion = lockedServerVersion
    self.query = query
    self.right = right
    self.rules = rules
  }

  /// The sizes of all changesets.
  package var byteCount: Int { entries.reduce(0) { $0 + $1.changeset.count } }
}

/// What becomes of the changes of an upload.
///
/// Without the right to write, of the declarations that each client uploads when it opens a realm,
/// the realm takes those alone that the schema of the app has.
package enum WriteRight: Hashable, Sendable {
  case allowed
  /// Changes of objects are undone on the client (P4 C.3).
  case compensated
  /// Changes of objects end the session with the error 230.
  case refused
}

/// The end of an upload.
package enum UploadOutcome: Hashable, Sendable {
  /// It is on the disk, and may be acknowledged: the client's file with its new cursors, and the
  /// head of the realm.
  case integrated(ClientFile, RealmHead)
  /// Nothing of it was stored, and the session ends.
  case refused(SessionRefusal)
  /// The store failed. The client sends it again.
  case failed(StoreError)
}
