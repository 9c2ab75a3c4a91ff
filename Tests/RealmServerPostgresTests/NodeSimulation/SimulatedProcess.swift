// SPDX-License-Identifier: Apache-2.0

// One process of a node: all that a server has in memory.

#if Postgres
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerPostgres

/// A server of a simulation, from its start until it is killed.
///
/// A killed one goes on as code without a database and without a network until it has nothing to
/// do: it changes nothing outside of itself.
final class SimulatedProcess: @unchecked Sendable {
  // Sendable: the thread of the simulation alone uses it (`GlobalExecutorHook`).

  private struct Sleeper {
    let number: Int
    let end: Milliseconds
    /// Takes whether the time has come.
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// The parts of a server.
  struct Parts {
    let store: PostgresStore
    var subscription: HeadSubscription
    let app: ServerApp
    let host: ServerHost
    let server: NodeServer
    let pool: NodePool
    let documents: DocumentService
  }

  /// The number of the process among all of the simulation.
  let number: Int
  /// The number of the node.
  let node: Int
  let folder: String
  // The simulation keeps its processes.
  private unowned let simulation: NodeSimulation
  private(set) var parts: Parts?
  private(set) var isKilled = false
  /// Whether it was asked to stop.
  private(set) var isStopping = false
  /// Whether a step of the subscription to heads is under way.
  private(set) var isFollowing = false
  /// How far the clock that measures times is ahead of that of the simulation.
  var lead: Milliseconds = 0
  private var sleepers: [Sleeper] = []
  private var sleeperCount = 0
  private var sockets: [SimulatedSocket] = []
  private var links: [SimulatedNodeLink] = []
  private(set) var connections: [ServerDriver] = []

  init(number: Int, node: Int, folder: String, of simulation: NodeSimulation) {
    self.number = number
    self.node = node
    self.folder = folder
    self.simulation = simulation
  }

  static func name(ofNode node: Int) -> String { "simulated-node-\(node)" }

  var name: String { Self.name(ofNode: node) }

  // MARK: Start and end

  /// Starts the server.
  func start(_ settings: PostgresSettings, seed: UInt64) throws(StoreError) {
    let executor = simulation.executor
    let salts = SaltSource(SeededGenerator(seed: seed))
    var surroundings = PostgresSurroundings()
    surroundings.clock = blockingClock
    surroundings.checkpointThread = { executor.thread() }
    surroundings.followsHeads = false
    let report: @Sendable (String) -> Void = { [unowned self] in simulation.note($0, self) }
    let store = try PostgresStore(
      SimulatedConnector(simulation, self), folder: folder, settings: settings, salts: salts,
      system: UnsyncedFiles(), surroundings: surroundings, onProblem: report)
    let clock = ServerClock { [time = store.time] in
      OriginTimestamp(unixMilliseconds: time.now() ?? 0)
    }
    let mode = simulation.mode
    let realms = RealmDirectory(
      store, settings: ServerRealm.Settings(recordsTouches: mode == .flexible), clock: clock,
      salts: salts, threads: [executor.thread()],
      searchers: ViewSearchers(threads: [executor.thread()]))
    var app = ServerApp(
      named: simulation.realm.app, realms: realms, authenticator: SessionAuthenticator { _ in "" },
      reports: ServerApp.Reports(
        failure: { [unowned self] in simulation.note($0, self) },
        notice: { [unowned self] in simulation.noteNotice($0, self) }))
    let limits = simulation.nodeLimits
    let pool = NodePool(
      node: store.node, limits: limits, timer: timer,
      dial: { [unowned self] (other) async throws(SocketClosed) in
        try simulation.dial(other, from: self)
      })
    app.links = pool
    let host = ServerHost(app, store: store, served: mode, timer: timer)
    let server = NodeServer(node: store.node, limits: limits, timer: timer)
    let documents = DocumentService(
      app, mode: mode, nodes: pool, heads: AsyncStream { $0.finish() }, clock: clock,
      timer: timer)
    server.add(app.name, host, documents)
    parts = Parts(
      store: store, subscription: store.headSubscription(), app: app, host: host, server: server,
      pool: pool, documents: documents)
  }

  /// Ends the process: it has no database, no network and no time from now on.
  func kill() {
    isKilled = true
    for link in links { link.abandon() }
    for socket in sockets { socket.abandon() }
    let sleepers = sleepers
    self.sleepers = []
    for sleeper in sleepers { sleeper.continuation.resume(returning: false) }
    (links, sockets, connections) = ([], [], [])
    parts = nil
  }

  /// Begins what a server does when it is asked to stop.
  func beginStop() {
    guard let parts else { return }
    isStopping = true
    let connections = connections
    Task {
      for connection in connections { await connection.shutDown() }
      await parts.server.close()
      await parts.pool.close()
      await parts.app.realms.closeAll()
    }
  }

  // MARK: Network and database

  func add(_ socket: SimulatedSocket) {
    sockets.removeAll { $0.channel.isOver }
    sockets.append(socket)
  }

  func add(_ connection: ServerDriver) { connections.append(connection) }

  func remove(_ connection: ServerDriver) { connections.removeAll { $0 === connection } }

  func add(_ link: SimulatedNodeLink) {
    links.removeAll { !$0.isOpen }
    links.append(link)
  }

  /// Breaks all connections to the database, whose server notices it.
  func breakLinks() {
    for link in links { link.abandon() }
    links = []
  }

  /// Takes a step of the store's subscription to heads.
  func followHeads() {
    guard var subscription = parts?.subscription, let store = parts?.store else { return }
    isFollowing = true
    defer { isFollowing = false }
    do throws(DatabaseError) {
      try subscription.step(for: store)
    } catch {
      simulation.trace?("\(name) follows no heads: \(error)")
    }
    // The process may have been killed meanwhile.
    parts?.subscription = subscription
  }

  // MARK: Time

  var now: Milliseconds { simulation.now + lead }

  private var timer: SyncClock {
    SyncClock(
      now: { [unowned self] in now },
      sleep: { [unowned self] (time) async throws(CancellationError) in try await sleep(time) })
  }

  private var blockingClock: BlockingClock {
    BlockingClock(
      now: { [unowned self] in Int(now) },
      sleep: { [unowned self] in simulation.sleep(self, Milliseconds($0)) },
      draw: { [unowned self] in simulation.draw($0) })
  }

  private func sleep(_ end: Milliseconds) async throws(CancellationError) {
    sleeperCount += 1
    let number = sleeperCount
    let isDue = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !isKilled, !Task.isCancelled else { return continuation.resume(returning: false) }
        guard end > now else { return continuation.resume(returning: true) }
        sleepers.append(Sleeper(number: number, end: end, continuation: continuation))
      }
    } onCancel: {
      guard let index = sleepers.firstIndex(where: { $0.number == number }) else { return }
      sleepers.remove(at: index).continuation.resume(returning: false)
    }
    if !isDue { throw CancellationError() }
  }

  /// The time of the simulation at which the next sleep ends.
  var nextWake: Milliseconds? {
    sleepers.map(\.end).min().map { $0 > lead ? $0 - lead : 0 }
  }

  /// Ends the sleeps whose time has come.
  func wakeSleepers() {
    let now = now
    let due = sleepers.filter { $0.end <= now }
    guard !due.isEmpty else { return }
    sleepers.removeAll { $0.end <= now }
    for sleeper in due { sleeper.continuation.resume(returning: true) }
  }
}
#endif
