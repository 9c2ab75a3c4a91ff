// SPDX-License-Identifier: Apache-2.0

// A server in memory: realm files, realms, and the drivers of many connections.

import RealmDeclarations
import RealmQuery
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol
package import RealmTables
import RealmTestSupport

/// A server of a `SyncNetwork`, which can be stopped at any time and started on its files again.
package final class SimulatedServer {
  package let mode: SyncMode
  package let clock = SimulatedClock()
  private let seed: UInt64
  private let limits: SessionLimits
  private let connectionLimits: ServerConnectionMachine.Limits
  private let time: SimulatedTime
  private var files = SimulatedFiles()
  private var app: ServerApp
  /// The judge of the rights of users; nil where each user has all.
  private var access: (any SessionAccess)?
  /// The schema of the app; nil where users without the right to write declare nothing.
  private let schema: SchemaKeeper
  private var startCount: UInt64 = 0
  private var backupCount = 0
  private var connectionCount: UInt64 = 0
  /// The newest version of the realm.
  private(set) var head = SaltedVersion()
  var connections: [SimulatedConnection] = []
  private var rooms = SimulatedRooms()
  package internal(set) var problems: [String] = []
  private let storeErrors = Locked<[StoreError]>([])
  /// The reports of refused writes, each once for a file.
  package private(set) var reports: [FileIdentifier: [CompensatingWriteReport]] = [:]

  init(
    mode: SyncMode, seed: UInt64, limits: SessionLimits,
    connectionLimits: ServerConnectionMachine.Limits, time: SimulatedTime
  ) {
    self.mode = mode
    self.seed = seed
    self.limits = limits
    self.connectionLimits = connectionLimits
    self.time = time
    schema = SchemaKeeper(AppSchema(), isFixed: false) { _ in .success(nil) }
    app = Self.start(mode, files, seed, limits, clock, schema, storeErrors)
  }

  private static func start(
    _ mode: SyncMode, _ files: SimulatedFiles, _ seed: UInt64, _ limits: SessionLimits,
    _ clock: SimulatedClock, _ schema: SchemaKeeper, _ errors: Locked<[StoreError]>
  ) -> ServerApp {
    let salts = SaltSource(SeededGenerator(seed: seed))
    var settings = ServerRealm.Settings(recordsTouches: mode == .flexible)
    settings.bootstrapEntryByteCount = limits.bootstrapByteCount
    settings.schema = schema
    let realms = RealmDirectory(
      EmbeddedStore(files, salts: salts), settings: settings, clock: ServerClock(clock.now),
      salts: salts)
    return ServerApp(
      named: "test", realms: realms,
      authenticator: SessionAuthenticator { (_) in "" }, limits: limits,
      reports: ServerApp.Reports(failure: { error in errors.withLock { $0.append(error) } }))
  }

  /// Kills the server and starts another on its files. All connections are gone.
  func restart() throws {
    startCount += 1
    connections = []
    rooms = SimulatedRooms()
    files = try files.restarted()
    app = Self.start(mode, files, seed &+ startCount << 32, limits, clock, schema, storeErrors)
    app.access = access
  }

  // MARK: Rules

  /// Adds the classes of a version to the schema of the app.
  package func declare(_ classes: TableGroup) throws {
    var known = schema.schema
    _ = known.add(DeclaredSchema(try StoredSchema(classes)))
    _ = schema.apply(known, isFixed: false)
  }

  /// Replaces the judge of the rights of users.
  ///
  /// - Returns: The number of the sessions to end, as their users have other rights now.
  func setAccess(_ access: (any SessionAccess)?) async -> Int {
    self.access = access
    return await app.rules.replace(by: access)
  }

  /// Ends the sessions of users with other rights than before.
  ///
  /// - Returns: Their number.
  func recheckAccess() async -> Int { await app.rules.recheck() }

  // MARK: Upkeep

  /// A backup of the files: a copy of the disk, or one that the server's commands make.
  func backUp() throws -> SimulatedFiles {
    backupCount += 1
    guard backupCount % 2 == 0 else { return try files.restarted() }
    let (copy, findings) = try files.copied()
    problems += findings.map { "a backup: \($0)" }
    return copy
  }

  /// Kills the server and starts another on a backup.
  func restore(_ backup: SimulatedFiles) async throws {
    files = backup
    try restart()
    head = try await realm().head.latest
    for file in reports.keys {
      reports[file] = reports[file]?.filter { $0.serverVersion <= head.version }
    }
  }

  /// Takes over the newest version of the realm: the server makes some by itself.
  func findHead() async throws {
    let head = try await realm().head.latest
    if head.version > self.head.version { self.head = head }
  }

  /// Expires and removes clients, and trims the history.
  func trim(offline: UInt64, expired: UInt64) async throws -> Trimmed {
    let (realm, registry) = (try await realm(), app.registry)
    return try await realm.trim(
      offlineMillisecondsMax: offline, expiredMillisecondsMax: expired,
      isPresent: { registry.session(of: $0, in: realm.id) != nil })
  }

  // MARK: Connections

  /// Takes the connection of a socket.
  func accept(_ version: ProtocolVersion, of user: String) async -> SimulatedConnection {
    connectionCount += 1
    var app = app
    app.authenticator = SessionAuthenticator { _ in user }
    let connection = SimulatedConnection(
      number: connectionCount, version, user: user, limits: connectionLimits,
      SimulatedServerEnvironment(connectionCount, version, app, rooms, time))
    connections.append(connection)
    await connection.driver.start()
    return connection
  }

  /// Forgets a connection when nothing of it is left.
  func forgetIfOver(_ connection: SimulatedConnection) {
    guard connection.state.isOver, connection.isLostForClient else { return }
    connections.removeAll { $0 === connection }
  }

  /// Takes the next message of a connection; a QUERY with what was sent after it.
  func receive(from connection: SimulatedConnection) async {
    let isQuery = connection.isQueryNext
    repeat {
      let message = connection.toServer.removeFirst()
      if let read = try? MessageParser(version: connection.version).clientMessage(message) {
        connection.reports.send(read)
      }
      await connection.driver.deliver(.message(message))
    } while isQuery && !connection.toServer.isEmpty && connection.state.closing == nil
  }

  // MARK: Rooms

  /// Whether no session has room for an UPLOAD, nor waits for some.
  package var roomsAreFree: Bool { rooms.isFree }

  /// Whether a session of a connection is the next with room for its UPLOAD.
  func hasRoom(for connection: SimulatedConnection) -> Bool {
    rooms.next?.connection == connection.number
  }

  /// Gives room to the session that is next.
  func giveRoom(to connection: SimulatedConnection) async {
    guard let next = rooms.next, next.connection == connection.number else { return }
    rooms.giveNext()
    await connection.driver.deliver(.session(next.session, .hasRoom))
  }

  /// What unpacks to much is unpacked in the room of its session.
  private func checkRoom(_ request: ServerStoreRequest, _ holder: SimulatedRooms.Holder) {
    guard case .integrate(_, _, let entries) = request,
      entries.reduce(0, { $0 + $1.changeset.count }) > connectionLimits.plainUploadByteCount,
      rooms.holder != holder
    else { return }
    problems.append("an UPLOAD is unpacked without room for it")
  }

  // MARK: Losses

  /// The socket of a connection is gone.
  func lose(_ connection: SimulatedConnection) async {
    await connection.driver.socketDidClose()
    connection.environment.state.withLock { $0.closing = $0.closing ?? .abnormal }
    connection.toServer = []
  }

  /// The socket takes a message.
  func write(_ connection: SimulatedConnection) async {
    let (bytes, _) = connection.environment.state.withLock { $0.output.removeFirst() }
    if !connection.isLostForClient { connection.toClient.append(bytes) }
    await connection.driver.deliver(.written(byteCount: bytes.count))
  }

  /// Tells the sessions of a connection that the realm has a new version.
  func announce(to connection: SimulatedConnection) async {
    connection.announced = head
    for session in connection.state.sessions.keys.sorted() {
      await connection.driver.deliver(.session(session, .head(head)))
    }
  }

  /// Carries out the next request of a connection.
  func perform(_ connection: SimulatedConnection) async {
    let state = connection.state
    guard let index = state.works.firstIndex(where: { $0.reply == nil }),
      let request = state.works[index].request,
      let session = state.sessions[state.works[index].session]
    else { return }
    var work = state.works[index]
    checkRoom(request, SimulatedRooms.Holder(connection: connection.number, session: work.session))
    let reply = await session.perform(request)
    if case .integrated(let head, _) = reply, head.version > self.head.version { self.head = head }
    if case .head(let head) = reply, head.version > self.head.version { self.head = head }
    work.reply = reply
    connection.environment.state.withLock { $0.works[index] = work }
    await note(reply, of: session)
    problems += await connection.defects(of: work, access, self)
    await check(reply, of: session)
    for error in storeErrors.withLock({ $0 }) {
      // The client is reset then.
      if case .trimmed = error { continue }
      problems.append("\(error)")
    }
    storeErrors.withLock { $0 = [] }
  }

  /// Hands the next answer to its session.
  func reply(_ connection: SimulatedConnection) async {
    let work = connection.environment.state.withLock { state in
      state.works.firstIndex { $0.reply != nil }.map { state.works.remove(at: $0) }
    }
    guard let work, let reply = work.reply else { return }
    await connection.driver.didPerform(work.number, of: work.session, reply)
    problems += connection.state.problems
  }

  /// Closes an ended session.
  func closeEnded(_ connection: SimulatedConnection) async {
    let (name, session) = connection.environment.state.withLock { state in
      let name = state.ended.removeFirst()
      return (name, state.sessions.removeValue(forKey: name))
    }
    connection.dueQueries[name] = nil
    await session?.close()
  }

  /// Hands the next event to its session; an eviction first.
  func takeEvent(of connection: SimulatedConnection) async {
    let (session, event) = connection.environment.state.withLock { state in
      state.events.remove(at: state.events.firstIndex { $0.event == .evicted } ?? 0)
    }
    await connection.driver.deliver(ServerConnectionInput(event, of: session))
  }

  /// Notes the refused writes of a client.
  private func note(_ reply: ServerStoreReply, of session: ServerSession) async {
    switch reply {
    case .claimed(_, let rejected, _), .integrated(_, let rejected):
      guard !rejected.isEmpty, let file = await session.claimedFile else { return }
      for report in rejected where !reports[file, default: []].contains(report) {
        reports[file, default: []].append(report)
      }
    case .bound, .done, .file, .head, .download, .queryRefused, .refused: return
    }
  }

  /// A session whose file another one has must not go on.
  private func check(_ reply: ServerStoreReply, of session: ServerSession) async {
    switch reply {
    case .integrated, .download:
      guard let file = await session.claimedFile, let realm = await session.realmID,
        app.registry.session(of: file, in: realm) === session
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
  package func snapshot() async throws -> RealmSnapshot {
    let realm = try await realm()
    return try await realm.store.snapshot(atLeast: 0)
  }

  /// The history.
  package func entries() async throws -> [StoredEntry] {
    let (realm, head) = (try await realm(), try await snapshot().head)
    return try await realm.store.entries(in: head.base + 1..<head.version + 1)
  }

  /// The entries after a version.
  func entries(after version: UInt64) async throws -> [StoredEntry] {
    guard version < head.version else { return [] }
    let realm = try await realm()
    return try await realm.store.entries(in: version + 1..<head.version + 1)
  }

  /// The record of a client's file; nil if there is none.
  func file(_ ident: FileIdentifier) async throws -> ClientFile? {
    let realm = try await realm()
    return try await realm.store.file(ident)
  }

  /// The digest of all objects.
  package func digest() async throws -> StateDigest {
    try StateDigest(of: try await snapshot().objects, file: .server)
  }
}
