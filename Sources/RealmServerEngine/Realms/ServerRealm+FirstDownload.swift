// SPDX-License-Identifier: Apache-2.0

// Partition mode: clients whose next versions are trimmed.

import RealmStorage
package import RealmSyncProtocol

extension ServerRealm {
  /// What a client in partition mode has not been sent.
  ///
  /// A client whose history is trimmed, or that has received only a part of the state in place of
  /// it, gets the state.
  package func download(
    for ident: FileIdentifier, after cursor: DownloadCursor, byteLimit: Int = 128 << 10
  ) async throws(StoreError) -> DownloadBatch {
    if var known = firstDownloads.take(ident), known.continues(cursor) {
      return try await next(of: &known, for: ident, byteLimit)
    }
    guard let file = try await store.file(ident) else { throw .unknownFile(ident) }
    guard cursor.serverVersion < max(head.base, file.firstDownloadVersion) else {
      do throws(StoreError) {
        let download = try await DownloadScan.run(
          ident, after: cursor, of: store, readable: readableVersions,
          byteLimit: byteLimit)
        noteReadable(cursor.serverVersion + 1..<download.cursors.download.serverVersion + 1)
        return download
      } catch {
        guard case .unreadableEntry(let version, let reason) = error else { throw error }
        // This client and others before the version get the state.
        _ = try await giveUp(through: version, because: reason)
        return try await self.download(for: ident, after: cursor, byteLimit: byteLimit)
      }
    }
    var first = try await beginFirstDownload(for: ident)
    return try await next(of: &first, for: ident, byteLimit)
  }

  /// Notes that the changesets of some versions can be read. One run of versions is remembered.
  private func noteReadable(_ versions: Range<UInt64>) {
    guard !versions.isEmpty else { return }
    let known = readableVersions ?? versions
    let isJoined =
      versions.lowerBound <= known.upperBound && known.lowerBound <= versions.upperBound
    readableVersions =
      isJoined
      ? min(versions.lowerBound, known.lowerBound)..<max(versions.upperBound, known.upperBound)
      : versions
  }

  /// Prepares the first downloads of clients whose uploads are older than the history: what they
  /// changed of objects that are in the state is dropped, on both sides.
  func beginFirstDownloads(of uploads: [Upload]) async throws(StoreError) {
    guard !settings.recordsTouches, head.base > 0 else { return }
    for upload in uploads {
      guard let first = upload.entries.first, first.serverVersion < head.base,
        let file = try await store.file(upload.file), file.firstDownloadVersion == 0,
        file.reciprocalBase == 0, !file.isExpired, first.clientVersion > file.clientVersion
      else { continue }
      let download = try await beginFirstDownload(for: upload.file)
      firstDownloads.keep(download, for: upload.file)
    }
  }

  private func next(
    of first: inout FirstDownload, for ident: FileIdentifier, _ byteLimit: Int
  ) async throws(StoreError) -> DownloadBatch {
    let entries = try StoreError.storing(first.takeEntries(byteLimit: byteLimit))
    let cursor = first.cursor
    if !first.isComplete { firstDownloads.keep(first, for: ident) }
    let head = head
    guard let file = try await store.file(ident) else { throw .unknownFile(ident) }
    return DownloadBatch(
      entries: entries, cursors: SyncCursors(cursor, head, file),
      remaining: first.remainingByteCount)
  }

  /// Makes the versions of a first download.
  private func beginFirstDownload(
    for ident: FileIdentifier
  ) async throws(StoreError) -> FirstDownload {
    try await appending { hasTurn throws(StoreError) in
      let snapshot = try await store.snapshot(atLeast: head.version)
      guard let file = try await store.file(ident) else { throw .unknownFile(ident) }
      let base = snapshot.head.base
      let history =
        base < snapshot.head.version
        ? try await store.entries(in: base + 1..<snapshot.head.version + 1) : []
      // A client that was interrupted may have objects that were erased since, and no version after
      // the one that it has is trimmed. Others may have made objects that the history erases.
      let gone = try erasedObjects(of: history)
      let first = try StoreError.storing(
        FirstDownload(
          of: snapshot, gone: gone, clientVersion: file.clientVersion,
          timestamp: history.last?.committed ?? now, partByteCount: settings.partByteCount))
      let privates = try StoreError.storing(first.privates(of: ident))
      let head = try await appendVersions(
        through: first.lastVersion, after: snapshot.head, privates: privates,
        firstDownloadOf: ident, hasTurn: hasTurn)
      return head == nil ? nil : first
    }
  }

  private func erasedObjects(of history: [StoredEntry]) throws(StoreError) -> [ObjectIdentity] {
    var objects: [ObjectIdentity] = []
    var seen: Set<ObjectIdentity> = []
    for entry in history where !entry.changeset.isEmpty {
      let changeset: Changeset
      do throws(ChangesetError) {
        changeset = try ChangesetParser.parse(entry.changeset)
      } catch {
        throw .damaged("version \(entry.version): \(error)")
      }
      for case .eraseObject(let object) in changeset.instructions {
        let identity = changeset.identity(of: object)
        if seen.insert(identity).inserted { objects.append(identity) }
      }
    }
    return objects
  }
}
