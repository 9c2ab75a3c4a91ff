// SPDX-License-Identifier: Apache-2.0

// The server's session: the traces of P1 D.2, and what it does with clients that break rules.

import RealmSyncProtocol
import TestExtensions
import Testing

struct ServerSessionMachineTests {
  private static let query = #"{"Item":"(count > -1)"}"#
  private static let bind = "bind 1 37 0 1 0\n{\"schemaVersion\":0,\"sessionReason\":0}"
  private static let resume = "ident 1 2 1002 4 18 4 7777 1 23\n" + query

  private static func head(_ version: UInt64) -> SaltedVersion {
    SaltedVersion(version: version, salt: 7777)
  }

  private static func file(_ change: (inout ServerFile) -> Void = { _ in }) -> ServerFile {
    var file = ServerFile(
      ident: FileIdentifier(2), salt: 1002, clientVersion: 18, reciprocalBase: 3)
    change(&file)
    return file
  }

  private static func download(
    _ server: UInt64, _ client: UInt64, up: UInt64, _ upServer: UInt64, query: UInt64,
    _ batch: ServerMessage.BatchState = .steady, _ body: String = ""
  ) -> ServerStoreReply {
    .download(
      ServerMessage.Download(
        cursors: SyncCursors(
          download: DownloadCursor(serverVersion: server, clientVersion: client),
          upload: UploadCursor(clientVersion: up, serverVersion: upServer), latest: head(server)),
        progress: .flexible(queryVersion: query, batch: batch, done: .estimate(1)),
        body: MessageBody(plain: Array(body.utf8))))
  }

  private static func upload(_ header: String, _ body: String = "") -> String {
    "upload 1 0 \(body.utf8.count) 0 \(header)\n\(body)"
  }

  /// A session that went on with its file and has sent its first DOWNLOAD.
  private static func running(
    _ change: (inout ServerFile) -> Void = { _ in }
  ) throws
    -> ScriptedServer
  {
    var server = ScriptedServer()
    try server.receive(bind.replacing("0 1 0\n", with: "0 0 0\n"))
    server.reply(.done)
    try server.receive(resume)
    server.reply(.file(ServerFileLookup(file: file(change), head: head(4), latestSalt: 7777)))
    server.reply(.claimed(file(change), rejected: []))
    let up = file(change).clientVersion
    server.reply(download(4, 18, up: up, 3, query: 1))
    expectEqual(server.takeSent(), ["download 1 4 18 4 7777 \(up) 3 1 2 1 0 0 0\n"])
    return server
  }

  // MARK: Traces

  static func newFile() throws -> ScriptedServer {
    var server = ScriptedServer()
    try server.receive(bind)
    server.reply(.bound(ident: FileIdentifier(2), salt: 1002))
    expectEqual(server.takeSent(), ["ident 1 2 1002\n"])
    try server.receive("ident 1 2 1002 0 0 0 0 0 2\n{}")
    try server.receive("mark 1 1\n")
    let file = ServerFile(ident: FileIdentifier(2), salt: 1002)
    server.reply(.file(ServerFileLookup(file: file, head: head(1), latestSalt: nil)))
    server.reply(.claimed(file, rejected: []))
    expectEqual(server.request, .currentHead)
    server.reply(.head(head(1)))
    expectEqual(server.request, .nextDownload(after: DownloadCursor()))
    server.reply(download(1, 0, up: 0, 0, query: 0, .last, "1 0 347155200000 1 0 0 "))
    expectEqual(
      server.takeSent(),
      [
        "download 1 1 0 1 7777 0 0 0 1 1 0 23 0\n1 0 347155200000 1 0 0 ", "mark 1 1\n",
      ])
    let entry = "5 0 347155200000 0 175 " + String(repeating: "x", count: 175)
    try server.receive(upload("6 0 1", entry))
    try server.receive("query 1 1 23\n" + query)
    try server.receive("mark 1 2\n")
    server.reply(.integrated(head: head(2), rejected: []))
    server.reply(.done)
    server.reply(.head(head(2)))
    expectEqual(server.takeSent(), [])
    server.reply(download(2, 6, up: 6, 0, query: 1, .moreToCome, "2 0 347155200000 1 0 0 "))
    expectEqual(server.takeSent().count, 1, "the MARK waits for the whole bootstrap")
    server.reply(download(2, 6, up: 6, 0, query: 1, .last))
    expectEqual(server.takeSent(), ["download 1 2 6 2 7777 6 0 1 1 1 0 0 0\n", "mark 1 2\n"])
    try server.receive(upload("12 2 2"))
    server.reply(.integrated(head: head(2), rejected: []))
    expectEqual(server.takeSent(), [])
    return server
  }

