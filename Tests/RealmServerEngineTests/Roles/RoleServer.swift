// SPDX-License-Identifier: Apache-2.0

// A server with roles in memory, and devices whose sessions a test drives.

import RealmFormats
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmServerEngine

/// An app with roles, whose server can be killed and started with other rules.
final class RoleServer {
  private var files = SimulatedFiles()
  private var app: ServerApp
  private var startCount: UInt64 = 0
  private var connectionCount: UInt64 = 0
  private let time = Locked(OriginTimestamp(milliseconds: 1_000_000))
  /// The custom data of users.
  private let customData: Locked<[String: BSONValue]>
  let limits: SessionLimits
  let errors = Locked<[StoreError]>([])

  /// - Parameter roles: The member "roles" of the app's file; nil for development mode.
  init(_ roles: JSONValue?, limits: SessionLimits = SessionLimits()) throws {
    self.limits = limits
    customData = Locked([:])
    app = Self.start(files, 1, try Self.access(roles, customData), limits, time, errors)
  }

  private static func access(
    _ roles: JSONValue?, _ customData: Locked<[String: BSONValue]>
  ) throws -> RoleAccess? {
    guard let roles else { return nil }
    let known = try RoleReader(rules: RuleReader()).roles(roles, at: [])
    return RoleAccess(known) { (id) throws(SessionRefusal) in
      RuleUser(id: id, customData: customData.withLock { $0[id] })
    }
  }

  private static func start(
    _ files: SimulatedFiles, _ seed: UInt64, _ roles: RoleAccess?, _ limits: SessionLimits,
    _ time: Locked<OriginTimestamp>, _ errors: Locked<[StoreError]>
  ) -> ServerApp {
    let salts = SaltSource(SeededGenerator(seed: seed))
    let realms = RealmDirectory(
      EmbeddedStore(files, salts: salts), settings: ServerRealm.Settings(recordsTouches: true),
      clock: ServerClock { time.withLock { $0 } }, salts: salts)
    let app = ServerApp(
      named: "test", realms: realms,
      authenticator: SessionAuthenticator { (bind) throws(SessionRefusal) in bind.token },
      limits: limits,
      reports: ServerApp.Reports(failure: { error in errors.withLock { $0.append(error) } }))
    app.access = roles
    return app
  }

  /// Kills the server and starts another on its files. All sessions are lost.
  func restart(roles: JSONValue?) throws {
    startCount += 1
    files = try files.restarted()
    app = Self.start(
      files, 1 + startCount << 32, try Self.access(roles, customData), limits, time, errors)
  }

  func setCustomData(_ data: [String: JSONValue], of user: String) throws {
    let elements = try data.map { (key, json) in
      BSONElement(key, try ExtendedJSONReader.value(json))
    }
    customData.withLock { $0[user] = .document(elements) }
  }

  /// Lets time pass; the time afterwards.
  @discardableResult
  func advance(_ milliseconds: UInt64) -> UInt64 {
    time.withLock {
      $0.milliseconds += milliseconds
      return $0.milliseconds
    }
  }

  func session(version: Int = ProtocolVersion.newest) -> ServerSession {
    connectionCount += 1
    return ServerSession(
      app: app, version: ProtocolVersion(mode: .flexible, number: version),
      connection: connectionCount)
  }

  func realm() async throws -> ServerRealm {
    try await app.realms.open(RealmName(app: "test")).realm
  }

  /// The objects of a class in the newest version.
  func objects(ofClass name: String) async throws -> [String: ModelObject] {
    let snapshot = try await realm().store.snapshot(atLeast: 0)
    return try RoleObjects.all(ofClass: name, in: snapshot.objects)
  }

  /// Those classes of runs that the newest version has.
  func classes() async throws -> Set<String> {
    let snapshot = try await realm().store.snapshot(atLeast: 0)
    return Set(
      try RoleObjects.classes.filter { try snapshot.objects.table(named: "class_" + $0) != nil })
  }
}

/// A device of a user.
final class RoleDevice {
  let user: String
  let client: ModelClient
  private let server: RoleServer
  private(set) var store: ServerSession?
  /// The subscriptions whose objects the device has, and their number.
  private(set) var active: [String: String] = [:]
  private var activeVersion: UInt64 = 0
  /// The subscriptions before these, in the same session.
  private var previous: [String: String]?
  /// Whether the server is to refuse subscriptions.
  var expectsRefusal: ([String: String]) -> Bool = { _ in false }
  /// Subscriptions that the device waits for.
  private var wanted: [String: String]?
  /// The subscriptions by their numbers.
  private var all: [UInt64: [String: String]] = [:]
  private var lastVersion: UInt64 = 0
  private var hasAsked = false
  private var awaitsBootstrap = false
  /// The parts of an unfinished bootstrap.
  private var parts: [DownloadEntry] = []
  /// What was refused, as the server has reported it in the last session.
  var reports: [CompensatingWriteReport] = []
  /// The changesets that it was sent.
  private(set) var received: [[UInt8]] = []

  private init(_ user: String, _ client: ModelClient, _ server: RoleServer) {
    self.user = user
    self.client = client
    self.server = server
  }

  /// A device with a new file, whose classes it makes.
  static func make(
    _ user: String, on server: RoleServer, version: Int = ProtocolVersion.newest
  ) async throws -> RoleDevice {
    let store = server.session(version: version)
    let reply = await store.perform(Self.bind(user, needsIdent: true))
    guard case .bound(let ident, let salt) = reply else {
      throw SessionRefusal(.other, "\(reply)")
    }
    let file = ClientFile(
      ident: ident, salt: salt, user: user, lastSeen: OriginTimestamp(milliseconds: 1))
    let device = RoleDevice(
      user, try ModelClient(file, clock: server.advance(1)), server)
    try device.client.write { try RoleObjects.makeSchema(in: $0) }
    await store.close()
    return device
  }

