// SPDX-License-Identifier: Apache-2.0

// A driver with its sockets, timers and waits, and a server that the test plays.

import RealmSession
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

struct ClientDriverTests {
  private let network = MemoryNetwork()
  private let clock = ManualClock()
  private let authority = TestAuthority()
  private let events = Locked<[ClientEvent]>([])

  private func driver(_ mode: SyncMode = .partition) -> ClientDriver {
    ClientDriver(
      mode: mode, provider: network, authority: authority, clock: clock.clock,
      observer: { [events] event in events.withLock { $0.append(event) } })
  }

  /// A session of a file.
  private struct Session {
    let driver: ClientDriver
    let name: UInt64

    func wait(for kind: SessionWait) async throws { try await driver.wait(for: kind, of: name) }

    func close() async { await driver.end(name) }
  }

  /// Begins to synchronise a device.
  private func begin(_ device: TestDevice, _ driver: ClientDriver) throws -> Session {
    Session(
      driver: driver,
      name: try driver.begin(device.agent, SessionSettings(partition: "\"p\"")))
  }

  /// A device whose session is bound, and the server's end of its socket.
  private func bound() async throws -> (TestDevice, Session, MemoryPeer) {
    let device = try TestDevice()
    let session = try begin(device, driver())
    let peer = await network.accept()
    try await bind(peer)
    return (device, session, peer)
  }

  /// Plays the server up to the first MARK, which it returns.
  @discardableResult
  private func bind(_ peer: MemoryPeer, hasIdent: Bool = false) async throws -> String {
    await expectEqual(peer.receive(), "bind 1 3 0 \(hasIdent ? 0 : 1) 0\n\"p\"")
    if !hasIdent { peer.send("ident 1 2 1002\n") }
    let ident = try #require(await peer.receive())
    expectTrue(ident.hasPrefix("ident 1 2 1002 "))
    let mark = try #require(await peer.receive())
    expectTrue(mark.hasPrefix("mark 1 "))
    return mark
  }

  /// Waits until the connection is lost and its delay runs. The next PING may be due earlier.
  private func waitForRetry() async {
    while events.withLock({ $0.last }) != .changed(.disconnected) {
      try? await Task.sleep(for: .milliseconds(1))
    }
    while clock.next.map({ $0 > 1_000 }) ?? true { try? await Task.sleep(for: .milliseconds(1)) }
  }

  /// Answers each MARK: a wait that begins after one was sent has one of its own.
  private func answerMarks(_ peer: MemoryPeer) -> Task<Void, Never> {
    Task {
      while let message = await peer.receive() {
        if message.hasPrefix("mark") { peer.send(message) }
      }
    }
  }

  @Test func aWaitForDownloadsEndsWithTheMark() async throws {
    let (_, session, peer) = try await bound()
    expectEqual(peer.endpoint.url, "ws://server/realm-sync?baas_at=0")
    async let wait: Void = session.wait(for: .download)
    peer.send("download 1 0 0 0 0 0 0 0 0 0 0\n")
    peer.send("mark 1 1\n")
    let answers = answerMarks(peer)
    try await wait
    answers.cancel()
    expectEqual(events.withLock { $0 }, [.changed(.connecting), .changed(.connected)])
  }

  @Test func commitsAreUploaded() async throws {
    let (device, session, peer) = try await bound()
    peer.send("download 1 0 0 0 0 0 0 0 0 0 0\n")
    peer.send("mark 1 1\n")
    let version = try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    let upload = try #require(await peer.receive())
    expectTrue(upload.hasPrefix("upload 1 0 "))
    async let wait: Void = session.wait(for: .upload)
    peer.send("download 1 1 \(version) 1 7 \(version) 0 0 0 0 0\n")
    try await wait
  }

