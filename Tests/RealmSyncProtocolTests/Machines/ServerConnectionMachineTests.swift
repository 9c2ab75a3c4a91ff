// SPDX-License-Identifier: Apache-2.0

// The server's connection: sessions by their numbers, time, limits and errors (P1 B and P1 C).

import RealmSyncProtocol
import TestExtensions
import Testing

struct ServerConnectionMachineTests {
  private static let partition = ProtocolVersion(mode: .partition)
  private static let bind = "bind 1 5 0 0 0\n\"foo\""

  private static func made(
    _ change: (inout ServerConnectionMachine.Limits) -> Void = { _ in }
  ) -> ScriptedServerConnection {
    var limits = ServerConnectionMachine.Limits()
    change(&limits)
    var connection = ScriptedServerConnection(partition, limits: limits)
    _ = connection.takeOthers()
    return connection
  }

  /// The code of the error of the connection that was sent last; nil if there is none.
  private func error(_ connection: inout ScriptedServerConnection) -> String? {
    guard let text = connection.takeSent().last, text.hasPrefix("json_error ") else { return nil }
    let fields = text.prefix { $0 != "\n" }.split(separator: " ")
    expectEqual(fields[3], "0")
    return String(fields[1])
  }

  // MARK: Traces

  /// The client reset of P1 D.2, as far as the numbers of sessions are concerned.
  private static func trace() -> ScriptedServerConnection {
    var connection = ScriptedServerConnection()
    let target = "{\"schemaVersion\":0,\"sessionReason\":0}"
    let query = "{\"Item\":\"(count > -1)\"}"
    connection.receive("ping 100 0\n")
    connection.receive("bind 1 37 0 0 0\n\(target)")
    connection.receive("ident 1 2 1002 4 17 4 7777 1 23\n\(query)")
    connection.reply(1, .done)
    connection.reply(
      1,
      .file(
        ServerFileLookup(
          file: nil, head: SaltedVersion(version: 4, salt: 7777), latestSalt: 7777)))
    // In flight when the error was sent.
    connection.receive("mark 1 2\n")
    connection.receive("bind 2 37 0 1 0\n\(target)")
    connection.receive("unbind 1\n")
    connection.reply(2, .bound(ident: FileIdentifier(3), salt: 1003))
    connection.receive("ident 2 3 1003 0 0 0 0 0 2\n{}")
    connection.receive("unbind 2\n")
    connection.receive("ping 200 7\n")
    return connection
  }

  @Test func aClientResetTakesTwoSessions() {
    var connection = Self.trace()
    let sent = connection.takeSent()
    expectEqual(sent[0], "pong 100\n")
    expectTrue(sent[1].hasPrefix("json_error 208 "))
    expectEqual(sent.dropFirst(2), ["ident 2 3 1003\n", "unbound 2\n", "pong 200\n"])
    expectEqual(
      connection.takeOthers(),
      [
        .setTimer(at: 180_000), .began(session: 1), .began(session: 2), .ended(session: 1),
        .ended(session: 2),
      ])
  }

  /// SY8
  @Test func equalInputsGiveEqualEffects() { expectEqual(Self.trace().log, Self.trace().log) }

  // MARK: Sessions

  /// `ServerConnectionMachine` 1
  @Test func aNumberIsFreeAfterItsUnbind() {
    var connection = Self.made()
    connection.receive(Self.bind)
    connection.reply(1, .done)
    connection.receive("unbind 1\n")
    connection.receive(Self.bind)
    expectEqual(
      connection.takeOthers(),
      [
        .began(session: 1), .ended(session: 1), .began(session: 2),
      ])
    // The answer to a request of the session before is not the new one's.
    connection.handle(.session(1, .stored(request: 1, .done)))
    connection.receive("ident 1 2 1002 4 18 4 7777\n")
    expectEqual(connection.takeRequests().count, 2, "the IDENT waits for the answer to BIND")
  }

  /// `ServerConnectionMachine` 1
  @Test func aNumberInUseIsNotBoundAgain() {
    var connection = Self.made()
    connection.receive(Self.bind)
    connection.handle(.session(1, .refuse(SessionRefusal(.sessionClosed, "gone"))))
    _ = connection.takeSent()
    connection.receive(Self.bind)
    expectEqual(error(&connection), "107")
    guard case .close(.normal, _)? = connection.takeOthers().last else {
      Issue.record("open")
      return
    }
  }

  @Test(arguments: [
    "unbind 1\n", "mark 7 1\n", "ident 1 2 1002 4 18 4 7777\n", "upload 1 0 0 0 1 1 1\n",
  ])
  func unknownNumbersEndTheConnection(_ text: String) {
    var connection = Self.made()
    connection.receive(text)
    expectEqual(error(&connection), "106")
  }

