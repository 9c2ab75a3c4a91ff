// SPDX-License-Identifier: Apache-2.0

// P1 G, items 2 and 3: the handshake, frames, and a connection that lives by PING alone.

#if Server
import TestExtensions
import Testing

@testable import RealmServerKit

extension DeployedClientTests {
  // MARK: 2. Handshake and frames

  @Test(arguments: [
    (DeployedClient.flexible, "com.mongodb.realm-query-sync#14"),
    (DeployedClient.partition, "com.mongodb.realm-sync#14"),
    (DeployedClient.offer("com.mongodb.realm-query-sync#", 10), "com.mongodb.realm-query-sync#10"),
    (DeployedClient.offer("com.mongodb.realm-sync#", 8), "com.mongodb.realm-sync#8"),
    (DeployedClient.offer("com.mongodb.realm-sync/", 7), "com.mongodb.realm-sync/7"),
    ("com.mongodb.realm-sync/1-5", "com.mongodb.realm-sync/5"),
  ])
  func anUpgradeHasExactlyOneProtocolVersion(_ offer: String, _ chosen: String) async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let (answer, connection) = try await client.handshake(offer, token: token)
    expectEqual(answer.status, "HTTP/1.1 101 Switching Protocols")
    expectEqual(answer.values("sec-websocket-protocol"), [chosen])
    // The key's answer, as RFC 6455 computes it.
    expectEqual(answer.values("sec-websocket-accept"), ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])
    expectEqual(answer.values("upgrade").map { $0.lowercased() }, ["websocket"])
    expectEqual(answer.values("connection").map { $0.lowercased() }, ["upgrade"])
    expectTrue(answer.values("sec-websocket-extensions").isEmpty)
    await connection.close()
    await client.leave()
    try await server.stop()
  }

  @Test(arguments: [
    "com.mongodb.realm-query-sync#9", "com.mongodb.realm-sync#2", "com.example.chat#14",
    "com.mongodb.realm-sync#15",
  ])
  func anOfferThatCannotBeMetIsABadRequest(_ offer: String) async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let (answer, connection) = try await client.handshake(offer, token: token)
    expectEqual(answer.status, "HTTP/1.1 400 Bad Request")
    expectTrue(answer.body.contains("speaks none of the versions"))
    #expect(await connection.rest().isEmpty)
    await client.leave()
    try await server.stop()
  }

  @Test func messagesAreWholeBinaryFrames() async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let (_, connection) = try await client.handshake(DeployedClient.flexible, token: token)
    // "ping 7 0\n" under the mask 37 fa 21 3d, and "pong 7\n".
    try await connection.send([
      0x82, 0x89, 0x37, 0xFA, 0x21, 0x3D, 0x47, 0x93, 0x4F, 0x5A, 0x17, 0xCD, 0x01, 0x0D, 0x3D,
    ])
    try await expectEqual(
      connection.bytes(9), [0x82, 0x07, 0x70, 0x6F, 0x6E, 0x67, 0x20, 0x37, 0x0A])
    // A frame in pieces, as TCP delivers it.
    for byte in DeployedSocket.frame(2, Array("ping 8 0\n".utf8)) {
      try await connection.send([byte])
    }
    try await expectEqual(connection.bytes(9), [0x82, 0x07] + Array("pong 8\n".utf8))
    // The client closes: its code comes back, and the server ends the connection.
    try await connection.send(DeployedSocket.frame(8, [0x03, 0xE8]))
    await expectEqual(connection.rest(), [0x88, 0x02, 0x03, 0xE8])
    await client.leave()
    try await server.stop()
  }

  @Test func controlFramesDisturbNothing() async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let socket = try await client.socket(
      DeployedClient.flexible, token: try await client.logIn().accessToken)
    // A pong that no ping has asked for, a ping, and a message after both.
    try await socket.send(
      frames: DeployedSocket.frame(10, []) + DeployedSocket.frame(9, [1, 2, 3])
        + DeployedSocket.frame(2, Array("ping 5 0\n".utf8)))
    let pong = try await socket.frame()
    expectEqual(pong.opcode, 10)
    expectEqual(pong.data, [1, 2, 3])
    try await expectEqual(socket.text(), "pong 5\n")
    await client.leave()
    try await server.stop()
  }

  /// A process that ends says no more than TCP does.
  @Test func aClientThatIsGoneIsNoticed() async throws {
    let server = try await RunningServer(users: ServerLimits(socketsPerUser: 1))
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let first = try await client.socket(DeployedClient.partition, token: token)
    try await first.send("ping 1 0\n")
    try await expectEqual(first.text(), "pong 1\n")
    await first.close()
    // Its place is free soon, and not after the time for silence.
    var isOpen = false
    while !isOpen {
      let next = try await client.socket(DeployedClient.partition, token: token)
      try await next.send("ping 2 0\n")
      isOpen = try await next.frame().opcode == 2
    }
    await client.leave()
    try await server.stop()
  }

  @Test func aBadTokenIsToldByACloseCode() async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let login = try await client.logIn()
    for token in [login.refreshToken, login.accessToken + "A", "", "a.b.c"] {
      let socket = try await client.socket(DeployedClient.flexible, token: token)
      try await expectEqual(socket.closeCode(), 4001)
    }
    await client.leave()
    try await server.stop()
  }

  // MARK: 3. PING

  @Test(arguments: ["0", "1", "4102444800000", "9223372036854775807"])
  func aPingIsAnsweredWithItsTimestamp(_ timestamp: String) async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let socket = try await client.socket(
      DeployedClient.partition, token: try await client.logIn().accessToken)
    try await socket.send("ping \(timestamp) 12\n")
    try await expectEqual(socket.text(), "pong \(timestamp)\n")
    await client.leave()
    try await server.stop()
  }

  @Test func aConnectionLivesForHoursByPingsAlone() async throws {
    let timer = SkippingTimer()
    let server = try await RunningServer(timer: timer.clock)
    let client = try await DeployedClient(server)
    let socket = try await client.socket(
      DeployedClient.partition, token: try await client.logIn().accessToken)
    let session = DeployedSession(socket, isFlexible: false)
    try await session.begin()
    // A client sends a PING a minute; nothing else comes from either side, not even a ping frame.
    for minute in 1...300 {
      timer.skip(60_000)
      try await socket.send("ping \(minute * 60_000) 3\n")
      try await expectEqual(socket.text(), "pong \(minute * 60_000)\n")
    }
    try await session.mark()
    // Without PINGs the client is gone.
    timer.skip(180_001)
    try await expectEqual(socket.closeCode(), 1001)
    await client.leave()
    try await server.stop()
  }
}
#endif
