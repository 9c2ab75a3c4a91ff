// SPDX-License-Identifier: Apache-2.0

// A server of the simplest kind: a list of changesets, in memory.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import Testing

/// One realm of a server, and what it knows of its files.
struct PlainServer {
  struct Entry {
    let changeset: Changeset
    let bytes: [UInt8]
    let origin: FileIdentifier
    let clientVersion: UInt64
  }

  /// What the server knows of a file.
  struct ClientFile {
    let salt: UInt64
    var upload = UploadCursor()
    /// Client versions, with the server version after which each is integrated.
    var marks: [(after: UInt64, version: UInt64)] = []
    /// History in the form that merges with this file have given it, by server version.
    var reciprocals: [UInt64: Changeset] = [:]
    /// The client versions with a changeset that were integrated.
    var integrated: [UInt64] = []

    func clientVersion(before version: UInt64) -> UInt64 {
      marks.last { $0.after < version }?.version ?? 0
    }
  }

  static let salt: UInt64 = 4711
  private(set) var history: [Entry] = []
  private(set) var files: [FileIdentifier: ClientFile] = [:]
  private var transformer = Transformer()
  private let replica: DatabaseFile
  private let schemas = SchemaCache()

  init(_ replica: DatabaseFile) { self.replica = replica }

  var head: UInt64 { UInt64(history.count) }

  // MARK: Files

  mutating func makeFile() -> (ident: FileIdentifier, salt: UInt64) {
    let ident = FileIdentifier(UInt64(files.count) + 2)
    let salt = UInt64(ident.rawValue) + 1000
    files[ident] = ClientFile(salt: salt)
    return (ident, salt)
  }

  // MARK: Uploads

  mutating func receive(_ batch: UploadBatch, from ident: FileIdentifier) throws {
    var file = try #require(files[ident])
    for entry in batch.entries where entry.clientVersion > file.upload.clientVersion {
      try integrate(entry, of: ident, &file)
    }
    if batch.progress.clientVersion > file.upload.clientVersion {
      file.upload.clientVersion = batch.progress.clientVersion
      file.marks.append((head, batch.progress.clientVersion))
    }
    file.upload.serverVersion = max(file.upload.serverVersion, batch.progress.serverVersion)
    files[ident] = file
  }

  private mutating func integrate(
    _ entry: UploadEntry, of ident: FileIdentifier, _ file: inout ClientFile
  ) throws {
    #expect(!entry.changeset.isEmpty, "an empty changeset was uploaded")
    #expect(entry.serverVersion <= head)
    let origin = ChangesetOrigin(
      version: entry.clientVersion, remoteVersion: entry.serverVersion, file: ident,
      timestamp: entry.timestamp)
    var incoming = [try ChangesetParser.parse(entry.changeset, origin: origin)]
    let versions = (entry.serverVersion..<head).map { $0 + 1 }
      .filter { history[Int($0) - 1].origin != ident }
    var local = versions.map { file.reciprocals[$0] ?? history[Int($0) - 1].changeset }
    let outcome = try transformer.merge(local: &local, incoming: &incoming, ownIdent: .server)
    for position in outcome.alteredLocal { file.reciprocals[versions[position]] = local[position] }
    try apply(incoming[0])
    var stored = incoming[0]
    stored.origin.version = head + 1
    stored.origin.file = ident
    history.append(
      Entry(
        changeset: stored, bytes: ChangesetEncoder.encode(stored), origin: ident,
        clientVersion: entry.clientVersion))
    file.integrated.append(entry.clientVersion)
    file.upload.clientVersion = entry.clientVersion
    file.marks.append((head, entry.clientVersion))
  }

  private func apply(_ changeset: Changeset) throws {
    let group = try WriteGroup(replica.beginWrite(), schemas: schemas)
    do {
      var applier = InstructionApplier(group, file: .server)
      try applier.apply(changeset)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }

  func digest() throws -> StateDigest {
    try StateDigest(of: TableGroup(replica.snapshot(), schemas: schemas), file: .server)
  }

  // MARK: Downloads

  /// The next message for a file that has everything up to `version`.
  func download(after version: UInt64, limit: Int, for ident: FileIdentifier) throws -> Download {
    let file = try #require(files[ident])
    let end = min(head, version + UInt64(limit))
    var entries: [DownloadEntry] = []
    for version in (version..<end).map({ $0 + 1 }) {
      let entry = history[Int(version) - 1]
      guard entry.origin != ident else { continue }
      entries.append(
        DownloadEntry(
          serverVersion: version, clientVersion: file.clientVersion(before: version),
          timestamp: entry.changeset.origin.timestamp, file: entry.origin,
          originalByteCount: UInt64(entry.bytes.count), changeset: entry.bytes))
    }
    return Download(cursors: cursors(file, at: end), entries: entries)
  }

  private func cursors(_ file: ClientFile, at version: UInt64) -> SyncCursors {
    SyncCursors(
      download: DownloadCursor(
        serverVersion: version, clientVersion: file.clientVersion(before: version + 1)),
      upload: file.upload, latest: SaltedVersion(version: head, salt: Self.salt))
  }
}
