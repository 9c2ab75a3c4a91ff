// SPDX-License-Identifier: Apache-2.0

// What the client of a session in flexible mode sees, and what it is about to see.
//
// Invariants:
// 1. `active` is the query whose objects the client has after all messages that were made for it.
// 2. The parts are of a round of the active query that is too large for one message, then of the
//    bootstrap of the target; both begin with one version of the realm.

import RealmSyncProtocol

/// The queries of a session in flexible mode and the bootstrap between them.
struct SessionView: Sendable {
  /// Nil for a client that has nothing yet.
  private(set) var active: SessionQuery?
  /// The query whose bootstrap is due.
  private(set) var target: SessionQuery?
  private var round: DownloadParts?
  private var bootstrap: DownloadParts?

  /// - Parameters:
  ///   - ident: The query that the client names.
  ///   - isNew: Whether the client has nothing yet.
  init(_ ident: SessionQuery, isNew: Bool) {
    (active, target) = isNew ? (nil, ident) : (ident, nil)
  }

  /// Makes another query the target.
  mutating func aim(at query: SessionQuery) {
    target = query
    (round, bootstrap) = (nil, nil)
  }

  // MARK: Parts

  /// Whether parts are left.
  var hasParts: Bool { round != nil || bootstrap != nil }

  /// The bytes of what is written and not taken.
  var heldByteCount: Int { (round?.byteCount ?? 0) + (bootstrap?.byteCount ?? 0) }

  /// Adds the bootstrap of the target.
  mutating func add(_ parts: DownloadParts) {
    assert(target != nil && !hasParts && !parts.isEmpty, "SessionView 2")
    bootstrap = parts
  }

  /// Adds a round, which comes before the bootstrap of the target.
  mutating func add(round parts: DownloadParts) {
    assert(active != nil && round == nil && !parts.isEmpty, "SessionView 2")
    round = parts
  }

  /// The bootstrap of which the next part needs entries, of so many bytes; nil if they are written.
  var unwritten: (bootstrap: Bootstrap, byteLimit: Int)? {
    round == nil ? bootstrap?.unwritten : nil
  }

  /// Adds entries that were written of `unwritten`.
  mutating func add(_ entries: [DownloadEntry], rest: Bootstrap) {
    bootstrap?.add(entries, rest: rest)
  }

  /// Takes the next part, whose entries are written; nil if there is none.
  mutating func takePart() -> ServerMessage.Download? {
    if let part = round?.take() {
      if round?.isEmpty == true { round = nil }
      return part
    }
    guard let part = bootstrap?.take() else { return nil }
    if bootstrap?.isEmpty == true {
      bootstrap = nil
      (active, target) = (target, nil)
    }
    return part
  }
}

/// The queries of a subscription set with its version.
struct SessionQuery: Hashable, Sendable {
  let version: UInt64
  /// The document as the client sent it.
  let text: String
  let effective: EffectiveQuery

  init(_ query: VersionedQuery) throws(SessionRefusal) {
    guard query.version <= UInt64(Int64.max), query.text.utf8.count <= QueryDocument.byteCountMax,
      let document = QueryDocument(text: query.text)
    else { throw SessionRefusal(.badQuery, "Invalid query: a bad document") }
    version = query.version
    text = query.text
    effective = EffectiveQuery(document.queries)
  }
}
