// SPDX-License-Identifier: Apache-2.0

// Servers that share a database, and their clients, on one thread: the shipped stores, directories,
// hosts, connections and links between nodes. A seed chooses each event.
//
// Invariants:
// 1. One thread does everything, one event after the other: equal seeds give equal runs.
// 2. An event begins at the top, or while a process waits for the database. Code of that process
//    does not run meanwhile, but for its subscription to heads.
// 3. After each statement the rules of `DatabaseRules` hold.

#if Postgres
import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerPostgres

/// Nodes, a database, a network and clients in memory.
final class NodeSimulation: @unchecked Sendable {
  // Sendable: the thread of the simulation alone uses it (`GlobalExecutorHook`).

  /// Statements that arrive after their connection was lost.
  struct LateCalls {
    let base: any DatabaseLink
    let calls: [DatabaseCall]
    let process: Int
  }

  /// A connection between two processes, or of a client.
  struct Connection {
    let channel: SimulatedChannel
    /// The numbers of the nodes at both ends; a client has none.
    let nodes: [Int]
  }

  /// A document that a program of the server asked a node to insert.
  struct Insert {
    let key: String
    /// The process that was asked.
    let process: Int
    var isUnderWay = true
    var isConfirmed = false
  }

  let seed: UInt64
  let mode: SyncMode
  let realm: RealmName
  var random: SeededGenerator
  let executor = SimulationExecutor()
  let database: SimulatedDatabase
  let settings: PostgresSettings
  let nodeLimits: NodeLimits
  var rules: DatabaseRules
  let directory: TemporaryDirectory
  /// The milliseconds since the beginning.
  private(set) var now: Milliseconds = 1_000
  /// All processes that there were.
  private(set) var processes: [SimulatedProcess] = []
  /// The present process of each node; nil while it does not run.
  var nodes: [SimulatedProcess?]
  var clients: [CountingClient] = []
  var inserts: [Insert] = []
  var connections: [Connection] = []
  private var channelCount = 0
  /// The pairs of nodes that do not reach each other.
  var cutPairs: [Set<Int>] = []
  /// The nodes that do not reach the database.
  var cutOff: [Int] = []
  var late: [LateCalls] = []
  /// The processes that wait for the database, the last one on top.
  var waiting: [Int] = []
  /// The processes that were killed, and whose code may go on.
  private var ending: [Int] = []
  /// The processes that stand still, each until an event.
  var paused: [Int: Int] = [:]
  var eventCount = 0
  /// Whether troubles are drawn.
  var isTroubled = true
  private var ownProblems: [String] = []
  /// How often each trouble happened.
  var counts: [SimulationTrouble: Int] = [:]
  /// Is called with each event, to follow a run.
  var trace: ((String) -> Void)?

  /// - Parameter flaw: What the database does wrong.
  init(
    seed: UInt64, mode: SyncMode, nodeCount: Int = 3, clientCount: Int = 4,
    flaw: SimulationFlaw? = nil
  ) throws {
    self.seed = seed
    self.mode = mode
    realm = RealmName(app: "app", partition: mode == .partition ? "\"home\"" : nil)
    rules = DatabaseRules(of: realm)
    random = SeededGenerator(seed: seed)
    database = SimulatedDatabase(flaw: flaw, contention: .refuses)
    directory = try TemporaryDirectory()
    var settings = PostgresSettings()
    settings.leaseMilliseconds = 3_000
    settings.patienceMilliseconds = 300
    settings.pollMilliseconds = 300
    settings.checkpointVersions = 12
    self.settings = settings
    var limits = NodeLimits()
    (limits.pause, limits.silence, limits.retryMin, limits.retryMax) = (500, 1_600, 20, 200)
    nodeLimits = limits
    nodes = [SimulatedProcess?](repeating: nil, count: nodeCount)
    for number in 0..<clientCount {
      clients.append(
        CountingClient(number: number, mode: mode) { [unowned self] in rules.isStored($0, $1) })
    }
  }

  /// Everything that must not happen.
  var problems: [String] { ownProblems + rules.problems + clients.flatMap(\.problems) }

  var isWell: Bool {
    ownProblems.isEmpty && rules.problems.isEmpty && clients.allSatisfy { $0.problems.isEmpty }
  }

  func fail(_ problem: String) { ownProblems.append(problem) }

  func count(_ trouble: SimulationTrouble) { counts[trouble, default: 0] += 1 }

  // MARK: Processes

  /// The processes that run.
  var running: [SimulatedProcess] { nodes.compactMap { $0 } }

  func process(_ number: Int) -> SimulatedProcess { processes[number - 1] }

