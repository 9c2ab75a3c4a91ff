// SPDX-License-Identifier: Apache-2.0

// P1 G, items 4 and 6: files with their salts, and what follows a MARK or an error.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol
import TestExtensions
import Testing

extension DeployedClientTests {
  /// A session of a new socket, which the test begins.
  private static func session(
    _ client: DeployedClient, _ token: String, isFlexible: Bool = true
  ) async throws -> DeployedSession {
    let offer = isFlexible ? DeployedClient.flexible : DeployedClient.partition
    return DeployedSession(try await client.socket(offer, token: token), isFlexible: isFlexible)
  }

  /// The text of an error with its size and its six keys.
  private static func error(_ code: Int, _ session: Int, _ message: String) -> String {
    let document =
      #"{"message":"\#(message)","logURL":"","tryAgain":false,"shouldClientReset":true,"#
      + #""isRecoveryModeDisabled":false,"action":"ClientReset"}"#
    return "json_error \(code) \(document.utf8.count) \(session)\n\(document)"
  }

  // MARK: 4. IDENT

  @Test func eachNewFileGetsAnIdentAndASalt() async throws {
    let server = try await RunningServer(mode: .flexible)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let first = try await Self.session(client, token)
    let other = DeployedSession(first.socket, number: 2)
    let apart = try await Self.session(client, token)
    for session in [first, other, apart] {
      try await session.bind()
      // 0 is no file, and 1 the server. Object keys have room for 30 bits.
      expectTrue((2..<1 << 30).contains(session.ident))
      let salt = try #require(Int64(session.salt))
      expectTrue(salt >= 1)
      expectEqual(String(salt), session.salt)
    }
    expectEqual(Set([first.ident, other.ident, apart.ident]).count, 3)
    expectEqual(Set([first.salt, other.salt, apart.salt]).count, 3)
    await client.leave()
    try await server.stop()
  }

  @Test(arguments: [true, false])
  func anotherSaltIsRefusedAndNothingFollows(_ isFlexible: Bool) async throws {
    let server = try await RunningServer(mode: isFlexible ? .flexible : .partition)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let session = try await Self.session(client, token, isFlexible: isFlexible)
    try await session.begin()
    let socket = session.socket
    let before = DeployedSession(socket, resuming: session)
    try await socket.send("unbind 1\n")
    try await expectEqual(socket.text(), "unbound 1\n")

    try await before.sendBind(needsIdent: false)
    try await before.sendIdent(salt: session.salt == "1" ? "2" : "1")
    // The client has sent a MARK before it knows.
    try await before.sendMark()
    let parts = try await socket.text(like: "json_error 211 * 1\n{\"message\":\"*\",*}")
    expectTrue(Self.error(211, 1, parts[1]).hasPrefix("json_error 211 \(parts[0]) 1\n"))
    expectTrue(Self.error(211, 1, parts[1]).hasSuffix("\"\(parts[1])\",\(parts[2])}"))
    // After the error nothing is answered for the session, up to its UNBIND, which is not either.
    try await before.sendMark()
    try await socket.send("unbind 1\n")
    try await socket.send("ping 9 0\n")
    try await expectEqual(socket.text(), "pong 9\n")

    // The reset goes on over the same connection with a new file.
    let fresh = DeployedSession(socket, number: 2, isFlexible: isFlexible)
    try await fresh.begin()
    expectTrue(fresh.ident != session.ident)
    await client.leave()
    try await server.stop()
  }

  @Test func aFileThatDoesNotExistIsRefused() async throws {
    let server = try await RunningServer(mode: .flexible)
    let client = try await DeployedClient(server)
    let socket = try await client.socket(
      DeployedClient.flexible, token: try await client.logIn().accessToken)
    try await socket.send("bind 1 37 0 0 0\n{\"schemaVersion\":0,\"sessionReason\":0}")
    try await socket.send("ident 1 77 5 0 0 0 0 0 2\n{}")
    #expect(try await socket.text().hasPrefix("json_error 208 "))
    await client.leave()
    try await server.stop()
  }

