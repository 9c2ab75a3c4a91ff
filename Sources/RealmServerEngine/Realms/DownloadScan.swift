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
    _ ident: FileIdentifier, after cursor: DownloadCursor, of store: any RealmStore,
    readable: Range<UInt64>? = nil, byteLimit: Int = 128 << 10
  ) async throws(StoreError) -> DownloadBatch {
    // The head comes before the file: the integrated changes of the file are in it, or in a later
    // one.
    let head = try await store.snapshot(atLeast: cursor.serverVersion).head
    guard let file = try await store.file(ident) else { throw .unknownFile(ident) }
    var compensations: [UInt64: PrivateChange]?
    let start = cursor.serverVersion
    var entries: [DownloadEntry] = []
    var cursor = cursor
    var (bytes, total) = (0, 0)
    scan: while cursor.serverVersion < head.version {
      let first = cursor.serverVersion + 1
      let last = min(head.version, first + stepCount - 1)
      for entry in try await store.entries(in: first..<last + 1) {
        if bytes >= byteLimit { break scan }
        if readable?.contains(entry.version) != true { try check(entry) }
        cursor.serverVersion = entry.version
        total = entry.totalByteCount
        if entry.file == ident {
          cursor.clientVersion = max(cursor.clientVersion, entry.clientVersion)
        } else if !entry.changeset.isEmpty {
          entries.append(DownloadEntry(entry, cursor.clientVersion))
          bytes += entry.changeset.count
        } else if entry.file == .server {
          // A version that is empty for others may be a compensating write of this client.
          if compensations == nil {
            compensations = try await Self.compensations(of: file, after: start, in: store)
          }
          guard let change = compensations?[entry.version], let sent = change.refusal?.sent else {
            continue
          }
          entries.append(DownloadEntry(ofServer: sent, at: cursor, change.timestamp))
          bytes += sent.count
        }
      }
    }
    return DownloadBatch(
      entries: entries, cursors: SyncCursors(cursor, head, file),
      remaining: cursor.serverVersion < head.version ? max(0, head.totalByteCount - total) : 0)
  }

  /// The compensating writes of a client after a version, by their versions.
  private nonisolated(nonsending) static func compensations(
    of file: ClientFile, after version: UInt64, in store: any RealmStore
  ) async throws(StoreError) -> [UInt64: PrivateChange] {
    var found: [UInt64: PrivateChange] = [:]
    for change in try await store.privates(of: file.ident, after: version)
    where change.refusal != nil {
      found[change.version] = change
    }
    return found
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

extension SyncCursors {
  /// The positions of a client after a download.
  package init(_ download: DownloadCursor, _ head: RealmHead, _ file: ClientFile) {
    self.init(
      download: download,
      upload: UploadCursor(
        clientVersion: file.clientVersion, serverVersion: file.reciprocalBase),
      latest: head.latest)
  }
}

extension DownloadEntry {
  /// An entry as it stands in the history.
  package init(_ entry: StoredEntry, _ clientVersion: UInt64) {
    self.init(
      serverVersion: entry.version, clientVersion: clientVersion, timestamp: entry.timestamp,
      file: max(entry.file, .server), originalByteCount: UInt64(entry.originalByteCount),
      changeset: entry.changeset)
  }
}