  /// `ServerSessionMachine` 6
  @Test func messagesNameWhatTheySayOfTheFile() throws {
    var count = 0
    for case .send(let message, let said) in try Self.newFile().log {
      switch message {
      case .ident(_, let file, _): expectEqual(said, StoredProgress(file: file))
      case .download(_, let download):
        count += 1
        expectEqual(
          said,
          StoredProgress(
            file: FileIdentifier(2), clientVersion: download.cursors.upload.clientVersion,
            version: download.cursors.latest.version))
      default: expectEqual(said, nil)
      }
    }
    expectEqual(count, 3)
    // Nothing is said of an UPLOAD before the realm has said that it is on the disk.
    var server = try Self.running()
    try server.receive(Self.upload("20 4 4", "20 4 0 0 1 a"))
    server.handle(.head(Self.head(5)))
    expectEqual(server.sent, [])
    server.reply(.integrated(head: Self.head(5), rejected: []))
    server.reply(Self.download(5, 20, up: 20, 4, query: 1))
    expectEqual(server.sent, ["download 1 5 20 5 7777 20 4 1 2 1 0 0 0\n"])
  }

  /// `ServerSessionMachine` 1: `ScriptedServer` takes no second request before the answer to the
  /// first.
  @Test func aNewFlexibleFile() throws {
    var server = try Self.newFile()
    try server.receive("unbind 1\n")
    expectEqual(server.takeSent(), ["unbound 1\n"])
    expectEqual(server.others, [.ended])
  }

  /// `DueReports` 3: a bootstrap may bring what undoes the writes, and releases no report.
  @Test func aReportIsReleasedAfterTheBootstrapThatReachesIt() throws {
    var server = try Self.running()
    try server.receive(Self.upload("30 4 4", "29 4 347155200000 0 1 x"))
    let report = CompensatingWriteReport(
      serverVersion: 5, rejectedClientVersion: 29, updates: [])
    server.reply(.integrated(head: Self.head(6), rejected: [report]))
    expectEqual(server.takeSent(), [])
    expectTrue(server.machine.heldByteCount > 0)
    let entry = "6 30 347155200000 1 0 0 "
    server.reply(Self.download(6, 30, up: 30, 4, query: 1, .moreToCome, entry))
    let first = server.takeSent()
    expectEqual(first.map { $0.prefix(14) }, ["json_error 231", "download 1 6 3"])
    expectEqual(first.first?.contains("\"compensatingWriteServerVersion\":6"), true)
    expectEqual(server.machine.heldByteCount, 0)
    server.reply(Self.download(6, 30, up: 30, 4, query: 1, .last, entry))
    let header = "download 1 6 30 6 7777 30 4 1"
    expectEqual(
      server.takeSent(),
      ["\(header) 1 1 0 24 0\n\(entry)", "\(header) 2 1 0 13 0\n6 30 0 1 0 0 "])
  }

  /// SY8
  @Test func equalInputsGiveEqualEffects() throws {
    try expectEqual(Self.newFile().log, Self.newFile().log)
  }

  @Test func aPartition() throws {
    var server = ScriptedServer(.partition)
    try server.receive("bind 1 5 0 1 0\n\"foo\"")
    server.reply(.bound(ident: FileIdentifier(2), salt: 1002))
    try server.receive("ident 1 2 1002 0 0 0 0\n")
    let file = ServerFile(ident: FileIdentifier(2), salt: 1002)
    server.reply(
      .file(ServerFileLookup(file: file, head: SaltedVersion(), latestSalt: nil)))
    server.reply(.claimed(file, rejected: []))
    server.reply(
      .download(
        ServerMessage.Download(
          cursors: SyncCursors(), progress: .partition(byteCountLeft: 0), body: .empty)))
    expectEqual(server.takeSent().last, "download 1 0 0 0 0 0 0 0 0 0 0\n")
  }

