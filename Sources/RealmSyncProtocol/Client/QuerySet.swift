// SPDX-License-Identifier: Apache-2.0

// A subscription set as a session needs it.

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
