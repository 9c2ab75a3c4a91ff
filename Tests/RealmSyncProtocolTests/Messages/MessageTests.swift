// SPDX-License-Identifier: Apache-2.0

// Messages survive encoding and parsing; other bytes are refused.

import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

struct MessageTests {
  private static let flexible = MessageParser(version: ProtocolVersion(mode: .flexible))
  private static let partition = MessageParser(version: ProtocolVersion(mode: .partition))

  private static func entries(_ random: inout SeededGenerator) -> [UploadEntry] {
    (0..<Int.random(in: 0...4, using: &random)).map { version in
      UploadEntry(
        clientVersion: UInt64(version), serverVersion: random.next() >> 1,
        timestamp: OriginTimestamp(milliseconds: random.next() >> 24),
        changeset: random.data(random.size(upTo: 1_000)))
    }
  }

  @Test func everyUploadComesBack() throws {
    let encoder = MessageEncoder(version: Self.flexible.version)
    let seeds = RandomRuns.seeds(200)
    var compressed = 0
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let entries = Self.entries(&random)
      let upload = ClientMessage.Upload(
        session: 7, progress: UploadCursor(clientVersion: random.next() >> 1, serverVersion: 3),
        lockedServerVersion: 2, body: MessageBody(uploads: entries))
      guard
        case .upload(let parsed) = try Self.flexible.clientMessage(encoder.bytes(.upload(upload)))
      else { throw MessageError.badSyntax }
      expectEqual(parsed, upload, "seed \(seed)")
      try expectEqual(parsed.body.uploadEntries(), entries, "seed \(seed)")
      compressed += parsed.body.isCompressed ? 1 : 0
    }
    expectTrue((seeds.count / 10..<seeds.count * 9 / 10).contains(compressed))
  }

  @Test func shortBodiesAreNotCompressed() {
    expectFalse(MessageBody(plain: [UInt8](repeating: 0, count: 1_024)).isCompressed)
    let long = MessageBody(plain: [UInt8](repeating: 0, count: 1_025))
    expectTrue(long.isCompressed)
    expectEqual(long.uncompressedByteCount, 1_025)
    expectTrue(long.bytes.count < 50)
  }

  @Test func everyDownloadComesBack() throws {
    let encoder = MessageEncoder(version: Self.partition.version)
    for seed in RandomRuns.seeds(100) {
      var random = SeededGenerator(seed: seed)
      let entries = Self.entries(&random).map {
        DownloadEntry(
          serverVersion: $0.serverVersion, clientVersion: $0.clientVersion,
          timestamp: $0.timestamp, file: FileIdentifier(3), originalByteCount: 17,
          changeset: $0.changeset)
      }
      let message = ServerMessage.download(
        session: 2,
        .init(
          cursors: SyncCursors(
            download: DownloadCursor(serverVersion: 9, clientVersion: 8),
            upload: UploadCursor(clientVersion: 7, serverVersion: 6),
            latest: SaltedVersion(version: 10, salt: random.next() >> 1)),
          progress: .partition(byteCountLeft: 5), body: MessageBody(downloads: entries)))
      let parsed = try Self.partition.serverMessage(encoder.bytes(message))
      expectEqual(parsed, message, "seed \(seed)")
      guard case .download(_, let download) = parsed else { throw MessageError.badSyntax }
      try expectEqual(download.body.downloadEntries(), entries, "seed \(seed)")
    }
  }

  @Test func aBodyOverTheLimitIsNotDecompressed() throws {
    let body = MessageBody(plain: [UInt8](repeating: 48, count: 100_000))
    #expect(throws: MessageError.badChangesetSize) { try body.uploadEntries(byteCountMax: 99_999) }
    #expect(throws: MessageError.badChangesetHeader) { try body.uploadEntries() }
  }

  @Test(
    arguments: [
      ("", .badSyntax), ("mark 1 1", .badSyntax), ("mark 1\n", .badSyntax),
      ("mark 1 1 1\n", .badSyntax), ("mark  1 1\n", .badSyntax), ("mark 1 1 \n", .badSyntax),
      ("mark 1 +1\n", .badSyntax), ("mark 1 01\n", .badSyntax), ("mark 1 -1\n", .badSyntax),
      ("mark 1 9223372036854775808\n", .badSyntax), ("mark 1 99999999999999999999\n", .badSyntax),
      ("mark 0 1\n", .badSyntax), ("mark 1 1\nx", .badSyntax), ("Mark 1 1\n", .unknownMessage),
      ("alloc 1\n", .unknownMessage), ("transact 1 2\n", .unknownMessage), ("\n", .unknownMessage),
      ("bind 1 2 0 2 0\n{}", .badSyntax), ("bind 1 2 0 1 1\n{}", .badSyntax),
      ("bind 1 2 0 1 0\n{", .badSyntax), ("bind 1 2 0 1 0\n[]", .badSyntax),
      ("bind 1 2 0 1 0\n{}x", .badSyntax), ("bind 1 19 0 1 0\n{\"sessionReason\":2}", .badSyntax),
      ("bind 1 20 0 1 0\n{\"schemaVersion\":\"\"}", .badSyntax),
      ("bind 1 9223372036854775807 9223372036854775807 1 0\n{}", .badSyntax),
      ("upload 1 2 0 0 1 1 1\n", .badSyntax), ("upload 1 0 5 0 1 1 1\nabcd", .badSyntax),
      ("ident 1 2 3 0 0 0 0\n", .badSyntax), ("query 1 1 3\n{}", .badSyntax),
      ("json_error 212 2 1\n{}", .badErrorDocument),
    ] as [(String, MessageError)])
  func defectsOfClientMessages(_ text: String, _ error: MessageError) {
    #expect(throws: error) { try Self.flexible.clientMessage(Array(text.utf8)) }
  }

  @Test(
    arguments: [
      ("download 1 0 0 0 0 0 0 0 3 1 0 0 0\n", .badSyntax),
      ("download 1 0 0 0 0 0 0 0 1 nan 0 0 0\n", .badSyntax),
      ("download 1 0 0 0 0 0 0 0 1 -1 0 0 0\n", .badSyntax),
      ("download 1 0 0 0 0 0 0 0 1 0x1 0 0 0\n", .badSyntax),
      ("download 1 0 0 0 0 0 0 0 1 0 0 0\n", .badSyntax),
      ("ident 1 2\n", .badSyntax), ("state 1\n", .unknownMessage),
      ("log_message 0 2\n{}", .badSyntax), ("json_error 200 2 1\n{}", .badErrorDocument),
      (
        """
        json_error 200 87 1
        {"message":"","logURL":"","tryAgain":false,"shouldClientReset":true,"action":"Warning"}
        """, .badErrorDocument
      ),
    ] as [(String, MessageError)])
  func defectsOfServerMessages(_ text: String, _ error: MessageError) {
    #expect(throws: error) { try Self.flexible.serverMessage(Array(text.utf8)) }
  }

  @Test(arguments: [
    "1 0 5 0 3 ab", "1 0 5 0 x", "1 0 5 0 3", "1 0 5 0 -1 ab", "1  0 5 0 0 ",
    "11111111111111111111111 0 5 0 0 ", "1 0 5 0 9223372036854775807 ab", "1 0 5 0 01 a",
  ])
  func defectsOfBodies(_ text: String) {
    #expect(throws: MessageError.badChangesetHeader) {
      try MessageBody(plain: Array(text.utf8)).uploadEntries()
    }
  }

  @Test(.heavy) func damagedMessagesNeverTrap() {
    var random = SeededGenerator(seed: 21)
    let encoder = MessageEncoder(version: Self.flexible.version)
    var samples = (GoldenTraceTests.clientTexts + GoldenTraceTests.serverTexts).map {
      Array($0.utf8)
    }
    for _ in 0..<20 {
      let body = MessageBody(uploads: Self.entries(&random))
      let upload = ClientMessage.Upload(
        session: 1, progress: UploadCursor(), lockedServerVersion: 0, body: body)
      if body.bytes.count < 400 { samples.append(encoder.bytes(.upload(upload))) }
    }
    var report = ErrorDocument(.compensatingWrite, message: "no")
    report.compensatingWrite = CompensatingWriteReport(
      serverVersion: 3, rejectedClientVersion: 16,
      updates: [RejectedUpdate(notAllowed: .string("k"), in: "Item")])
    samples.append(
      encoder.bytes(
        .error(session: 1, code: ErrorCode(SessionErrorCode.compensatingWrite), document: report)))
    for round in 0..<RandomRuns.damagedInputs(60_000) {
      let damaged = random.damaged(samples[round % samples.count])
      if let message = try? Self.flexible.clientMessage(damaged), case .upload(let upload) = message
      {
        _ = try? upload.body.uploadEntries()
      }
      if let message = try? Self.flexible.serverMessage(damaged),
        case .download(_, let download) = message
      {
        _ = try? download.body.downloadEntries()
      }
    }
  }
}
