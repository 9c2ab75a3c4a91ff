// SPDX-License-Identifier: Apache-2.0

// Bootstraps as messages (P4 B.3), and rounds that are too large for one (P4 B.4).

import RealmSyncProtocol

/// A download that is sent in parts, of which the last one says that it is.
struct DownloadParts: Sendable {
  private let query: SessionQuery
  private let cursors: SyncCursors
  /// Entries that are written, a group for each part; the next part is the last group.
  private var groups: [[DownloadEntry]] = []
  /// What is written once the groups are sent.
  private(set) var rest: Bootstrap?
  /// The bytes of the groups.
  private(set) var byteCount = 0
  /// The bytes of the entries that were written before.
  private let total: Int
  private let byteCountMax: Int

  /// - Parameter byteCountMax: Of entries that are written, a part takes no further one that would
  ///   make it larger; others are written for it until it is so large.
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
    groups.reverse()
    byteCount = total
  }

  var isEmpty: Bool { groups.isEmpty && rest == nil }

  /// What the next part has room for, if entries have to be written for it; nil if not.
  var unwritten: (bootstrap: Bootstrap, byteLimit: Int)? {
    guard let rest, groups.count < 2, byteCount < byteCountMax else { return nil }
    return (rest, byteCountMax - byteCount)
  }

  /// Adds entries to the next part.
  mutating func add(_ entries: [DownloadEntry], rest: Bootstrap) {
    assert(unwritten != nil && !entries.isEmpty, "clients wait for ever for a part without entries")
    groups = [(groups.first ?? []) + entries]
    byteCount += entries.byteCount
    self.rest = rest.isComplete ? nil : rest
  }

  /// Takes the next part, whose entries are written.
  mutating func take() -> ServerMessage.Download? {
    guard let entries = groups.popLast() else { return nil }
    byteCount -= entries.byteCount
    return ServerMessage.Download(
      cursors: cursors,
      progress: .flexible(
        queryVersion: query.version, batch: isEmpty ? .last : .moreToCome,
        done: .estimate(progress)),
      body: MessageBody(downloads: entries))
  }

  /// The part of the download that was taken.
  private var progress: Double {
    if isEmpty { return 1 }
    guard let rest else { return 1 - Double(byteCount) / Double(max(total, 1)) }
    // A round before a bootstrap is little beside it.
    return groups.isEmpty ? rest.progress : 0
  }
}
