// SPDX-License-Identifier: Apache-2.0

// Walks the history for a client (P4 A.6).

package import RealmSyncProtocol

/// Collects the missing changes of a client in partition mode.
package enum DownloadScan {
  /// The number of entries in one read.
  private static let stepCount: UInt64 = 128

  /// The changes after a cursor, until they have `byteLimit` bytes; one at least if there is one.
  ///
  /// A client that is sent a changeset which is damaged would be reset, and then be sent it again:
  /// changesets are read before.
  ///
  /// - Parameters:
  ///   - ident: The client's file, whose own entries are passed over.
  ///   - readable: The versions that were read before.
  /// - Throws: `StoreError.unreadableEntry` among others.
  package nonisolated(nonsending) static func run(
    _ ident: FileIdentifier, after cursor: DownloadCursor, in realm: RealmID,
    of store: any ServerStore, readable: Range<UInt64>? = nil, byteLimit: Int = 128 << 10
  ) async throws(StoreError) -> Download {
    // The head comes before the file: the integrated changes of the file are in it, or in a later
    // one.
    let head = try await store.snapshot(of: realm, atLeast: cursor.serverVersion).head
    guard let file = try await store.file(ident, in: realm) else { throw .unknownFile(ident) }
    var download = Download(entries: [], cursor: cursor, head: head, file: file)
    var (bytes, total) = (0, 0)
    scan: while download.cursor.serverVersion < head.version {
      let first = download.cursor.serverVersion + 1
      let last = min(head.version, first + stepCount - 1)
      for entry in try await store.entries(of: realm, in: first..<last + 1) {
        if bytes >= byteLimit { break scan }
        if readable?.contains(entry.version) != true { try check(entry) }
        download.cursor.serverVersion = entry.version
        total = entry.totalByteCount
        if entry.file == ident {
          download.cursor.clientVersion = max(
            download.cursor.clientVersion, entry.clientVersion)
        } else if !entry.changeset.isEmpty {
          download.entries.append(Download.Entry(entry, download.cursor.clientVersion))
          bytes += entry.changeset.count
        }
      }
    }
    if download.cursor.serverVersion < head.version {
      download.remainingByteCount = max(0, head.totalByteCount - total)
    }
    return download
  }

  private static func check(_ entry: StoredEntry) throws(StoreError) {
    guard !entry.changeset.isEmpty else { return }
    do throws(ChangesetError) {
      _ = try ChangesetParser.parse(entry.changeset)
    } catch {
      throw .unreadableEntry(version: entry.version, "\(error)")
    }
  }
}

extension Download.Entry {
  /// An entry as it stands in the history.
  package init(_ entry: StoredEntry, _ clientVersion: UInt64) {
    self.init(
      serverVersion: entry.version, clientVersion: clientVersion, timestamp: entry.timestamp,
      originFile: max(entry.file, .server), originalByteCount: entry.originalByteCount,
      changeset: entry.changeset)
  }
}
