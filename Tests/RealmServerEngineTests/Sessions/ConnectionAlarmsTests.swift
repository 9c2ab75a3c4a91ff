// SPDX-License-Identifier: Apache-2.0

// Silent connections are ended at their times, by one clock for all of them.

import RealmSyncProtocol
import RealmSyncTestSupport
import Testing

@testable import RealmServerEngine

@Suite(.timeLimit(.minutes(10))) struct ConnectionAlarmsTests {
  /// A socket that notes when it is closed.
  private actor ClosingSocket: OutgoingSocket {
    private(set) var isClosed = false
    func send(_ message: [UInt8]) {}
    func close(_ code: CloseCode, reason: String) { isClosed = true }
  }

  private func connection(
    _ timer: TestTimer, _ alarms: ConnectionAlarms, silence: Milliseconds
  ) async -> (ServerDriver, ClosingSocket) {
    let socket = ClosingSocket()
    var limits = ServerConnectionMachine.Limits()
    limits.silence = silence
    let environment = SocketServerEnvironment(
      socket, timer: timer.clock, alarms: alarms,
      handlerSource: { _ in preconditionFailure("no session begins here") })
    let connection = ServerDriver(
      version: ProtocolVersion(mode: .partition), served: .partition, limits: limits,
      environment: environment)
    await connection.start()
    return (connection, socket)
  }

  private func waitUntilClosed(_ socket: ClosingSocket) async {
    while await !socket.isClosed { try? await Task.sleep(for: .milliseconds(1)) }
  }

  /// `ConnectionAlarms` 1
  @Test func eachConnectionEndsAtItsTime() async {
    let timer = TestTimer()
    let alarms = ConnectionAlarms(timer: timer.clock, granularity: 100)
    let late = await connection(timer, alarms, silence: 950)
    let early = await connection(timer, alarms, silence: 210)
    let middle = await connection(timer, alarms, silence: 290)
    // The two come together, and the task of the late one sleeps on.
    await timer.waitForSleeper(at: 300)
    timer.advance(to: 300)
    await waitUntilClosed(early.1)
    await waitUntilClosed(middle.1)
    #expect(await !late.1.isClosed)
    await timer.waitForSleeper(at: 1000)
    timer.advance(to: 1000)
    await waitUntilClosed(late.1)
  }

  /// `ConnectionAlarms` 2
  @Test func aConnectionThatSpeaksStaysAndOneThatEndedIsForgotten() async {
    let timer = TestTimer()
    let alarms = ConnectionAlarms(timer: timer.clock)
    let speaking = await connection(timer, alarms, silence: 200)
    var ended: ServerDriver? = await connection(timer, alarms, silence: 150).0
    await ended?.socketDidClose()
    weak let gone = ended
    ended = nil
    await timer.waitForSleeper(at: 150)
    timer.advance(to: 100)
    await speaking.0.receive(Array("ping 1 2\n".utf8))
    timer.advance(to: 200)
    // The alarm is set again, from the last message on.
    await timer.waitForSleeper(at: 300)
    #expect(await !speaking.1.isClosed)
    #expect(gone == nil)
    timer.advance(to: 300)
    await waitUntilClosed(speaking.1)
  }
}
