// SPDX-License-Identifier: Apache-2.0

// What a client's socket does about all that servers may do.

#if Server
import NIOCore
import NIOWebSocket
import RealmNetworking
import RealmStorage
import RealmSync
import RealmSyncProtocol
import TestExtensions
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClientSocketTests {
  private static func endpoint(_ server: PlainSocketServer) -> SyncEndpoint {
    SyncEndpoint(url: server.address, protocolNames: ["test"])
  }

  private static func open(
    _ server: PlainSocketServer
  ) async throws(SocketClosed) -> any MessageSocket {
    try await ClientSockets.shared.open(endpoint(server))
  }

  @Test(arguments: [1000, 1001, 1009, 1011, 4001, 4002, 4003, 4404, 4405])
  func closeCodesArrive(_ code: Int) async throws {
    let server = try await PlainSocketServer(
      .socket { await $0.close(CloseCode(code), reason: "because") })
    let socket = try await Self.open(server)
    expectEqual(socket.protocolName, "test")
    await #expect(throws: SocketClosed(CloseCode(code), "because")) {
      try await socket.receive()
    }
    await #expect(throws: SocketClosed.self) { try await socket.send([1]) }
    try await server.stop()
  }

  @Test(arguments: [
    (301, 4003), (308, 4003), (302, 4404), (401, 4001), (403, 4002), (500, 1011), (503, 1011),
    (404, 4405), (200, 4405),
  ])
  func statusesOfHandshakesBecomeCloseCodes(_ status: UInt, _ code: Int) async throws {
    let server = try await PlainSocketServer(.status(status))
    let closed = await #expect(throws: SocketClosed.self) { _ = try await Self.open(server) }
    expectEqual(closed?.code, CloseCode(code))
    try await server.stop()
  }

  @Test func aConnectionThatBreaksIsAReadError() async throws {
    let server = try await PlainSocketServer(
      .socket { socket in
        _ = try? await socket.receive()
        _ = try? await socket.channel.close()
      })
    let socket = try await Self.open(server)
    try await socket.send([1])
    let closed = await #expect(throws: SocketClosed.self) { try await socket.receive() }
    expectEqual(closed?.code, .readFailed)
    try await server.stop()
  }

  @Test func fragmentsAreJoinedAndPingsAnswered() async throws {
    let server = try await PlainSocketServer(
      .socket { socket in
        for (isLast, opcode, text) in [
          (false, WebSocketOpcode.binary, "ab"), (true, .ping, "alive"),
          (false, .continuation, "cd"), (true, .continuation, "ef"), (true, .binary, "next"),
        ] {
          let frame = WebSocketFrame(
            fin: isLast, opcode: opcode, data: ByteBuffer(string: text))
          _ = try? await socket.channel.writeAndFlush(frame)
        }
        _ = try? await socket.receive()
      })
    let socket = try await Self.open(server)
    try await expectEqual(socket.receive(), Array("abcdef".utf8))
    try await expectEqual(socket.receive(), Array("next".utf8))
    await socket.close(.normal)
    try await server.stop()
  }

  @Test func aSocketThatNobodyReadsStopsItsServer() async throws {
    let count = 64
    let sent = Locked(0)
    let server = try await PlainSocketServer(
      .socket { socket in
        let message = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<count {
          guard (try? await socket.send(message)) != nil else { return }
          sent.withLock { $0 += 1 }
        }
        _ = try? await socket.receive()
      })
    let socket = try await Self.open(server)
    var last = -1
    while last != sent.withLock({ $0 }) {
      last = sent.withLock { $0 }
      try await Task.sleep(for: .milliseconds(200))
    }
    // The buffers of the system are full.
    expectTrue(last < count)
    for _ in 0..<count { try await expectEqual(socket.receive().count, 1 << 20) }
    await socket.close(.normal)
    try await server.stop()
  }

  @Test func anOpeningEndsWithItsTimeOrItsTask() async throws {
    let server = try await PlainSocketServer(.silence)
    let endpoint = Self.endpoint(server)
    await #expect(throws: SocketClosed.self) {
      _ = try await ClientSockets(timeoutSeconds: 1).open(endpoint)
    }
    let opening = Task<Void, any Error> {
      _ = try await ClientSockets.shared.open(endpoint)
    }
    try await Task.sleep(for: .milliseconds(100))
    opening.cancel()
    await #expect(throws: SocketClosed.self) { try await opening.value }
    try await server.stop()
  }

  @Test func aMessageThatIsTooLargeForTheOtherSideIsRefused() async throws {
    let server = try await PlainSocketServer(
      .socket { socket in
        while (try? await socket.receive()) != nil {}
      })
    let socket = try await Self.open(server)
    _ = try? await socket.send([UInt8](repeating: 1, count: 2 << 20))
    let closed = await #expect(throws: SocketClosed.self) { try await socket.receive() }
    expectEqual(closed?.code, .messageTooBig)
    try await server.stop()
  }
}
#endif
