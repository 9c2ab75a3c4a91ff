// SPDX-License-Identifier: Apache-2.0

// The memory that clients can make the server take, one by one and together.

#if Server
import Logging
import NIOCore
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct MemoryTests {
  // MARK: The budget

  /// `MemoryBudget` 1
  @Test func theBudgetCountsByProcessAddressAndUser() {
    let budget = MemoryBudget(byteCount: 256 << 20)
    let first = budget.share(address: "a")
    first.setUser("ann")
    expectTrue(first.take(32 << 20))
    expectFalse(first.take(1))
    let second = budget.share(address: "a")
    second.setUser("ann")
    expectFalse(second.take(1))
    second.setUser("bob")
    expectTrue(second.take(32 << 20))
    let third = budget.share(address: "a")
    expectFalse(third.take(1))
    var others = ["b", "c", "d"].map { budget.share(address: $0) }
    for other in others { #expect(other.take(64 << 20)) }
    let last = budget.share(address: "e")
    expectFalse(last.take(1))
    first.giveBack(1)
    expectTrue(last.take(1))
    // What is forgotten is given back.
    others = []
    expectEqual(budget.byteCount, 64 << 20)
    withExtendedLifetime([first, second, third, last]) {}
  }

  /// `MemoryBudget` 2 and 3
  @Test func whatConnectionsHoldCountsForAllThree() {
    // An address has 800, a user 400.
    let budget = MemoryBudget(byteCount: 3_200, messageByteCount: 1)
    func share(_ address: String, _ user: String) -> MemoryBudget.Share {
      let share = budget.share(address: address)
      share.setUser(user)
      return share
    }
    let first = share("a", "ann")
    expectFalse(first.hold(200))
    // Half of what the user may have is left.
    expectTrue(first.hold(201))
    expectTrue(first.hold(1_000))
    expectEqual(budget.byteCount, 1_000)
    // It is above the limits of its user and address, who get nothing more.
    let others = [share("a", "ann"), share("b", "ann"), share("a", "bob"), share("b", "bob")]
    expectEqual(others.map { $0.reserve(100) }, [false, false, false, true])
    expectEqual(others.map { $0.take(100) }, [false, false, false, true])
    // Messages of the server leave a quarter for those of clients.
    expectFalse(others[3].reserve(101))
    expectTrue(others[3].take(101))
    others[3].giveBack(101)
    expectTrue(others[3].reserve(100))
    // Half of the process is taken by many who have little each.
    let strangers = ["c", "d", "e", "f"].map { share($0, $0) }
    expectEqual(strangers.map { $0.hold(100) }, [false, false, false, true])
    expectFalse(first.hold(0))
    expectEqual(others.map { $0.reserve(100) }, [true, true, false, false])
    others[3].release(100)
    expectTrue(others[3].reserve(100))
    withExtendedLifetime((first, others, strangers)) {}
  }

  /// `MemoryBudget` 4
  @Test func waitsEndWithRoomOrWithTheConnection() async throws {
    // Messages of a user may take 75.
    let budget = MemoryBudget(byteCount: 800, messageByteCount: 1)
    let first = budget.share(address: "a")
    first.setUser("ann")
    _ = first.hold(55)
    // There is room.
    await first.waitForRoom(20)
    let ends = Locked<[String]>([])
    let waits = [("same", "a"), ("other", "b"), ("gone", "c")].map { name, address in
      let share = budget.share(address: address)
      share.setUser("ann")
      return (
        share,
        Task {
          await share.waitForRoom(30)
          ends.withLock { $0.append(name) }
        }
      )
    }
    while budget.waitingCount < 3 { try await Task.sleep(for: .milliseconds(1)) }
    _ = first.hold(46)
    expectEqual(budget.waitingCount, 3)
    waits[2].0.end()
    await waits[2].1.value
    expectEqual(ends.withLock { $0 }, ["gone"])
    // A share that has ended waits no more.
    await waits[2].0.waitForRoom(30)
    _ = first.hold(45)
    for (_, wait) in waits { await wait.value }
    expectEqual(budget.waitingCount, 0)
  }

  // MARK: Served

  /// `WebSocketHandler` 5
  @Test func unfinishedMessagesOfAUserHaveALimitTogether() async throws {
    let server = try await RunningServer(
      users: ServerLimits(socketsPerUser: 100, memory: 128))
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    // A message of 12 MiB, of which the end is missing; 16 MiB and some are a user's.
    let head: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 0, 0xC0, 0, 0] + DeployedSocket.mask
    let part = head + [UInt8](repeating: 0, count: 9 << 20)
    let offer = DeployedClient.partition
    let first = try await client.socket(offer, token: token)
    try await first.send(frames: part)
    while server.budget.byteCount < 9 << 20 { try await Task.sleep(for: .milliseconds(5)) }
    let second = try await client.socket(offer, token: token)
    try? await second.send(frames: part)
    try await expectEqual(second.closeCode(), 1008)
    // The first one goes on, and gives its share back.
    try await first.send(frames: [UInt8](repeating: 0, count: 3 << 20))
    _ = try? await first.frame()
    while server.budget.byteCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    let third = try await client.socket(offer, token: token)
    try await third.send("ping 3 0\n")
    try await expectEqual(third.text(), "pong 3\n")
    await client.leave()
    try await server.stop()
  }

  /// Bodies count as they come, before anything is known of who sends them.
  @Test func unfinishedBodiesOfAnAddressHaveALimitTogether() async throws {
    // An address has a quarter: two bodies of almost 60 KB.
    let server = try await RunningServer(
      times: .patient, budget: MemoryBudget(byteCount: 500_000, messageByteCount: 1))
    let place = String(try #require(server.address.split(separator: "/").last))
    let head = "POST /api/client/v2.0/x HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"
    let part = Array(head.utf8) + [UInt8](repeating: 32, count: 59_000)
    var open: [RawConnection] = []
    for count in 1...2 {
      let connection = try await RawConnection(place)
      try await connection.send(part)
      try await Self.wait { server.budget.byteCount == count * 59_000 }
      open.append(connection)
    }
    let third = try await RawConnection(place)
    try await third.send(part)
    #expect(try await third.line().hasPrefix("HTTP/1.1 503 "))
    await third.close()
    for connection in open { await connection.close() }
    try await Self.wait { server.budget.byteCount == 0 }
    try await server.stop()
  }

  // MARK: Readers

  /// A server with a function that answers with 12 MB, more than the system takes for a connection.
  private static func answering(
    memory: Int, part: TimeAmount
  ) async throws -> (server: RunningServer, request: [UInt8]) {
    var table = FunctionTable()
    table["text"] = { _ in .string(String(repeating: "\u{1}", count: 2_000_000)) }
    var times = ConnectionTimes.patient
    times.answerPart = part
    let server = try await RunningServer(
      times: times, budget: MemoryBudget(byteCount: memory, messageByteCount: 1), functions: table)
    let token = try await DeployedClient(server).logIn().accessToken
    let body = #"{"name":"text","arguments":[]}"#
    let head =
      "POST /api/client/v2.0/app/todos/functions/call HTTP/1.1\r\nHost: a\r\n"
      + "Authorization: Bearer \(token)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    return (server, Array((head + body).utf8))
  }

  /// Answers that are not read count for their user, who gets no more of them than there is room.
  @Test func answersThatAreNotReadHaveALimitTogether() async throws {
    // A user has an eighth, of which answers may take three quarters: one fits.
    let (server, request) = try await Self.answering(memory: 150_000_000, part: .minutes(10))
    let place = String(try #require(server.address.split(separator: "/").last))
    let first = try await RawConnection(place, isReading: false)
    try await first.send(request)
    // It has its room for good once a part of it has come.
    first.takePart()
    try await expectEqual(first.line(), "HTTP/1.1 200 OK")
    expectTrue(server.budget.byteCount > 12_000_000)
    let second = try await RawConnection(place)
    try await second.send(request)
    #expect(try await second.line().hasPrefix("HTTP/1.1 503 "))
    expectTrue(server.budget.byteCount < 13_000_000)
    await second.close()
    await first.close()
    try await Self.wait { server.budget.byteCount == 0 }
    try await server.stop()
  }

  /// An answer of which nothing is taken is forgotten, with its connection.
  @Test func anAnswerThatIsNotReadIsCutOff() async throws {
    let (server, request) = try await Self.answering(memory: 256 << 20, part: .seconds(5))
    let place = String(try #require(server.address.split(separator: "/").last))
    let connection = try await RawConnection(place, isReading: false)
    try await connection.send(request)
    connection.takePart()
    try await expectEqual(connection.line(), "HTTP/1.1 200 OK")
    try await Self.wait { server.budget.byteCount == 0 }
    await connection.close()
    // One that is read comes whole.
    let reader = try await RawConnection(place)
    try await reader.send(request)
    try await expectEqual(reader.line(), "HTTP/1.1 200 OK")
    var length = 0
    while true {
      let line = try await reader.line()
      if line.isEmpty { break }
      if line.lowercased().hasPrefix("content-length: ") {
        length = Int(line.dropFirst("content-length: ".count)) ?? 0
      }
    }
    expectEqual(length, 12_000_002)
    try await expectEqual(reader.bytes(length).count, length)
    await reader.close()
    try await server.stop()
  }

  // MARK: The process

  /// `MemoryService` 1
  @Test func freeMemoryIsGivenBackAfterABurst() {
    var rule = MemoryRule()
    func memory(_ used: Int, _ held: Int) -> ProcessMemory {
      ProcessMemory(used: used << 20, held: held << 20)
    }
    expectFalse(rule.releases(at: memory(50, 60)))
    // It grows, with much that is free in between.
    expectFalse(rule.releases(at: memory(500, 560)))
    expectTrue(rule.releases(at: memory(60, 560)))
    rule.didRelease(to: memory(60, 120))
    // What could not be given back is not tried again.
    expectFalse(rule.releases(at: memory(60, 120)))
    expectFalse(rule.releases(at: memory(62, 140)))
    expectTrue(rule.releases(at: memory(62, 150)))
    rule.didRelease(to: memory(62, 80))
    expectFalse(rule.releases(at: memory(62, 100)))
    // Less is held meanwhile, and then much more again.
    expectFalse(rule.releases(at: memory(40, 50)))
    expectTrue(rule.releases(at: memory(41, 80)))
    // What was used the last time, and is free since, can be given back now.
    rule.didRelease(to: memory(150, 160))
    expectTrue(rule.releases(at: memory(35, 156)))
  }

  #if os(Linux)
  @Test func whatIsFreedComesBackToTheSystem() async {
    await #expect(processExitsWith: .success) {
      // Small pieces with one at the end that stays: the allocator keeps them all by itself.
      var pieces: [[UInt8]] = []
      for _ in 0..<60_000 { pieces.append([UInt8](repeating: 1, count: 1_000)) }
      let last = [UInt8](repeating: 1, count: 1_000)
      let full = ProcessMemory.current
      pieces = []
      ProcessMemory.releaseFreed()
      let empty = ProcessMemory.current
      try #require(full.used - empty.used > 50_000_000, "\(full) \(empty)")
      try #require(full.held - empty.held > 50_000_000, "\(full) \(empty)")
      withExtendedLifetime(last) {}
    }
  }
  #endif

  /// An item whose text does not get much smaller by compression.
  private static func item(_ key: UInt8, _ random: inout SeededGenerator) -> [UInt8] {
    DeployedChangesets.item(
      key, name: (0..<20_000).map { _ in UInt8(33 + random.number(below: 90)) })
  }

  /// `Bootstrap` 2, `SocketServerEnvironment` 2: each reader would take a megabyte, and the user
  /// has half of one.
  @Test func slowReadersOfABootstrapTakeLittleTogether() async throws {
    var random = SeededGenerator(seed: 1)
    let (count, userMax) = (50, 512 << 10)
    let budget = MemoryBudget(byteCount: 8 * userMax, messageByteCount: userMax)
    let directory = try TemporaryDirectory()
    let program = try ServerProgram(
      RunningServer.options(in: directory, mode: .flexible), metrics: PrometheusMetrics(),
      logger: Logger(label: "test"),
      in: ServerProgram.Environment(
        sessionLimits: SessionLimits(bootstrapByteCount: 64 << 10), budget: budget))
    let host = program.apps[0].host
    func connect(_ user: String, allowance: Int = .max) async -> SlowSocket {
      let memory = budget.share(address: "here")
      memory.setUser(user)
      return await host.connect(user, allowance: allowance, memory: memory)
    }
    var writer = try await ProtocolClient(await connect("ann"), partition: nil)
    try await writer.upload([DeployedChangesets.schema])
    for key in 0..<count { try await writer.upload([Self.item(UInt8(key), &random)]) }
    try await writer.acknowledgement(of: UInt64(count) + 1)
    await writer.socket.close(.normal)
    try await Self.wait { budget.byteCount == 0 }

    let query = QueryDocument(queries: ["Item": "TRUEPREDICATE"])
    var readers: [(SlowSocket, Task<ProtocolClient, any Error>)] = []
    for _ in 0..<8 {
      // They take the IDENT, and no part of the bootstrap.
      let socket = await connect("ann", allowance: 1)
      readers.append(
        (socket, Task { try await ProtocolClient(socket, partition: nil, query: query) }))
    }
    try await Self.wait { budget.waitingCount > 1 }
    expectTrue(budget.byteCount <= userMax, "\(budget.byteCount)")
    // Another user gets the objects meanwhile.
    let other = try await ProtocolClient(await connect("bob"), partition: nil, query: query)
    await other.socket.close(.normal)
    expectTrue(budget.waitingCount > 1, "\(budget.byteCount)")
    expectTrue(budget.byteCount <= userMax, "\(budget.byteCount)")
    for (socket, _) in readers { socket.open() }
    for (_, client) in readers { await (try client.value).socket.close(.normal) }
    try await Self.wait { budget.byteCount == 0 && budget.waitingCount == 0 }
  }

  private static func wait(for condition: () -> Bool) async throws {
    for _ in 0..<36_000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
    expectTrue(condition())
  }
}
#endif