  @Test func anErrorOfOneSessionLeavesTheOthers() {
    var connection = Self.made()
    connection.run(1, name: 1)
    connection.run(2, name: 2)
    connection.handle(.session(1, .refuse(SessionRefusal(.badChangeset, "no"))))
    expectEqual(connection.takeSent().last?.hasPrefix("json_error 212 "), true)
    connection.receive("upload 1 0 0 0 19 4 4\n")
    connection.receive("mark 1 1\n")
    expectEqual(connection.takeSent(), [])
    connection.reply(2, ScriptedServerConnection.download(4))
    expectEqual(connection.takeSent().count, 1)
  }

  @Test func sessionsHaveALimit() {
    var connection = Self.made { $0.sessionCount = 3 }
    for number in 1...3 as ClosedRange<UInt64> { connection.run(number, name: number) }
    connection.receive("bind 4 5 0 0 0\n\"foo\"")
    let text = connection.takeSent().last ?? ""
    expectTrue(text.hasPrefix("json_error 200 "))
    expectTrue(text.contains("\"action\":\"Transient\""))
    expectTrue(text.contains("\"backoffIntervalSec\":60"))
    connection.receive("mark 4 1\n")
    connection.receive("unbind 4\n")
    connection.receive("unbind 1\n")
    connection.run(5, name: 5)
    expectEqual(connection.takeSent(), ["unbound 1\n"])
    // A client that only binds is not served without limit.
    for number in 10...12 as ClosedRange<UInt64> {
      connection.receive("bind \(number) 5 0 0 0\n\"foo\"")
    }
    expectEqual(connection.takeSent().count, 3)
    connection.receive("bind 13 5 0 0 0\n\"foo\"")
    expectEqual(error(&connection), "101")
  }

  // MARK: Errors

  @Test(arguments: [
    ("hello 1\n", "102"), ("bind 1\n", "103"), ("mark x 1\n", "103"), ("ping 1 2", "103"),
    ("query 1 1 2\n{}", "102"),
  ])
  func badMessagesEndTheConnection(_ text: String, _ code: String) {
    var connection = Self.made()
    connection.run(1, name: 1)
    connection.receive(text)
    expectEqual(error(&connection), code)
    let others = connection.takeOthers()
    expectEqual(others.dropLast().last, .ended(session: 1))
    guard case .close(.normal, _)? = others.last else {
      Issue.record("\(others)")
      return
    }
    // `ServerConnectionMachine` 2
    connection.receive("ping 1 2\n")
    connection.handle(.timer)
    connection.handle(.session(1, .head(SaltedVersion(version: 9, salt: 1))))
    expectTrue(connection.takeSent().isEmpty)
    expectTrue(connection.takeOthers().isEmpty)
  }

  @Test func anErrorThatASessionFindsEndsTheConnection() {
    var connection = Self.made()
    connection.receive(Self.bind)
    connection.reply(1, .done)
    connection.receive("mark 1 1\n")
    expectEqual(error(&connection), "109")
    expectEqual(connection.takeOthers().count { $0 == .ended(session: 1) }, 1)
  }

