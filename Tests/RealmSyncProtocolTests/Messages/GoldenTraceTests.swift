// SPDX-License-Identifier: Apache-2.0

// The messages of typical sessions, as deployed clients write and read them.

import RealmSyncProtocol
import TestExtensions
import Testing

struct GoldenTraceTests {
  private static let version = ProtocolVersion(mode: .flexible)
  private let parser = MessageParser(version: version)
  private let encoder = MessageEncoder(version: version)
  private static let query = #"{"Item":"(count > -1)"}"#

  /// The body of the first upload: as long as in the trace.
  private static let firstUpload = "5 0 347155200000 0 175 " + String(repeating: "x", count: 175)
  private static let emptyBootstrap = "1 0 347155200000 1 0 0 "

  /// What a client says: a new flexible file, two writes, then the file again.
  static let clientTexts = [
    "bind 1 37 0 1 0\n{\"schemaVersion\":0,\"sessionReason\":0}",
    "ident 1 2 1002 0 0 0 0 0 2\n{}",
    "mark 1 1\n",
    "upload 1 0 198 0 6 0 1\n" + firstUpload,
    "query 1 1 23\n" + query,
    "mark 1 2\n",
    "upload 1 0 0 0 11 1 1\n",
    "upload 1 0 0 0 12 2 2\n",
    "upload 1 0 0 0 19 4 4\n",
    "bind 1 37 0 0 0\n{\"schemaVersion\":0,\"sessionReason\":0}",
    "ident 1 2 1002 4 18 4 7777 1 23\n" + query,
    "bind 3 37 0 0 0\n{\"schemaVersion\":0,\"sessionReason\":1}",
    "unbind 1\n",
    "ping 123456789 0\n",
    "json_error 212 20 1\n{\"message\":\"so bad\"}",
    "test_command 1 5 26\n{\"command\":\"PAUSE_ROUTER\"}",
  ]

  @Test(arguments: clientTexts) func clientMessagesAreReadAndWritten(_ text: String) throws {
    let message = try parser.clientMessage(Array(text.utf8))
    expectEqual(String(decoding: encoder.bytes(message), as: UTF8.self), text)
  }

  static let serverTexts = [
    "ident 1 2 1002\n",
    "download 1 1 0 1 7777 0 0 0 1 1 0 23 0\n" + emptyBootstrap,
    "mark 1 1\n",
    "download 1 2 6 2 7777 6 0 0 2 1 0 0 0\n",
    "download 1 2 6 2 7777 6 0 1 0 0.25 0 23 0\n" + emptyBootstrap,
    "download 1 2 6 2 7777 6 0 1 0 0.0375 0 23 0\n" + emptyBootstrap,
    "download 1 3 16 3 7777 16 2 1 2 1 0 0 0\n",
    "unbound 2\n",
    "pong 123456789\n",
    "query_error 226 14 1 3\nInvalid query:",
    "error 200 4 1 2\nlost",
    "log_message 0 38\n{\"level\":\"info\",\"msg\":\"m\",\"co_id\":\"c\"}",
    "test_command 1 5 2\n{}",
    """
    json_error 208 129 1
    {"message":"unknown","logURL":"","tryAgain":false,"shouldClientReset":true,\
    "isRecoveryModeDisabled":false,"action":"ClientReset"}
    """,
  ]

  @Test(arguments: serverTexts) func serverMessagesAreReadAndWritten(_ text: String) throws {
    let message = try parser.serverMessage(Array(text.utf8))
    expectEqual(String(decoding: encoder.bytes(message), as: UTF8.self), text)
  }

  /// The compressed size of a body that is not compressed says nothing.
  @Test func aNeedlessCompressedSizeIsIgnored() throws {
    let text = "download 1 1 0 1 7777 0 0 0 1 1 0 23 23\n" + Self.emptyBootstrap
    guard case .download(_, let download) = try parser.serverMessage(Array(text.utf8)) else {
      Issue.record("no DOWNLOAD")
      return
    }
    expectEqual(
      download.cursors,
      SyncCursors(
        download: DownloadCursor(serverVersion: 1),
        latest: SaltedVersion(version: 1, salt: 7777)))
    expectEqual(
      download.progress, .flexible(queryVersion: 0, batch: .last, done: .estimate(1)))
    try expectEqual(
      download.body.downloadEntries(),
      [
        DownloadEntry(
          serverVersion: 1, clientVersion: 0,
          timestamp: OriginTimestamp(milliseconds: 347_155_200_000), file: .server,
          originalByteCount: 0, changeset: [])
      ])
  }

  /// A client's change of partition mode: no JSON, no query, fewer fields.
  @Test func partitionMessages() throws {
    let version = ProtocolVersion(mode: .partition)
    let (parser, encoder) = (MessageParser(version: version), MessageEncoder(version: version))
    for text in ["bind 1 5 0 1 0\n\"foo\"", "ident 1 2 1002 0 0 0 0\n", "mark 1 1\n"] {
      let message = try parser.clientMessage(Array(text.utf8))
      expectEqual(String(decoding: encoder.bytes(message), as: UTF8.self), text)
    }
    let text = "download 1 0 0 0 0 0 0 4096 0 0 0\n"
    let message = try parser.serverMessage(Array(text.utf8))
    expectEqual(String(decoding: encoder.bytes(message), as: UTF8.self), text)
    #expect(throws: MessageError.unknownMessage) {
      try parser.clientMessage(Array("query 1 1 2\n{}".utf8))
    }
  }

  /// Versions before 12 have bytes for the estimate, those before 14 no steady state.
  @Test func olderFlexibleDownloads() throws {
    let download = ServerMessage.Download(
      cursors: SyncCursors(),
      progress: .flexible(queryVersion: 3, batch: .steady, done: .estimate(1)), body: .empty)
    func text(_ number: Int) -> String {
      let encoder = MessageEncoder(version: ProtocolVersion(mode: .flexible, number: number))
      return String(decoding: encoder.bytes(.download(session: 1, download)), as: UTF8.self)
    }
    expectEqual(text(14), "download 1 0 0 0 0 0 0 3 2 1 0 0 0\n")
    expectEqual(text(13), "download 1 0 0 0 0 0 0 3 1 1 0 0 0\n")
    expectEqual(text(11), "download 1 0 0 0 0 0 0 3 1 0 0 0 0\n")
    let old = MessageParser(version: ProtocolVersion(mode: .flexible, number: 13))
    #expect(throws: MessageError.badSyntax) { try old.serverMessage(Array(text(14).utf8)) }
  }
}
