// SPDX-License-Identifier: Apache-2.0

// A device with one synchronised file in memory, its agent and its session.

package import RealmReplication
package import RealmStorage
package import RealmSync
package import RealmSyncProtocol
package import RealmTables
import RealmTestSupport

/// A device of a `SyncNetwork`.
package final class SimulatedDevice {
  package let name: String
  package let version: ProtocolVersion
  package let clock: SimulatedClock
  package private(set) var file: DatabaseFile
  private(set) var agent: SyncAgent
  var machine: SessionMachine
  /// The versions that have something to upload.
  package private(set) var written: [UInt64] = []
  /// Everything that a device must never meet here: errors, refusals, broken rules.
  package internal(set) var problems: [String] = []

  var connection: SimulatedConnection?
  /// The session's number on the connection, while it has one.
  var session: UInt64?
  var request: (number: UInt64, request: StoreRequest)?
  /// An answer of the file that is on its way to the session.
  var reply: (number: UInt64, reply: StoreReply)?
  var isSuspended = false
  var wantsSession = false
  /// Whether the device is to get connections.
  package internal(set) var isOnline = true
  /// How often each wait was finished.
  var finished: [UInt64: Int] = [:]

  /// What becomes of the program when the agent has committed.
  package enum Interruption: Sendable {
    case none
    /// The program is killed, and starts again.
    case kill
  }

  /// Is called when the agent has committed, before it goes on; it may write.
  package var afterCommit: (() throws -> Interruption)?

  private var system: SimulatedFileSystem
  private let limits: TurnLimits
  private let settings: SessionSettings
  private let schemas = SchemaCache()
  private var recorded: RecordedWrite

  package init(
    named name: String, _ version: ProtocolVersion, limits: TurnLimits = TurnLimits()
  ) throws {
    self.name = name
    self.version = version
    self.limits = limits
    clock = SimulatedClock()
    system = try SimulatedFileSystem()
    file = try system.openDatabase(history: .syncClient)
    agent = try SyncAgent(file, limits: limits)
    recorded = RecordedWrite(now: clock.now)
    settings = SessionSettings(partition: version.mode == .partition ? "\"home\"" : nil)
    machine = SessionMachine(settings: settings)
    handle(.activate, now: 0)
  }

  /// Ends the program and starts it again. The device has no connection.
  ///
  /// - Parameter contents: The bytes of the file; nil for what is there.
  func restart(from contents: [UInt8]? = nil) async throws {
    await agent.close()
    if let contents { system = try SimulatedFileSystem(contents: contents) }
    file = try system.openDatabase(history: .syncClient)
    agent = try SyncAgent(file, limits: limits)
    recorded = RecordedWrite(now: clock.now)
    machine = SessionMachine(settings: settings)
    (session, request, reply, isSuspended, wantsSession) = (nil, nil, nil, false, false)
    handle(.activate, now: 0)
  }

  /// Carries out the request of the session.
  ///
  /// - Returns: The bytes of the file at the time when the program is to be killed; nil if it goes
  ///   on.
  func perform() async -> [UInt8]? {
    guard let (number, request) = request else { return nil }
    self.request = nil
    var watch: CommitWatch?
    if let afterCommit {
      let file = system.file
      watch = CommitWatch { try afterCommit() == .kill ? file.contents() : nil }
    }
    do {
      try watch?.begin(self.file)
      reply = (number, await agent.perform(request))
      return try watch?.end()
    } catch {
      problems.append("\(error)")
      return nil
    }
  }

  // MARK: The program

  /// Runs a local write transaction; its version.
  @discardableResult
  package func write(_ body: (WriteGroup) throws -> Void) throws -> UInt64 {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    let snapshot: Snapshot
    do {
      try recorded.attach(to: group)
      try body(group)
      snapshot = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
    if let history = try snapshot.syncHistory(),
      try history.head(at: snapshot.version).isUploadable
    {
      written.append(snapshot.version)
    }
    return snapshot.version
  }

  /// Adds a subscription set with one query a class.
  package func subscribe(to queries: [(objectClass: String, query: String)]) throws {
    let now = Timestamp(seconds: Int64(clock.now().milliseconds / 1000), nanoseconds: 0)
    try write { group in
      let store = try SubscriptionStore.make(in: group)
      let version = (try store.versions().last ?? 0) + 1
      try store.add(
        version,
        queries.enumerated().map { (index, query) in
          StoredSubscription(
            id: Bytes12(high: version, low: UInt32(index)), createdAt: now, updatedAt: now,
            objectClass: query.objectClass, query: query.query)
        })
    }
  }

  /// The newest version.
  package func read() throws -> TableGroup { try TableGroup(file.snapshot(), schemas: schemas) }

  /// The history of the newest version.
  package func history() throws -> SyncHistory? { try file.snapshot().syncHistory() }

  /// The identifier that the server gave the file.
  package func ident() throws -> FileIdentifier {
    FileIdentifier(UInt64(try file.snapshot().top().fileIdentifier))
  }

  /// The subscription sets, oldest first.
  package func querySets() throws -> [QuerySet] { try StoredQuerySets.all(in: read()) }

  /// The digest of all objects.
  package func digest() throws -> StateDigest { try StateDigest(of: read(), file: ident()) }

  /// What the check of the file finds.
  package func findings() throws -> [CheckFinding] { try DatabaseCheck.run(file.snapshot()) }

  // MARK: The session

  /// Hands an input to the session and carries out its effects, except for requests.
  func handle(_ input: SessionInput, now: Milliseconds) {
    for effect in machine.handle(input, now: now) {
      switch effect {
      case .send(let message):
        if case .error(let error) = message { problems.append("sent \(error)") }
        connection?.toServer.append(MessageEncoder(version: version).bytes(message))
        if case .unbind = message { session = nil }
      case .store(let number, let request): self.request = (number, request)
      case .suspended: isSuspended = true
      case .needsSession: wantsSession = true
      case .finish(let id, let failure):
        finished[id, default: 0] += 1
        if let failure { problems.append("a wait failed: \(failure)") }
      case .report(.downloadProgress), .report(.log), .pauseReading, .resumeReading: break
      case .report, .needsToken, .needsLocation, .needsReset, .dropConnection:
        problems.append("\(effect)")
      }
    }
  }

  /// Says what the program has written.
  func announce(now: Milliseconds) throws {
    let group = try read()
    handle(.localVersion(group.snapshot.version), now: now)
    guard version.mode == .flexible else { return }
    handle(
      .subscriptionSets(try StoredQuerySets.all(in: group), version: group.snapshot.version),
      now: now)
  }

  /// Takes the next message from the connection.
  func receive(now: Milliseconds) {
    guard let connection, !connection.toClient.isEmpty else { return }
    let bytes = connection.toClient.removeFirst()
    do throws(MessageError) {
      let message = try MessageParser(version: version).serverMessage(bytes)
      guard let session, message.session == session else { return }
      handle(.message(message, byteCount: bytes.count, jitter: 0), now: now)
    } catch {
      problems.append("a message that cannot be read: \(error)")
    }
  }
}
