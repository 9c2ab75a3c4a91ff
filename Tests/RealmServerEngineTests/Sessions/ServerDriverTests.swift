// SPDX-License-Identifier: Apache-2.0

// Connections over a socket, a timer and realms of a test.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct ServerDriverTests {
  private static let bind = "bind 1 5 0 0 0\n\"foo\""

  private func makeConnection(
    _ socket: any MessageSocket, _ handler: TestHandler, _ timer: TestTimer = TestTimer(),
    limits: ServerConnectionMachine.Limits = .init(), memory: TestMemory? = nil,
    mode: SyncMode = .partition
  ) async -> ServerDriver {
    let environment = SocketServerEnvironment(
      socket, timer: timer.clock, memory: memory
    ) { link in
      handler.link.withLock { $0 = link }
      return handler
    }
    let connection = ServerDriver(
      version: ProtocolVersion(mode: mode), served: mode, limits: limits, environment: environment)
    await connection.start()
    return connection
  }

  /// `ServerDriver` 1, `SocketServerEnvironment` 1
  @Test func messagesAreSentInTheirOrder() async {
    let socket = TestSocket()
    let connection = await makeConnection(socket, TestHandler())
    for number in 0..<50 { await connection.receive(Array("ping \(number) 0\n".utf8)) }
    await connection.close(.goingAway, reason: "over")
    let events = await socket.eventsUntilClosed()
    expectEqual(events, (0..<50).map { "pong \($0)\n" } + ["close 1001 over"])
  }

  /// `ServerDriver` 2, `ServerConnectionMachine` 3
  @Test func aClientThatDoesNotReadIsNotRead() async throws {
    let socket = GatedSocket()
    var limits = ServerConnectionMachine.Limits()
    limits.outputByteCount = 100
    let connection = await makeConnection(socket, TestHandler(), limits: limits)
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
    expectEqual(taken.withLock { $0 }, 11)
    socket.opened.give()
    await client.value
    expectEqual(taken.withLock { $0 }, 1_000)
  }

  /// A refused message has words of its sender, which end no line of the log.
  @Test func linesForTheOperatorHaveNoControls() async {
    let (socket, lines) = (TestSocket(), Locked<[String]>([]))
    let environment = SocketServerEnvironment(
      socket, timer: TestTimer().clock, notice: { line in lines.withLock { $0.append(line) } }
    ) { _ in TestHandler() }
    let connection = ServerDriver(
      version: ProtocolVersion(mode: .flexible), served: .flexible, environment: environment)
    await connection.start()
    await connection.deliver(
      .session(1, .refuse(SessionRefusal(.badQuery, "not of a message"))))
    await connection.receive(
      Array("bind 1 37 0 0 0\n{\"schemaVersion\":0,\"sessionReason\":0}".utf8))
    await connection.deliver(
      .session(1, .stored(request: 1, .refused(SessionRefusal(.other, "a\nb\u{202E}c")))))
    expectEqual(lines.withLock { $0 }, ["A message was refused: BIND, 201: a\u{FFFD}b\u{FFFD}c"])
  }

  // MARK: Memory

  /// `ServerDriver` 3
  @Test func allThatAConnectionHoldsIsNoted() async {
    let (socket, handler, memory) = (GatedSocket(), TestHandler(), TestMemory())
    let connection = await makeConnection(socket, handler, memory: memory)
    // The answer of seven bytes waits for the socket.
    await connection.receive(Array("ping 1 0\n".utf8))
    expectEqual(memory.held, [7])
    // BIND is being carried out, and another message waits for its end.
    await connection.receive(Array(Self.bind.utf8))
    let ident = Array("ident 1 2 1002 4 18 4 7777\n".utf8)
    await connection.receive(ident)
    expectEqual(memory.held, [7, 7 + ident.count])
    // A message that is written for the session counts, too.
    handler.held.withLock { $0 = 1_000 }
    await connection.receive(Array("ping 2 0\n".utf8))
    expectEqual(memory.held.last, 14 + ident.count + 1_000)
    handler.held.withLock { $0 = 0 }
    await connection.socketDidClose()
    expectEqual(memory.held.last, 0)
    socket.opened.give()
    handler.answer(.done)
    await handler.waitUntilClosed()
  }

  /// IDENT has to wait for the answer to BIND, and has room after it.
  private func expectIdentWaits(
    _ connection: ServerDriver, _ handler: TestHandler,
    at location: SourceLocation = #_sourceLocation
  ) async {
    let hasRoom = Locked(false)
    let reader = Task {
      await connection.receive(Array("ident 1 2 1002 4 18 4 7777\n".utf8))
      hasRoom.withLock { $0 = true }
    }
    await handler.waitForRequest()
    for _ in 0..<20 { await Task.yield() }
    #expect(!hasRoom.withLock { $0 }, sourceLocation: location)
    handler.answer(.refused(SessionRefusal(.sessionClosed, "gone")))
    await reader.value
    #expect(hasRoom.withLock { $0 }, sourceLocation: location)
  }

  /// `ServerDriver` 3 and `ServerConnectionMachine` 6
  @Test func aConnectionTakesLittleWhileMemoryIsTight() async {
    let (socket, handler, memory) = (TestSocket(), TestHandler(), TestMemory())
    var limits = ServerConnectionMachine.Limits()
    limits.tightHeldByteCount = 10
    let connection = await makeConnection(socket, handler, limits: limits, memory: memory)
    memory.setTight(true)
    await connection.receive(Array(Self.bind.utf8))
    // It goes on when its own message is carried out, whether the memory is tight or not.
    await expectIdentWaits(connection, handler)
    while memory.held.last != 0 { await Task.yield() }
  }

  /// Takes a session to its first DOWNLOAD, whose answer is not given unless it is among others.
  private func run(
    _ connection: ServerDriver, _ handler: TestHandler, answering more: [ServerStoreReply] = []
  ) async {
    var file = ServerFile(ident: FileIdentifier(2), salt: 1002)
    (file.clientVersion, file.reciprocalBase) = (18, 3)
    let head = SaltedVersion(version: 4, salt: 7777)
    handler.script.withLock {
      $0 =
        [
          .done, .file(ServerFileLookup(file: file, head: head, latestSalt: 7777)),
          .claimed(file, rejected: []),
        ] + more
    }
    await connection.receive(Array(Self.bind.utf8))
    await connection.receive(Array("ident 1 2 1002 4 18 4 7777\n".utf8))
    await handler.waitForRequests(3 + more.count)
  }

  /// `SocketServerEnvironment` 2
  @Test func aDownloadWaitsForRoom() async throws {
    let (socket, handler, memory) = (TestSocket(), TestHandler(), TestMemory())
    let connection = await makeConnection(socket, handler, memory: memory)
    memory.setRoom(0)
    await run(connection, handler)
    while memory.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    expectEqual(handler.requestCount, 3)
    memory.setRoom(1 << 20)
    await handler.waitForRequests(4)
    expectEqual(memory.reserved, 1 << 20)
    handler.answer(.refused(SessionRefusal(.sessionClosed, "gone")))
    while memory.reserved > 0 { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// `ServerDriver` 4
  @Test func aQueryNeedsRoom() async throws {
    let (socket, handler, memory) = (TestSocket(), TestHandler(), TestMemory())
    let connection = await makeConnection(socket, handler, memory: memory, mode: .flexible)
    let query = #"{"A":"TRUEPREDICATE"}"#
    let file = ServerFile(ident: FileIdentifier(2), salt: 1002)
    let head = SaltedVersion(version: 4, salt: 7777)
    handler.script.withLock {
      $0 = [
        .done, .file(ServerFileLookup(file: file, head: head, latestSalt: 7777)),
        .claimed(file, rejected: []),
      ]
    }
    await connection.receive(Array("bind 1 2 0 0 0\n{}".utf8))
    await connection.receive(
      Array("ident 1 2 1002 0 0 0 0 1 \(query.utf8.count)\n\(query)".utf8))
    await handler.waitForRequests(4)
    // The text and the conditions are held; what was reserved for them is not taken twice.
    expectEqual(memory.held.last, 2 * query.utf8.count)
    handler.answer(.refused(SessionRefusal(.sessionClosed, "gone")))
    await connection.socketDidClose()
    await handler.waitUntilClosed()
    expectEqual(memory.held.last, 0)
  }

  /// `ServerDriver` 4
  @Test func aQueryWithoutRoomEndsItsSession() async throws {
    let (socket, handler, memory) = (TestSocket(), TestHandler(), TestMemory())
    memory.setRoom(10)
    let connection = await makeConnection(socket, handler, memory: memory, mode: .flexible)
    let file = ServerFile(ident: FileIdentifier(2), salt: 1002)
    let head = SaltedVersion(version: 4, salt: 7777)
    handler.script.withLock {
      $0 = [.done, .file(ServerFileLookup(file: file, head: head, latestSalt: 7777))]
    }
    await connection.receive(Array("bind 1 2 0 0 0\n{}".utf8))
    await connection.receive(
      Array("ident 1 2 1002 0 0 0 0 1 21\n{\"A\":\"TRUEPREDICATE\"}".utf8))
    func text() -> String { socket.events.withLock { $0.joined() } }
    while !text().contains("json_error") { try await Task.sleep(for: .milliseconds(1)) }
    expectTrue(
      text().contains("The queries of the user's sessions are too large together"), "\(text())")
    expectEqual(handler.requestCount, 2)
    await connection.socketDidClose()
    await handler.waitUntilClosed()
  }

  /// What is written already takes no more, and others wait for the room that it leaves.
  @Test func aDownloadThatIsWrittenNeedsNoRoom() async {
    let (socket, handler, memory) = (TestSocket(), TestHandler(), TestMemory())
    let connection = await makeConnection(socket, handler, memory: memory)
    memory.setRoom(0)
    handler.held.withLock { $0 = 1 }
    await run(connection, handler)
    await handler.waitForRequests(4)
    handler.answer(.refused(SessionRefusal(.sessionClosed, "gone")))
  }

  /// `SocketServerEnvironment` 2: an UPLOAD waits for a bootstrap to begin, and is larger than
  /// what the bootstrap needs, so it must not wait for the room of other connections.
  @Test func aBootstrapThatAnUploadWaitsForNeedsNoRoom() async {
    let (socket, handler, memory) = (TestSocket(), TestHandler(), TestMemory())
    let connection = await makeConnection(socket, handler, memory: memory, mode: .flexible)
    // For the text of the query alone.
    memory.setRoom(4)
    let file = ServerFile(ident: FileIdentifier(2), salt: 1002)
    let head = SaltedVersion(version: 4, salt: 7777)
    await connection.receive(
      Array("bind 1 37 0 0 0\n{\"schemaVersion\":0,\"sessionReason\":0}".utf8))
    await handler.waitForRequest()
    handler.script.withLock {
      $0 = [
        .file(ServerFileLookup(file: file, head: head, latestSalt: nil)),
        .claimed(file, rejected: []), .refused(SessionRefusal(.sessionClosed, "gone")),
      ]
    }
    await connection.receive(Array("ident 1 2 1002 0 0 0 0 0 2\n{}".utf8))
    await connection.receive(Array("upload 1 0 12 0 20 0 0\n20 0 0 0 1 x".utf8))
    // BIND is answered after all messages have come.
    handler.answer(.done)
    await handler.waitForRequests(4)
    expectEqual(memory.waitingCount, 0)
    expectEqual(memory.reserved, 0)
    await connection.socketDidClose()
  }

  @Test func aLostSocketEndsTheWaitForRoom() async throws {
    let (socket, handler, memory) = (TestSocket(), TestHandler(), TestMemory())
    let connection = await makeConnection(socket, handler, memory: memory)
    memory.setRoom(0)
    handler.answer(.refused(SessionRefusal(.sessionClosed, "gone")))
    await run(connection, handler)
    while memory.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    await connection.socketDidClose()
    await handler.waitUntilClosed()
  }

  /// A session with an UPLOAD of 100 kB that waits for room.
  private func uploading(
    _ memory: TestMemory
  ) async throws -> (ServerDriver, TestHandler) {
    let (socket, handler) = (TestSocket(), TestHandler())
    let connection = await makeConnection(socket, handler, memory: memory)
    let download = ServerMessage.Download(
      cursors: SyncCursors(
        download: DownloadCursor(serverVersion: 4, clientVersion: 18),
        upload: UploadCursor(clientVersion: 18, serverVersion: 3),
        latest: SaltedVersion(version: 4, salt: 7777)),
      progress: .partition(byteCountLeft: 0), body: .empty)
    await run(connection, handler, answering: [.download(download)])
    while !socket.events.withLock({ $0.contains { $0.hasPrefix("download") } }) {
      try await Task.sleep(for: .milliseconds(1))
    }
    let body = MessageBody(uploads: [
      UploadEntry(
        clientVersion: 20, serverVersion: 4, timestamp: OriginTimestamp(milliseconds: 5),
        changeset: [UInt8](repeating: 0, count: 100_000))
    ])
    let head = "upload 1 1 \(body.uncompressedByteCount) \(body.bytes.count) 20 4 0\n"
    await connection.receive(Array(head.utf8) + body.bytes)
    while memory.uploads.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    expectEqual(handler.requestCount, 4)
    return (connection, handler)
  }

  /// `ServerSessionMachine` 8
  @Test func anUploadIsIntegratedOnceThereIsRoom() async throws {
    let memory = TestMemory()
    let (connection, handler) = try await uploading(memory)
    memory.giveUploadRoom()
    await handler.waitForRequests(5)
    expectEqual(memory.uploads, [1])
    // The session ends, and what it has unpacked is needed still.
    await connection.socketDidClose()
    expectEqual(memory.uploads, [1])
    handler.answer(.refused(SessionRefusal(.sessionClosed, "gone")))
    await handler.waitUntilClosed()
    expectEqual(memory.uploads, [])
  }

  @Test func aLostSocketEndsTheWaitOfAnUpload() async throws {
    let memory = TestMemory()
    let (connection, handler) = try await uploading(memory)
    await connection.socketDidClose()
    expectEqual(memory.uploads, [])
    await handler.waitUntilClosed()
    expectEqual(handler.requestCount, 4)
  }

  /// `ServerDriver` 5
  @Test func aHandlerIsClosedAfterItsLastRequest() async {
    let (socket, handler) = (TestSocket(), TestHandler())
    let connection = await makeConnection(socket, handler)
    await connection.receive(Array(Self.bind.utf8))
    await handler.waitForRequest()
    await connection.receive(Array("unbind 1\n".utf8))
    expectEqual(handler.events.withLock { $0 }, ["perform"])
    handler.answer(.done)
    await handler.waitUntilClosed()
    expectEqual(handler.events.withLock { $0 }, ["perform", "done", "close"])
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
    expectEqual(socket.events.withLock { $0 }, [])
  }

  @Test func anEvictedSessionEndsTheConnection() async throws {
    let (socket, handler) = (TestSocket(), TestHandler())
    let connection = await makeConnection(socket, handler)
    await connection.receive(Array(Self.bind.utf8))
    await handler.waitForRequest()
    let link = try #require(handler.link.withLock { $0 })
    link.evict()
    let events = await socket.eventsUntilClosed()
    expectEqual(events.first?.hasPrefix("json_error 100 "), true)
    handler.answer(.done)
    await handler.waitUntilClosed()
    _ = connection
  }

  @Test func aSilentClientIsDisconnected() async {
    let (socket, timer) = (TestSocket(), TestTimer())
    let connection = await makeConnection(socket, TestHandler(), timer)
    timer.advance(to: 180_000)
    await expectEqual(socket.eventsUntilClosed(), ["close 1001 The client is silent"])
    _ = connection
  }

  @Test func aMessageIsTakenWhenTheLastHasRoom() async {
    let (socket, handler) = (TestSocket(), TestHandler())
    var limits = ServerConnectionMachine.Limits()
    limits.heldByteCount = 20
    let connection = await makeConnection(socket, handler, limits: limits)
    await connection.receive(Array(Self.bind.utf8))
    await expectIdentWaits(connection, handler)
  }
}
