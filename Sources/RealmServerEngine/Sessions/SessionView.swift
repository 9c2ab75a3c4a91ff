// SPDX-License-Identifier: Apache-2.0

// What the client of a session in flexible mode sees, and what it is about to see.
//
// Invariants:
// 1. `active` is the query whose objects the client has after all messages that were made for it.
// 2. The parts of a bootstrap are of the target, and are made at once.

import RealmSyncProtocol

/// The queries of a session in flexible mode and the bootstrap between them.
struct SessionView: Sendable {
  /// Nil for a client that has nothing yet.
  private(set) var active: SessionQuery?
  /// The query whose bootstrap is due.
  private(set) var target: SessionQuery?
  /// The parts of the bootstrap that were made and not taken.
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

  /// The next part of the bootstrap; nil if none is made.
  mutating func takePart() -> ServerDownload? {
    guard let part = parts.popFirst() else { return nil }
    if parts.isEmpty { (active, target) = (target, nil) }
    return part
  }
}
