// SPDX-License-Identifier: Apache-2.0

// What a session does when a server breaks rules, reports errors, or goes away.

import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct ClientSessionTests {
  private static let query = #"{"Item":"(count > -1)"}"#

  private static func file(version: UInt64 = 20) -> SessionFile {
    SessionFile(
      version: version, ident: FileIdentifier(2), salt: 1002,
      cursors: SyncCursors(
        download: DownloadCursor(serverVersion: 4, clientVersion: 10),
        upload: UploadCursor(clientVersion: 18, serverVersion: 3),
        latest: SaltedVersion(version: 4, salt: 7777)),
      sets: [QuerySet(version: 1, state: .complete, snapshotVersion: 6, text: query)])
  }

  /// A session in steady state with nothing to upload, whose first MARK is answered.
  private static func running(
    _ number: Int = 14, limits: ClientMachine.Limits = .init()
  ) throws -> ScriptedClient {
    var client = ScriptedClient(number: number, limits: limits)
    client.connect()
    client.reply(.done(file()))
    client.receive("download 1 4 10 4 7777 18 3 1 \(number > 13 ? 2 : 1) 1 0 0 0\n")
    client.reply(.done(file()))
    client.receive("mark 1 1\n")
    client.reply(
      UploadBatch(progress: UploadCursor(clientVersion: 20, serverVersion: 3)))
    _ = (client.takeSent(), client.takeOthers(), client.takeRequests())
    return client
  }

  private static func isDrop(_ effect: ClientEffect) -> Bool {
    if case .report(.failed(.violation(.badMessageOrder, _), isFatal: false)) = effect {
      true
    } else {
      false
    }
  }

  // MARK: Rules of P1 C.4

  /// Each field of the header goes back, or contradicts another. `ClientSession` 2
  @Test(arguments: [
    "3 10 4 7777 18 3", "4 9 4 7777 18 3", "4 10 3 7777 18 3", "4 10 4 7777 17 3",
    "4 10 4 7777 18 2", "4 10 4 7777 21 3", "5 10 4 7777 18 3", "4 19 4 7777 18 3",
    "4 10 4 7777 18 5",
  ])
  func badCursorsAreReported(_ cursors: String) throws {
    var client = try Self.running()
    client.receive("download 1 \(cursors) 1 2 1 0 0 0\n")
    expectTrue(client.sent.count == 1 && client.sent[0].hasPrefix("json_error 233 "))
    expectEqual(client.requests.count, 1, "nothing is integrated")
    // `ClientSession` 4: until the server answers with an error nothing else is sent.
    client.announce(30)
    client.wait(.download, id: 1)
    client.receive("download 1 5 10 5 7777 18 3 1 2 1 0 0 0\n")
    client.receive("mark 1 2\n")
    expectEqual(client.sent.count, 1)
    expectEqual(client.requests.count, 1)
  }

  @Test(arguments: [
    ("mark 1 1\n", "a MARK twice"), ("mark 1 2\n", "a MARK that was not asked for"),
    ("unbound 1\n", "UNBOUND"), ("ident 1 3 5\n", "IDENT for a file that has one"),
    ("download 1 4 10 4 7777 18 3 1 0 1 0 0 0\n", "an empty part of a bootstrap"),
    ("download 1 4 10 4 7777 18 3 2 1 1 0 0 0\n", "a bootstrap of an unknown set"),
    ("download 1 4 10 4 7777 18 3 0 1 1 0 0 0\n", "a bootstrap of an old set"),
    ("query_error 226 1 1 1\nx", "an error of a complete set"),
    ("query_error 226 1 1 7\nx", "an error of an unknown set"),
  ])
  func messagesThatAreNotLegalEndTheConnection(_ text: String, _ what: String) throws {
    var client = try Self.running()
    client.receive(text)
    expectTrue(client.others.count == 1 && Self.isDrop(client.others[0]), "\(what)")
    expectEqual(client.sent, [])
  }

  @Test func aSteadyDownloadInsideOfABootstrapIsNotLegal() throws {
    var client = try Self.running()
    client.receive("download 1 4 10 4 7777 18 3 1 0 0.5 0 7 0\n1 0 0 1")
    client.reply(.done(Self.file()))
    client.receive("download 1 4 10 4 7777 18 3 1 2 1 0 0 0\n")
    expectTrue(client.others.contains(where: Self.isDrop))
  }

  @Test func theProgressOfABootstrapStays() throws {
    var client = try Self.running()
    client.receive("download 1 5 10 5 7777 18 3 1 0 0.5 0 7 0\n1 0 0 1")
    client.reply(.done(Self.file()))
    client.receive("download 1 6 10 6 7777 18 3 1 1 1 0 0 0\n")
    expectTrue(client.sent.count == 1 && client.sent[0].hasPrefix("json_error 233 "))
  }

  @Test func beforeIdentNothingIsLegal() throws {
    var client = ScriptedClient()
    client.connect()
    client.reply(.done(SessionFile(version: 1)))
    client.receive("download 1 0 0 0 0 0 0 0 2 1 0 0 0\n")
    expectTrue(client.others.contains(where: Self.isDrop))
  }

  /// A defect of an entry and whether partition mode refuses it, too.
  @Test(arguments: [
    ("5 9 0 3 0 0 6 10 0 3 0 0 ", true, true), ("5 10 0 3 0 0 5 10 0 3 0 0 ", true, false),
    ("4 10 0 1 0 0 ", true, false), ("3 10 0 1 0 0 ", false, false),
    ("0 10 0 1 0 0 ", false, false), ("7 10 0 1 0 0 ", false, false),
    ("6 11 0 1 0 0 ", false, false), ("5 10 0 1 0 0 6 9 0 1 0 0 ", false, false),
    ("6 10 0 2 0 0 ", false, false), ("6 10 0 0 0 0 ", false, false),
    ("6 10 0 3 0 1 ", false, false),
  ])
  func entriesAreChecked(_ body: String, _ isFlexible: Bool, _ isPartition: Bool) {
    for (progress, isGood) in [
      (ServerMessage.Progress.partition(byteCountLeft: 0), isPartition),
      (.flexible(queryVersion: 1, batch: .steady, done: .estimate(1)), isFlexible),
    ] {
      let received = ReceivedDownload(
        download: .init(
          cursors: SyncCursors(download: DownloadCursor(serverVersion: 6, clientVersion: 10)),
          progress: progress, body: MessageBody(plain: Array(body.utf8))),
        receiver: FileIdentifier(2), previousVersion: 4)
      if isGood {
        #expect(throws: Never.self) { try received.entries() }
      } else {
        #expect(throws: StoreFailure.self) { try received.entries() }
      }
    }
  }

  // MARK: Storing

  /// `ClientSession` 1
  @Test func messagesWaitForTheFile() throws {
    var client = try Self.running()
    client.receive("download 1 5 10 5 7777 18 3 1 2 1 0 0 0\n")
    client.receive("download 1 6 10 6 7777 18 3 1 2 1 0 0 0\n")
    expectEqual(client.requests.count, 2)
    client.reply(.done(Self.file(version: 21)))
    expectEqual(client.requests.count, 3)
  }

  /// `ClientMachine` 4
  @Test func tooManyWaitingMessagesStopReading() throws {
    var limits = ClientMachine.Limits()
    limits.waitingByteCount = 100
    var client = try Self.running(limits: limits)
    let message = "download 1 5 10 5 7777 18 3 1 2 1 0 0 0\n"
    expectEqual(message.utf8.count, 40)
    for _ in 0..<3 { client.receive(message) }
    expectEqual(client.takeOthers(), [])
    client.receive(message)
    expectEqual(client.takeOthers(), [.pauseReading], "the first one does not wait")
    client.reply(.done(Self.file(version: 21)))
    expectFalse(client.takeOthers().contains(.resumeReading))
    client.reply(.done(Self.file(version: 21)))
    expectEqual(client.takeOthers().last, .resumeReading)
  }

  @Test func aFailureOfTheServersMakingIsReportedToIt() throws {
    var client = try Self.running()
    client.receive("download 1 5 10 5 7777 18 3 1 2 1 0 0 0\n")
    client.reply(.failed(StoreFailure(code: ErrorCode(.badChangeset), message: "no")))
    expectEqual(client.sent, ["json_error 212 16 1\n{\"message\":\"no\"}"])
    client.receive(Self.error(212, "ClientReset"))
    expectEqual(client.takeSent().last, "unbind 1\n")
    guard case .sessionReport(1, .needsReset(true, _, _))? = client.others.last else {
      Issue.record("\(client.others)")
      return
    }
  }

  @Test func aFailureOfTheDiskSuspends() throws {
    var client = try Self.running()
    client.wait(.download, id: 5)
    client.receive("download 1 5 10 5 7777 18 3 1 2 1 0 0 0\n")
    let failure = StoreFailure(code: nil, message: "disk full")
    client.reply(.failed(failure))
    expectEqual(client.sent, ["mark 1 2\n", "unbind 1\n"])
    expectEqual(
      client.others,
      [
        .sessionReport(session: 1, .storageFailure(failure)),
        .finish(wait: 5, .storage(failure)),
      ])
    expectEqual(client.rest, .error)
  }

  // MARK: Errors

  private static func error(_ code: Int, _ action: String, _ more: String = "") -> String {
    let json = """
      {"message":"m","logURL":"","tryAgain":false,"shouldClientReset":false,\
      "isRecoveryModeDisabled":false,"action":"\(action)"\(more)}
      """
    return "json_error \(code) \(json.utf8.count) 1\n\(json)"
  }

  @Test func aTransientErrorBindsAgainOnTheSameConnection() throws {
    var client = try Self.running()
    client.time = 50_000
    client.receive(Self.error(200, "Transient"))
    expectEqual(client.takeSent(), ["unbind 1\n"])
    let others = client.takeOthers()
    guard case .sessionReport(1, .delayed(let code, let document))? = others.first else {
      Issue.record("\(others)")
      return
    }
    expectEqual(code.session, .sessionClosed)
    expectEqual(document.message, "m")
    expectEqual(others.count, 1)
    expectEqual(client.rest, .delay(until: 51_000))
    // What still arrives is ignored.
    client.receive("mark 1 9\n")
    expectEqual(client.takeOthers(), [])
    client.time = 51_000
    client.handle(.timer(.session(1), jitter: 0))
    expectEqual(client.rest, nil)
    client.reply(.done(Self.file()))
    expectEqual(client.takeSent().last, "mark 2 2\n")
  }

  @Test func aHintChangesTheDelay() throws {
    var client = try Self.running()
    client.receive(
      Self.error(200, "Transient", ",\"backoffIntervalSec\":7,\"backoffMaxDelaySec\":9"))
    expectEqual(client.rest, .delay(until: 7_000))
  }

  @Test(arguments: [
    ("RefreshUser", ClientEffect.needsToken, SessionRest.token, ClientInput.tokenRefreshed),
    ("RefreshLocation", .needsLocation, .location, .locationRefreshed),
  ])
  func otherActions(
    _ action: String, _ effect: ClientEffect, _ rest: SessionRest, _ input: ClientInput
  ) throws {
    var client = try Self.running()
    client.receive(Self.error(201, action))
    expectEqual(client.others, [effect])
    expectEqual(client.rest, rest)
    client.handle(input)
    expectEqual(client.rest, nil)
  }

  @Test(arguments: ["ApplicationBug", "ProtocolViolation", "DeleteRealm", "LogOutUser", "Strange"])
  func fatalErrorsEndWaits(_ action: String) throws {
    var client = try Self.running()
    client.wait(.download, id: 1)
    client.receive(Self.error(206, action))
    expectEqual(client.others.count, 2)
    expectEqual(client.rest, .error)
    guard case .finish(1, .error(let code, _))? = client.others.last else {
      Issue.record("\(client.others)")
      return
    }
    expectEqual(code, ErrorCode(.permissionDenied))
  }

  @Test func recoveryCanBeForbidden() throws {
    for (action, more) in [
      ("ClientResetNoRecovery", ""), ("ClientReset", ",\"isRecoveryModeDisabled\":true"),
    ] {
      var client = try Self.running()
      client.receive(Self.error(208, action, more))
      guard case .sessionReport(1, .needsReset(false, _, _))? = client.others.last else {
        Issue.record("\(client.others)")
        return
      }
    }
  }

  /// The codes of P1 C.6 whose action is a reset.
  @Test(arguments: [208, 209, 210, 211, 212, 216, 217, 222, 228, 230, 233])
  func aResetIsReportedAndTheSessionRests(_ code: Int) throws {
    var client = try Self.running()
    client.wait(.download, id: 7)
    client.receive(Self.error(code, "ClientReset"))
    guard case .sessionReport(1, .needsReset(true, let found, _))? = client.others.last else {
      Issue.record("\(client.others)")
      return
    }
    expectEqual(found.rawValue, code)
    expectEqual(client.rest, .error)
    expectEqual(client.takeSent().last, "unbind 1\n")
    // The wait goes on: it is for the file, whatever becomes of that.
    #expect(!client.takeOthers().contains { if case .finish = $0 { true } else { false } })
  }

  @Test func afterAResetUploadsDoNotWaitForADownload() throws {
    var client = try Self.running()
    client.receive(Self.error(208, "ClientReset"))
    _ = client.takeSent()
    client.handle(.didReset(session: 1))
    expectTrue(client.rest == nil)
    expectEqual(client.requests.last?.request, .begin)
    client.announce(26)
    client.reply(.done(Self.file(version: 25)))
    let sent = client.takeSent()
    expectEqual(
      sent.first, "bind 2 37 0 0 0\n{\"schemaVersion\":0,\"sessionReason\":1}", "\(sent)")
    expectEqual(sent.last?.hasPrefix("mark 2 "), true)
    // Before the server has answered.
    guard case .scanUploads? = client.requests.last?.request else {
      Issue.record("\(client.requests)")
      return
    }
    client.receive("download 2 5 10 5 7777 18 3 1 2 1 0 0 0\n")
  }

  @Test func aSuspendedSessionStaysSoAfterAReset() throws {
    var client = try Self.running()
    client.receive(Self.error(208, "ClientReset"))
    client.handle(.suspend(session: 1))
    client.handle(.didReset(session: 1))
    expectEqual(client.rest, .app)
    client.handle(.resume(session: 1))
    client.reply(.done(Self.file()))
    #expect(client.takeSent().contains { $0.hasSuffix("\"sessionReason\":1}") })
  }

  /// The program resumes it before it hears of the reset.
  @Test func aSessionWhoseFileIsAboutToBeResetRests() throws {
    var client = try Self.running()
    client.receive(Self.error(208, "ClientReset"))
    client.handle(.resume(session: 1))
    client.reply(.done(Self.file()))
    expectEqual(client.rest, nil)
    _ = client.takeSent()
    client.handle(.willReset(session: 1))
    expectEqual(client.rest, .error)
    expectEqual(client.takeSent(), ["unbind 2\n"])
    client.handle(.suspend(session: 1))
    client.handle(.willReset(session: 1))
    expectEqual(client.rest, .app)
  }

  @Test func theFirstMarkEndsTheReset() throws {
    var client = try Self.running()
    client.receive(Self.error(208, "ClientReset"))
    client.handle(.didReset(session: 1))
    client.reply(.done(Self.file()))
    let mark = try #require(client.takeSent().last { $0.hasPrefix("mark") })
    client.reply(UploadBatch(progress: UploadCursor(clientVersion: 20, serverVersion: 3)))
    client.receive(mark)
    client.lose(for: 100_000)
    client.connect()
    client.reply(.done(Self.file()))
    #expect(client.takeSent().contains { $0.hasSuffix("\"sessionReason\":0}") })
  }

  @Test func aCompensatingWriteIsReportedWithItsChanges() throws {
    var client = try Self.running()
    let more = """
      ,"compensatingWriteServerVersion":6,"rejectedClientVersion":18,\
      "rejectedUpdates":[{"reason":"r","table":"T","pk":"AA=="}]
      """
    client.receive(Self.error(231, "Warning", more))
    client.receive("download 1 5 10 6 7777 18 3 1 2 1 0 13 0\n5 10 0 1 0 0 ")
    client.reply(.done(Self.file(version: 21)))
    client.reply(
      UploadBatch(progress: UploadCursor(clientVersion: 21, serverVersion: 5)))
    func reports(_ effects: [ClientEffect]) -> Int {
      effects.count {
        if case .sessionReport(_, .compensatingWrite) = $0 { true } else { false }
      }
    }
    expectEqual(reports(client.others), 0)
    client.receive("download 1 6 10 6 7777 18 3 1 2 1 0 13 0\n6 10 0 1 0 0 ")
    client.reply(.done(Self.file(version: 22)))
    expectEqual(reports(client.others), 1)
    expectFalse(client.sent.contains("unbind 1\n"))
  }

  /// The session rests until the program wants it again.
  @Test func refusedWritesOfAsymmetricClassesEndTheSession() throws {
    var client = try Self.running()
    let more = """
      ,"rejectedClientVersion":18,"rejectedUpdates":[{"reason":"r","table":"T","pk":"AA=="}]
      """
    let text = Self.error(230, "Warning", more)
    expectTrue(text.contains("\"tryAgain\":false"), "\(text)")
    client.receive(text)
    expectEqual(client.takeSent(), ["unbind 1\n"])
    expectEqual(client.rest, .error)
    let documents = client.others.compactMap { effect -> ErrorDocument? in
      if case .sessionReport(_, .error(_, let document)) = effect { document } else { nil }
    }
    expectEqual(documents.map(\.refusedWrites?.rejectedClientVersion), [18])
    client.handle(.resume(session: 1))
    expectEqual(client.rest, nil)
  }

  /// A compensating write names the version that undoes it.
  @Test func aCompensatingWriteWithoutAVersionEndsTheConnection() throws {
    var client = try Self.running()
    let more = """
      ,"rejectedClientVersion":18,"rejectedUpdates":[{"reason":"r","table":"T","pk":"AA=="}]
      """
    client.receive(Self.error(231, "Warning", more))
    expectEqual(client.rest, nil)
    expectTrue(
      !client.others.contains { if case .sessionReport = $0 { true } else { false } })
  }

  @Test func aRejectedQueryLeavesTheSessionRunning() throws {
    var client = try Self.running()
    let sets =
      Self.file().sets
      + [QuerySet(version: 2, state: .pending, snapshotVersion: 20, text: "{}")]
    client.subscribe(sets, version: 21)
    client.reply(UploadBatch(progress: UploadCursor(clientVersion: 20, serverVersion: 3)))
    expectEqual(client.takeSent(), ["query 1 2 2\n{}", "mark 1 2\n"])
    client.reply(UploadBatch(progress: UploadCursor(clientVersion: 21, serverVersion: 3)))
    client.receive("query_error 226 3 1 2\nbad")
    expectEqual(
      client.others,
      [
        .sessionReport(session: 1, .queryRejected(version: 2, message: "bad"))
      ])
    expectEqual(client.requests.last?.request, .rejectQuery(version: 2, message: "bad"))
  }

  // MARK: Uploads, queries, waits

  /// A changeset that no message can have, as another version of the library has committed it: the
  /// session sends what is before it, and asks for a reset, as a server would by a close code.
  @Test func aChangesetThatCannotBeUploadedNeedsAReset() throws {
    var client = try Self.running()
    client.announce(23)
    let entry = UploadEntry(
      clientVersion: 21, serverVersion: 4, timestamp: OriginTimestamp(milliseconds: 0),
      changeset: [1])
    client.reply(
      UploadBatch(
        MessageBody(uploads: [entry]), lastVersion: 21,
        progress: UploadCursor(clientVersion: 21, serverVersion: 4), isComplete: false,
        excess: "too large"))
    expectEqual(client.takeSent().count, 1)
    expectEqual(client.requests.last?.request, .scanUploads(after: 21, pastQuery: 1))
    client.reply(
      UploadBatch(
        progress: UploadCursor(clientVersion: 21, serverVersion: 4), isComplete: false,
        excess: "too large"))
    expectEqual(client.takeSent(), ["unbind 1\n"])
    expectEqual(client.rest, .error)
    let document = ErrorDocument(message: "too large", action: .clientReset)
    let report = SyncSessionEvent.needsReset(
      mayRecover: true, code: ErrorCode(ConnectionErrorCode.badChangesetSize), document: document)
    expectTrue(client.takeOthers().contains(.sessionReport(session: 1, report)))
  }

  @Test func uploadsWaitForTheFirstMark() throws {
    var client = ScriptedClient()
    client.connect()
    client.reply(.done(Self.file()))
    client.announce(25)
    expectEqual(client.takeRequests(), [.begin])
    client.receive("mark 1 1\n")
    expectEqual(client.requests.last?.request, .scanUploads(after: 18, pastQuery: 1))
  }

  @Test(arguments: [(59_999 as Milliseconds, true), (60_001, false)])
  func afterAShortLossUploadsDoNotWait(_ pause: Milliseconds, _ isShort: Bool) throws {
    var client = try Self.running()
    client.lose(for: pause)
    client.connect()
    client.reply(.done(Self.file()))
    let isScanning = client.requests.last?.request == .scanUploads(after: 18, pastQuery: 1)
    expectEqual(isScanning, isShort)
  }

  /// Changes after a set's snapshot are sent after it.
  @Test func uploadsStopAtThePendingSet() throws {
    var client = try Self.running()
    let sets =
      Self.file().sets
      + [QuerySet(version: 2, state: .pending, snapshotVersion: 22, text: "{}")]
    client.subscribe(sets, version: 23)
    expectEqual(client.requests.last?.request, .scanUploads(after: 20, pastQuery: 1))
    client.announce(25)
    client.reply(
      UploadBatch(progress: UploadCursor(clientVersion: 22, serverVersion: 3)))
    expectEqual(client.takeSent(), ["query 1 2 2\n{}", "mark 1 2\n"])
    expectEqual(client.requests.last?.request, .scanUploads(after: 22, pastQuery: 2))
  }

  /// The file was at work when the app changed its subscriptions.
  @Test func subscriptionSetsOfANewerVersionAreRead() throws {
    var client = try Self.running()
    client.receive("download 1 5 10 5 7777 18 3 1 2 1 0 0 0\n")
    let next = QuerySet(version: 2, state: .pending, snapshotVersion: 20, text: "{}")
    client.subscribe(Self.file().sets + [next], version: 22)
    client.reply(.done(Self.file(version: 21)))
    client.reply(UploadBatch(progress: UploadCursor(clientVersion: 20, serverVersion: 3)))
    expectEqual(client.takeSent(), ["query 1 2 2\n{}", "mark 1 2\n"])
  }

  /// `ClientSession` 3
  @Test func waitsEndOnce() throws {
    var client = try Self.running()
    client.wait(.download, id: 1)
    client.wait(.upload, id: 2)
    client.wait(.upload, id: 3)
    client.handle(.cancelWait(session: 1, id: 3))
    client.handle(.cancelWait(session: 1, id: 3))
    expectEqual(client.takeSent(), ["mark 1 2\n"])
    client.receive("mark 1 2\n")
    client.handle(.end(session: 1))
    client.wait(.upload, id: 4)
    expectEqual(
      client.others,
      [
        .finish(wait: 2, nil), .finish(wait: 3, nil), .finish(wait: 1, nil), .ended(session: 1),
        .finish(wait: 4, .terminated),
      ])
  }

  @Test func aDownloadWaitSurvivesTheConnection() throws {
    var client = try Self.running()
    client.wait(.download, id: 1)
    client.lose()
    client.connect()
    client.reply(.done(Self.file()))
    client.reply(
      UploadBatch(progress: UploadCursor(clientVersion: 20)))
    client.receive("mark 1 3\n")
    expectEqual(client.others, [.finish(wait: 1, nil)])
  }

  @Test func anUploadWaitEndsWithTheServersCursor() throws {
    var client = try Self.running()
    client.announce(21)
    client.wait(.upload, id: 1)
    let entry = UploadEntry(
      clientVersion: 21, serverVersion: 4, timestamp: OriginTimestamp(milliseconds: 1),
      changeset: [1])
    client.reply(
      UploadBatch(
        [entry], progress: UploadCursor(clientVersion: 21, serverVersion: 4)))
    expectEqual(client.others, [])
    client.receive("download 1 5 21 5 7777 21 4 1 2 1 0 0 0\n")
    var file = Self.file(version: 22)
    file.cursors.upload = UploadCursor(clientVersion: 21, serverVersion: 4)
    client.reply(.done(file))
    expectEqual(client.others.last, .finish(wait: 1, nil))
  }

  @Test func beforeVersion14TheLastBatchOfTheActiveSetIsSteady() throws {
    var client = try Self.running(13)
    client.receive("download 1 5 10 5 7777 18 3 1 1 1 0 0 0\n")
    guard case .integrate? = client.requests.last?.request else {
      Issue.record("\(client.requests)")
      return
    }
    var newer = try Self.running()
    newer.receive("download 1 5 10 5 7777 18 3 1 1 1 0 0 0\n")
    guard case .integrateBootstrap(_, 1)? = newer.requests.last?.request else {
      Issue.record("\(newer.requests)")
      return
    }
  }

  @Test func aBootstrapOfSeveralMessagesIsKeptUntilItsLast() throws {
    var client = try Self.running()
    let file = Self.file()
    client.receive("download 1 5 10 5 7777 18 3 1 0 0.5 0 24 24\n5 10 347155200000 1 0 0 ")
    guard case .keepBootstrapPart(_, 1, false)? = client.requests.last?.request else {
      Issue.record("\(client.requests)")
      return
    }
    client.reply(.done(file))
    client.receive("download 1 5 10 5 7777 18 3 1 1 1 0 24 24\n5 10 347155200000 1 0 0 ")
    guard case .keepBootstrapPart(_, 1, true)? = client.requests.last?.request else {
      Issue.record("\(client.requests)")
      return
    }
    client.reply(.done(file))
    expectEqual(client.requests.last?.request, .processBootstrap(queryVersion: 1))
    client.reply(.done(file))
    // The next bootstrap is in one message.
    client.receive("download 1 6 10 6 7777 18 3 1 1 1 0 0 0\n")
    guard case .integrateBootstrap(_, 1)? = client.requests.last?.request else {
      Issue.record("\(client.requests)")
      return
    }
  }

  @Test func delaysGrowAndAreShortenedByChance() {
    var schedule = RetrySchedule()
    expectEqual((0..<4).map { _ in schedule.next(reason: 1) }, [1_000, 2_000, 4_000, 8_000])
    expectEqual(schedule.next(reason: 2, jitter: .max), 750)
    for _ in 0..<20 { _ = schedule.next(reason: 2) }
    expectEqual(schedule.next(reason: 2), 300_000)
    let hint = RetryHint(intervalSeconds: .max, delaySecondsMax: .max, multiplier: .max)
    for _ in 0..<20 { expectEqual(schedule.next(reason: 3, hint: hint), 86_400_000) }
  }
}
