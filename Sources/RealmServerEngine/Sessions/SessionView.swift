// SPDX-License-Identifier: Apache-2.0

// The view of the client of a session in flexible mode, and its next one.
//
// Invariants:
// 1. `active` is the query whose objects the client has after all messages that were made for it.
// 2. The parts are of a round of the active query that is too large for one message, then of the
//    bootstrap of the target; both begin with one version of the realm.

import RealmSyncProtocol

/// The queries of a session in flexible mode and the bootstrap between them.
struct SessionView: Sendable {
  /// Nil for a client without anything so far.
  private(set) var active: SessionQuery?
  /// The query whose bootstrap is due.
  private(set) var target: SessionQuery?
  /// The earlier active query.
  private var previous: SessionQuery?
  private var round: Parts?
  private var bootstrap: Parts?

  /// - Parameters:
  ///   - ident: The query named by the client.
  ///   - isNew: Whether the client has nothing yet.
  init(_ ident: SessionQuery, isNew: Bool) {
    (active, target) = isNew ? (nil, ident) : (ident, nil)
  }

  /// The queries of a client whose view was made with other rights of its user.
  init(_ active: SessionQuery, next target: SessionQuery) {
    (self.active, self.target) = (active, target)
  }

  /// Whether the rights of the user are other ones than those that the client's view was made with.
  /// What leads there is one batch: a client that stopped in the middle of it would have neither
  /// view.
  var changesFilters: Bool {
    if let active, let target { active.filters != target.filters } else { false }
  }

  /// The subscriptions that the client may have written by: those before a change are uploaded
  /// after it, too.
  var subscriptions: [[String: String]] {
    [active, target, previous].compactMap { $0?.effective.conditions }
  }

  /// Makes another query the target.
  mutating func aim(at query: SessionQuery) {
    target = query
    (round, bootstrap) = (nil, nil)
  }

  // MARK: Parts

  /// Whether parts are left.
  var hasParts: Bool { round != nil || bootstrap != nil }

  /// The bytes of written entries not yet taken.
  var heldByteCount: Int { (round?.byteCount ?? 0) + (bootstrap?.byteCount ?? 0) }

  /// Adds the bootstrap of the target.
  mutating func add(_ parts: Parts) {
    assert(target != nil && !hasParts && !parts.isEmpty, "`SessionView` 2")
    bootstrap = parts
  }

  /// Adds a round before the bootstrap of the target.
  mutating func add(round parts: Parts) {
    assert(active != nil && round == nil && !parts.isEmpty, "`SessionView` 2")
    round = parts
  }

  /// The bootstrap of which the next part needs entries, of so many bytes; nil if they are written.
  var unwritten: (bootstrap: Bootstrap, byteLimit: Int)? {
    round == nil ? bootstrap?.unwritten : nil
  }

  /// Adds entries written of `unwritten`.
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
    assert(target != nil, "`SessionView` 2: a bootstrap without its target")
    if bootstrap?.isEmpty == true {
      bootstrap = nil
      (previous, active, target) = (active ?? previous, target, nil)
    }
    return part
  }
}

/// The queries of a subscription set with its version.
struct SessionQuery: Hashable, Sendable {
  let version: UInt64
  /// The document as the client sent it.
  let text: String
  /// The readable part for the user; nil for everything.
  let filters: ReadFilters?
  let effective: EffectiveQuery

  init(_ query: VersionedQuery, _ filters: ReadFilters?) throws(SessionRefusal) {
    guard query.version <= UInt64(Int64.max), query.text.utf8.count <= QueryDocument.byteCountMax,
      let document = QueryDocument(text: query.text)
    else { throw SessionRefusal(.badQuery, "Invalid query: a bad document") }
    version = query.version
    text = query.text
    self.filters = filters
    effective = EffectiveQuery(document.queries, filters)
  }

  private init(_ query: SessionQuery, _ filters: ReadFilters?) {
    version = query.version
    text = query.text
    self.filters = filters
    effective = EffectiveQuery(query.effective.conditions, filters)
  }

  /// The same subscriptions of a user with other rights.
  func filtered(by filters: ReadFilters?) -> SessionQuery { SessionQuery(self, filters) }
}

extension SessionView {
  /// A bootstrap as messages (P4 B.3), or a round that is too large for one (P4 B.4). The last part
  /// is marked.
  struct Parts: Sendable {
    private let query: SessionQuery
    private let cursors: SyncCursors
    /// Written entries, a group for each part; the next part is the last group.
    private var groups: [[DownloadEntry]] = []
    /// The bootstrap to write once the groups are sent.
    private(set) var rest: Bootstrap?
    /// The bytes of the groups.
    private(set) var byteCount = 0
    /// The bytes of the entries written before.
    private let total: Int
    private let byteCountMax: Int

    /// - Parameter byteCountMax: Of written entries, a part takes no further one that would make it
    ///   larger; others are written for it until it is so large.
    init(
      _ entries: [DownloadEntry], _ rest: Bootstrap? = nil, _ cursors: SyncCursors,
      of query: SessionQuery, byteCountMax: Int
    ) {
      self.query = query
      self.cursors = cursors
      total = entries.byteCount
      self.byteCountMax = byteCountMax
      self.rest = rest
      var size = 0
      for entry in entries {
        let count = entry.changeset.count
        if groups.isEmpty || size > 0 && size + count > byteCountMax {
          groups.append([])
          size = 0
        }
        groups[groups.count - 1].append(entry)
        size += count
      }
      assert(
        groups.reduce(0) { $0 + $1.count } == entries.count && groups.allSatisfy { !$0.isEmpty },
        "each entry is in one part, and no part is empty")
      groups.reverse()
      byteCount = total
    }

    var isEmpty: Bool { groups.isEmpty && rest == nil }

    /// The room of the next part, if entries have to be written for it; nil if not.
    var unwritten: (bootstrap: Bootstrap, byteLimit: Int)? {
      guard let rest, groups.count < 2, byteCount < byteCountMax else { return nil }
      return (rest, byteCountMax - byteCount)
    }

    /// Adds entries to the next part.
    mutating func add(_ entries: [DownloadEntry], rest: Bootstrap) {
      assert(
        unwritten != nil && !entries.isEmpty, "clients wait for ever for a part without entries")
      groups = [(groups.first ?? []) + entries]
      byteCount += entries.byteCount
      self.rest = rest.isComplete ? nil : rest
    }

    /// Takes the next part, whose entries are written.
    mutating func take() -> ServerMessage.Download? {
      guard let entries = groups.popLast() else { return nil }
      byteCount -= entries.byteCount
      assert(byteCount >= 0 && (!groups.isEmpty || byteCount == 0), "bytes of no entry are held")
      return ServerMessage.Download(
        cursors: cursors,
        progress: .flexible(
          queryVersion: query.version, batch: isEmpty ? .last : .moreToCome,
          done: .estimate(progress)),
        body: MessageBody(downloads: entries))
    }

    /// The taken part of the download.
    private var progress: Double {
      if isEmpty { return 1 }
      guard let rest else { return 1 - Double(byteCount) / Double(max(total, 1)) }
      // A round before a bootstrap is little beside it.
      return groups.isEmpty ? rest.progress : 0
    }
  }
}