  // MARK: IDENT (P4 A.3)

  /// What is wrong, and the code; the first of several counts.
  @Test(
    arguments: [
      ("2 1002 4 18 4 7777", nil), ("3 1003 9 99 4 7777", 208), ("1 1002 4 18 4 7777", 208),
      ("2 1003 9 99 4 7777", 211), ("2 1002 2 18 4 7777", 209), ("2 1002 6 99 6 7777", 209),
      ("2 1002 4 19 4 7777", 210), ("2 1002 4 18 3 7777", 209), ("2 1002 4 18 6 7777", 209),
      ("2 1002 4 18 4 7778", 211), ("2 1002 3 0 5 7777", nil),
    ] as [(String, Int?)])
  func identsAreChecked(_ fields: String, _ code: Int?) throws {
    var server = ScriptedServer()
    try server.receive(Self.bind.replacing("0 1 0\n", with: "0 0 0\n"))
    server.reply(.done)
    try server.receive("ident 1 \(fields) 1 23\n" + Self.query)
    let lookup = ServerFileLookup(file: Self.file(), head: Self.head(5), latestSalt: 7777)
    server.reply(.file(lookup))
    if let code {
      expectEqual(server.sent.last?.hasPrefix("json_error \(code) "), true)
    } else {
      guard case .claim? = server.request else {
        Issue.record("\(server.sent)")
        return
      }
    }
  }

  @Test func theRecordOfTheFileIsChecked() throws {
    let ident = ClientMessage.Ident(
      session: 1, file: FileIdentifier(2), salt: 1002,
      download: DownloadCursor(serverVersion: 9, clientVersion: 99), latest: Self.head(9))
    func defect(_ file: ServerFile?, isBound: Bool = false) -> IdentDefect? {
      let lookup = ServerFileLookup(
        file: file, head: Self.head(9), latestSalt: 7777, isBoundOnConnection: isBound)
      do throws(IdentDefect) {
        _ = try lookup.check(ident)
        return nil
      } catch {
        return error
      }
    }
    func code(_ defect: IdentDefect?) -> SessionErrorCode? {
      if case .refusal(let refusal)? = defect { refusal.code } else { nil }
    }
    expectEqual(code(defect(nil)), .badClientFileIdent)
    let expired = Self.file {
      $0.isExpired = true
      $0.isOfUser = false
    }
    expectEqual(code(defect(expired)), .clientFileExpired)
    expectEqual(code(defect(Self.file { $0.isOfUser = false })), .userMismatch)
    expectEqual(code(defect(Self.file())), .badClientVersion)
    let good = Self.file { $0.clientVersion = 100 }
    expectEqual(defect(good, isBound: true), .boundInOtherSession)
    expectEqual(defect(good), nil)
  }

