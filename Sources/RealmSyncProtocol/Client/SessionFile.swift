// SPDX-License-Identifier: Apache-2.0

// A client's file as a session needs it.

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
