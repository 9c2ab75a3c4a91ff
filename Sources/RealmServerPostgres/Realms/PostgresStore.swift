// SPDX-License-Identifier: Apache-2.0

// The store on a database of several servers.

#if Postgres
package import RealmDeclarations
package import RealmServerEngine
package import RealmStorage

/// Keeps realms in a database. A folder has replicas of their objects, to be made again at
/// any time.
package final class PostgresStore: ServerStore {
  let database: Database
  private let folder: ReplicaFolder
  /// Identifies the database.
  package let identity: String
  /// The name of this server in the database.
  package let node: String
  let salts: SaltSource
  private let onProblem: @Sendable (String) -> Void
  private let realms = Locked<[RealmID: PostgresRealm]>([:])
  private let listeners = HeadListeners()
  /// The apps whose realms are all followed, open or not.
  let followed = FollowedApps()
  private let checkpoints: CheckpointMaker
  /// Nil if the caller takes the steps.
  private let follower: HeadFollower?
  /// The settings that servers share.
  package let files: PostgresFiles
  /// The servers of the database.
  package let nodes: PostgresNodes
  /// The time of day of all servers of the database.
  package let time: DatabaseTime

  /// Connects to the database, and makes its tables or brings them to this program's version.
  /// Blocks the thread.
  ///
  /// - Parameters:
  ///   - folder: The folder of the replicas; one store at a time has it.
  ///   - surroundings: The threads and the time of the store.
  ///   - onProblem: Reports unreadable rows; the store goes on without them.
  /// - Throws: `StoreError.unavailable` if the database does not answer, or is of a newer program.
  package init(
    _ connector: any DatabaseConnector, folder path: String,
    settings: PostgresSettings = PostgresSettings(), salts: SaltSource = SaltSource(),
    system: any FileSystem = SystemFiles(isPrivate: true),
    surroundings: PostgresSurroundings = PostgresSurroundings(),
    onProblem: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreError) {
    let database = Database(connector, settings, clock: surroundings.clock)
    self.database = database
    self.salts = salts
    self.onProblem = onProblem
    let folder = ReplicaFolder(path: path, system: system)
    self.folder = folder
    // A folder is none of a database that it could not use.
    try Self.prepare(database)
    node = try StoreError.storing(folder.node())
    time = DatabaseTime(by: surroundings.clock)
    let asked = surroundings.clock.now()
    let rows = try database.repeating([Statements.identity(), Statements.time()])
    time.learn(rows[1], asked: asked)
    guard let values = rows[0].first else { throw .damaged("the database has no identity") }
    identity = try StoreError.reading(DatabaseRowReader(values).text(0))
    files = PostgresFiles(database)
    nodes = PostgresNodes(database, node: node)
    checkpoints = CheckpointMaker(on: surroundings.checkpointThread())
    follower = surroundings.followsHeads ? HeadFollower() : nil
    follower?.start(for: self)
  }

  deinit {
    follower?.stop()
    database.closeIdle()
  }

  private static func prepare(_ database: Database) throws(StoreError) {
    let refusal = try database.repeating { () throws(DatabaseError) -> StoreError? in
      try database.using { (link) throws(DatabaseError) -> StoreError? in
        try DatabaseSchema.prepare(link)
      }
    }
    if let refusal { throw refusal }
  }

  // MARK: Realms

  package nonisolated(nonsending)
    func open(_ realm: RealmName) async throws(StoreError) -> any RealmStore
  {
    try opened(realm)
  }

  /// An open realm, made if it is new.
  func opened(
    _ realm: RealmName, _ content: Replica.Content = .objects
  ) throws(StoreError) -> PostgresRealm {
    let id = realm.fileID
    if let known = known(id) {
      guard known.name == realm else { throw .ambiguousName(known.name) }
      return known
    }
    for text in [realm.app, realm.partition ?? ""] {
      if let refusal = PostgresRealm.refusal(of: text) { throw refusal }
    }
    let rows = try database.repeating([
      Statements.makeRealm(
        .text(id.rawValue), .text(realm.app), realm.partition.map { .text($0) } ?? .null),
      Statements.realmByID(.text(id.rawValue)),
    ])[1]
    guard let values = rows.first else { throw .unknownRealm(id) }
    let row = try StoreError.reading(RealmRow(values))
    guard row.name == realm else { throw .ambiguousName(row.name) }
    let opened = self.realm(row, content)
    return realms.withLock { realms in
      if let known = realms[id] { return known }
      realms[id] = opened
      return opened
    }
  }

  func realm(
    _ row: RealmRow, _ content: Replica.Content = .objects
  ) -> PostgresRealm {
    let (onHead, onNews): (@Sendable (RealmHead) -> Void, @Sendable (RealmHead) -> Void)
    switch content {
    case .objects:
      onHead = { [listeners, followed, app = row.name.app] head in
        followed.learn(head, of: app)
        listeners.report(head)
      }
      onNews = onHead
    case .records(let news):
      onHead = { _ in }
      onNews = { _ in news.report() }
    }
    return PostgresRealm(
      row, content, node: node, in: database, identity: identity, folder: folder, salts: salts,
      events: PostgresRealm.Events(
        onHead: onHead, onNews: onNews,
        onClose: { [weak self] realm in
          self?.realms.withLock { if $0[realm.id] === realm { $0[realm.id] = nil } }
        }, onDue: { [checkpoints, onProblem] in checkpoints.make(of: $0, onProblem) },
        onProblem: onProblem))
  }

  package nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool
  {
    try isThere(realm)
  }

  /// Whether a realm was made.
  func isThere(_ realm: RealmName) throws(StoreError) -> Bool {
    try !database.repeating([Statements.realmByID(.text(realm.fileID.rawValue))])[0].isEmpty
  }

  package nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]
  {
    try realmIDs(ofApp: app)
  }

  /// The realms of an app. Blocks the thread.
  package func realmIDs(ofApp app: String) throws(StoreError) -> [RealmID] {
    var found: [RealmID] = []
    for values in try database.repeating([Statements.realmsOfApp(.text(app))])[0] {
      found.append(try StoreError.reading(RealmRow(values)).head.realm)
    }
    return found
  }

  package nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline
  {
    let rows = try database.repeating([Statements.realmByID(.text(realm.rawValue))])[0]
    guard let values = rows.first else { throw .unknownRealm(realm) }
    let row = try StoreError.reading(RealmRow(values))
    let opened = self.realm(row)
    return RealmOutline(name: row.name, head: row.head, files: try opened.files())
  }

  /// The classes of the realms of an app, whose replicas are made if they are missing. Blocks the
  /// thread.
  package func classes(ofApp app: String) throws(StoreError) -> [DeclaredSchema] {
    var found: [DeclaredSchema] = []
    for values in try database.repeating([Statements.realmsOfApp(.text(app))])[0] {
      let realm = self.realm(try StoreError.reading(RealmRow(values)))
      defer { realm.replica.close() }
      found.append(try realm.snapshot(atLeast: 0).classes())
    }
    return found
  }

  // MARK: News

  /// What brings the heads of other servers to the store, step by step.
  func headSubscription() -> HeadSubscription { HeadSubscription(to: database, node: node) }

  package func heads(ofApp app: String?) -> AsyncStream<RealmHead> {
    listeners.heads(ofApp: app)
  }

  package func allHeads(ofApp app: String) -> AsyncStream<RealmHead> {
    followed.heads(ofApp: app, listeners)
  }

  /// The numbers of the open realms, and of those owned by this node.
  var openNumbers: (all: [Int64], owned: [Int64]) {
    let open = realms.withLock { Array($0.values) }
    return (open.map(\.number), open.filter { $0.ownEpoch != nil }.map(\.number))
  }

  /// An open realm.
  func known(_ realm: RealmID) -> PostgresRealm? { realms.withLock { $0[realm] } }

  /// Takes the heads of realms, and reports news among them.
  func learn(_ rows: DatabaseRows) {
    for values in rows {
      guard let row = try? RealmRow(values) else { continue }
      if let realm = known(row.head.realm), realm.takeNews(row.head) {
        realm.events.onNews(row.head)
      } else if followed.learn(row.head, of: row.name.app) {
        listeners.report(row.head)
      }
    }
  }
}
#endif