  /// Deployed programs compare these texts.
  @Test func errorsHaveTheTextsThatProgramsKnow() throws {
    for (refusal, text) in [
      (SessionRefusal(.badClientFileIdent, "5"), "Bad client file identifier (IDENT)"),
      (SessionRefusal(.illegalRealmPath, "Why"), "Illegal Realm path (BIND): Why"),
      (SessionRefusal(.invalidSchemaChange, "Why"), "Invalid schema change (UPLOAD): Why"),
      (SessionRefusal(.permissionDenied, "Why"), "Why"),
    ] {
      var server = try Self.running()
      server.handle(.refuse(refusal))
      let answer = server.takeSent().last ?? ""
      expectTrue(answer.contains(#"{"message":"\#(text)","#), "\(answer)")
    }
  }

  @Test func anInvalidActiveQueryIsASessionError() throws {
    var server = ScriptedServer()
    try server.receive(Self.bind.replacing("0 1 0\n", with: "0 0 0\n"))
    server.reply(.done)
    try server.receive(Self.resume)
    server.reply(.file(ServerFileLookup(file: Self.file(), head: Self.head(4), latestSalt: 7777)))
    server.reply(.queryRefused(message: "Invalid query"))
    expectEqual(server.sent.last?.hasPrefix("json_error 226 "), true)
  }

  // MARK: UPLOAD (P4 A.4)

  @Test(arguments: [
    ("19 5 3", "", 209), ("19 3 5", "", 209), ("19 4 3", "19 2 0 0 0 ", 209),
    ("20 4 4", "19 4 0 0 0 19 4 0 0 0 ", 210), ("20 4 4", "21 4 0 0 0 ", 210),
    ("20 4 4", "19 4 0 0 0 20 3 0 0 0 ", 209), ("20 3 4", "19 4 0 0 0 ", 209),
    ("20 4 4", "19 4 0 2 0 ", 216), ("20 4 4", "0 4 0 0 0 ", 210),
  ])
  func uploadsAreChecked(_ header: String, _ body: String, _ code: Int) throws {
    var server = try Self.running()
    try server.receive(Self.upload(header, body))
    expectTrue(server.sent.count == 1 && server.sent[0].hasPrefix("json_error \(code) "))
    // `ServerSessionMachine` 4
    try server.receive("mark 1 1\n")
    try server.receive(Self.upload("20 4 4"))
    server.handle(.head(Self.head(9)))
    expectEqual(server.sent.count, 1)
    expectEqual(server.others, [])
    try server.receive("unbind 1\n")
    expectEqual(server.sent.count, 1)
    expectEqual(server.others, [.ended])
  }

  @Test func aLockedVersionDoesNotGoBack() throws {
    var server = try Self.running { $0.lockedServerVersion = 4 }
    try server.receive(Self.upload("19 4 3"))
    expectEqual(server.sent.last?.hasPrefix("json_error 209 "), true)
  }

  @Test func thresholdsRise() throws {
    var server = try Self.running()
    try server.receive(Self.upload("20 4 4"))
    server.reply(.integrated(head: Self.head(4), rejected: []))
    server.reply(Self.download(4, 18, up: 20, 4, query: 1))
    _ = server.takeSent()
    var other = server
    try server.receive(Self.upload("19 4 4"))
    expectEqual(server.sent.last?.hasPrefix("json_error 210 "), true)
    try other.receive(Self.upload("20 3 4"))
    expectEqual(other.sent.last?.hasPrefix("json_error 209 "), true)
  }

  /// What a client sends again after a lost connection may end before what the server has.
  @Test func oldProgressIsNoError() throws {
    var server = try Self.running()
    let count = server.requests.count
    try server.receive(Self.upload("17 2 0", "17 2 0 0 0 "))
    expectEqual(server.requests.count, count)
    expectEqual(server.sent, [])
    try server.receive(Self.upload("18 4 4", "18 2 0 0 0 "))
    expectEqual(
      server.request,
      .integrate(
        UploadCursor(clientVersion: 18, serverVersion: 4), lockedServerVersion: 4, entries: []))
  }

  /// The realm may say more of a file than the session has stored: an earlier upload whose outcome
  /// was not known came to be, or the client is at another server.
  @Test func progressOfOthersCounts() throws {
    var server = try Self.running { $0.clientVersion = 18 }
    server.handle(.head(Self.head(5)))
    server.reply(Self.download(5, 20, up: 20, 4, query: 1))
    expectEqual(server.takeSent(), [])
    // What is there already is not integrated again, and is acknowledged.
    try server.receive(Self.upload("20 4 4", "20 4 0 0 1 x"))
    guard case .integrate(let progress, 4, let entries)? = server.request else {
      Issue.record("\(server.sent)")
      return
    }
    expectEqual(progress, UploadCursor(clientVersion: 20, serverVersion: 4))
    expectTrue(entries.isEmpty)
    server.reply(.integrated(head: Self.head(5), rejected: []))
    server.reply(Self.download(5, 20, up: 20, 4, query: 1))
    expectEqual(server.takeSent(), ["download 1 5 20 5 7777 20 4 1 2 1 0 0 0\n"])
  }

  /// With an answer, all clients would report progress as long as there are new versions, without a
  /// change for any of them.
  @Test func progressAloneIsNotAnswered() throws {
    var server = try Self.running()
    try server.receive(Self.upload("20 4 4"))
    server.reply(.integrated(head: Self.head(5), rejected: []))
    server.reply(Self.download(5, 20, up: 20, 4, query: 1))
    expectEqual(server.takeSent(), [])
    server.handle(.head(Self.head(6)))
    server.reply(Self.download(6, 20, up: 20, 4, query: 1, .steady, "6 20 0 3 0 0 "))
    expectEqual(server.takeSent().first?.hasPrefix("download 1 6 20 6 7777 20 4 1 2 "), true)
  }

  @Test func duplicatesAreSkipped() throws {
    var server = try Self.running { $0.clientVersion = 19 }
    try server.receive(Self.upload("20 4 4", "17 3 5 0 1 a19 3 6 0 1 b20 4 7 0 1 c"))
    guard case .integrate(let progress, 4, let entries)? = server.request else {
      Issue.record("\(server.sent)")
      return
    }
    expectEqual(progress, UploadCursor(clientVersion: 20, serverVersion: 4))
    expectEqual(entries.map(\.clientVersion), [20])
  }

  @Test(arguments: [
    ("upload 1 1 9 3 20 4 4\nabc", ConnectionErrorCode.badDecompression),
    ("upload 1 0 3 0 20 4 4\nabc", .badChangesetHeader),
    ("mark 1 0\n", .badMessageOrder), ("query 1 1 2\n{}", .badMessageOrder),
    ("ident 1 2 3 0 0 0 0 0 2\n{}", .badMessageOrder),
    ("bind 1 2 0 0 0\n{}", .badMessageOrder),
  ])
  func brokenProtocolEndsTheConnection(_ text: String, _ code: ConnectionErrorCode) throws {
    var server = try Self.running()
    try server.receive(text)
    guard case .failConnection(code, _)? = server.others.first, server.others.count == 2 else {
      Issue.record("\(server.others)")
      return
    }
    expectEqual(server.others.last, .ended)
    expectEqual(server.sent, [])
  }

  @Test(arguments: ["mark 1 1\n", "ident 1 2 3 0 0 0 0 0 2\n{}", "unbind 1\n"])
  func bindComesFirst(_ text: String) throws {
    var server = ScriptedServer()
    try server.receive(text)
    guard case .failConnection(.badMessageOrder, _)? = server.others.first else {
      Issue.record("\(server.others)")
      return
    }
  }

  // MARK: Downloads and marks

  /// `ServerSessionMachine` 3
  @Test func aMarkIsAnsweredAfterWhatWasThere() throws {
    var server = try Self.running()
    try server.receive("mark 1 1\n")
    server.reply(.head(Self.head(6)))
    expectEqual(server.sent, [])
    expectEqual(
      server.request, .nextDownload(after: DownloadCursor(serverVersion: 4, clientVersion: 18)))
    server.handle(.head(Self.head(7)))
    server.reply(Self.download(5, 18, up: 18, 3, query: 1, .steady, "5 18 0 3 0 0 "))
    expectEqual(server.takeSent().count, 1)
    server.reply(Self.download(6, 18, up: 18, 3, query: 1, .steady, "6 18 0 3 0 0 "))
    expectEqual(server.takeSent().last, "mark 1 1\n")
    expectEqual(
      server.request, .nextDownload(after: DownloadCursor(serverVersion: 6, clientVersion: 18)))
  }

  /// Versions without anything for the client cost no message, until they are many.
  @Test func downloadsWithoutNewsAreNotSent() throws {
    var server = try Self.running()
    server.handle(.head(Self.head(5)))
    server.reply(Self.download(5, 18, up: 18, 3, query: 1))
    expectEqual(server.sent, [])
    try server.receive("mark 1 1\n")
    server.reply(.head(Self.head(5)))
    expectEqual(server.takeSent(), ["mark 1 1\n"])
    server.handle(.head(Self.head(1_004)))
    server.reply(Self.download(1_004, 18, up: 18, 3, query: 1))
    expectEqual(server.takeSent(), ["download 1 1004 18 1004 7777 18 3 1 2 1 0 0 0\n"])
  }

  @Test func aSlowClientGetsNothingMore() throws {
    var server = try Self.running()
    server.handle(.outputBlocked)
    server.handle(.head(Self.head(5)))
    guard case .nextDownload = server.request, server.requests.count == 4 else {
      Issue.record("\(server.requests)")
      return
    }
    server.handle(.outputDrained)
    expectEqual(server.requests.count, 5)
  }

  @Test func aRefusedQueryLeavesTheSessionRunning() throws {
    var server = try Self.running()
    try server.receive("query 1 2 2\n{}")
    server.reply(.queryRefused(message: "Invalid query"))
    expectEqual(server.takeSent(), ["query_error 226 13 1 2\nInvalid query"])
    try server.receive("mark 1 1\n")
    server.reply(.head(Self.head(4)))
    expectEqual(server.takeSent(), ["mark 1 1\n"])
  }

  /// `ServerSessionMachine` 7: a device that subscribes and writes at once sends all three messages
  /// before the realm has answered the first.
  @Test func anUploadDoesNotOvertakeTheQueryBeforeIt() throws {
    var server = try Self.running()
    try server.receive("query 1 2 2\n{}")
    try server.receive("mark 1 1\n")
    try server.receive(Self.upload("20 4 4", "20 4 0 0 1 a"))
    server.reply(.done)
    expectEqual(server.request, .currentHead)
    server.reply(.head(Self.head(4)))
    let cursor = DownloadCursor(serverVersion: 4, clientVersion: 18)
    expectEqual(server.request, .nextDownload(after: cursor))
    // What the client has missed comes before the bootstrap.
    server.reply(Self.download(4, 18, up: 18, 3, query: 1, .steady, "4 18 0 1 0 0 "))
    expectEqual(server.request, .nextDownload(after: cursor))
    server.reply(Self.download(4, 18, up: 18, 3, query: 2, .last, "4 18 0 1 0 0 "))
    expectEqual(server.takeSent().last, "mark 1 1\n")
    guard case .integrate? = server.request else {
      Issue.record("\(server.requests)")
      return
    }
  }

  /// The schema of a new file, and the bootstrap that its IDENT names, come before its uploads.
  @Test func anUploadWaitsForTheFirstBootstrapOfANewFile() throws {
    var server = ScriptedServer()
    try server.receive(Self.bind)
    server.reply(.bound(ident: FileIdentifier(2), salt: 1002))
    try server.receive("ident 1 2 1002 0 0 0 0 1 23\n" + Self.query)
    try server.receive(Self.upload("20 0 0", "20 0 0 0 1 a"))
    let file = ServerFile(ident: FileIdentifier(2), salt: 1002)
    server.reply(.file(ServerFileLookup(file: file, head: Self.head(1), latestSalt: nil)))
    server.reply(.claimed(file, rejected: []))
    expectEqual(server.request, .nextDownload(after: DownloadCursor()))
    server.reply(Self.download(1, 0, up: 0, 0, query: 1, .moreToCome, "1 0 0 1 0 0 "))
    guard case .integrate? = server.request else {
      Issue.record("\(server.requests)")
      return
    }
  }

  /// `ServerSessionMachine` 5
  @Test func aQueryWaitsForTheEndOfABootstrap() throws {
    var server = try Self.running()
    try server.receive("query 1 2 2\n{}")
    server.reply(.done)
    server.reply(Self.download(4, 18, up: 18, 3, query: 2, .moreToCome, "4 18 0 1 0 0 "))
    try server.receive(Self.upload("20 4 4", "20 4 0 0 1 a"))
    try server.receive("query 1 3 2\n{}")
    server.reply(Self.download(4, 18, up: 18, 3, query: 2, .moreToCome, "4 18 0 1 0 0 "))
    guard case .integrate? = server.request else {
      Issue.record("\(server.requests)")
      return
    }
    server.reply(.integrated(head: Self.head(5), rejected: []))
    guard case .nextDownload? = server.request else {
      Issue.record("\(server.requests)")
      return
    }
    server.reply(Self.download(4, 18, up: 18, 3, query: 2, .last))
    expectEqual(server.request, .setQuery(VersionedQuery(version: 3, text: "{}")))
  }

  /// A round of the active query that is too large for one message does not stand for the
  /// bootstrap of the query that was asked for.
  @Test func aBootstrapOfTheActiveQueryComesBeforeThatOfTheNext() throws {
    var server = try Self.running()
    try server.receive("query 1 2 2\n{}")
    try server.receive("mark 1 1\n")
    server.reply(.done)
    server.reply(.head(Self.head(4)))
    server.reply(Self.download(4, 18, up: 18, 3, query: 1, .moreToCome, "4 18 0 1 0 0 "))
    server.reply(Self.download(4, 18, up: 18, 3, query: 1, .last))
    expectFalse(server.takeSent().contains("mark 1 1\n"))
    guard case .nextDownload? = server.request else {
      Issue.record("\(server.requests)")
      return
    }
    server.reply(Self.download(4, 18, up: 18, 3, query: 2, .last))
    expectEqual(server.takeSent().last, "mark 1 1\n")
  }

  /// One that the server begins without being asked, in the middle of steady state.
  @Test func aBootstrapOfTheActiveQueryNeedsNoQuestion() throws {
    var server = try Self.running()
    server.handle(.head(Self.head(5)))
    server.reply(Self.download(5, 18, up: 18, 3, query: 1, .moreToCome, "5 18 0 1 0 0 "))
    guard case .nextDownload? = server.request else {
      Issue.record("\(server.requests)")
      return
    }
    _ = server.takeSent()
    server.reply(Self.download(5, 18, up: 18, 3, query: 1, .last))
    expectEqual(server.takeSent(), ["download 1 5 18 5 7777 18 3 1 1 1 0 0 0\n"])
  }

  /// All parts of a bootstrap have the upload cursor of the first.
  @Test func anUploadInsideOfABootstrapIsAcknowledgedAfterIt() throws {
    var server = try Self.running()
    server.handle(.head(Self.head(5)))
    server.reply(Self.download(5, 18, up: 18, 3, query: 1, .moreToCome, "5 18 0 1 0 0 "))
    try server.receive(Self.upload("20 4 4", "20 4 0 0 1 x"))
    server.reply(Self.download(5, 18, up: 18, 3, query: 1, .moreToCome, "5 18 0 1 0 0 "))
    server.reply(.integrated(head: Self.head(5), rejected: []))
    server.reply(Self.download(5, 18, up: 18, 3, query: 1, .last))
    _ = server.takeSent()
    server.reply(Self.download(5, 18, up: 20, 4, query: 1))
    expectEqual(server.takeSent(), ["download 1 5 18 5 7777 20 4 1 2 1 0 0 0\n"])
  }

  @Test func refusedWritesAreReportedBeforeTheyAreUndone() throws {
    var server = try Self.running()
    try server.receive(Self.upload("20 4 4", "20 4 0 0 1 a"))
    let report = CompensatingWriteReport(
      serverVersion: 6, rejectedClientVersion: 20,
      updates: [RejectedUpdate(notAllowed: .int(1), in: "Item")])
    server.reply(.integrated(head: Self.head(6), rejected: [report]))
    server.reply(Self.download(6, 20, up: 20, 4, query: 1, .steady, "6 20 0 1 0 0 "))
    expectEqual(server.sent.map { $0.prefix(14) }, ["json_error 231", "download 1 6 2"])
  }

  /// Its DOWNLOAD comes first: a client that has it is not told again when it begins once more.
  @Test(arguments: [true, false])
  func refusedWritesOfAsymmetricClassesEndTheSession(_ hasOthers: Bool) throws {
    var server = try Self.running()
    try server.receive(Self.upload("20 4 4", "20 4 0 0 1 a"))
    try server.receive("mark 1 9\n")
    var report = CompensatingWriteReport(
      serverVersion: 6, rejectedClientVersion: 20,
      updates: hasOthers ? [RejectedUpdate(notAllowed: .int(1), in: "Item")] : [])
    report.refused = [RejectedUpdate(refused: .string("e"), in: "Event")]
    server.reply(.integrated(head: Self.head(6), rejected: [report]))
    server.reply(.head(Self.head(6)))
    // A first part does not reach the version.
    server.reply(Self.download(5, 20, up: 20, 4, query: 1))
    expectEqual(server.takeSent(), ["download 1 5 20 5 7777 20 4 1 2 1 0 0 0\n"])
    server.reply(Self.download(6, 20, up: 20, 4, query: 1))
    let sent = server.takeSent()
    expectEqual(
      sent.map { $0.prefix(14) },
      (hasOthers ? ["json_error 231"] : []) + ["download 1 6 2", "json_error 230"])
    let answer = try #require(sent.last)
    for part in [
      "\"action\":\"Warning\"", "\"tryAgain\":false", "\"shouldClientReset\":false",
      "\"rejectedClientVersion\":20", #""reason":"write to \"e\" in table \"Event\" not allowed""#,
    ] { expectTrue(answer.contains(part), "\(part) in \(answer)") }
    expectFalse(answer.contains("compensatingWriteServerVersion"), "\(answer)")
    expectFalse(answer.contains("Item"), "\(answer)")
    // What comes now is dropped, as after each error of a session.
    try server.receive(Self.upload("21 4 4", "21 4 0 0 1 a"))
    try server.receive("unbind 1\n")
    expectEqual(server.takeSent(), [])
  }

  /// Not before the last part of a bootstrap.
  @Test func refusedWritesOfAsymmetricClassesWaitForTheEndOfABootstrap() throws {
    var server = try Self.running()
    try server.receive(Self.upload("30 4 4", "29 4 347155200000 0 1 x"))
    var report = CompensatingWriteReport(
      serverVersion: 5, rejectedClientVersion: 29, updates: [])
    report.refused = [RejectedUpdate(refused: .int(1), in: "Event")]
    server.reply(.integrated(head: Self.head(6), rejected: [report]))
    let entry = "6 30 347155200000 1 0 0 "
    server.reply(Self.download(6, 30, up: 30, 4, query: 1, .moreToCome, entry))
    expectEqual(server.takeSent().map { $0.prefix(14) }, ["download 1 6 3"])
    server.reply(Self.download(6, 30, up: 30, 4, query: 1, .last, entry))
    expectEqual(server.takeSent().map { $0.prefix(14) }, ["download 1 6 3", "json_error 230"])
  }

  /// The code is none of the client's: the app has got that.
  @Test(arguments: [112, 212, 233]) func aClientsErrorIsAnsweredWithAReset(_ code: Int) throws {
    var server = try Self.running()
    try server.receive("json_error \(code) 15 1\n{\"message\":\"x\"}")
    expectEqual(server.sent.last?.hasPrefix("json_error 217 "), true)
    expectEqual(server.sent.last?.contains("\"action\":\"ClientReset\""), true)
  }

  /// With a fresh copy it would have the same classes again. The texts are those of all deployed
  /// clients, and ours.
  @Test(arguments: [
    "BadChangeset: Failed to transform received changeset: Schema mismatch: Property 'n' in class",
    "BadChangeset: Failed to apply received changeset: AddTable: The existing table 'class_A' has",
    "Failed to apply received changeset: AddColumn: Schema mismatch for existing column in 'A.n'",
    "Bad changeset received: Schema mismatch: another definition of A.n",
  ])
  func aClientWithOtherClassesGetsTheErrorOfTheSchema(_ text: String) throws {
    var server = try Self.running()
    let body = "{\"message\":\"\(text)\"}"
    try server.receive("json_error 212 \(body.utf8.count) 1\n\(body)")
    let answer = try #require(server.sent.last)
    expectTrue(answer.hasPrefix("json_error 225 "), "\(answer)")
    expectTrue(answer.contains("\"action\":\"ApplicationBug\""), "\(answer)")
    expectTrue(answer.contains("\"shouldClientReset\":false"), "\(answer)")
    expectTrue(
      answer.contains("Invalid schema change (UPLOAD): Another definition of a class exists"),
      "\(answer)")
    try server.receive("unbind 1\n")
    expectEqual(server.sent.last, answer)
  }

  @Test func theServerCanEndASession() throws {
    var server = try Self.running()
    server.handle(
      .refuse(SessionRefusal(.other, "The token expired", action: .refreshUser)))
    expectEqual(server.sent.last?.contains("\"action\":\"RefreshUser\""), true)
    try server.receive("unbind 1\n")
    expectEqual(server.sent.count, 1)
    expectEqual(server.others, [.ended])
  }

  /// A client that is suspended at once.
  @Test func aSessionMayEndBeforeItsRealmIsOpen() throws {
    var server = ScriptedServer()
    try server.receive("bind 1 37 0 0 0\n{\"schemaVersion\":0,\"sessionReason\":0}")
    try server.receive("unbind 1\n")
    expectEqual(server.takeSent(), ["unbound 1\n"])
    expectEqual(server.others, [.ended])
  }
}
