// SPDX-License-Identifier: Apache-2.0

// The changesets of this file, unknown to an incoming one.
//
// 1. They are the local entries with a changeset of the versions after the base, in their present
//    form: as integrations since have altered them (their reciprocals).
// 2. All groups of a transaction merge with the same values, stored once, at its end.
// 3. Entries kept from an earlier commit are those of the file after it. Nothing but an integration
//    changes reciprocals; a replacement of entries changes the file's identifier or forgets the
//    kept ones.

import RealmStorage
import RealmSyncProtocol

/// The own changesets of a file, to merge with incoming ones.
struct OwnEntries {
  private let file: FileIdentifier
  /// The range of versions; those with a changeset are listed.
  private var base: UInt64
  private var end: UInt64
  private var versions: [UInt64] = []
  private var changesets: [Changeset] = []
  private var isAltered: [Bool] = []
  /// The sizes of the entries as they are stored.
  private(set) var byteCount = 0
  /// The instructions that merges have dropped, as those of the server take precedence.
  private(set) var droppedInstructionCount = 0

  /// The entries of the versions after `base`, or after the oldest version with an entry.
  init(
    _ history: SyncHistory, after base: UInt64, of file: FileIdentifier
  ) throws(StorageError) {
    self.file = file
    self.base = max(base, history.base)
    end = self.base
    try read(history)
  }

  /// Adapts the entries of an earlier commit: newer ones are added, those before the base go.
  ///
  /// - Returns: Whether it is of use for the base.
  mutating func update(
    _ history: SyncHistory, after base: UInt64, of file: FileIdentifier
  ) throws(StorageError) -> Bool {
    let base = max(base, history.base)
    guard file == self.file, base >= self.base, end <= history.version else { return false }
    assert(!isAltered.contains(true), "OwnEntries 2")
    let count = versions.firstIndex { $0 > base } ?? versions.count
    versions.removeFirst(count)
    changesets.removeFirst(count)
    isAltered.removeFirst(count)
    self.base = base
    end = max(end, base)
    try read(history)
    return true
  }

  /// Adds the entries after `end`.
  private mutating func read(_ history: SyncHistory) throws(StorageError) {
    var cursor = history.heads(after: end)
    while let head = try cursor.next() {
      guard head.isUploadable else { continue }
      var stored = try history.reciprocal(at: head.version)
      if stored == nil { stored = try history.changeset(at: head.version) }
      assert(head.version > versions.last ?? base, "OwnEntries 1")
      let origin = ChangesetOrigin(
        version: head.version, remoteVersion: head.remoteVersion, file: .own,
        timestamp: OriginTimestamp(milliseconds: UInt64(max(0, head.originTimestamp))))
      versions.append(head.version)
      changesets.append(
        try StoredChangeset.parse(
          stored ?? [], isFramed: history.isUpgraded, origin: origin
        ).changeset)
      isAltered.append(false)
      byteCount += stored?.count ?? 0
    }
    end = history.version
  }

  /// Merges incoming changesets of one base.
  ///
  /// - Returns: Whether an own changeset was altered, even if later incoming ones took it back.
  mutating func merge(
    _ incoming: inout [Changeset], after base: UInt64, ownIdent: FileIdentifier,
    _ transformer: inout Transformer
  ) throws(MergeError) -> Bool {
    guard let start = versions.firstIndex(where: { $0 > base }) else { return false }
    assert(versions.count == changesets.count && versions.count == isAltered.count, "OwnEntries 1")
    var local = Array(changesets[start...])
    let outcome = try transformer.merge(local: &local, incoming: &incoming, ownIdent: ownIdent)
    for position in outcome.alteredLocal {
      let count = changesets[start + position].instructions.count
      droppedInstructionCount += max(0, count - local[position].instructions.count)
      changesets[start + position] = local[position]
      isAltered[start + position] = true
    }
    return outcome.isLocalTouched
  }

  /// Stores the altered changesets.
  mutating func store(in transaction: WriteTransaction) throws(StorageError) {
    for index in versions.indices where isAltered[index] {
      let bytes = ChangesetEncoder.encode(changesets[index])
      try transaction.setSyncReciprocal(StoredChangesetFraming.encode(bytes), at: versions[index])
      isAltered[index] = false
    }
    droppedInstructionCount = 0
  }
}

/// Keeps the own changesets of a commit in parsed form for the next one: with 10,000 changes
/// waiting for upload, parsing took 75 of 97 ms of a commit in a debug build. Confined to the queue
/// of an agent; its integrations share it.
package final class OwnEntryCache {
  /// More bytes are not kept: parsed changesets take several times as much.
  private static let byteCountMax = 16 << 20

  private var entries: OwnEntries?

  package init() {}

  /// Takes the changesets for a commit. Nothing is kept until the commit gives them back.
  func take() -> OwnEntries? {
    defer { entries = nil }
    return entries
  }

  /// Keeps the changesets of a commit, as the commit has stored them.
  func keep(_ entries: OwnEntries?) {
    assert(self.entries == nil, "OwnEntries 3")
    guard let entries, entries.byteCount <= Self.byteCountMax else { return }
    self.entries = entries
  }

  /// Forgets everything, as the history of the file was replaced or a commit was undone.
  func removeAll() { entries = nil }
}

/// The instructions that a merge with changes of the server has dropped.
package struct UploadLoss: Hashable, Sendable {
  package let instructionCount: Int
  /// The version of the server with which the file was merged.
  package let serverVersion: UInt64
}

extension UploadLoss: CustomStringConvertible {
  package var description: String {
    "\(instructionCount) instructions that wait for their upload are dropped: changes up to "
      + "version \(serverVersion) of the server take precedence"
  }
}
