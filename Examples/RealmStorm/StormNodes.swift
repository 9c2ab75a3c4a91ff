// SPDX-License-Identifier: Apache-2.0

// The nodes of a storm, their database, and the networks between all of them.

#if Server
import Foundation
import RealmTestSupport

/// Servers that share a database, behind a load balancer.
final class StormNodes {
  let nodes: [StormNode]
  let database: StormDatabase
  let balancer: Balancer
  /// Between the balancer and each node.
  private let fronts: [FaultyNetwork]
  /// Between nodes and each node.
  private let links: [FaultyNetwork]
  /// Between each node and each server of the database.
  private let databaseLinks: [[FaultyNetwork]]
  private var areStarted = false
  /// The nodes that an upgrade has still to restart.
  private var upgrades: [Int] = []
  /// The last one that it has ended, and its process then.
  private var ended: (node: Int, process: Int32)?
  /// Networks that are slow, and when they are not any more, on the clock of `StormClock`. Nil is
  /// the one of the database.
  private var slow: [(network: FaultyNetwork?, end: Int)] = []
  private var counts: [String: Int] = [:]

  init(
    _ directory: String, _ options: StormOptions, ports: inout StormPorts, address: String,
    seed: UInt64, log: StormLog
  ) throws {
    if geteuid() == 0 {
      // The user of the database goes through it.
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
    }
    let database = try StormDatabase(
      directory, ports: &ports, isSynchronous: options.spoil != .asynchronous, log: log)
    var nodes: [StormNode] = []
    var (fronts, links, databaseLinks) = ([FaultyNetwork](), [FaultyNetwork](), [[FaultyNetwork]]())
    var frontPorts: [Int] = []
    for number in 0..<options.nodes {
      let port = try ports.port()
      let (front, link) = (try ports.listener(), try ports.listener())
      frontPorts.append(front.port)
      fronts.append(FaultyNetwork(listener: front.socket) { port })
      links.append(FaultyNetwork(listener: link.socket) { port })
      var (hosts, networks) = ([String](), [FaultyNetwork]())
      for server in database.ports {
        let listener = try ports.listener()
        networks.append(FaultyNetwork(listener: listener.socket) { server })
        hosts.append("127.0.0.1:\(listener.port)")
      }
      databaseLinks.append(networks)
      let store =
        "postgresql://\(PostgresServer.user)@\(hosts.joined(separator: ","))/postgres"
        + "?target_session_attrs=read-write"
      // The clocks of nodes jump, and no device has to reset: all marks are counted.
      let server = try StormServer(
        directory, name: "node\(number)", mode: options.mode, port: port, address: address,
        options: ["--store", store] + ["--node-url", "http://127.0.0.1:\(link.port)"],
        offlineDays: 10_000, log: log)
      nodes.append(StormNode(server, log: log))
    }
    (self.nodes, self.database) = (nodes, database)
    (self.fronts, self.links, self.databaseLinks) = (fronts, links, databaseLinks)
    balancer = Balancer(options.balance, ports: frontPorts, seed: seed, log: log)
  }

  /// Starts the database and the first node.
  func start() throws {
    try database.start()
    try nodes[0].server.start()
    while !balancer.isLive(0) { Thread.sleep(forTimeInterval: 0.1) }
  }

  /// Starts the other nodes, whose folders are empty, once devices have logged in at the first.
  func startOthers() throws {
    areStarted = true
    try keepAlive()
  }

  /// Starts nodes that have ended, and ends faults whose time is over.
  func keepAlive() throws {
    for (number, node) in nodes.enumerated() where areStarted || number == 0 {
      try node.keepAlive()
    }
    let now = StormClock.now
    for (network, _) in slow.filter({ now > $0.end }) {
      cause(.delay(milliseconds: 0), in: network)
    }
    slow.removeAll { now > $0.end }
    goOnWithUpgrade()
  }

  /// Ends the next node of an upgrade when the one before it is there again.
  private func goOnWithUpgrade() {
    guard let next = upgrades.first, nodes.indices.allSatisfy({ balancer.isLive($0) }) else {
      return
    }
    if let ended, nodes[ended.node].server.process ?? ended.process == ended.process { return }
    guard let process = nodes[next].server.process else { return }
    upgrades.removeFirst()
    ended = (next, process)
    nodes[next].stop()
  }

  /// What has gone wrong, and how often.
  var report: [(String, Int)] {
    [
      ("kills of the primary with the promotion of its standby", database.failoverCount),
      ("kills of the primary or the standby that came back", database.restartCount),
      ("starts of nodes without the database", nodes.reduce(0) { $0 + $1.vainStartCount }),
    ] + counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private func count(_ what: String) { counts[what, default: 0] += 1 }

  // MARK: Faults

  func cause(_ fault: NodeFault) {
    switch fault {
    case .kill(let node, let down):
      count("kills of a node")
      nodes[node].kill(downMilliseconds: down)
    case .killAll(let down):
      count("kills of all nodes")
      for node in nodes { node.kill(downMilliseconds: down) }
    case .pause(let node, let time):
      count("nodes paused for longer than their lease")
      nodes[node].pause(milliseconds: time)
      // Some devices go to another node, and some stay.
      fronts[node].cause(.cutHalf)
    case .upgrade:
      count("upgrades of all nodes")
      upgrades += nodes.indices
    case .clock(let node, let hours): nodes[node].server.setClock(Int64(hours) * 3_600)
    case .hold(let link, let direction, let time):
      count("partitions")
      cause(.hold(direction, milliseconds: time), in: network(of: link))
    case .refuse(let link, let time):
      count("partitions")
      cause(.refuse(milliseconds: time), in: network(of: link))
    case .slow(let link, let delay, let time):
      count("slow connections to the database or its standby")
      // The role of a server may be another one at the end.
      let network = network(of: link)
      cause(.delay(milliseconds: delay), in: network)
      slow.append((network, StormClock.now + time * 1_000))
    case .database(let fault): database.cause(fault)
    case .failOverWithNode(let fault, let node, let down):
      count("kills of a node and the primary together")
      database.cause(fault)
      nodes[node].kill(downMilliseconds: down)
    }
  }

  private func cause(_ fault: NetworkFault, in network: FaultyNetwork?) {
    if let network { network.cause(fault) } else { database.cause(fault) }
  }

  /// The network of a link; nil for the one of the database.
  private func network(of link: NodeLink) -> FaultyNetwork? {
    switch link {
    case .front(let node): fronts[node]
    case .primary(let node): databaseLinks[node][database.primary]
    case .standby(let node): databaseLinks[node][1 - database.primary]
    case .replication: nil
    case .node(let node): links[node]
    }
  }

  // MARK: The end

  /// Ends all faults, and waits until the database is whole.
  func calm() throws {
    upgrades = []
    for node in nodes { node.resume() }
    for network in fronts + links + databaseLinks.joined() { network.calm() }
    database.calm()
    while database.isBusy { Thread.sleep(forTimeInterval: 0.1) }
  }

  /// Lets devices hear of commits that the standby does not have, and the primary die then. Only a
  /// database whose commits do not wait for its standby loses them.
  func loseCommits(_ wait: () throws -> Void) throws {
    let count = database.failoverCount
    database.cause(.hold(.both, milliseconds: 600_000))
    try wait()
    database.cause(.failOver(promotionAfter: 0, returnAfter: 0))
    while database.failoverCount == count { Thread.sleep(forTimeInterval: 0.1) }
    // A server that runs does not take a database that has gone back.
    for node in nodes { node.kill() }
    try calm()
  }

  func kill() {
    for node in nodes { node.kill() }
    database.end()
  }
}
#endif