  @Test func anAppHasOneMode() {
    var connection = ScriptedServerConnection(Self.partition, served: .flexible)
    connection.receive(Self.bind)
    // The app is at fault, and no peer.
    expectTrue(connection.sent.last?.contains(#""action":"ApplicationBug""#) == true)
    expectEqual(error(&connection), "113")
    var other = ScriptedServerConnection(ProtocolVersion(mode: .flexible), served: .partition)
    other.receive("bind 1 2 0 0 0\n{}")
    expectTrue(other.sent.last?.contains(#""action":"ApplicationBug""#) == true)
    expectEqual(error(&other), "114")
  }

  @Test func oldClientsGetErrorsWithoutDocuments() {
    var connection = ScriptedServerConnection(ProtocolVersion(mode: .partition, number: 3))
    connection.receive("unbind 1\n")
    expectEqual(connection.takeSent(), ["error 106 27 0 0\nNo session has the number 1"])
  }

  @Test func aMessageThatIsTooLargeClosesTheSocket() {
    var connection = Self.made { $0.messageByteCount = 100 }
    connection.receive(String(repeating: "x", count: 101))
    expectEqual(connection.takeSent(), [])
    guard case .close(.messageTooBig, "read limited at 101 bytes")? = connection.takeOthers().last
    else {
      Issue.record("open")
      return
    }
    expectEqual(
      connection.notices, ["A message was refused: 1009: read limited at 101 bytes"])
  }

  /// The body of an UPLOAD that is small only as long as it is compressed: deployed clients reset
  /// at this close code, and by an error they would send it again for ever.
  @Test func anUploadWithALargeBodyClosesTheSocket() {
    var connection = Self.made()
    connection.run(1, name: 1)
    connection.reply(1, ScriptedServerConnection.download(4))
    _ = connection.takeSent()
    connection.receive("upload 1 1 16777217 3 19 4 4\nabc")
    expectEqual(connection.takeSent(), [])
    guard case .close(.messageTooBig, _)? = connection.takeOthers().last else {
      Issue.record("open")
      return
    }
    expectEqual(
      connection.notices,
      ["A message was refused: 1009: The body of an UPLOAD has more than 16 MiB"])
  }

  /// Each message that is refused is a line for the operator: clients seldom show why they stop.
  @Test(arguments: [
    ("nonsense 1\n", "A message was refused: 102:"), ("mark 7 1\n", "A message was refused: 106:"),
    ("bind 1 5 0 0 0\n\"foo\"", "A message was refused: 107:"),
    ("mark 1 0\n", "A message was refused: 109:"),
    ("upload 1 1 9 3 20 4 4\nabc", "A message was refused: 110:"),
    ("upload 1 0 0 0 20 9 4\n", "A message was refused: UPLOAD, 209:"),
  ])
  func aRefusedMessageIsALineForTheOperator(_ text: String, _ line: String) {
    var connection = Self.made()
    connection.run(1, name: 1)
    connection.reply(1, ScriptedServerConnection.download(4))
    expectEqual(connection.notices, [])
    connection.receive(text)
    expectEqual(connection.notices.count, 1)
    expectTrue(connection.notices.first?.hasPrefix(line) ?? false)
  }

  @Test func anEvictedConnectionIsToldToComeBack() {
    var connection = Self.made()
    connection.run(1, name: 1)
    connection.handle(.fail(.connectionClosed, message: "bound elsewhere"))
    let text = connection.takeSent().last ?? ""
    expectTrue(text.hasPrefix("json_error 100 "))
    expectTrue(text.contains("\"action\":\"Transient\""))
  }

  @Test func aLostSocketEndsTheSessions() {
    var connection = Self.made()
    connection.run(1, name: 1)
    _ = connection.takeOthers()
    connection.handle(.closed)
    expectEqual(connection.takeOthers(), [.ended(session: 1)])
  }

  // MARK: Time

  /// `ServerConnectionMachine` 5
  @Test func aSilentClientIsGone() {
    var connection = Self.made()
    connection.now = 100_000
    connection.receive("ping 5 0\n")
    connection.now = 180_000
    connection.handle(.timer)
    expectEqual(connection.takeOthers(), [.setTimer(at: 280_000)])
    connection.now = 280_000
    connection.handle(.timer)
    expectEqual(connection.takeOthers(), [.close(.goingAway, reason: "The client is silent")])
  }

  /// `ServerConnectionMachine` 5: seven bytes wait, for which a slow client has a second beyond the
  /// time of silence. It goes on speaking.
  @Test(arguments: [(nil, 2_000), (7, nil), (3, 1_950 + 1_000 + 571)] as [(Int?, Milliseconds?)])
  func aClientThatTakesNothingIsGone(_ taken: Int?, _ end: Milliseconds?) {
    var connection = Self.made { ($0.silence, $0.slowestByteRate) = (1_000, 7) }
    func tick(_ now: Milliseconds) -> ServerConnectionEffect? {
      connection.now = now
      connection.handle(.timer)
      return connection.takeOthers().last
    }
    func speak(_ now: Milliseconds) {
      connection.now = now
      connection.receive("mark 1 1\n")
    }
    connection.receive(Self.bind)
    connection.receive("ping 1 0\n")
    speak(900)
    expectEqual(tick(1_000), .setTimer(at: 1_900))
    speak(1_850)
    expectEqual(tick(1_900), .setTimer(at: 2_000))
    if let taken {
      connection.now = 1_950
      connection.handle(.written(byteCount: taken))
      expectEqual(tick(2_000), .setTimer(at: 2_850))
      speak(2_800)
      expectEqual(tick(2_850), .setTimer(at: end ?? 3_800))
    }
    guard let end else { return }
    expectEqual(tick(end), .close(.goingAway, reason: "The client takes nothing"))
  }

  // MARK: Limits

  private static func upload(_ session: Int, client: Int, byteCount: Int) -> String {
    let body = String(repeating: "x", count: byteCount)
    let entry = "\(client) 4 347155200000 0 \(byteCount) \(body)"
    return "upload \(session) 0 \(entry.utf8.count) 0 \(client) 4 4\n\(entry)"
  }

  /// `ServerSessionMachine` 2: a store that is an older copy, or a database that has lost a commit.
  @Test func aRealmThatGoesBackEndsItsSession() {
    var connection = Self.made()
    connection.run(1, name: 1)
    connection.reply(1, ScriptedServerConnection.download(4, [7, 7, 7]))
    _ = connection.takeSent()
    connection.handle(.session(1, .head(SaltedVersion(version: 5, salt: 1))))
    connection.reply(1, ScriptedServerConnection.download(3, [7, 7, 7]))
    let sent = connection.takeSent()
    expectEqual(sent.count, 1)
    expectTrue(sent[0].hasPrefix("json_error 200 "), "\(sent)")
    expectTrue(sent[0].contains("The realm is not available"), "\(sent)")
    expectEqual(connection.notices, [ServerSessionMachine.lossNotice])
  }

  /// `ServerConnectionMachine` 3
  @Test func whatSessionsHoldHasALimitTogether() {
    var connection = Self.made { $0.heldByteCount = 1000 }
    for number in 1...2 as ClosedRange<UInt64> {
      connection.run(number, name: number)
      connection.reply(number, ScriptedServerConnection.download(4))
    }
    _ = connection.takeOthers()
    connection.receive(Self.upload(1, client: 19, byteCount: 400))
    connection.receive(Self.upload(2, client: 19, byteCount: 200))
    expectFalse(connection.machine.isReadingPaused)
    connection.receive(Self.upload(1, client: 20, byteCount: 400))
    expectTrue(connection.machine.isReadingPaused)
    // What is not read is no silence.
    _ = connection.takeSent()
    connection.now = 500_000
    connection.handle(.timer)
    expectEqual(connection.takeOthers(), [.setTimer(at: 680_000)])
    let stored = ServerStoreReply.integrated(
      head: SaltedVersion(version: 5, salt: 1), rejected: [])
    connection.reply(2, stored)
    expectTrue(connection.machine.isReadingPaused)
    connection.reply(1, stored)
    expectFalse(connection.machine.isReadingPaused)
  }

  /// `ServerConnectionMachine` 6
  @Test func littleIsHeldWhileMemoryIsTight() {
    var connection = Self.made { ($0.heldByteCount, $0.tightHeldByteCount) = (10_000, 500) }
    connection.run(1, name: 1)
    connection.reply(1, ScriptedServerConnection.download(4))
    _ = connection.takeOthers()
    connection.receive(Self.upload(1, client: 19, byteCount: 400))
    connection.receive(Self.upload(1, client: 20, byteCount: 400))
    expectFalse(connection.machine.isReadingPaused)
    connection.handle(.memory(isTight: true))
    expectTrue(connection.machine.isReadingPaused)
    // What it holds goes, and it is read again though memory is tight still.
    let stored = ServerStoreReply.integrated(
      head: SaltedVersion(version: 5, salt: 1), rejected: [])
    connection.reply(1, stored)
    expectTrue(connection.machine.isReadingPaused)
    connection.reply(1, stored)
    expectFalse(connection.machine.isReadingPaused)
    connection.handle(.memory(isTight: false))
    connection.receive(Self.upload(1, client: 21, byteCount: 600))
    expectFalse(connection.machine.isReadingPaused)
  }

  /// A client that does not read what it gets may go on to ask whether it has everything.
  @Test func marksWithoutAnAnswerCount() {
    var connection = Self.made { ($0.heldByteCount, $0.tightHeldByteCount) = (10_000, 500) }
    connection.handle(.memory(isTight: true))
    connection.run(1, name: 1)
    connection.reply(1, ScriptedServerConnection.download(4, [7, 7, 7]))
    _ = connection.takeOthers()
    for number in 1...100 {
      connection.receive("mark 1 \(number)\n")
      connection.reply(1, .head(SaltedVersion(version: 5, salt: 1)))
    }
    expectTrue(connection.machine.heldByteCount > 500)
    expectTrue(connection.machine.isReadingPaused)
  }

  /// `ServerConnectionMachine` 6
  @Test func nothingIsMadeBesideWhatWaitsWhileMemoryIsTight() {
    var connection = Self.made()
    connection.handle(.memory(isTight: true))
    connection.run(1, name: 1)
    expectEqual(connection.requests.count, 4)
    connection.reply(1, ScriptedServerConnection.download(4, [7, 7, 7]))
    connection.handle(.session(1, .head(SaltedVersion(version: 5, salt: 1))))
    expectEqual(connection.requests.count, 4)
    expectEqual(connection.takeSent().count, 1)
    expectEqual(connection.requests.count, 5)
  }

  /// `ServerConnectionMachine` 3
  @Test func whatAnEndedSessionHeldIsForgotten() {
    var connection = Self.made { $0.heldByteCount = 300 }
    connection.run(1, name: 1)
    connection.reply(1, ScriptedServerConnection.download(4))
    _ = connection.takeOthers()
    connection.receive(Self.upload(1, client: 19, byteCount: 400))
    expectTrue(connection.machine.isReadingPaused)
    connection.receive("unbind 1\n")
    expectEqual(connection.takeOthers(), [.ended(session: 1)])
    expectFalse(connection.machine.isReadingPaused)
  }

  /// `ServerConnectionMachine` 4
  @Test func nothingIsMadeForASocketThatTakesNothing() {
    var connection = Self.made { $0.outputByteCount = 1000 }
    connection.run(1, name: 1)
    connection.run(2, name: 2)
    connection.reply(1, ScriptedServerConnection.download(4, Array(repeating: 7, count: 900)))
    var noise: [UInt8] = []
    for number in 0..<900 as Range<UInt64> {
      noise.append(UInt8(truncatingIfNeeded: number &* 2_654_435_761 >> 7))
    }
    connection.reply(2, ScriptedServerConnection.download(4, noise + noise.reversed()))
    _ = connection.takeRequests()
    for name in 1...2 as ClosedRange<UInt64> {
      connection.handle(.session(name, .head(SaltedVersion(version: 5, salt: 1))))
    }
    connection.receive("ping 9 9\n")
    expectEqual(connection.takeRequests(), [])
    expectTrue(connection.machine.isReadingPaused)
    // A new session waits too.
    connection.run(3, name: 3)
    #expect(
      !connection.takeRequests().contains {
        if case .nextDownload = $0 { true } else { false }
      })
    let sent = connection.takeSent()
    expectEqual(sent.last, "pong 9\n")
    expectFalse(connection.machine.isReadingPaused)
    expectEqual(connection.takeRequests().count, 3)
  }

  /// `ServerConnectionMachine` 4
  @Test func fewDownloadsAreMadeAtATime() {
    var connection = Self.made { $0.downloadCount = 2 }
    for number in 1...4 as ClosedRange<UInt64> { connection.run(number, name: number) }
    func downloads() -> [UInt64] {
      connection.requests.filter {
        if case .nextDownload = $0.request { true } else { false }
      }.map(\.session)
    }
    expectEqual(downloads(), [1, 2])
    connection.reply(2, ScriptedServerConnection.download(4))
    expectEqual(downloads(), [1, 2, 3])
    connection.receive("unbind 1\n")
    expectEqual(downloads(), [1, 2, 3, 4])
    // The late answer to a session that is gone counts once.
    connection.handle(.session(1, .stored(request: 4, ScriptedServerConnection.download(4))))
    connection.reply(3, ScriptedServerConnection.download(4))
    connection.reply(4, ScriptedServerConnection.download(4))
    for name in 2...4 as ClosedRange<UInt64> {
      connection.handle(.session(name, .head(SaltedVersion(version: 5, salt: 7777))))
    }
    expectEqual(downloads(), [1, 2, 3, 4, 2, 3])
  }

  /// `ServerConnectionMachine` 7: a client that begins a bootstrap in each of its sessions, and
  /// ends none, makes the server keep few selections.
  @Test func fewSessionsAreInTheMiddleOfABootstrap() {
    var connection = Self.made { $0.bootstrapCount = 2 }
    for number in 1...3 as ClosedRange<UInt64> { connection.run(number, name: number) }
    func downloads() -> [UInt64] {
      connection.requests.filter {
        if case .nextDownload = $0.request { true } else { false }
      }.map(\.session)
    }
    for name in 1...2 as ClosedRange<UInt64> {
      connection.reply(name, ScriptedServerConnection.download(4, batch: .moreToCome))
    }
    connection.reply(3, ScriptedServerConnection.download(4))
    connection.run(4, name: 4)
    expectEqual(downloads(), [1, 2, 3, 1, 2])
    connection.reply(1, ScriptedServerConnection.download(4, batch: .moreToCome))
    expectEqual(downloads(), [1, 2, 3, 1, 2, 1])
    connection.reply(1, ScriptedServerConnection.download(4, batch: .last))
    expectEqual(downloads(), [1, 2, 3, 1, 2, 1, 4])
  }
}
