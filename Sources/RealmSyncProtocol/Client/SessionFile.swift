// SPDX-License-Identifier: Apache-2.0

// A synchronised file as its session knows it.

/// The state of a synchronised file.
package struct SessionFile: Hashable, Sendable {
  /// The newest version.
  package var version: UInt64
  /// `FileIdentifier.own` if the server has not given one yet.
  package var ident: FileIdentifier
  package var salt: UInt64
  package var cursors: SyncCursors
  /// The subscription sets, oldest first; empty in partition mode.
  package var sets: [QuerySet]

  package init(
    version: UInt64 = 0, ident: FileIdentifier = .own, salt: UInt64 = 0,
    cursors: SyncCursors = SyncCursors(), sets: [QuerySet] = []
  ) {
    self.version = version
    self.ident = ident
    self.salt = salt
    self.cursors = cursors
    self.sets = sets
  }

  /// The newest set whose objects are there, or else the first one.
  var activeSet: QuerySet? { sets.last { $0.isActive } ?? sets.first }
}

/// A subscription set that the file stores.
package struct QuerySet: Hashable, Sendable {
  /// How far the file is with a set.
  package enum State: Hashable, Sendable {
    case pending, bootstrapping, awaitingMark, complete, error
  }

  package var version: UInt64
  package var state: State
  /// The client version up to which changes must be sent before the set is.
  package var snapshotVersion: UInt64
  /// The text of its `QueryDocument`.
  package var text: String

  package init(version: UInt64, state: State, snapshotVersion: UInt64, text: String) {
    self.version = version
    self.state = state
    self.snapshotVersion = snapshotVersion
    self.text = text
  }

  /// Whether the server does not know of it, or has not brought all of its objects.
  var isPending: Bool { state == .pending || state == .bootstrapping }
  var isActive: Bool { state == .awaitingMark || state == .complete }
}
