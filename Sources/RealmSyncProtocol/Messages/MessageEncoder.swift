// SPDX-License-Identifier: Apache-2.0

// Messages become bytes.

import RealmFormats

/// Writes the messages of one connection.
package struct MessageEncoder: Sendable {
  /// The texts of a server for people are cut to so many bytes: they may quote what clients send.
  package static let textByteCountMax = 1_024

  package let version: ProtocolVersion

  package init(version: ProtocolVersion) { self.version = version }

  /// The bytes of a client's message.
  package func bytes(_ message: ClientMessage) -> [UInt8] {
    switch message {
    case .bind(let bind): return bytes(bind)
    case .ident(let ident): return bytes(ident)
    case .query(let query): return bytes(query)
    case .upload(let upload):
      return Self.message(
        "upload", upload.session, upload.body.isCompressed ? 1 : 0,
        UInt64(upload.body.uncompressedByteCount), Self.compressedByteCount(upload.body),
        upload.progress.clientVersion, upload.progress.serverVersion, upload.lockedServerVersion,
        body: upload.body.bytes)
    case .mark(let session, let request): return Self.message("mark", session, request)
    case .unbind(let session): return Self.message("unbind", session)
    case .ping(let timestamp, let roundTrip): return Self.message("ping", timestamp, roundTrip)
    case .error(let error):
      let document = JSONWriter.bytes(["message": .string(error.message)])
      return Self.message(
        "json_error", UInt64(error.code.rawValue), UInt64(document.count), error.session,
        body: document)
    case .testCommand(let command): return bytes(command)
    }
  }

  private func bytes(_ bind: ClientMessage.Bind) -> [UInt8] {
    let path =
      switch bind.target {
      case .partition(let text): Array(text.utf8)
      case .flexible(let target): JSONWriter.bytes(json(target))
      }
    return Self.message(
      "bind", bind.session, UInt64(path.count), UInt64(bind.token.utf8.count),
      bind.needsIdent ? 1 : 0, 0, body: path + bind.token.utf8)
  }

  private func json(_ target: ClientMessage.FlexibleTarget) -> JSONValue {
    var members: [JSONMember] = []
    if let partition = target.migratedPartition, version.number >= 9 {
      members.append(JSONMember("migratedPartition", .string(partition)))
    }
    if version.number >= 11 {
      members.append(
        JSONMember("schemaVersion", .integer(Int64(clamping: target.schemaVersion))))
    }
    if version.number >= 10 {
      members.append(JSONMember("sessionReason", .integer(target.isClientReset ? 1 : 0)))
    }
    return .object(members)
  }

  private func bytes(_ ident: ClientMessage.Ident) -> [UInt8] {
    let fields = [
      ident.session, ident.file.rawValue, ident.salt, ident.download.serverVersion,
      ident.download.clientVersion, ident.latest.version, ident.latest.salt,
    ]
    guard let query = ident.query else { return Self.message("ident", fields: fields, body: []) }
    let text = Array(query.text.utf8)
    return Self.message("ident", fields: fields + [query.version, UInt64(text.count)], body: text)
  }

  private func bytes(_ query: ClientMessage.Query) -> [UInt8] {
    let text = Array(query.query.text.utf8)
    return Self.message(
      "query", query.session, query.query.version, UInt64(text.count), body: text)
  }

  private func bytes(_ command: TestCommand) -> [UInt8] {
    let text = Array(command.body.utf8)
    return Self.message(
      "test_command", command.session, command.request, UInt64(text.count), body: text)
  }

  /// The bytes of a server's message.
  package func bytes(_ message: ServerMessage) -> [UInt8] {
    switch message {
    case .ident(let session, let file, let salt):
      return Self.message("ident", session, file.rawValue, salt)
    case .download(let session, let download): return bytes(session, download)
    case .mark(let session, let request): return Self.message("mark", session, request)
    case .unbound(let session): return Self.message("unbound", session)
    case .pong(let timestamp): return Self.message("pong", timestamp)
    case .error(let session, let code, let document) where !version.hasErrorDocuments:
      return bytes(
        .plainError(
          .init(
            session: session, code: code, tryAgain: document.tryAgain,
            message: document.message)))
    case .error(let session, let code, let document):
      let json = JSONWriter.bytes(document.cut(toByteCount: Self.textByteCountMax).json)
      return Self.message(
        "json_error", UInt64(code.rawValue), UInt64(json.count), session, body: json)
    case .plainError(let error):
      let text = Array(error.message.cut(toByteCount: Self.textByteCountMax).utf8)
      return Self.message(
        "error", UInt64(error.code.rawValue), UInt64(text.count), error.tryAgain ? 1 : 0,
        error.session, body: text)
    case .queryError(let error):
      let text = Array(error.message.cut(toByteCount: Self.textByteCountMax).utf8)
      return Self.message(
        "query_error", UInt64(error.code.rawValue), UInt64(text.count), error.session,
        error.queryVersion, body: text)
    case .log(let log):
      let json = JSONWriter.bytes(
        [
          "level": .string(log.level),
          "msg": .string(log.message.cut(toByteCount: Self.textByteCountMax)),
          "co_id": .string(log.connection),
        ])
      return Self.message("log_message", log.session, UInt64(json.count), body: json)
    case .testCommand(let command): return bytes(command)
    }
  }

  private func bytes(_ session: UInt64, _ download: ServerMessage.Download) -> [UInt8] {
    let cursors = download.cursors
    var bytes = Array("download ".utf8)
    bytes.reserveCapacity(256 + download.body.bytes.count)
    bytes.append(
      fields: [
        session, cursors.download.serverVersion, cursors.download.clientVersion,
        cursors.latest.version, cursors.latest.salt, cursors.upload.clientVersion,
        cursors.upload.serverVersion,
      ])
    switch download.progress {
    case .partition(let count): bytes.append(fields: [count])
    case .flexible(let queryVersion, let batch, let done):
      let state = batch == .steady && !version.hasServerBootstraps ? .last : batch
      bytes.append(fields: [queryVersion, state.rawValue])
      bytes += Self.text(version.hasProgressEstimate ? done : .byteCountLeft(0)).utf8
      bytes.append(UInt8(ascii: " "))
    }
    bytes.append(
      fields: [
        download.body.isCompressed ? 1 : 0, UInt64(download.body.uncompressedByteCount),
        Self.compressedByteCount(download.body),
      ])
    bytes[bytes.count - 1] = UInt8(ascii: "\n")
    return bytes + download.body.bytes
  }

  /// An estimate with at most four digits after the point.
  private static func text(_ done: ServerMessage.Progress.Done) -> String {
    switch done {
    case .byteCountLeft(let count): return String(count)
    case .estimate(let value):
      let parts = Int(min(max(value.isNaN ? 0 : value, 0), 1) * 10_000)
      if parts % 10_000 == 0 { return String(parts / 10_000) }
      var digits = String(10_000 + parts).dropFirst()
      while digits.last == "0" { digits.removeLast() }
      return "0." + digits
    }
  }

  /// Uncompressed bodies have no compressed size.
  private static func compressedByteCount(_ body: MessageBody) -> UInt64 {
    body.isCompressed ? UInt64(body.bytes.count) : 0
  }

  private static func message(_ name: String, _ fields: UInt64..., body: [UInt8] = []) -> [UInt8] {
    message(name, fields: fields, body: body)
  }

  private static func message(_ name: String, fields: [UInt64], body: [UInt8]) -> [UInt8] {
    var bytes = Array(name.utf8)
    for field in fields {
      bytes.append(UInt8(ascii: " "))
      bytes.append(decimal: field)
    }
    bytes.append(UInt8(ascii: "\n"))
    return bytes + body
  }
}

extension String {
  /// The beginning of the text that has at most some bytes of UTF-8: whole characters, or whole
  /// Unicode scalars if the first character alone has more.
  package func cut(toByteCount byteCountMax: Int) -> String {
    guard utf8.count > byteCountMax else { return self }
    var rest = byteCountMax
    func fits(_ byteCount: Int) -> Bool {
      rest -= byteCount
      return rest >= 0
    }
    let whole = prefix { fits($0.utf8.count) }
    guard whole.isEmpty else { return String(whole) }
    rest = byteCountMax
    return String(String.UnicodeScalarView(unicodeScalars.prefix { fits(UTF8.width($0)) }))
  }
}
