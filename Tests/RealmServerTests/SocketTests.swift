// SPDX-License-Identifier: Apache-2.0

// Handshakes, frames and close codes between the sockets of both sides.

#if Server
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSync
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct SocketTests {
  private static func code(
    _ body: () async throws(SocketClosed) -> Void
  ) async -> CloseCode? {
    do throws(SocketClosed) {
      try await body()
      return nil
    } catch {
      return error.code
    }
  }

  private static func text(_ message: [UInt8]) -> String {
    String(decoding: message, as: UTF8.self)
  }

  @Test func theNewestSharedVersionIsChosen() async throws {
    let server = try await RunningServer()
    let user = try await server.user()
    var endpoint = await user.authority.endpoint(.partition)
    let newest = try await ClientSockets.shared.open(endpoint)
    expectEqual(newest.protocolName, "com.mongodb.realm-sync#14")
    await newest.close(.normal)
    endpoint.protocolNames = ["com.mongodb.realm-sync#5", "com.mongodb.realm-sync#4"]
    let older = try await ClientSockets.shared.open(endpoint)
    expectEqual(older.protocolName, "com.mongodb.realm-sync#5")
    await older.close(.normal)
    endpoint.protocolNames = ["com.example.chat"]
    let refused = await #expect(throws: SocketClosed.self) {
      _ = try await ClientSockets.shared.open(endpoint)
    }
    expectEqual(refused?.code, .fatal, "\(refused?.message ?? "")")
    try await server.stop()
  }

  @Test func aBadTokenIsRefusedByACloseCode() async throws {
    let server = try await RunningServer()
    let user = try await server.user()
    var endpoint = await user.authority.endpoint(.partition)
    endpoint.url += "A"
    let socket = try await ClientSockets.shared.open(endpoint)
    let code = await Self.code { () async throws(SocketClosed) in _ = try await socket.receive() }
    expectEqual(code, .unauthorized)
    expectTrue(server.metrics.text.contains("realm_connections_refused_total 1"))
    try await server.stop()
  }

  @Test func messagesAreAnsweredInTheirOrder() async throws {
    let server = try await RunningServer()
    let user = try await server.user()
    let socket = try await ClientSockets.shared.open(await user.authority.endpoint(.partition))
    for number in 1...100 { try await socket.send(Array("ping \(number) 0\n".utf8)) }
    for number in 1...100 {
      expectEqual(Self.text(try await socket.receive()), "pong \(number)\n")
    }
    await socket.close(.normal)
    let end = await Self.code { () async throws(SocketClosed) in _ = try await socket.receive() }
    expectEqual(end, .normal)
    try await server.stop()
  }

  @Test func aMessageOf16MiBArrivesAndALargerOneIsTooBig() async throws {
    let server = try await RunningServer()
    let user = try await server.user()
    let endpoint = await user.authority.endpoint(.partition)
    let socket = try await ClientSockets.shared.open(endpoint)
    // An upload for a session that does not exist: the server has read all of it.
    let header = "upload 9 0 \(16 << 20) 0 1 0 0\n"
    try await socket.send(Array(header.utf8) + [UInt8](repeating: 0x20, count: 16 << 20))
    let answer = Self.text(try await socket.receive())
    expectTrue(answer.hasPrefix("json_error 106 "))
    for size in [(16 << 20) + (64 << 10) + 1, 18 << 20] {
      let socket = try await ClientSockets.shared.open(endpoint)
      _ = await Self.code { () async throws(SocketClosed) in
        try await socket.send([UInt8](repeating: 0x20, count: size))
      }
      let code = await Self.code { () async throws(SocketClosed) in
        _ = try await socket.receive()
      }
      expectEqual(code, .messageTooBig)
    }
    try await server.stop()
  }

  @Test func aShutdownEndsSessionsAndSockets() async throws {
    let server = try await RunningServer(times: .patient)
    let user = try await server.user()
    let socket = try await ClientSockets.shared.open(await user.authority.endpoint(.partition))
    try await socket.send(Array("bind 1 6 0 1 0\n\"home\"".utf8))
    #expect(Self.text(try await socket.receive()).hasPrefix("ident 1 "))
    let stopping = Task { try await server.stop() }
    let error = Self.text(try await socket.receive())
    expectTrue(error.hasPrefix("json_error 200 "))
    #expect(error.contains(#""action":"Transient""#))
    let code = await Self.code { () async throws(SocketClosed) in _ = try await socket.receive() }
    expectEqual(code, .goingAway)
    try await stopping.value
    let gone = await Self.code { () async throws(SocketClosed) in
      _ = try await ClientSockets.shared.open(await user.authority.endpoint(.partition))
    }
    expectEqual(gone, .connectFailed)
  }

  /// A socket whose handshake was over before the end came.
  /// `SocketService` 1 and 4
  @Test(arguments: [(true, 1_001, "shuts down"), (false, 1_011, "no app todos")])
  func aSocketThatComesTooLateIsRefused(
    _ isShutdown: Bool, _ code: UInt16, _ reason: String
  ) async throws {
    let server = try await RunningServer(times: .patient)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    await client.leave()
    let sockets = server.program.status.sockets
    if isShutdown {
      try await server.stop()
    } else {
      await expectEqual(sockets.end(server.program.apps[0]), 0)
    }
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET,
      uri: "/api/client/v2.0/app/todos/realm-sync?baas_at=\(token)",
      headers: ["Sec-WebSocket-Protocol": "\(ProtocolVersion(mode: .partition))"])
    let request = try #require(SocketRequest(head))
    let channel = NIOAsyncTestingChannel()
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    let socket = try await channel.eventLoop.flatSubmit {
      WebSocket.adopt(channel, isClient: false, protocolName: "", messageByteCountMax: 1_000)
    }.get()
    let memory = server.budget.share(address: "here")
    let serving = Task { await sockets.serve(socket, request, memory) }
    let frame = try await channel.waitForOutboundWrite(as: WebSocketFrame.self)
    expectEqual(frame.opcode, .connectionClose)
    var data = frame.data
    expectEqual(data.readInteger(as: UInt16.self), code)
    expectTrue(String(buffer: data).contains(reason))
    expectEqual(sockets.connectionCount(ofApp: "todos"), 0)
    try? await channel.close()
    await serving.value
    if !isShutdown { try await server.stop() }
  }

  @Test func namesThatDoNotExistAreNotResolved() async {
    let endpoint = SyncEndpoint(url: "ws://no-such-name.invalid/x", protocolNames: ["p"])
    let code = await Self.code { () async throws(SocketClosed) in
      _ = try await ClientSockets.shared.open(endpoint)
    }
    expectEqual(code, .resolveFailed)
    let bad = SyncEndpoint(url: "ftp://x", protocolNames: ["p"])
    let fatal = await Self.code { () async throws(SocketClosed) in
      _ = try await ClientSockets.shared.open(bad)
    }
    expectEqual(fatal, .fatal)
  }
}
#endif
