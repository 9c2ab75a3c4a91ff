// SPDX-License-Identifier: Apache-2.0

// When a client opens and closes connections, and to which session a message goes.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct ClientMachineTests {
  private static let ident = "ident 1 2 7 0 0 0 0\n"

  private static func isOpen(_ effect: ClientEffect) -> Bool {
    if case .open = effect { true } else { false }
  }

  /// A connection that is open, with one session that is bound.
  private static func bound() -> ScriptedConnection {
    var connection = ScriptedConnection()
    connection.add(10)
    connection.open()
    connection.prepare(10)
    _ = connection.take()
    return connection
  }

  @Test func theFirstSessionOpensTheConnection() {
    var connection = ScriptedConnection()
    connection.add(10)
    expectEqual(connection.take(), [.open(socket: 1), .report(.changed(.connecting))])
    expectEqual(connection.time(of: .connect), 120_000)
    connection.open()
    expectEqual(connection.take(), [.report(.changed(.connected))])
    expectEqual(connection.time(of: .connect), nil)
    connection.prepare(10)
    expectEqual(connection.takeSent(), ["bind 1 3 0 0 0\n\"p\"", Self.ident, "mark 1 1\n"])
  }

  @Test func sessionsGetNumbersOfTheirOwn() {
    var connection = Self.bound()
    connection.add(11)
    connection.prepare(11)
    expectEqual(connection.takeSent().first, "bind 2 3 0 0 0\n\"p\"")
    connection.handle(.end(session: 11))
    expectEqual(connection.takeSent(), ["unbind 2\n"])
    connection.add(12)
    connection.prepare(12)
    expectEqual(connection.takeSent().first, "bind 3 3 0 0 0\n\"p\"", "`ClientMachine` 1")
  }

  @Test func messagesForSessionsThatAreOverAreIgnored() {
    var connection = Self.bound()
    connection.add(11)
    connection.handle(.end(session: 10))
    _ = connection.take()
    connection.receive("unbound 1\n")
    connection.receive("mark 1 1\n")
    expectEqual(connection.take(), [])
    connection.receive("mark 3 1\n")
    #expect(
      connection.take().contains(
        .report(
          .failed(
            .violation(.badSessionIdent, message: "A message for session 3"), isFatal: false))))
  }

  @Test func aConnectionThatNobodyNeedsLingers() {
    var connection = Self.bound()
    connection.handle(.end(session: 10))
    expectEqual(connection.takeSent(), ["unbind 1\n"])
    expectEqual(connection.time(of: .linger), 30_000)
    connection.add(11)
    expectEqual(connection.time(of: .linger), nil)
    connection.handle(.end(session: 11))
    _ = connection.take()
    connection.fire(.linger)
    expectEqual(connection.take(), [.close(.normal), .report(.changed(.disconnected))])
  }

  @Test func aSessionThatGoesStopsTheOpening() {
    var connection = ScriptedConnection()
    connection.add(10)
    _ = connection.take()
    connection.handle(.end(session: 10))
    expectEqual(connection.take(), [.close(.normal), .report(.changed(.disconnected))])
  }

  @Test func pingsAreSentAndTheirAnswersAwaited() {
    var connection = ScriptedConnection()
    connection.add(10)
    connection.open(jitter: .max / 2)
    expectEqual(connection.time(of: .ping), 30_001)
    _ = connection.take()
    connection.fire(.ping, jitter: .max)
    expectEqual(connection.takeSent(), ["ping 1030001 0\n"])
    expectEqual(connection.time(of: .ping), 54_000)
    expectEqual(connection.time(of: .pong), 120_000)
    connection.now += 25
    connection.receive("pong 1030001\n")
    expectEqual(connection.time(of: .pong), nil)
    connection.fire(.ping)
    expectEqual(connection.takeSent(), ["ping 1084001 25\n"])
    connection.fire(.pong)
    expectEqual(
      connection.take(),
      [
        .close(.goingAway), .report(.failed(.pongTimeout, isFatal: false)),
        .report(.changed(.disconnected)),
      ])
  }

  /// The time for a PONG is longer than that between two PINGs.
  @Test func aPongMayComeLate() {
    var connection = Self.bound()
    connection.fire(.ping)
    let ping = connection.takeSent()
    connection.fire(.ping)
    expectEqual(connection.take(), [], "one PING at a time")
    connection.receive(ping[0].replacing("ping", with: "pong").replacing(" 0\n", with: "\n"))
    expectEqual(connection.take(), [])
    expectTrue(connection.time(of: .pong) == nil)
    connection.fire(.ping)
    expectEqual(connection.takeSent().count, 1)
  }

  @Test func aPongThatNobodyAskedForEndsTheConnection() {
    var connection = Self.bound()
    connection.fire(.ping)
    _ = connection.take()
    connection.receive("pong 5\n")
    expectEqual(connection.take().first, .close(.protocolError))
  }

  @Test func aConnectionIsOpenedInTimeOrNot() {
    var connection = ScriptedConnection()
    connection.add(10)
    _ = connection.take()
    connection.fire(.connect)
    expectEqual(
      connection.take(),
      [
        .close(.goingAway), .report(.failed(.connectTimeout, isFatal: false)),
        .report(.changed(.disconnected)),
      ])
    expectEqual(connection.time(of: .retry), 1_000)
  }

  @Test func delaysBecomeLonger() {
    var connection = Self.bound()
    for delay in [1_000, 2_000, 4_000, 8_000] as [Milliseconds] {
      connection.close(.goingAway)
      expectEqual(connection.time(of: .retry), delay)
      connection.fire(.retry)
      connection.open()
    }
    connection.close(.internalError)
    expectEqual(connection.time(of: .retry), 1_000, "another reason")
    connection.fire(.retry)
    connection.open()
    connection.close(.internalError, jitter: .max)
    expectEqual(connection.time(of: .retry), 1_500, "the jitter takes off a quarter")
  }

  @Test func aDownloadMakesDelaysShortAgain() {
    var connection = Self.bound()
    connection.close(.goingAway)
    connection.fire(.retry)
    connection.open()
    connection.prepare(10, request: 2)
    connection.receive("download 1 0 0 0 0 0 0 0 0 0 0\n")
    connection.close(.goingAway)
    expectEqual(connection.time(of: .retry), 1_000)
  }

  @Test func allSessionsBindAgainOnANewConnection() {
    var connection = Self.bound()
    connection.add(11)
    connection.prepare(11)
    connection.close(.readFailed)
    connection.fire(.retry)
    connection.open()
    _ = connection.take()
    connection.prepare(10, request: 2)
    connection.prepare(11, request: 2)
    let sent = connection.takeSent()
    expectEqual(sent.filter { $0.hasPrefix("bind") }.count, 2)
    expectEqual(sent.first, "bind 1 3 0 0 0\n\"p\"", "numbers begin again on a connection")
  }

  @Test func anUnauthorizedConnectionWaitsForAToken() {
    var connection = Self.bound()
    connection.close(.unauthorized)
    expectTrue(connection.take().contains(.needsToken))
    expectEqual(connection.time(of: .retry), nil)
    connection.handle(.tokenRefreshed)
    expectEqual(connection.take(), [.open(socket: 2), .report(.changed(.connecting))])
    connection.open()
    _ = connection.take()
    connection.close(.unauthorized)
    expectFalse(connection.take().contains(.needsToken), "a token that does not help")
    expectEqual(connection.time(of: .retry), 1_000)
    connection.fire(.retry)
    expectEqual(connection.take(), [.needsToken])
    connection.handle(.tokenUnavailable(jitter: 0))
    connection.fire(.retry)
    expectTrue(connection.take().contains(where: Self.isOpen))
  }

  @Test func anAddressThatNeverWorkedAsksForTheLocation() {
    var connection = ScriptedConnection()
    connection.add(10)
    connection.close(.connectFailed)
    expectTrue(connection.take().contains(.needsLocation))
    connection.handle(.locationRefreshed)
    expectTrue(connection.take().contains(where: Self.isOpen))
    connection.close(.connectFailed)
    expectFalse(connection.take().contains(.needsLocation))
    connection.fire(.retry)
    connection.open()
    connection.close(.connectFailed)
    expectFalse(connection.take().contains(.needsLocation), "an address that worked")
  }

  @Test func aMovedServerIsLookedFor() {
    var connection = Self.bound()
    connection.close(.movedPermanently)
    expectTrue(connection.take().contains(.needsLocation))
    connection.handle(.locationUnavailable(jitter: 0))
    expectEqual(connection.time(of: .retry), 1_000)
    connection.fire(.retry)
    expectTrue(connection.take().contains(where: Self.isOpen))
  }

  @Test func aForbiddenUserIsLoggedOut() {
    var connection = Self.bound()
    connection.close(.forbidden)
    let effects = connection.take()
    expectTrue(effects.contains(.needsLogOut))
    expectTrue(effects.contains(.report(.failed(.closed(.forbidden, message: ""), isFatal: true))))
    connection.add(11)
    expectEqual(connection.take(), [], "`ClientMachine` 3")
    connection.handle(.reconnect)
    expectTrue(connection.take().contains(where: Self.isOpen))
  }

  @Test func theAppCanEndADelay() {
    var connection = Self.bound()
    connection.close(.goingAway)
    _ = connection.take()
    connection.handle(.reconnect)
    expectEqual(connection.take(), [.open(socket: 2), .report(.changed(.connecting))])
    expectEqual(connection.time(of: .retry), nil)
  }

  @Test func errorsOfAConnection() {
    var connection = Self.bound()
    let document =
      #"{"message":"busy","logURL":"","tryAgain":true,"shouldClientReset":false,"#
      + #""isRecoveryModeDisabled":false,"action":"Transient","backoffIntervalSec":5}"#
    connection.receive("json_error 100 \(document.utf8.count) 0\n" + document)
    expectEqual(connection.take().first, .close(.normal))
    expectEqual(connection.time(of: .retry), 5_000)
    connection.fire(.retry)
    connection.open()
    let fatal = document.replacing("true", with: "false")
    connection.receive("json_error 101 \(fatal.utf8.count) 0\n" + fatal)
    expectEqual(connection.time(of: .retry), nil)
    #expect(
      connection.take().contains { effect in
        if case .report(.failed(.error, isFatal: true)) = effect { true } else { false }
      })
  }

  @Test(arguments: [("200", "0"), ("100", "1")])
  func errorsInTheWrongPlaceEndTheConnection(_ code: String, _ session: String) {
    var connection = Self.bound()
    let document =
      #"{"message":"","logURL":"","tryAgain":true,"shouldClientReset":false,"#
      + #""isRecoveryModeDisabled":false,"action":"Transient"}"#
    connection.receive("json_error \(code) \(document.utf8.count) \(session)\n" + document)
    expectEqual(connection.take().first, .close(.protocolError))
  }

  @Test func whatIsNoMessageEndsTheConnection() {
    var connection = Self.bound()
    connection.receive("hello\n")
    expectEqual(connection.take().first, .close(.protocolError))
    expectEqual(connection.time(of: .retry), 1_000)
  }

  @Test func anotherProtocolIsRefused() {
    var connection = ScriptedConnection()
    connection.add(10)
    _ = connection.take()
    connection.handle(.opened(socket: 1, protocolName: "chat", jitter: 0))
    expectEqual(connection.take().first, .close(.protocolError))
    expectEqual(connection.time(of: .retry), nil)
  }

  @Test func aSessionErrorSuspendsThatSession() {
    var connection = Self.bound()
    connection.add(11)
    connection.prepare(11)
    _ = connection.take()
    let document =
      #"{"message":"","logURL":"","tryAgain":true,"shouldClientReset":false,"#
      + #""isRecoveryModeDisabled":false,"action":"Transient"}"#
    connection.receive("json_error 200 \(document.utf8.count) 1\n" + document)
    let effects = connection.take()
    expectEqual(effects.first, .send(Array("unbind 1\n".utf8), after: nil))
    expectEqual(connection.machine.rest(of: 10), .delay(until: connection.now + 1_000))
    guard effects.count == 2, case .sessionReport(10, .delayed(let code, _)) = effects[1] else {
      return #expect(Bool(false), "\(effects)")
    }
    expectEqual(code.rawValue, 200)
    expectEqual(connection.time(of: .session(10)), 1_000)
    connection.fire(.session(10))
    connection.prepare(10, request: 2)
    expectEqual(connection.takeSent().first, "bind 3 3 0 0 0\n\"p\"")
  }

  @Test func aSessionWithoutTokenWaitsForOne() {
    var connection = Self.bound()
    let document =
      #"{"message":"","logURL":"","tryAgain":false,"shouldClientReset":false,"#
      + #""isRecoveryModeDisabled":false,"action":"RefreshUser"}"#
    connection.receive("json_error 201 \(document.utf8.count) 1\n" + document)
    expectEqual(connection.take().last, .needsToken)
    connection.handle(.tokenRefreshed)
    connection.prepare(10, request: 2)
    expectEqual(connection.takeSent().first, "bind 2 3 0 0 0\n\"p\"")
  }

  @Test func aSuspendedSessionIsNotResumedByAToken() {
    var connection = Self.bound()
    connection.handle(.suspend(session: 10))
    _ = connection.take()
    connection.handle(.tokenRefreshed)
    expectEqual(connection.take(), [])
    connection.handle(.resume(session: 10))
    connection.prepare(10, request: 2)
    expectEqual(connection.takeSent().first, "bind 2 3 0 0 0\n\"p\"")
  }

  /// `ClientSession.Phase`: of two reasons to rest, the app's counts.
  @Test func aSessionThatIsSuspendedWhileItAwaitsATokenStaysSuspended() {
    var connection = Self.bound()
    let document =
      #"{"message":"","logURL":"","tryAgain":false,"shouldClientReset":false,"#
      + #""isRecoveryModeDisabled":false,"action":"RefreshUser"}"#
    connection.receive("json_error 201 \(document.utf8.count) 1\n" + document)
    expectEqual(connection.machine.rest(of: 10), .token)
    connection.handle(.suspend(session: 10))
    connection.handle(.tokenRefreshed)
    expectEqual(connection.machine.rest(of: 10), .app)
  }

  /// `ClientMachine` 5
  @Test func filesAreNotScannedForASocketThatTakesNothing() {
    var limits = ClientMachine.Limits()
    limits.outputByteCount = 40
    var connection = ScriptedConnection(limits: limits)
    connection.add(10)
    connection.open()
    connection.prepare(10)
    let sent = connection.takeSent().map(\.utf8.count).reduce(0, +)
    expectTrue(sent > 40)
    connection.receive("mark 1 1\n")
    expectFalse(connection.scans)
    connection.handle(.sent(socket: 1, byteCount: sent - 20))
    expectTrue(connection.scans)
  }

  @Test func whatASocketThatWasGivenUpBringsHasNoEffect() {
    var connection = Self.bound()
    connection.close(.readFailed)
    connection.handle(.reconnect)
    connection.open()
    _ = connection.take()
    let machine = connection.machine
    connection.handle(.message(socket: 1, Array("nonsense".utf8), jitter: 0))
    connection.handle(.closed(socket: 1, .forbidden, message: "", jitter: 0))
    connection.handle(.sent(socket: 1, byteCount: 5))
    expectEqual(connection.take(), [])
    expectEqual(connection.machine.state, machine.state)
  }

  /// A file is free for another session when the request that is under way is answered.
  @Test func aSessionIsOverWithItsLastRequest() {
    var connection = ScriptedConnection()
    connection.add(10)
    connection.open()
    connection.handle(.end(session: 10))
    expectFalse(connection.hasEnded(10))
    connection.prepare(10)
    expectTrue(connection.hasEnded(10))
    expectEqual(connection.takeSent(), [], "nothing was bound")
  }

  @Test func aMessageThatIsTooBigResetsItsSessions() {
    var connection = Self.bound()
    connection.close(.messageTooBig)
    #expect(
      connection.take().contains { effect in
        if case .sessionReport(10, .needsReset(mayRecover: true, _, _)) = effect {
          true
        } else {
          false
        }
      })
  }

  /// `ClientMachine` 2
  @Test func equalInputsGiveEqualEffects() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var connection = ScriptedConnection()
      for step in 0..<60 {
        Self.step(step, &connection, &random)
        let numbers = connection.machine.sessions.values.compactMap(\.number)
        expectTrue(connection.machine.state == .connected || numbers.isEmpty, "seed \(seed)")
      }
      var (first, second) = (ScriptedConnection().machine, ScriptedConnection().machine)
      for (input, time) in connection.inputs {
        expectEqual(first.handle(input, now: time), second.handle(input, now: time))
      }
    }
  }

  /// Any input, whether it makes sense or not.
  private static func step(
    _ step: Int, _ connection: inout ScriptedConnection, _ random: inout SeededGenerator
  ) {
    connection.now += UInt64.random(in: 0..<40_000, using: &random)
    let jitter = UInt32.random(in: 0...UInt32.max, using: &random)
    let name = UInt64.random(in: 1...3, using: &random)
    let codes: [CloseCode] = [
      .normal, .abnormal, .messageTooBig, .forbidden, .movedPermanently, .connectFailed, .fatal,
    ]
    switch Int.random(in: 0..<14, using: &random) {
    case 0: connection.add(100 + UInt64(step))
    case 1...3: connection.open(jitter: jitter)
    case 4: connection.close(codes.randomElement(using: &random)!, jitter: jitter)
    case 5: connection.receive("mark \(name) 1\n", jitter: jitter)
    case 6: connection.receive("download \(name) 0 0 0 0 0 0 0 0 0 0\n", jitter: jitter)
    case 7: connection.handle(.tokenRefreshed)
    case 8: connection.handle(.tokenUnavailable(jitter: jitter))
    case 9: connection.handle(.reconnect)
    case 10: connection.fire(.retry, jitter: jitter)
    case 11: connection.fire(.ping, jitter: jitter)
    case 12: connection.prepare(100 + UInt64.random(in: 0...UInt64(step), using: &random))
    default: connection.handle(.locationRefreshed)
    }
  }
}