  /// SY9: whatever is not answered, the right to write is free: a write that had to wait would wait
  /// for good.
  @Test func aPeerThatNeverAnswersHoldsUpNoWriter() async throws {
    func write(_ number: Int64, _ device: TestDevice) throws {
      try device.write { group in
        if number == 1 { try Items.makeClass(group) }
        try Items.put(number, "a", group)
      }
    }
    // Not even a socket.
    let lonely = try TestDevice()
    let silent = ClientDriver(
      mode: .partition, provider: SilentNetwork(), authority: authority, clock: clock.clock)
    let waiting = try begin(lonely, silent)
    try write(1, lonely)
    await waiting.close()
    let device = try TestDevice()
    let session = try begin(device, driver())
    let peer = await network.accept()
    await expectEqual(peer.receive(), "bind 1 3 0 1 0\n\"p\"")
    try write(1, device)
    peer.send("ident 1 2 1002\n")
    #expect(try #require(await peer.receive()).hasPrefix("ident 1 2 1002 "))
    await expectEqual(peer.receive(), "mark 1 1\n")
    try write(2, device)
    peer.send("download 1 0 0 0 0 0 0 0 0 0 0\n")
    peer.send("mark 1 1\n")
    #expect(try #require(await peer.receive()).hasPrefix("upload 1 0 "))
    try write(3, device)
    let wait = Task { try await session.wait(for: .upload) }
    try write(4, device)
    try expectEqual(Items.texts(device.read()).count, 4)
    await session.close()
    await #expect(throws: SessionFailure.terminated) { try await wait.value }
  }

  @Test func aCancelledWaitLeavesTheOthers() async throws {
    let (_, session, peer) = try await bound()
    let first = Task { try await session.wait(for: .download) }
    async let second: Void = session.wait(for: .download)
    first.cancel()
    await #expect(throws: SessionFailure.canceled) { try await first.value }
    peer.send("download 1 0 0 0 0 0 0 0 0 0 0\n")
    peer.send("mark 1 1\n")
    let answers = answerMarks(peer)
    try await second
    answers.cancel()
  }

  @Test func aSessionThatIsClosedSaysSoAndItsWaitsFail() async throws {
    let (_, session, peer) = try await bound()
    let wait = Task { try await session.wait(for: .download) }
    while let message = await peer.receive(), message != "mark 1 2\n" {
      if message == "mark 1 1\n" { continue }
      break
    }
    await session.close()
    await #expect(throws: SessionFailure.terminated) { try await wait.value }
    await #expect(throws: SessionFailure.terminated) { try await session.wait(for: .upload) }
    var last: String?
    while let message = await peer.receive() {
      last = message
      if message.hasPrefix("unbind") { break }
    }
    expectEqual(last, "unbind 1\n")
  }

  @Test func aLostConnectionIsMadeAgainAfterADelay() async throws {
    let (_, session, peer) = try await bound()
    peer.close(.readFailed)
    await waitForRetry()
    expectEqual(network.attempts.withLock { $0 }, 1)
    clock.advance(by: 1_000)
    try await bind(await network.accept(), hasIdent: true)
    await session.close()
  }

  @Test func aWaitSurvivesALostConnection() async throws {
    let (_, session, peer) = try await bound()
    async let wait: Void = session.wait(for: .download)
    peer.close(.readFailed)
    await waitForRetry()
    clock.advance(by: 1_000)
    let next = await network.accept()
    let mark = try await bind(next, hasIdent: true)
    next.send("download 1 0 0 0 0 0 0 0 0 0 0\n")
    next.send(mark)
    let answers = answerMarks(next)
    try await wait
    answers.cancel()
    await session.close()
  }

  @Test func anUnauthorizedConnectionGetsANewToken() async throws {
    let (_, session, peer) = try await bound()
    peer.close(.unauthorized)
    let next = await network.accept()
    expectEqual(next.endpoint.url, "ws://server/realm-sync?baas_at=1")
    expectEqual(authority.counts.withLock { $0 }, .init(tokens: 1))
    await session.close()
  }

