// SPDX-License-Identifier: Apache-2.0

// A client with sessions of many partitions on one socket, and no files.

#if Server
import RealmSync
import RealmSyncProtocol

/// Begins sessions of partitions, and writes in each of them.
struct PartitionClient: Sendable {
  private let socket: any MessageSocket
  private let encoder = MessageEncoder(version: ProtocolVersion(mode: .partition))
  private let parser = MessageParser(version: ProtocolVersion(mode: .partition))
  /// The cursors of the sessions that go on.
  private var sessions: [Int: SyncCursors] = [:]
  private let changeset: [UInt8]

  init(_ socket: any MessageSocket) {
    self.socket = socket
    var changeset = Changeset()
    let (table, field) = (changeset.intern("Item"), changeset.intern("count"))
    changeset.append(
      .addTable(
        .init(
          table: table, kind: .topLevel,
          key: .init(field: changeset.intern("_id"), type: .int, isNullable: false))))
    changeset.append(
      .addColumn(
        .init(table: table, field: field, type: .int, isNullable: false, collection: .single)))
    changeset.append(.createObject(ObjectReference(table: table, key: .int(1))))
    changeset.append(
      .update(
        .init(path: InstructionPath(table: table, key: .int(1), field: field), value: .int(1))))
    self.changeset = ChangesetEncoder.encode(changeset)
  }

  func close() async { await socket.close(.normal) }

  // MARK: Sessions

  /// Begins a session of a partition with a new file, and writes in it.
  mutating func begin(_ number: Int) async throws {
    let session = UInt64(number) + 1
    try await send(
      .bind(
        .init(session: session, target: .partition("\"p\(number)\""), needsIdent: true)))
    while sessions[number] == nil {
      guard case .ident(_, let file, let salt) = try await receive() else { continue }
      try await send(
        .ident(
          .init(
            session: session, file: file, salt: salt, download: DownloadCursor(),
            latest: SaltedVersion())))
      sessions[number] = SyncCursors()
    }
    while try await download(of: number) > 0 {}
    try await write(number)
  }

  /// Ends a session.
  mutating func end(_ number: Int) async throws {
    try await send(.unbind(session: UInt64(number) + 1))
    while true {
      if case .unbound = try await receive() { break }
    }
    sessions[number] = nil
  }

  /// Writes in all partitions, one after the other, and waits until all is on the disk.
  mutating func writeAll() async throws {
    for number in sessions.keys.sorted() { try await write(number) }
  }

  private mutating func write(_ number: Int) async throws {
    guard let cursors = sessions[number] else { return }
    let (version, server) = (cursors.upload.clientVersion + 1, cursors.download.serverVersion)
    let entry = UploadEntry(
      clientVersion: version, serverVersion: server, timestamp: .now(), changeset: changeset)
    try await send(
      .upload(
        .init(
          session: UInt64(number) + 1,
          progress: UploadCursor(clientVersion: version, serverVersion: server),
          lockedServerVersion: server, body: MessageBody(uploads: [entry]))))
    while sessions[number]?.upload.clientVersion ?? version < version {
      _ = try await download(of: number)
    }
  }

  // MARK: Messages

  /// Takes a DOWNLOAD. Returns how many bytes are left.
  private mutating func download(of number: Int) async throws -> UInt64 {
    guard case .download(let session, let download) = try await receive() else { return 0 }
    sessions[Int(session) - 1] = download.cursors
    if case .partition(let left) = download.progress { return left } else { return 0 }
  }

  private func send(_ message: ClientMessage) async throws {
    try await socket.send(encoder.bytes(message))
  }

  private func receive() async throws -> ServerMessage {
    let message = try parser.serverMessage(try await socket.receive())
    guard case .error(_, let code, let document) = message else { return message }
    throw MeasuredServer.Failure(description: "error \(code.rawValue): \(document.message)")
  }
}
#endif
