// SPDX-License-Identifier: Apache-2.0

// What the client of a session in flexible mode sees, and what it is about to see.
//
// Invariants:
// 1. `active` is the query whose objects the client has after all messages that were made for it.
// 2. The parts are of a round of the active query that is too large for one message, then of the
//    bootstrap of the target; those of each are made at once.

import RealmSyncProtocol

/// The queries of a session in flexible mode and the bootstrap between them.
struct SessionView: Sendable {
  /// Nil for a client that has nothing yet.
  private(set) var active: SessionQuery?
  /// The query whose bootstrap is due.
  private(set) var target: SessionQuery?
  /// The parts that were made and not taken.
  private(set) var parts: ArraySlice<ServerDownload> = []

  /// - Parameters:
  ///   - ident: The query that the client names.
  ///   - isNew: Whether the client has nothing yet.
  init(_ ident: SessionQuery, isNew: Bool) {
    (active, target) = isNew ? (nil, ident) : (ident, nil)
  }

  /// Makes another query the target.
  mutating func aim(at query: SessionQuery) {
    target = query
    parts = []
  }

  /// Adds the bootstrap of the target.
  mutating func add(_ parts: [ServerDownload]) {
    assert(target != nil && self.parts.isEmpty && !parts.isEmpty, "SessionView 2")
    self.parts = parts[...]
  }

  /// Adds a round, which comes before the bootstrap of the target.
  mutating func add(round: [ServerDownload]) {
    assert(active != nil && !round.isEmpty, "SessionView 2")
    parts = round + parts
  }

  /// The next part; nil if none is made.
  mutating func takePart() -> ServerDownload? {
    guard let part = parts.popFirst() else { return nil }
    guard parts.isEmpty else { return part }
    // An empty slice would keep all parts.
    parts = []
    if let target { (active, self.target) = (target, nil) }
    return part
  }
}