  @Test(arguments: [true, false])
  func aFileGoesOnAfterARestartOfTheServer(_ isFlexible: Bool) async throws {
    let server = try await RunningServer(mode: isFlexible ? .flexible : .partition)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let session = try await Self.session(client, token, isFlexible: isFlexible)
    try await session.begin()
    try await session.upload(DeployedChangesets.schema)
    try await session.waitForUpload()
    if isFlexible {
      try await session.sendQuery(1, #"{"Item":"(count > -1)"}"#)
      try await session.mark()
    }
    try await session.upload(DeployedChangesets.item(1, count: 1))
    try await session.waitForUpload()
    try await server.stop()

    let again = try await RunningServer(server.directory)
    let restarted = try await DeployedClient(again)
    // The token is the one of before, too.
    let socket = try await restarted.socket(
      isFlexible ? DeployedClient.flexible : DeployedClient.partition, token: token)
    let resumed = DeployedSession(socket, resuming: session)
    let downloads = try await resumed.resume()
    #expect(downloads.allSatisfy { $0.entries.isEmpty })
    expectEqual(downloads.last?.uploadClient, 4)
    // And it goes on writing.
    try await resumed.upload(DeployedChangesets.item(2, count: 2))
    try await resumed.waitForUpload()
    let other = try await Self.session(restarted, token, isFlexible: isFlexible)
    try await other.begin()
    if isFlexible { try await other.sendQuery(1, #"{"Item":"TRUEPREDICATE"}"#) }
    try await other.mark()
    expectTrue(other.rules.server >= 3)
    await restarted.leave()
    try await again.stop()
  }

  // MARK: 6. MARK

  @Test(arguments: [true, false])
  func aMarkIsAnsweredAfterAllThatWasKnown(_ isFlexible: Bool) async throws {
    let server = try await RunningServer(mode: isFlexible ? .flexible : .partition)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let writer = try await Self.session(client, token, isFlexible: isFlexible)
    let reader = try await Self.session(client, token, isFlexible: isFlexible)
    try await writer.begin()
    try await writer.upload(DeployedChangesets.schema)
    try await writer.waitForUpload()
    try await reader.begin()
    if isFlexible { try await reader.sendQuery(1, #"{"Item":"TRUEPREDICATE"}"#) }
    try await reader.mark()
    for round in 0..<30 {
      let item = DeployedChangesets.item(UInt8(round), count: 5)
      try await writer.upload(item)
      // What is acknowledged is known to the server.
      try await writer.waitForUpload()
      let changesets = try await reader.mark().flatMap(\.entries).map(\.changeset)
      // In a query's view the object comes with its state, not as it was uploaded.
      let key = DeployedChangesets.objectID(UInt8(round))
      #expect(changesets.contains { $0.firstRange(of: key) != nil }, "round \(round)")
    }
    await client.leave()
    try await server.stop()
  }

  @Test func aMarkWaitsForTheBootstrapOfTheQueryBeforeIt() async throws {
    let server = try await RunningServer(
      mode: .flexible, limits: SessionLimits(bootstrapByteCount: 100, roundByteCount: 100))
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let session = try await Self.session(client, token)
    try await session.begin()
    try await session.upload(DeployedChangesets.schema)
    for key in 0..<20 { try await session.upload(DeployedChangesets.item(UInt8(key), count: 1)) }
    try await session.waitForUpload()
    let reader = try await Self.session(client, token)
    try await reader.begin()
    for version in 1...10 {
      try await reader.sendQuery(version, "{\"Item\":\"(count < \(version % 2 + 1))\"}")
      let downloads = try await reader.mark()
      expectEqual(downloads.last?.queryVersion, version)
      expectEqual(reader.rules.activeQuery, version, "its bootstrap is complete")
    }
    await client.leave()
    try await server.stop()
  }
}
#endif
