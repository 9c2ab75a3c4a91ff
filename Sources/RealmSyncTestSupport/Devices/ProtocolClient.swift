// SPDX-License-Identifier: Apache-2.0

// A client that speaks the protocol and keeps nothing but its position, so that thousands of them
// fit into a process.

import RealmSync
package import RealmSyncProtocol

/// One session on a socket, without a file.
package struct ProtocolClient: Sendable {
  /// An answer that the client did not expect.
  package struct Unexpected: Error, CustomStringConvertible {
    package let description: String
  }

  package let socket: any MessageSocket
  package private(set) var cursors = SyncCursors()
  /// The client version of the newest change that was sent.
  package private(set) var sentVersion: UInt64 = 0
  private let version: ProtocolVersion
  private let encoder: MessageEncoder
  private let parser: MessageParser
  private static let session: UInt64 = 1

  /// Opens a session for a new file, and returns when its first download is complete.
  ///
  /// - Parameters:
  ///   - partition: The text of the partition; nil in flexible mode.
  ///   - query: The query in flexible mode.
  package init(
    _ socket: any MessageSocket, partition: String?, query: QueryDocument = QueryDocument()
  ) async throws {
    self.socket = socket
    let mode: SyncMode = partition == nil ? .flexible : .partition
    guard let version = ProtocolVersion(answer: socket.protocolName, mode: mode) else {
      throw Unexpected(description: "protocol \(socket.protocolName)")
    }
    self.version = version
    encoder = MessageEncoder(version: version)
    parser = MessageParser(version: version)
    try await send(
      .bind(
        .init(
          session: Self.session,
          target: partition.map { .partition($0) } ?? .flexible(.init()), needsIdent: true)))
    let answer = try await receive()
    guard case .ident(_, let file, let salt) = answer else { throw Self.unexpected(answer) }
    try await send(
      .ident(
        .init(
          session: Self.session, file: file, salt: salt, download: DownloadCursor(),
          latest: SaltedVersion(),
          query: partition == nil ? VersionedQuery(version: 1, document: query) : nil)))
    while true {
      let message = try await receive()
      guard case .download(_, let download) = message else { throw Self.unexpected(message) }
      if Self.isLast(download.progress) { return }
    }
  }

  private static func isLast(_ progress: ServerMessage.Progress) -> Bool {
    switch progress {
    case .partition(let left): left == 0
    case .flexible(_, let batch, _): batch != .moreToCome
    }
  }

  private static func unexpected(_ message: ServerMessage) -> Unexpected {
    Unexpected(description: "\(message)")
  }

  private func send(_ message: ClientMessage) async throws {
    try await socket.send(encoder.bytes(message))
  }

  /// The next message, which moves the cursors.
  package mutating func receive() async throws -> ServerMessage {
    let message = try parser.serverMessage(try await socket.receive())
    if case .download(_, let download) = message { cursors = download.cursors }
    if case .error(_, let code, let document) = message {
      throw Unexpected(description: "error \(code.rawValue): \(document.message)")
    }
    return message
  }

  /// Sends a PING, and waits for its PONG.
  package mutating func ping() async throws {
    try await send(.ping(timestamp: 1, roundTrip: 0))
    while true {
      if case .pong = try await receive() { return }
    }
  }

  /// Sends changesets, each as a version of the client.
  package mutating func upload(_ changesets: [[UInt8]]) async throws {
    let server = cursors.download.serverVersion
    let entries = changesets.enumerated().map { (index, changeset) in
      UploadEntry(
        clientVersion: sentVersion + UInt64(index) + 1, serverVersion: server,
        timestamp: .now(), changeset: changeset)
    }
    sentVersion += UInt64(changesets.count)
    try await send(
      .upload(
        .init(
          session: Self.session,
          progress: UploadCursor(clientVersion: sentVersion, serverVersion: server),
          lockedServerVersion: server, body: MessageBody(uploads: entries))))
  }

  /// Waits until the server has the change of a client version on its disk.
  package mutating func acknowledgement(of version: UInt64) async throws {
    while cursors.upload.clientVersion < version { _ = try await receive() }
  }
}