  private static func bind(_ user: String, needsIdent: Bool) -> ServerStoreRequest {
    .bind(
      ClientMessage.Bind(
        session: 1, target: .flexible(ClientMessage.FlexibleTarget()), token: user,
        needsIdent: needsIdent))
  }

  var isOnline: Bool { store != nil }

  /// Whether it waits for a bootstrap of its own.
  var isWaiting: Bool { wanted != nil || awaitsBootstrap }

  /// The subscriptions that the device may write by.
  var subscriptions: [[String: String]] { [active] + (previous.map { [$0] } ?? []) }

  func want(_ queries: [String: String]) {
    wanted = queries
    lastVersion += 1
    all[lastVersion] = queries
    hasAsked = false
  }

  /// Begins a session; the refusal if the server refuses it.
  @discardableResult
  func connect(version: Int = ProtocolVersion.newest) async throws -> SessionRefusal? {
    guard store == nil else { return nil }
    let store = server.session(version: version)
    let bound = await store.perform(Self.bind(user, needsIdent: false))
    if case .refused(let refusal) = bound { return refusal }
    let ident = ClientMessage.Ident(
      session: 1, file: client.identity.ident, salt: client.identity.salt,
      download: client.cursor,
      latest: SaltedVersion(version: client.latest.version, salt: client.latest.salt),
      query: VersionedQuery(version: activeVersion, document: QueryDocument(queries: active)))
    guard case .file(let lookup) = await store.perform(.lookUp(ident)) else {
      throw SessionRefusal(.other, "no file")
    }
    _ = try lookup.check(ident)
    let reply = await store.perform(.claim(ident))
    if case .refused(let refusal) = reply { return refusal }
    guard case .claimed(let record, let rejected, let isViewChanged) = reply else {
      throw SessionRefusal(.other, "\(reply)")
    }
    self.store = store
    client.connect(as: record)
    (parts, hasAsked, awaitsBootstrap, reports) = ([], false, isViewChanged, rejected)
    previous = nil
    return nil
  }

  func disconnect() async {
    client.disconnect()
    parts = []
    await store?.close()
    store = nil
  }

  /// Forgets a session whose server is gone.
  func loseServer() {
    client.disconnect()
    parts = []
    store = nil
  }

  func write(_ steps: [RoleObjects.Step]) throws {
    client.clock = server.advance(1)
    try client.write { group in
      for step in steps { try RoleObjects.carryOut(step, in: group) }
    }
  }

  /// Uploads; what was refused of it. A refusal of the session is thrown.
  @discardableResult
  func upload(limit: Int = .max) async throws -> [CompensatingWriteReport] {
    guard let store, let upload = try client.upload(limit: limit) else { return [] }
    server.advance(1)
    let reply = await store.perform(
      .integrate(upload.progress, lockedServerVersion: 0, entries: upload.entries))
    switch reply {
    case .integrated(_, let rejected):
      reports += rejected
      return rejected
    case .refused(let refusal): throw refusal
    default: throw SessionRefusal(.other, "\(reply)")
    }
  }

  /// Takes one message; false if there was nothing more.
  ///
  /// - Parameter arrives: Whether it reaches the device, whose session is lost otherwise.
  @discardableResult
  func download(arrives: Bool = true) async throws -> Bool {
    guard let store else { return false }
    // A bootstrap that was begun is sent to its end first.
    if let wanted, !hasAsked, parts.isEmpty {
      hasAsked = true
      let query = VersionedQuery(
        version: lastVersion, document: QueryDocument(queries: wanted))
      // Of a class that it does not have the server knows no property.
      let classes = try await server.classes()
      let reply = await store.perform(.setQuery(query))
      if expectsRefusal(wanted.filter({ classes.contains($0.key) })) {
        guard case .queryRefused = reply else { throw SessionRefusal(.other, "\(reply)") }
        self.wanted = nil
      } else if reply != .done {
        throw SessionRefusal(.other, "\(reply)")
      }
    }
    let reply = await store.perform(.nextDownload(after: client.cursor))
    if case .refused(let refusal) = reply { throw refusal }
    guard case .download(let message) = reply else { throw SessionRefusal(.other, "\(reply)") }
    guard arrives else {
      await disconnect()
      return false
    }
    let entries = try message.body.downloadEntries()
    received += entries.map(\.changeset)
    guard message.batchState != .steady else {
      let isNews = message.cursors.download != client.cursor
      try client.integrate(DownloadBatch(entries: entries, cursors: message.cursors))
      return isNews || isWaiting
    }
    parts += entries
    guard message.batchState == .last else { return true }
    #expect(!parts.isEmpty, "a bootstrap without entries")
    try client.integrate(DownloadBatch(entries: parts, cursors: message.cursors))
    parts = []
    awaitsBootstrap = false
    if let version = message.queryVersion, version > activeVersion, let queries = all[version] {
      (previous, active, activeVersion) = (active, queries, version)
      if version == lastVersion { wanted = nil }
    }
    return true
  }

  /// Takes all that the server has for it.
  func downloadAll() async throws {
    var count = 0
    while try await download() {
      count += 1
      try #require(count < 1_000, "downloads without end")
    }
  }

  /// The objects that the device has.
  func objects() throws -> [String: [String: ModelObject]] {
    let group = try client.read()
    var objects: [String: [String: ModelObject]] = [:]
    for name in RoleObjects.classes {
      objects[name] = try RoleObjects.all(ofClass: name, in: group)
    }
    return objects
  }
}
