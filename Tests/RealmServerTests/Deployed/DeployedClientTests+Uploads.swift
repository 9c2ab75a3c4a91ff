// SPDX-License-Identifier: Apache-2.0

// P1 G, item 7: UPLOADs of all forms, and the changesets that reach another file.

#if Server
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

extension DeployedClientTests {
  /// Two files of one partition.
  private static func pair(
    _ client: DeployedClient, _ token: String
  ) async throws -> (writer: DeployedSession, reader: DeployedSession) {
    var sessions: [DeployedSession] = []
    for _ in 0..<2 {
      let session = DeployedSession(
        try await client.socket(DeployedClient.partition, token: token), isFlexible: false)
      try await session.begin()
      sessions.append(session)
    }
    return (sessions[0], sessions[1])
  }

  @Test func severalEntriesOfOneUploadArriveAsTheyWere() async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let (writer, reader) = try await Self.pair(client, token)
    let items = (1...3).map { DeployedChangesets.item($0, count: $0) }
    let entries: [(String, [UInt8])] = [
      ("2 0 300000000000 0 175 ", DeployedChangesets.schema),
      ("3 0 300000000005 0 \(items[0].count) ", items[0]),
      // A changeset without instructions.
      ("4 0 300000000005 0 0 ", []),
      ("7 0 300000000006 0 \(items[1].count) ", items[1]),
      ("8 0 300000000009 0 \(items[2].count) ", items[2]),
    ]
    let body = entries.reduce(into: [UInt8]()) { $0 += Array($1.0.utf8) + $1.1 }
    writer.setClientVersion(9)
    try await writer.socket.send("upload 1 0 \(body.count) 0 9 0 0\n", body)
    try await writer.waitForUpload()
    expectEqual(writer.rules.last?.uploadClient, 9)
    let received = try await reader.mark().flatMap(\.entries)
    expectEqual(received.map(\.changeset), [DeployedChangesets.schema] + items)
    expectEqual(received.map(\.timestamp), [0, 5, 6, 9].map { 300_000_000_000 + $0 })
    #expect(received.allSatisfy { $0.origin == writer.ident && $0.client == 0 })
    #expect(received.allSatisfy { $0.originalSize == $0.changeset.count })
    await client.leave()
    try await server.stop()
  }

  /// The stream is zlib's own, of level 6.
  @Test func aCompressedUploadIsRead() async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let (writer, reader) = try await Self.pair(client, token)
    let body = DeployedChangesets.hex(
      "789cedcf4d4a03411005e0575ddd3d7f49bcc21c6192185cd64210b214d7229da4d141d24ad283f1468207"
        + "71eb0572175b41244710fadbbda278f0666dd7cebb3f294e2f16ad402fa3df0af15dbf01403544f1cdb082"
        + "22611ddcd68b86053320c6ac9f86102d0ca5647574f77b0bcb2029d885578b020429f5cb830f16657a93ca"
        + "b81877e9ad0229965a0ffd26a5ba014bc3fb6165d1540425231dfc21758faaeff2b179def56b6f312e53c9"
        + "840e564d0ae0fc74c534c559b7e87e6728d48f74f5312f2f8fefb7d76f423f03f4e995c09f672ecbb22ccb"
        + "b27f0f5f982727c7")
    writer.setClientVersion(5)
    try await writer.socket.send("upload 1 1 2272 223 5 0 0\n", body)
    try await writer.waitForUpload()
    let name = [UInt8](repeating: 0x61, count: 2_000)
    let received = try await reader.mark().flatMap(\.entries)
    expectEqual(
      received.map(\.changeset),
      [
        DeployedChangesets.schema, DeployedChangesets.item(0xA8, name: name),
      ])
    await client.leave()
    try await server.stop()
  }

  @Test func longMessagesArriveInBothDirections() async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let (writer, reader) = try await Self.pair(client, token)
    try await writer.upload(DeployedChangesets.schema)
    var random = SeededGenerator(seed: 7)
    // Texts for each of the three forms of a frame's length, compressed or not.
    for (key, count) in [(1, 100), (2, 900), (3, 40_000), (4, 200_000)] as [(UInt8, Int)] {
      let name = (0..<count).map { _ in UInt8(0x41 + random.number(below: 58)) }
      let item = DeployedChangesets.item(key, name: name)
      try await writer.upload(item)
      try await writer.waitForUpload()
      try await expectEqual(reader.mark().flatMap(\.entries).map(\.changeset).last, item)
    }
    await client.leave()
    try await server.stop()
  }

  @Test func anUploadMayMoveTheCursorAlone() async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let (writer, reader) = try await Self.pair(client, token)
    try await writer.upload(DeployedChangesets.schema)
    try await writer.waitForUpload()
    try await reader.mark()
    // The reader has integrated version 1 in its own version 5.
    reader.setClientVersion(5)
    // Once, and the same again, without progress of the client.
    for _ in 0..<2 {
      try await reader.socket.send("upload 1 0 0 0 5 1 1\n")
      try await reader.mark()
      // It makes no version of the server, and is not answered.
      expectEqual(reader.rules.last?.latestServer, 1)
      expectEqual(reader.rules.last?.uploadClient, 0)
    }
    try await writer.upload(DeployedChangesets.item(1, count: 2))
    try await writer.waitForUpload()
    try await reader.mark()
    let last = try #require(reader.rules.last)
    expectEqual(last.uploadClient, 5)
    expectEqual(last.uploadServer, 1)
    expectEqual(last.latestServer, 2)
    await client.leave()
    try await server.stop()
  }

  @Test func anUploadThatIsSentAgainCountsOnce() async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let (writer, reader) = try await Self.pair(client, token)
    try await writer.upload(DeployedChangesets.schema)
    // The connection is lost before the answer comes.
    await writer.socket.close()
    let resumed = DeployedSession(
      try await client.socket(DeployedClient.partition, token: token), resuming: writer)
    try await resumed.resume()
    let body = "2 0 300000000002 0 175 "
    try await resumed.socket.send(
      "upload 1 0 \(body.utf8.count + 175) 0 2 0 0\n" + body, DeployedChangesets.schema)
    try await resumed.waitForUpload()
    try await resumed.mark()
    expectEqual(resumed.rules.last?.uploadClient, 2)
    let received = try await reader.mark().flatMap(\.entries)
    expectEqual(received.map(\.changeset), [DeployedChangesets.schema])
    await client.leave()
    try await server.stop()
  }

  @Test(arguments: [
    ("upload 1 0 10 0 2 0 0\n2 0 3 0 2 ", "json_error 1"),
    ("upload 1 0 9 0 2 0 0\n2 0 3 x 0 ", "json_error 1"),
    ("upload 1 1 900 4 2 0 0\nzlib", "json_error 110"),
    ("upload 1 0 0 0 2 0\n", "json_error 103"), ("upload 1 0 0 0 02 0 0\n", "json_error 103"),
    ("upload 1 0 0 0 2 7 0\n", "json_error 209"), ("transact 1\n", "json_error 102"),
  ])
  func badUploadsEndInErrors(_ text: String, _ error: String) async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let session = DeployedSession(
      try await client.socket(
        DeployedClient.partition, token: try await client.logIn().accessToken), isFlexible: false)
    try await session.begin()
    try await session.socket.send(text)
    let answer = try await session.socket.text()
    expectTrue(answer.hasPrefix(error), "\(answer)")
    await client.leave()
    try await server.stop()
  }

  /// A deployed app uploads its classes after the first MARK; those of the server come before.
  @Test(arguments: [true, false])
  func anAppWithOtherClassesIsNotReset(_ isFlexible: Bool) async throws {
    let server = try await RunningServer(
      mode: isFlexible ? .flexible : .partition,
      file: """
        {"id": "todos", "mode": "development", "providers": {"anon-user": {}},
         "sync": "\(isFlexible ? "flexible" : "partition")"}
        """)
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let session = DeployedSession(
      try await client.socket(
        isFlexible ? DeployedClient.flexible : DeployedClient.partition, token: token),
      isFlexible: isFlexible)
    try await session.bind()
    try await session.sendIdent()
    let changesets = try await session.mark().flatMap(\.entries).map(\.changeset)
    expectTrue(
      changesets.contains { String(decoding: $0, as: UTF8.self).contains("Todo") },
      "the classes of the app come first")
    let body = """
      {"message":"BadChangeset: Failed to transform received changeset: Schema mismatch: Property \
      'name' in class 'Todo' is of type String on one side and type Int on the other."}
      """
    try await session.socket.send("json_error 212 \(body.utf8.count) 1\n\(body)")
    let answer = try await session.socket.text()
    expectTrue(answer.hasPrefix("json_error 225 "), "\(answer)")
    expectTrue(answer.contains("\"action\":\"ApplicationBug\""), "\(answer)")
    await client.leave()
    try await server.stop()
  }
}
#endif
