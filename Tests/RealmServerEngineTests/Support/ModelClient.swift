// SPDX-License-Identifier: Apache-2.0

// A client in its simplest form: an ordered history, the merge, and an in-memory file.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import Synchronization
import Testing

@testable import RealmServerEngine

/// A device of a test.
final class ModelClient {
  /// One version of the client's history.
  struct Entry {
    let version: UInt64
    /// The server version that was integrated at the end of it.
    let serverVersion: UInt64
    let timestamp: OriginTimestamp
    /// As it was recorded; none for versions that downloads made.
    let bytes: [UInt8]
    /// As if it came after what was downloaded since.
    var reciprocal: Changeset
  }

  private static let count = Atomic(0)

  private(set) var identity: ClientFile
  private let file: DatabaseFile
  private let schemas = SchemaCache()
  private let recorder: SyncRecorder
  private var transformer = Transformer()

  private(set) var history: [Entry] = []
  private(set) var version: UInt64 = 0
  private(set) var cursor = DownloadCursor()
  private(set) var latest: (version: UInt64, salt: UInt64) = (0, 0)
  /// What the server has confirmed.
  private(set) var uploadedVersion: UInt64 = 0
  /// What was sent in this session.
  private var sentVersion: UInt64 = 0
  private var check: ServerExchange.UploadThreshold?
  var clock: UInt64

  var isOnline: Bool { check != nil }

  init(_ identity: ClientFile, clock: UInt64) throws {
    self.identity = identity
    self.clock = clock
    recorder = SyncRecorder(file: identity.ident)
    let number = Self.count.add(1, ordering: .relaxed).newValue
    file = try DatabaseFile.open(
      path: "/model-client-\(number).realm", options: OpenOptions(isInMemory: true))
  }

  // MARK: Own changes

  func write(_ body: (WriteGroup) throws -> Void) throws {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    group.recorder = recorder
    let bytes: [UInt8]
    do {
      try body(group)
      bytes = try recorder.finish(group)
      _ = try group.commit()
    } catch {
      recorder.removeAll()
      group.rollback()
      throw error
    }
    version += 1
    let timestamp = OriginTimestamp(milliseconds: clock)
    let origin = ChangesetOrigin(
      version: version, remoteVersion: cursor.serverVersion, timestamp: timestamp)
    history.append(
      Entry(
        version: version, serverVersion: cursor.serverVersion, timestamp: timestamp, bytes: bytes,
        reciprocal: try ChangesetParser.parse(bytes, origin: origin)))
  }

  func read() throws -> TableGroup { try TableGroup(file.snapshot(), schemas: schemas) }

  func digest() throws -> StateDigest { try StateDigest(of: read(), file: identity.ident) }

  // MARK: Sessions

  /// Introduces the file to the server.
  func connect(to server: TestServer) async throws {
    let record = try await server.identify(
      identity, download: cursor,
      latest: SaltedVersion(version: latest.version, salt: latest.salt))
    check = ServerExchange.UploadThreshold(file: record, download: cursor)
    sentVersion = uploadedVersion
  }

  /// Begins a session with the server's record of the file.
  func connect(as record: ServerFile) {
    check = ServerExchange.UploadThreshold(file: record, download: cursor)
    sentVersion = uploadedVersion
  }

  func disconnect() { check = nil }

  /// What an UPLOAD message would bring; nil if there is nothing to say.
  func upload(limit: Int = .max) throws -> Upload? {
    var entries: [UploadEntry] = []
    var progress: UploadCursor?
    for entry in history where entry.version > sentVersion {
      if entries.count == limit { break }
      progress = UploadCursor(
        clientVersion: entry.version, serverVersion: entry.serverVersion)
      guard !entry.bytes.isEmpty else { continue }
      entries.append(
        UploadEntry(
          clientVersion: entry.version, serverVersion: entry.serverVersion,
          timestamp: entry.timestamp, changeset: entry.bytes))
    }
    guard let progress else { return nil }
    sentVersion = progress.clientVersion
    let upload = Upload(file: identity.ident, entries: entries, progress: progress)
    _ = try check?.check(
      ClientMessage.Upload(
        session: 1, progress: progress, lockedServerVersion: upload.lockedServerVersion,
        body: MessageBody(uploads: entries)),
      entries)
    return upload
  }

  /// Integrates a download.
  func integrate(_ download: DownloadBatch) throws {
    var rest = download.entries[...]
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    do {
      var applier = InstructionApplier(group, file: identity.ident)
      while let first = rest.first {
        let part = rest.prefix { $0.clientVersion == first.clientVersion }
        rest = rest.dropFirst(part.count)
        for changeset in try merge(part) { try applier.apply(changeset) }
      }
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
    let cursors = download.cursors
    #expect(cursors.download.serverVersion >= cursor.serverVersion)
    #expect(cursors.download.clientVersion >= cursor.clientVersion)
    #expect(cursors.upload.clientVersion >= uploadedVersion)
    cursor = cursors.download
    latest = (cursors.latest.version, cursors.latest.salt)
    uploadedVersion = cursors.upload.clientVersion
    check?.didSend(serverVersion: cursor.serverVersion)
    version += 1
    history.append(
      Entry(
        version: version, serverVersion: cursor.serverVersion,
        timestamp: OriginTimestamp(milliseconds: 0), bytes: [], reciprocal: Changeset()))
  }

  /// Merges entries of one base with the own changes that came after it.
  private func merge(_ part: ArraySlice<DownloadEntry>) throws -> [Changeset] {
    var incoming = try part.map { entry in
      try ChangesetParser.parse(
        entry.changeset,
        origin: ChangesetOrigin(
          version: entry.serverVersion, remoteVersion: entry.clientVersion,
          file: entry.file, timestamp: entry.timestamp))
    }
    let base = part.first?.clientVersion ?? 0
    let places = history.indices.filter { history[$0].version > base }
    var local = places.map { history[$0].reciprocal }
    _ = try transformer.merge(local: &local, incoming: &incoming, ownIdent: identity.ident)
    for (place, changeset) in zip(places, local) { history[place].reciprocal = changeset }
    return incoming
  }
}
