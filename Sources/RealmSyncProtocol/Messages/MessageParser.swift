// SPDX-License-Identifier: Apache-2.0

// Bytes become messages.

import RealmFormats

/// Reads the messages of one connection.
///
/// Any sequence of bytes gives a message or an error. Bodies stay as they are.
package struct MessageParser: Sendable {
  package let version: ProtocolVersion

  package init(version: ProtocolVersion) { self.version = version }

  private var isFlexible: Bool { version.mode == .flexible }

  /// The message of a client.
  package func clientMessage(_ bytes: [UInt8]) throws(MessageError) -> ClientMessage {
    var header = try HeaderReader(bytes)
    switch header.name {
    case "bind": return .bind(try bind(&header))
    case "ident": return .ident(try ident(&header))
    case "query":
      guard isFlexible else { throw .unknownMessage }
      let session = try header.session()
      return .query(.init(session: session, query: try query(&header)))
    case "upload": return .upload(try upload(&header))
    case "mark":
      let session = try header.session()
      let request = try header.number()
      try header.finish()
      return .mark(session: session, request: request)
    case "unbind":
      let session = try header.session()
      try header.finish()
      return .unbind(session: session)
    case "ping":
      let timestamp = try header.number()
      let roundTrip = try header.number()
      try header.finish()
      return .ping(timestamp: timestamp, roundTrip: roundTrip)
    case "json_error": return .error(try clientError(&header))
    case "test_command": return .testCommand(try testCommand(&header))
    default: throw .unknownMessage
    }
  }

  private func bind(_ header: inout HeaderReader) throws(MessageError) -> ClientMessage.Bind {
    let session = try header.session()
    let pathCount = try header.byteCount()
    let tokenCount = try header.byteCount()
    let needsIdent = try header.flag()
    guard try !header.flag() else { throw .badSyntax }
    try header.finish(pathCount, tokenCount)
    let target: ClientMessage.Bind.Target
    if isFlexible, version.number >= 8 {
      target = .flexible(try flexibleTarget(try header.json(pathCount)))
    } else {
      target = .partition(try header.text(pathCount))
    }
    return .init(
      session: session, target: target, token: try header.text(tokenCount), needsIdent: needsIdent)
  }

  private func flexibleTarget(
    _ json: JSONValue
  ) throws(MessageError) -> ClientMessage.FlexibleTarget {
    guard case .object = json else { throw .badSyntax }
    var target = ClientMessage.FlexibleTarget()
    if let value = json["schemaVersion"] {
      guard let number = value.unsigned else { throw .badSyntax }
      target.schemaVersion = number
    }
    if let value = json["sessionReason"] {
      guard let number = value.unsigned, number <= 1 else { throw .badSyntax }
      target.isClientReset = number == 1
    }
    if let value = json["migratedPartition"] {
      guard let text = value.string else { throw .badSyntax }
      target.migratedPartition = text
    }
    return target
  }

  private func ident(_ header: inout HeaderReader) throws(MessageError) -> ClientMessage.Ident {
    var ident = ClientMessage.Ident(
      session: try header.session(), file: FileIdentifier(try header.number()),
      salt: try header.number(),
      download: DownloadCursor(
        serverVersion: try header.number(), clientVersion: try header.number()),
      latest: SaltedVersion(version: try header.number(), salt: try header.number()))
    if isFlexible {
      ident.query = try query(&header)
    } else {
      try header.finish()
    }
    return ident
  }

  private func query(_ header: inout HeaderReader) throws(MessageError) -> VersionedQuery {
    let version = try header.number()
    let count = try header.byteCount()
    try header.finish(count)
    return VersionedQuery(version: version, text: try header.text(count))
  }

  /// The sizes of the body come before the progress here.
  private func upload(_ header: inout HeaderReader) throws(MessageError) -> ClientMessage.Upload {
    let session = try header.session()
    let isCompressed = try header.flag()
    let uncompressed = try header.byteCount()
    let compressed = try header.byteCount()
    let progress = UploadCursor(
      clientVersion: try header.number(), serverVersion: try header.number())
    let locked = try header.number()
    let count = isCompressed ? compressed : uncompressed
    try header.finish(count)
    return .init(
      session: session, progress: progress, lockedServerVersion: locked,
      body: MessageBody(
        received: header.body(count), uncompressedByteCount: uncompressed,
        isCompressed: isCompressed))
  }

  private func clientError(
    _ header: inout HeaderReader
  ) throws(MessageError) -> ClientMessage.ClientError {
    let code = ErrorCode(received: Int(try header.number()))
    let count = try header.byteCount()
    let session = try header.session()
    try header.finish(count)
    guard let message = try header.json(count)["message"]?.string else { throw .badErrorDocument }
    return .init(session: session, code: code, message: message)
  }

  private func testCommand(_ header: inout HeaderReader) throws(MessageError) -> TestCommand {
    let session = try header.session()
    let request = try header.number()
    let count = try header.byteCount()
    try header.finish(count)
    return TestCommand(session: session, request: request, body: try header.text(count))
  }

  /// The message of a server.
  package func serverMessage(_ bytes: [UInt8]) throws(MessageError) -> ServerMessage {
    var header = try HeaderReader(bytes)
    switch header.name {
    case "ident":
      let session = try header.session()
      let file = FileIdentifier(try header.number())
      let salt = try header.number()
      try header.finish()
      return .ident(session: session, file: file, salt: salt)
    case "download": return .download(session: try header.session(), try download(&header))
    case "mark":
      let session = try header.session()
      let request = try header.number()
      try header.finish()
      return .mark(session: session, request: request)
    case "unbound":
      let session = try header.session()
      try header.finish()
      return .unbound(session: session)
    case "pong":
      let timestamp = try header.number()
      try header.finish()
      return .pong(timestamp: timestamp)
    case "json_error": return try error(&header)
    case "error": return .plainError(try plainError(&header))
    case "query_error": return .queryError(try queryError(&header))
    case "log_message": return .log(try log(&header))
    case "test_command": return .testCommand(try testCommand(&header))
    default: throw .unknownMessage
    }
  }

  private func download(
    _ header: inout HeaderReader
  ) throws(MessageError) -> ServerMessage.Download {
    let download = DownloadCursor(
      serverVersion: try header.number(), clientVersion: try header.number())
    let latest = SaltedVersion(version: try header.number(), salt: try header.number())
    let upload = UploadCursor(
      clientVersion: try header.number(), serverVersion: try header.number())
    let progress = try progress(&header)
    return .init(
      cursors: SyncCursors(download: download, upload: upload, latest: latest),
      progress: progress, body: try header.messageBody())
  }

  private func progress(
    _ header: inout HeaderReader
  ) throws(MessageError) -> ServerMessage.Progress {
    guard isFlexible else { return .partition(byteCountLeft: try header.number()) }
    let queryVersion = try header.number()
    guard let batch = ServerMessage.BatchState(rawValue: try header.number()),
      batch != .steady || version.hasServerBootstraps
    else { throw .badSyntax }
    return .flexible(
      queryVersion: queryVersion, batch: batch,
      done: version.hasProgressEstimate
        ? .estimate(try header.fraction()) : .byteCountLeft(try header.number()))
  }

  private func error(_ header: inout HeaderReader) throws(MessageError) -> ServerMessage {
    let code = ErrorCode(received: Int(try header.number()))
    let count = try header.byteCount()
    let session = try header.number()
    try header.finish(count)
    return .error(
      session: session, code: code, document: try ErrorDocument(json: try header.json(count)))
  }

  private func plainError(
    _ header: inout HeaderReader
  ) throws(MessageError) -> ServerMessage.PlainError {
    let code = ErrorCode(received: Int(try header.number()))
    let count = try header.byteCount()
    let tryAgain = try header.flag()
    let session = try header.number()
    try header.finish(count)
    return .init(
      session: session, code: code, tryAgain: tryAgain, message: try header.text(count))
  }

  private func queryError(
    _ header: inout HeaderReader
  ) throws(MessageError) -> ServerMessage.QueryError {
    let code = ErrorCode(received: Int(try header.number()))
    let count = try header.byteCount()
    let session = try header.session()
    let version = try header.number()
    try header.finish(count)
    return .init(
      session: session, code: code, queryVersion: version, message: try header.text(count))
  }

  private func log(_ header: inout HeaderReader) throws(MessageError) -> ServerMessage.LogMessage {
    let session = try header.number()
    let count = try header.byteCount()
    try header.finish(count)
    let json = try header.json(count)
    guard let level = json["level"]?.string, let message = json["msg"]?.string else {
      throw .badSyntax
    }
    return .init(
      session: session, level: level, message: message, connection: json["co_id"]?.string ?? "")
  }
}
