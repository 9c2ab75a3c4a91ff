// SPDX-License-Identifier: Apache-2.0

// Connections over a socket, a timer and realms of a test.

import RealmStorage
import RealmSyncProtocol
import Testing

@testable import RealmServerEngine

@Suite struct ServerConnectionTests {
  private static let bind = "bind 1 5 0 0 0\n\"foo\""

  private func makeConnection(
    _ socket: TestSocket, _ handler: TestHandler, _ timer: TestTimer = TestTimer(),
    limits: ServerConnectionMachine.Limits = .init()
  ) async -> ServerConnection {
    let connection = ServerConnection(
      socket, version: ProtocolVersion(mode: .partition), served: .partition, limits: limits,
      timer: timer
    ) { link in
      handler.link.withLock { $0 = link }
      return handler
    }
    await connection.start()
    return connection
  }

  /// `ServerConnection` 1
  @Test func messagesAreSentInTheirOrder() async {
    let socket = TestSocket()
    let connection = await makeConnection(socket, TestHandler())
    for number in 0..<50 { await connection.receive(Array("ping \(number) 0\n".utf8)) }
    await connection.close(.goingAway, reason: "over")
    let events = await socket.eventsUntilClosed()
    #expect(events == (0..<50).map { "pong \($0)\n" } + ["close 1001 over"])
  }

  /// `ServerConnection` 2, `ServerConnectionMachine` 3
  @Test func aClientThatDoesNotReadIsNotRead() async throws {
    /// A socket that takes nothing until it is opened.
    final class ClosedSocket: ServerSocket {
      let opened = TestSignal()
      func send(_ message: [UInt8]) async { await opened.wait() }
      func close(_ code: CloseCode, reason: String) async {}
    }
    let socket = ClosedSocket()
    var limits = ServerConnectionMachine.Limits()
    limits.outputByteCount = 100
    let connection = ServerConnection(
      socket, version: ProtocolVersion(mode: .partition), served: .partition, limits: limits,
      timer: TestTimer()
    ) { _ in TestHandler() }
    await connection.start()
    let taken = Locked(0)
    let client = Task {
      for _ in 0..<1_000 {
        await connection.receive(Array("ping 100 0\n".utf8))
        taken.withLock { $0 += 1 }
      }
    }
    // Answers are of nine bytes: with twelve of them the limit is passed.
    while taken.withLock({ $0 }) < 11 { try? await Task.sleep(for: .milliseconds(1)) }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(taken.withLock { $0 } == 11)
    socket.opened.give()
    await client.value
    #expect(taken.withLock { $0 } == 1_000)
  }

  /// `ServerConnection` 3
  @Test func aHandlerIsClosedAfterItsLastRequest() async {
    let (socket, handler) = (TestSocket(), TestHandler())
    let connection = await makeConnection(socket, handler)
    await connection.receive(Array(Self.bind.utf8))
    await handler.waitForRequest()
    await connection.receive(Array("unbind 1\n".utf8))
    #expect(handler.events.withLock { $0 } == ["perform"])
    handler.answer(.done)
    await handler.waitUntilClosed()
    #expect(handler.events.withLock { $0 } == ["perform", "done", "close"])
  }

  @Test func aLostSocketClosesTheHandlers() async {
    let (socket, handler) = (TestSocket(), TestHandler())
    let connection = await makeConnection(socket, handler)
    await connection.receive(Array(Self.bind.utf8))
    await handler.waitForRequest()
    handler.answer(.done)
    await connection.socketDidClose()
    await handler.waitUntilClosed()
    await connection.receive(Array("ping 1 0\n".utf8))
    #expect(socket.events.withLock { $0 } == [])
  }

  @Test func anEvictedSessionEndsTheConnection() async throws {
    let (socket, handler) = (TestSocket(), TestHandler())
    let connection = await makeConnection(socket, handler)
    await connection.receive(Array(Self.bind.utf8))
    await handler.waitForRequest()
    let link = try #require(handler.link.withLock { $0 })
    link.evict()
    let events = await socket.eventsUntilClosed()
    #expect(events.first?.hasPrefix("json_error 100 ") == true)
    handler.answer(.done)
    await handler.waitUntilClosed()
    _ = connection
  }

  @Test func aSilentClientIsDisconnected() async {
    let (socket, timer) = (TestSocket(), TestTimer())
    let connection = await makeConnection(socket, TestHandler(), timer)
    timer.advance(to: 180_000)
    #expect(await socket.eventsUntilClosed() == ["close 1001 The client is silent"])
    _ = connection
  }

  @Test func aMessageIsTakenWhenTheLastHasRoom() async {
    let (socket, handler) = (TestSocket(), TestHandler())
    var limits = ServerConnectionMachine.Limits()
    limits.heldByteCount = 20
    let connection = await makeConnection(socket, handler, limits: limits)
    await connection.receive(Array(Self.bind.utf8))
    let hasRoom = Locked(false)
    let reader = Task {
      // It waits for the answer to BIND.
      await connection.receive(Array("ident 1 2 1002 4 18 4 7777\n".utf8))
      hasRoom.withLock { $0 = true }
    }
    await handler.waitForRequest()
    for _ in 0..<20 { await Task.yield() }
    #expect(!hasRoom.withLock { $0 })
    handler.answer(.refused(SessionRefusal(.sessionClosed, "gone")))
    await reader.value
    #expect(hasRoom.withLock { $0 })
  }
}
