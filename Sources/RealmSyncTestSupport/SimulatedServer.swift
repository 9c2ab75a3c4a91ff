// SPDX-License-Identifier: Apache-2.0

// A server in memory: realm files, realms, and sessions of many connections.

package import RealmReplication
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol
import RealmTestSupport

/// A server of a `SyncNetwork`, which can be stopped at any time and started on its files again.
package final class SimulatedServer {
  package let mode: SyncMode
  package let clock = SimulatedClock()
  private let seed: UInt64
  private let limits: SessionLimits
  private var files = SimulatedFiles()
  private var app: ServerApp
  private var startCount: UInt64 = 0
  /// The newest version of the realm.
  private(set) var head = SaltedVersion()
  private(set) var connections: [SimulatedConnection] = []
  package internal(set) var problems: [String] = []
  private let storeErrors = Locked<[StoreError]>([])

  init(mode: SyncMode, seed: UInt64, limits: SessionLimits = SessionLimits()) {
    self.mode = mode
    self.seed = seed
    self.limits = limits
    app = Self.start(mode, files, seed, limits, clock, storeErrors)
  }

  private static func start(
    _ mode: SyncMode, _ files: SimulatedFiles, _ seed: UInt64, _ limits: SessionLimits,
    _ clock: SimulatedClock, _ errors: Locked<[StoreError]>
  ) -> ServerApp {
    let salts = SaltSource(SeededGenerator(seed: seed))
    let realms = RealmDirectory(
      EmbeddedStore(files, salts: salts),
      settings: ServerRealm.Settings(recordsTouches: mode == .flexible),
      clock: ServerClock(clock.now), salts: salts)
    return ServerApp(
      named: "test", realms: realms,
      authenticator: SessionAuthenticator { (_) throws(SessionRefusal) in "user" }, limits: limits,
      report: { error in errors.withLock { $0.append(error) } })
  }

  /// Kills the server and starts another on its files. All connections are gone.
  func restart() throws {
    startCount += 1
    connections = []
    files = try files.restarted()
    app = Self.start(mode, files, seed &+ startCount << 32, limits, clock, storeErrors)
  }

  // MARK: Connections

  func accept(_ connection: SimulatedConnection) { connections.append(connection) }

  /// Ends a connection with all of its sessions.
  func close(_ connection: SimulatedConnection) async {
    connections.removeAll { $0 === connection }
    for session in connection.sessions.values { await session.store.close() }
  }

  /// Takes the next message of a connection.
  func receive(from connection: SimulatedConnection) async {
    let bytes = connection.toServer.removeFirst()
    let message: ClientMessage
    do throws(MessageError) {
      message = try MessageParser(version: connection.version).clientMessage(bytes)
    } catch {
      return problems.append("a message that cannot be read: \(error)")
    }
    guard let number = message.session else { return }
    if case .bind = message {
      guard connection.sessions[number] == nil else {
        return problems.append("the number of a session came twice")
      }
      let store = ServerSessionStore(
        app: app, version: connection.version, connection: connection.number,
        onEviction: connection.isEvicted.set)
      connection.sessions[number] = SimulatedServerSession(
        ServerSessionMachine(version: connection.version, session: number), store)
    }
    guard let session = connection.sessions[number], !session.isEnded else { return }
    await handle(.message(message, byteCount: bytes.count), in: session, of: connection)
  }

  /// Hands an input to a session and carries out its effects, except for requests.
  func handle(
    _ input: ServerSessionInput, in session: SimulatedServerSession,
    of connection: SimulatedConnection
  ) async {
    for effect in session.machine.handle(input, now: 0) {
      switch effect {
      case .send(let message):
        if case .error(_, let code, let document) = message {
          // What arrives late on a lost connection may be refused, or have the file for a while.
          if !connection.isLostForClient, code.session != .sessionClosed {
            problems.append("refused with \(code): \(document.message)")
          }
        }
        guard !connection.isLostForClient else { continue }
        connection.toClient.append(MessageEncoder(version: connection.version).bytes(message))
      case .store(let number, let request): session.request = (number, request)
      case .failConnection(let code, let message): problems.append("\(code): \(message)")
      case .pauseReading, .resumeReading: break
      case .ended:
        session.isEnded = true
        await session.store.close()
      }
    }
  }

  /// Carries out the request of a session.
  func perform(_ session: SimulatedServerSession) async {
    guard let (number, request) = session.request else { return }
    session.request = nil
    let reply = await session.store.perform(request)
    if case .integrated(let head, _) = reply, head.version > self.head.version { self.head = head }
    session.reply = (number, reply)
    await check(reply, of: session)
    for error in storeErrors.withLock({ $0 }) { problems.append("\(error)") }
    storeErrors.withLock { $0 = [] }
  }

  /// A session whose file another one has must not go on.
  private func check(_ reply: ServerStoreReply, of session: SimulatedServerSession) async {
    switch reply {
    case .integrated, .download:
      let store = session.store
      guard let file = await store.claimedFile, let realm = await store.realmID,
        app.registry.session(of: file, in: realm) === store
      else { return problems.append("a session goes on without its file") }
    case .bound, .done, .file, .claimed, .head, .queryRefused, .refused: return
    }
  }

  // MARK: Content

  /// The realm that all devices share.
  package func realm() async throws -> ServerRealm {
    let partition = mode == .partition ? "\"home\"" : nil
    return try await app.realms.open(RealmName(app: app.name, partition: partition)).realm
  }

  /// The objects of the newest version.
  package func snapshot() async throws -> ObjectSnapshot {
    let realm = try await realm()
    return try await realm.store.snapshot(of: realm.id, atLeast: 0)
  }

  /// The history.
  package func entries() async throws -> [StoredEntry] {
    let (realm, head) = (try await realm(), try await snapshot().head)
    return try await realm.store.entries(of: realm.id, in: head.base + 1..<head.version + 1)
  }

  /// The digest of all objects.
  package func digest() async throws -> StateDigest {
    try StateDigest(of: try await snapshot().objects, file: .server)
  }
}
