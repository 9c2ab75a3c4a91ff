// SPDX-License-Identifier: Apache-2.0

// Messages of device sync, by themselves and as conversations.

#if Tools && Server
import RealmFormats
import RealmSyncProtocol

extension FuzzTarget {
  /// The mode and version of a connection, chosen by a byte.
  private static func version(_ byte: UInt8) -> ProtocolVersion {
    ProtocolVersion(
      mode: byte & 2 == 0 ? .flexible : .partition,
      number: ProtocolVersion.newest - Int(byte >> 2) % 12)
  }

  /// Reads one message of a client or of a server, with its changesets.
  static let message = FuzzTarget(
    name: "message", byteCountMax: 2_048,
    run: { input, _ in
      guard let first = input.first else { return .refused }
      let bytes = Array(input.dropFirst())
      return first & 1 == 0
        ? try readOfClient(bytes, version(first)) : try readOfServer(bytes, version(first))
    },
    seeds: { _ in
      func seeds(_ texts: [String], _ first: UInt8) -> [[UInt8]] {
        texts.map { [first] + Array($0.utf8) }
      }
      return seeds(clientTexts, 0) + seeds(serverTexts, 1) + seeds(partitionTexts, 2)
        + [compressedUpload]
    })

  private static func readOfClient(_ bytes: [UInt8], _ version: ProtocolVersion) throws -> Outcome {
    let parser = MessageParser(version: version)
    guard let message = try? parser.clientMessage(bytes) else { return .refused }
    switch message {
    case .upload(let upload): readChangesets(try? upload.body.uploadEntries().map(\.changeset))
    case .query(let query): _ = QueryDocument(text: query.query.text)
    case .ident(let ident): _ = ident.query.flatMap { QueryDocument(text: $0.text) }
    // Its text is for people, and cut where it is written.
    case .error: return .read
    default: break
    }
    let again = MessageEncoder(version: version).bytes(message)
    guard try parser.clientMessage(again) == message else {
      throw Finding("written and read again, a message is another one: \(message)")
    }
    return .read
  }

  private static func readOfServer(_ bytes: [UInt8], _ version: ProtocolVersion) throws -> Outcome {
    let parser = MessageParser(version: version)
    guard let message = try? parser.serverMessage(bytes) else { return .refused }
    if case .download(_, let download) = message {
      readChangesets(try? download.body.downloadEntries().map(\.changeset))
    }
    _ = try parser.serverMessage(MessageEncoder(version: version).bytes(message))
    return .read
  }

  private static func readChangesets(_ changesets: [[UInt8]]?) {
    for changeset in changesets ?? [] {
      _ = try? ChangesetParser.parse(changeset, instructionCountMax: 2_000)
    }
  }

  private static let subscriptions = #"{"Item":"(count > -1)"}"#

  private static let clientTexts = [
    "bind 1 37 0 1 0\n{\"schemaVersion\":0,\"sessionReason\":0}",
    "bind 3 62 3 0 0\n{\"schemaVersion\":2,\"migratedPartition\":\"p\",\"sessionReason\":1}abc",
    "ident 1 2 1002 4 18 4 7777 1 23\n" + subscriptions, "mark 1 1\n", "unbind 1\n",
    "ping 123456 20\n",
    "upload 1 0 16 0 6 0 1\n5 0 347 0 4 abcd", "upload 1 0 0 0 11 1 1\n",
    "query 1 1 23\n" + subscriptions, "json_error 112 16 1\n{\"message\":\"no\"}",
    "test_command 1 2 20\n{\"command\":\"PAUSE\"}\n",
  ]

  private static let serverTexts = [
    "ident 1 2 1002\n", "mark 1 1\n", "unbound 2\n", "pong 123456789\n",
    "download 1 1 0 1 7777 0 0 0 1 1 0 23 0\n1 0 347155200000 1 0 0 ",
    "download 1 2 6 2 7777 6 0 1 0 0.0375 0 23 0\n1 0 347155200000 1 0 0 ",
    "query_error 226 14 1 3\nInvalid query:", "error 200 4 1 2\nlost",
    "log_message 0 38\n{\"level\":\"info\",\"msg\":\"m\",\"co_id\":\"c\"}",
    "json_error 231 280 1\n{\"message\":\"no\",\"logURL\":\"\",\"tryAgain\":false,"
      + "\"shouldClientReset\":false,\"action\":\"Warning\",\"compensatingWriteServerVersion\":3,"
      + "\"rejectedClientVersion\":16,\"compensatingWriteRejectedSchemas\":[],"
      + "\"rejectedUpdates\":[{\"reason\":\"r\",\"pk\":\"AAAA\",\"table\":\"Item\"}]}",
  ]

  private static let partitionTexts = [
    "bind 1 5 0 1 0\n\"foo\"", "bind 2 5 3 0 0\n\"foo\"abc", "ident 1 2 1002 0 0 0 0\n",
    "upload 1 0 16 0 6 0 1\n5 0 347 0 4 abcd",
  ]

  /// An upload whose body is compressed.
  private static var compressedUpload: [UInt8] {
    let entry = UploadEntry(
      clientVersion: 5, serverVersion: 0, timestamp: OriginTimestamp(milliseconds: 347),
      file: .own, changeset: [UInt8](repeating: 7, count: 1_500))
    let upload = ClientMessage.Upload(
      session: 1, progress: UploadCursor(clientVersion: 6, serverVersion: 0),
      lockedServerVersion: 1, body: MessageBody(uploads: [entry]))
    return [0] + MessageEncoder(version: version(0)).bytes(.upload(upload))
  }
}
#endif
