// SPDX-License-Identifier: Apache-2.0

// P1 G, item 5: DOWNLOADs by all rules of P1 C.4.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

extension DeployedClientTests {
  @Test func aPartitionsFirstDownloadIsEmpty() async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let socket = try await client.socket(
      DeployedClient.partition, token: try await client.logIn().accessToken)
    try await socket.send("bind 1 6 0 1 0\n\"home\"")
    let file = try await socket.text(like: "ident 1 * *\n")
    try await socket.send("ident 1 \(file[0]) \(file[1]) 0 0 0 0\n")
    try await expectEqual(socket.text(), "download 1 0 0 0 0 0 0 0 0 0 0\n")
    try await socket.send("mark 1 1\n")
    try await expectEqual(socket.text(), "mark 1 1\n")
    await client.leave()
    try await server.stop()
  }

  /// The first trace of P1 D.2. The download cursor names the client's last changeset, 5, where the
  /// trace has the last version that was uploaded, 6.
  @Test func aNewFlexibleFileGetsTheDocumentedMessages() async throws {
    let server = try await RunningServer(mode: .flexible)
    let client = try await DeployedClient(server)
    let socket = try await client.socket(
      DeployedClient.flexible, token: try await client.logIn().accessToken)
    try await socket.send("bind 1 37 0 1 0\n{\"schemaVersion\":0,\"sessionReason\":0}")
    let file = try await socket.text(like: "ident 1 * *\n")
    try await socket.send("ident 1 \(file[0]) \(file[1]) 0 0 0 0 0 2\n{}")
    // The bootstrap of query 0: one changeset without bytes.
    let first = try await socket.text(like: "download 1 1 0 1 * 0 0 0 1 1 0 * 0\n1 0 * 1 0 0 ")
    expectEqual(Int(first[1]), "1 0 \(first[2]) 1 0 0 ".utf8.count)
    try await socket.send("mark 1 1\n")
    try await expectEqual(socket.text(), "mark 1 1\n")

    try await socket.send(
      "upload 1 0 198 0 6 0 1\n5 0 300000000000 0 175 ", DeployedChangesets.schema)
    _ = try await socket.text(like: "download 1 2 5 2 * 6 0 0 2 1 0 0 0\n")
    try await socket.send("query 1 1 23\n{\"Item\":\"(count > -1)\"}")
    // Nothing matches, and still there is one changeset.
    let second = try await socket.text(like: "download 1 2 5 2 * 6 0 1 1 1 0 * 0\n2 5 * 1 0 0 ")
    expectEqual(Int(second[1]), "2 5 \(second[2]) 1 0 0 ".utf8.count)
    try await socket.send("mark 1 2\n")
    try await expectEqual(socket.text(), "mark 1 2\n")

    let item = DeployedChangesets.item(7, count: 3)
    let entry = "16 2 300000000001 0 \(item.count) "
    try await socket.send(
      "upload 1 0 \(entry.utf8.count + item.count) 0 16 2 2\n" + entry, item)
    _ = try await socket.text(like: "download 1 3 16 3 * 16 2 1 2 1 0 0 0\n")
    await client.leave()
    try await server.stop()
  }

  /// Versions before 14 know no steady state of its own, those before 12 no estimate.
  @Test(arguments: [(13, "1 1"), (12, "1 1"), (11, "1 0"), (10, "1 0")])
  func olderVersionsGetTheirForms(_ version: Int, _ fields: String) async throws {
    let server = try await RunningServer(mode: .flexible)
    let client = try await DeployedClient(server)
    let socket = try await client.socket(
      DeployedClient.offer("com.mongodb.realm-query-sync#", version),
      token: try await client.logIn().accessToken)
    try await socket.send("bind 1 37 0 1 0\n{\"schemaVersion\":0,\"sessionReason\":0}")
    let file = try await socket.text(like: "ident 1 * *\n")
    try await socket.send("ident 1 \(file[0]) \(file[1]) 0 0 0 0 0 2\n{}")
    _ = try await socket.text(like: "download 1 1 0 1 * 0 0 0 \(fields) 0 * 0\n1 0 * 1 0 0 ")
    try await socket.send(
      "upload 1 0 198 0 6 0 1\n5 0 300000000000 0 175 ", DeployedChangesets.schema)
    _ = try await socket.text(like: "download 1 2 5 2 * 6 0 0 \(fields) 0 0 0\n")
    await client.leave()
    try await server.stop()
  }

  @Test func aQueryThatIsRefusedIsNeverSent() async throws {
    let server = try await RunningServer(mode: .flexible)
    let client = try await DeployedClient(server)
    let session = DeployedSession(
      try await client.socket(
        DeployedClient.flexible, token: try await client.logIn().accessToken))
    try await session.begin()
    try await session.upload(DeployedChangesets.schema)
    try await session.waitForUpload()
    let text = #"{"Item":"(next.count > 1)"}"#
    try await session.socket.send("query 1 1 \(text.utf8.count)\n\(text)")
    let parts = try await session.socket.text(like: "query_error 226 * 1 1\n*")
    expectEqual(Int(parts[0]), parts[1].utf8.count)
    expectTrue(parts[1].hasPrefix("Invalid query: "))
    // Version 1 is unknown to `rules`, so a DOWNLOAD with it would break rule 8.
    try await session.upload(DeployedChangesets.item(1, count: 1))
    try await session.waitForUpload()
    try await session.sendQuery(2, #"{"Item":"TRUEPREDICATE"}"#)
    try await session.mark()
    expectEqual(session.rules.activeQuery, 2)
    await client.leave()
    try await server.stop()
  }

  /// Three files write, change queries, lose connections and come back, in parts of bootstraps too.
  @Test(arguments: [(true, 1), (true, 2), (true, 3), (false, 4)] as [(Bool, UInt64)])
  func allRulesHoldInRandomRuns(_ isFlexible: Bool, _ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let server = try await RunningServer(
      mode: isFlexible ? .flexible : .partition,
      limits: SessionLimits(downloadByteCount: 300, bootstrapByteCount: 200, roundByteCount: 200))
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let offer = isFlexible ? DeployedClient.flexible : DeployedClient.partition
    var sessions: [DeployedSession] = []
    for _ in 0..<3 {
      let session = DeployedSession(
        try await client.socket(offer, token: token), isFlexible: isFlexible)
      try await session.begin()
      sessions.append(session)
    }
    try await sessions[0].upload(DeployedChangesets.schema)
    var queries = [0, 0, 0]
    for _ in 0..<60 {
      let index = random.number(below: 3)
      let session = sessions[index]
      switch random.number(below: 10) {
      case 0..<5:
        try await session.upload(
          DeployedChangesets.item(
            UInt8(random.number(below: 40)), count: UInt8(random.number(below: 8))))
        if random.percent(50) { try await session.waitForUpload() }
      case 5...6 where isFlexible:
        queries[index] += 1
        try await session.sendQuery(
          queries[index], "{\"Item\":\"(count < \(random.number(below: 9)))\"}")
        if random.percent(50) { try await session.mark() }
      case 7: try await session.mark()
      case 8:
        // What was uploaded is acknowledged first, as the client has no changes to send again.
        try await session.waitForUpload()
        try await session.mark()
        await session.socket.close()
        sessions[index] = DeployedSession(
          try await client.socket(offer, token: token), resuming: session)
        try await sessions[index].resume()
      default: try await session.waitForUpload()
      }
    }
    for session in sessions { try await session.mark() }
    let heads = Set(try sessions.map { try #require($0.rules.last).latestServer })
    expectTrue(heads.max() ?? 0 > 20)
    await client.leave()
    try await server.stop()
  }

  /// The rules of `DownloadRules` themselves.
  @Test(arguments: [
    ("download 1 4 3 5 9 3 1 1 2 1 0 0 0\n", 1), ("download 1 5 3 5 9 3 1 1 2 1 0 0 0\n", 1),
    ("download 1 5 3 5 9 9 2 1 2 1 0 0 0\n", 2), ("download 1 7 3 6 9 3 2 1 2 1 0 0 0\n", 2),
    ("download 1 6 4 6 9 3 2 1 2 1 0 0 0\n", 2), ("download 1 6 3 6 9 3 7 1 2 1 0 0 0\n", 2),
    ("download 1 6 3 6 9 3 2 1 2 1 0 12 0\n7 3 1 3 0 0 ", 3),
    ("download 1 6 3 6 9 3 2 1 2 1 0 12 0\n6 4 1 3 0 0 ", 3),
    ("download 1 6 3 6 9 3 2 1 2 1 0 12 0\n6 3 1 2 0 0 ", 3),
    ("download 1 6 3 6 9 3 2 1 2 1 0 24 0\n6 3 1 3 0 0 5 3 1 3 0 0 ", 3),
    ("download 1 6 3 6 9 3 2 2 0 0.5 0 0 0\n", 4), ("download 1 6 3 6 9 3 2 2 1 1 0 0 0\n", 5),
    ("download 1 6 3 6 9 3 2 3 1 1 0 12 0\n6 3 1 1 0 0 ", 8),
    ("download 1 6 3 6 9 3 2 0 1 1 0 12 0\n6 3 1 1 0 0 ", 8),
    ("download 1 6 3 6 9 3 2 2 2 1 0 0 0\n", 8),
    ("download 1 6 3 6 9 3 2 1 2 1 0 12 0\n4 3 1 3 0 0 ", 10),
  ])
  func theRulesSeeBadMessages(_ text: String, _ rule: Int) throws {
    var rules = DownloadRules(isFlexible: true)
    rules.ident = 2
    rules.clientVersion = 3
    rules.queries = [0, 1, 2]
    func take(_ text: String) throws -> Set<Int> {
      rules.take(try #require(try DeployedDownload(Array(text.utf8), isFlexible: true)))
    }
    #expect(try take("download 1 4 3 5 9 3 2 1 0 0.5 0 12 0\n4 3 1 1 0 0 ").isEmpty)
    try expectEqual(take("download 1 5 3 5 9 3 2 1 1 1 0 12 0\n5 3 1 1 0 0 "), [7])
    #expect(try take("download 1 5 3 5 9 3 2 1 2 1 0 0 0\n").isEmpty)
    try expectEqual(take(text), [rule])
  }
}
#endif