  @Test func aForbiddenUserIsLoggedOut() async throws {
    let (_, session, peer) = try await bound()
    peer.close(.forbidden)
    while authority.counts.withLock({ $0.logOuts }) == 0 {
      try? await Task.sleep(for: .milliseconds(1))
    }
    #expect(
      events.withLock { $0 }.contains(
        .failed(.closed(.forbidden, message: ""), isFatal: true)))
    await session.close()
  }

  @Test func aServerThatBreaksTheProtocolLosesTheConnection() async throws {
    let (_, session, peer) = try await bound()
    peer.send("nonsense\n")
    while peer.closeCode == nil { try? await Task.sleep(for: .milliseconds(1)) }
    expectEqual(peer.closeCode, .protocolError)
    // What the old socket still brings is of no interest.
    peer.send("mark 1 1\n")
    await session.close()
  }

  @Test func theSessionsOfADriverShareAConnection() async throws {
    let driver = ClientDriver(
      mode: .partition, provider: network, authority: authority, clock: clock.clock)
    let devices = try [TestDevice(), TestDevice()]
    let sessions = try devices.map { try begin($0, driver) }
    let peer = await network.accept()
    let binds = [try #require(await peer.receive()), try #require(await peer.receive())]
    expectEqual(binds.sorted(), ["bind 1 3 0 1 0\n\"p\"", "bind 2 3 0 1 0\n\"p\""])
    expectEqual(network.attempts.withLock { $0 }, 1)
    for session in sessions { await session.close() }
  }

  /// `ClientDriver` 1, 4: of two calls that are made one after the other, the second counts.
  @Test func callsOfASessionKeepTheirOrder() async throws {
    let (device, session, peer) = try await bound()
    peer.close(.readFailed)
    await waitForRetry()
    for _ in 0..<2_000 {
      session.driver.send(.suspend(session: session.name))
      expectEqual(session.driver.rest(of: session.name), .app)
      session.driver.send(.resume(session: session.name))
      expectEqual(session.driver.rest(of: session.name), nil)
    }
    clock.advance(by: 1_000)
    try await bind(await network.accept(), hasIdent: true)
    await session.close()
    _ = device
  }

  /// `ClientDriver` 2
  @Test func effectsAreCarriedOutInOrderAndOneAtATime() async throws {
    let driver = driver()
    let seen = Locked<[UInt64]>([])
    let (running, overlaps) = (Locked(0), Locked(0))
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<2_000 {
      let id = driver.makeName()
      // There is no such session, so the wait ends at once.
      driver.wait(for: .download, of: .max, id: id) { failure in
        let count = running.withLock { running in
          running += 1
          return running
        }
        if count > 1 { overlaps.withLock { $0 += 1 } }
        if failure == .terminated { seen.withLock { $0.append(id) } }
        running.withLock { $0 -= 1 }
        if id == 2_000 { end.yield() }
      }
    }
    for await _ in ends { break }
    expectEqual(seen.withLock { $0 }, Array(1...2_000))
    expectEqual(overlaps.withLock { $0 }, 0)
  }

  /// `ClientDriver` 3
  @Test func observersAreNotCalledByTheSender() async {
    let driver = driver()
    let (calls, call) = AsyncStream.makeStream(of: Bool.self)
    _ = BackgroundThread.start(named: "sender") {
      let sender = ThreadIdentity.current
      for _ in 0..<200 {
        driver.wait(for: .download, of: .max, id: driver.makeName()) { _ in
          call.yield(ThreadIdentity.current == sender)
        }
      }
    }
    var count = 0
    for await isSender in calls {
      expectFalse(isSender)
      count += 1
      if count == 200 { break }
    }
  }

  private func environment() -> SocketEnvironment {
    SocketEnvironment(
      mode: .partition, provider: network, authority: authority, clock: clock.clock)
  }

  /// `SocketEnvironment` 1
  @Test func messagesAreSentInTheOrderOfTheCalls() async {
    let environment = environment()
    let driver = driver()
    environment.open(1, for: driver)
    for number in 0..<500 { environment.send(Array("\(number)".utf8), after: nil) }
    let peer = await network.accept()
    for number in 0..<500 { await expectEqual(peer.receive(), "\(number)") }
    environment.close(.normal)
    await expectEqual(peer.receive(), nil)
  }

  /// `SocketEnvironment` 2: the driver goes while its socket is open and a time is waited for.
  @Test func waitsDoNotKeepTheDriver() async throws {
    let environment = environment()
    weak var kept: ClientDriver?
    do {
      let driver = driver()
      kept = driver
      environment.open(1, for: driver)
      environment.set(.linger, at: 1_000_000, for: driver)
    }
    let peer = await network.accept()
    while kept != nil { try await Task.sleep(for: .milliseconds(1)) }
    expectEqual(peer.closeCode, nil)
    environment.stop()
    await expectEqual(peer.receive(), nil)
  }

  /// The agent of a file may be given to another session when the first one has ended.
  @Test func anEndWaitsForTheRequestThatIsUnderWay() async throws {
    let (device, session, peer) = try await bound()
    peer.send("download 1 0 0 0 0 0 0 0 0 0 0\n")
    await session.close()
    await #expect(throws: SessionFailure.terminated) { try await session.wait(for: .upload) }
    let next = try begin(device, session.driver)
    while let message = await peer.receive() {
      if message.hasPrefix("bind 2 3 0 0 0") { break }
    }
    await next.close()
  }
}