  /// Starts a process of a node, on the files of the one before.
  func start(_ node: Int) {
    let number = processes.count + 1
    let folder = directory.file("process \(number)")
    let process = SimulatedProcess(number: number, node: node, folder: folder, of: self)
    let former = processes.last { $0.node == node }
    processes.append(process)
    do {
      try prepare(folder, of: node, from: former?.folder)
      try executor.inProcess(number) {
        try process.start(settings, seed: seed &* 1_000_003 &+ UInt64(number))
      }
      guard !process.isKilled else { return }
      nodes[node] = process
      trace?("\(process.name) starts as \(number)")
    } catch let error as StoreError {
      trace?("\(process.name) does not start: \(error)")
      kill(process)
    } catch {
      fail("\(error)")
    }
  }

  /// Makes the folder of a process: its node's name, and the replicas as they are.
  private func prepare(_ folder: String, of node: Int, from former: String?) throws {
    let files = FileManager.default
    if let former {
      try files.copyItem(atPath: former, toPath: folder)
    } else {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(SimulatedProcess.name(ofNode: node).utf8)
        .write(to: URL(fileURLWithPath: folder + "/node"))
    }
  }

  /// Ends a process at once.
  func kill(_ process: SimulatedProcess) {
    trace?("\(process.name) ends as \(process.number)")
    if nodes[process.node] === process { nodes[process.node] = nil }
    paused[process.number] = nil
    ending.append(process.number)
    executor.inProcess(process.number) { process.kill() }
    cut { $0.contains(process.node) }
  }

  /// Lets the code of killed processes come to its end.
  func drainKilled() {
    for number in ending where !waiting.contains(number) {
      var count = 0
      while let index = executor.next(of: number) {
        executor.run(at: index)
        count += 1
        guard count < 20_000 else { return fail("a process that was killed does not end") }
      }
      ending.removeAll { $0 == number }
    }
  }

  /// Takes an error of a store, or a sentence for the operator.
  func note(_ error: StoreError, _ process: SimulatedProcess) {
    trace?("\(process.name) reports \(error)")
    if error == .fenced { count(.fences) }
    switch error {
    case .damaged, .outOfOrder, .unknownFile, .ambiguousName, .trimmed, .limit, .unreadableEntry,
      .unreadableFile, .storage, .tooManyOpenRealms, .tooManyNewRealms:
      if !process.isKilled { fail("\(process.name): \(error)") }
    case .fenced, .conflict, .unknownRealm, .unavailable, .owned, .draining: break
    }
  }

  /// Takes a line for the operator.
  func noteNotice(_ line: String, _ process: SimulatedProcess) {
    trace?("\(process.name) notices \(line)")
    if line == ServerSessionMachine.lossNotice, !process.isKilled {
      fail("\(process.name): \(line)")
    }
  }

  func note(_ sentence: String, _ process: SimulatedProcess) {
    trace?("\(process.name) says \(sentence)")
  }

  // MARK: Time

  /// Lets time pass, on all clocks.
  func advance(by time: Milliseconds) {
    now += time
    database.advance(by: Int64(time))
    for process in running { executor.inProcess(process.number) { process.wakeSleepers() } }
  }

  /// Draws for a process that pauses.
  func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  // MARK: Network

  /// A connection whose ends the caller sets.
  private func makeChannel(_ protocolName: String, _ nodes: [Int]) -> SimulatedChannel {
    connections.removeAll { $0.channel.isOver }
    channelCount += 1
    let channel = SimulatedChannel(number: channelCount, protocolName)
    connections.append(Connection(channel: channel, nodes: nodes))
    return channel
  }

  /// Opens a connection between two nodes.
  func dial(
    _ name: String, from process: SimulatedProcess
  ) throws(SocketClosed) -> any MessageSocket {
    guard !process.isKilled, let target = running.first(where: { $0.name == name }),
      !cutPairs.contains([process.node, target.node])
    else { throw SocketClosed(.connectFailed, "it is not reached") }
    let channel = makeChannel("node", [process.node, target.node])
    let socket = SimulatedSocket(channel, .caller, on: executor)
    process.add(socket)
    executor.inProcess(target.number) {
      let called = SimulatedSocket(channel, .called, on: executor)
      target.add(called)
      guard let server = target.parts?.server else { return }
      let caller = process.name
      count(.forwarded)
      Task { await server.serve(called, of: caller) }
    }
    return socket
  }

  /// Lets a client begin a session at a node.
  func connect(_ client: CountingClient, to process: SimulatedProcess) {
    guard let host = process.parts?.host else { return }
    let channel = makeChannel(client.version.description, [process.node])
    trace?("\(client.name) goes to \(process.name) with channel \(channel.number)")
    let (user, version) = ("user \(client.number % 2)", client.version)
    executor.inProcess(process.number) {
      let socket = SimulatedSocket(channel, .called, on: executor)
      process.add(socket)
      Task {
        let connection = await host.accept(
          socket, version: version, user: user)
        process.add(connection)
        _ = await connection.serve(socket)
        process.remove(connection)
      }
    }
    client.begin(on: channel)
  }

  /// Breaks the connections whose ends fulfil a condition.
  func cut(_ isMeant: ([Int]) -> Bool) {
    for connection in connections where isMeant(connection.nodes) {
      connection.channel.cut { random.number(below: $0 + 1) }
    }
  }
}
#endif
