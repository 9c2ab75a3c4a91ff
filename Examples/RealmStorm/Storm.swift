// SPDX-License-Identifier: Apache-2.0

// The storm: it starts all processes, carries the plan out, and looks at what is left.

#if Server
import Foundation
import RealmTestSupport

/// A server, devices and a network between them.
final class Storm {
  /// How long after a backup was put in place a device may still say what it heard before, in
  /// microseconds.
  private static let margin = 5_000_000
  /// How long a kill of the server waits for devices that send something, in microseconds. Nodes
  /// have more than kills that keep devices away.
  private var killPatience: Int { nodes == nil ? 60_000_000 : 10_000_000 }

  let options: StormOptions
  let ledger = Ledger()
  /// The only server, or the first node.
  let server: StormServer
  /// Nil with one server.
  let nodes: StormNodes?
  private(set) var devices: [DeviceProcess] = []
  /// The times of acknowledgements that backups have undone.
  private(set) var undone: [ClosedRange<Int>] = []
  var lostCount = 0
  var problems: [String] = []
  private let plan: Plan
  private let directory: String
  private let log: StormLog
  private let network: FaultyNetwork
  private let address: String
  private var backupTime = 0
  private var killCount = 0
  private var serverKillCount = 0
  /// Those while devices were sending.
  private var busyKillCount = 0
  private var jumpCount = 0

  init(_ options: StormOptions, _ plan: Plan) throws {
    self.options = options
    self.plan = plan
    directory =
      options.dir
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("realm-storm-\(ProcessInfo.processInfo.processIdentifier)").path
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    log = try StormLog(path: directory + "/storm.txt")
    log.add("storm", options.command(seed: plan.seed))
    var ports = StormPorts()
    let listener = try ports.listener()
    address = "http://127.0.0.1:\(listener.port)"
    if options.nodes > 0 {
      let nodes = try StormNodes(
        directory, options, ports: &ports, address: address, seed: plan.seed, log: log)
      self.nodes = nodes
      server = nodes.nodes[0].server
      network = FaultyNetwork(listener: listener.socket) { [balancer = nodes.balancer] in
        balancer.next()
      }
    } else {
      nodes = nil
      let port = try ports.port()
      network = FaultyNetwork(listener: listener.socket) { port }
      server = try StormServer(
        directory, mode: options.mode, port: port, address: address, log: log)
    }
  }

  /// Lets it happen. Returns whether all is well at the end.
  func run() throws -> Bool {
    defer {
      for device in devices { device.kill() }
      killServers()
    }
    do {
      try begin()
      try rage()
      try calm()
    } catch let failure as StormServer.Failure {
      problems.append(failure.description)
    } catch let failure as PostgresServer.Failure {
      problems.append(failure.description)
    }
    problems += ledger.entries.failures + (nodes?.database.problems ?? [])
    report()
    for device in devices { device.kill() }
    killServers()
    if problems.isEmpty, options.dir == nil {
      try? FileManager.default.removeItem(atPath: directory)
    }
    return problems.isEmpty
  }

  func device(_ number: Int, isReader: Bool = false) -> DeviceProcess {
    DeviceProcess(
      "device\(number)", folder: directory + "/device\(number)" + (isReader ? ".new" : ""),
      address: address, mode: options.mode,
      seed: plan.seed &+ UInt64(number + 1) << 32, isReader: isReader, ledger: ledger, log: log)
  }

  /// Waits until something holds for all devices. Returns those for which it does not.
  ///
  /// - Parameter seconds: The longest time to wait; nil for that of the options.
  func wait(
    for devices: [DeviceProcess], seconds: Int? = nil, _ holds: (DeviceProcess) -> Bool
  ) throws -> [DeviceProcess] {
    let end = StormClock.now + (seconds ?? options.patience) * 1_000_000
    while true {
      try checkServers()
      for device in devices { try device.keepAlive() }
      let rest = devices.filter { !holds($0) }
      if rest.isEmpty || StormClock.now > end { return rest }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  /// Lets devices go on for a time.
  func wait(seconds: Int) throws {
    let end = StormClock.now + seconds * 1_000_000
    _ = try wait(for: devices) { _ in StormClock.now > end }
  }

  // MARK: Servers

  private func startServers() throws {
    if let nodes { try nodes.start() } else { try server.start() }
  }

  /// Looks whether they still run.
  private func checkServers() throws {
    if let nodes { try nodes.keepAlive() } else { try server.check() }
  }

  private func killServers() {
    if let nodes { nodes.kill() } else { server.kill() }
  }

  /// Replaces the file of the app while servers run.
  func apply(_ rules: StormRules) throws {
    try server.apply(rules)
  }

  // MARK: The three parts

  /// Starts all, and makes the first backup, which knows all users.
  private func begin() throws {
    try startServers()
    devices = (0..<options.devices).map { device($0) }
    // A busy machine takes its time, and little patience is for devices that are stuck.
    let rest = try wait(for: devices, seconds: max(options.patience, 600)) { $0.isReady }
    guard rest.isEmpty else {
      throw StormServer.Failure(
        description: "\(rest.map(\.name)) do not start: see \(directory).")
    }
    if let nodes { try nodes.startOthers() } else { try carryOut(.backup) }
  }

  private func rage() throws {
    let start = StormClock.now
    var steps = plan.steps[...]
    // Kills of the server whose time has come, with that time.
    var kills: [(action: Plan.Action, time: Int)] = []
    while true {
      let time = Double(StormClock.now - start) / 1_000_000
      while let step = steps.first, step.time <= time {
        steps.removeFirst()
        if step.action.isKill {
          kills.append((step.action, StormClock.now))
        } else {
          try carryOut(step.action)
        }
      }
      // Devices keep away from a server that dies all the time. A kill that nobody feels would be
      // none.
      if let next = kills.firstIndex(where: { canBegin($0.action) }),
        network.isBusy || StormClock.now - kills[next].time > killPatience
      {
        try carryOut(kills.remove(at: next).action)
      }
      if steps.isEmpty, kills.isEmpty, time >= Double(options.seconds) { return }
      try checkServers()
      for device in devices { try device.keepAlive() }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  /// Whether an earlier fault of the database is over.
  private func canBegin(_ action: Plan.Action) -> Bool {
    guard case .node(let fault) = action, fault.isOfDatabase else { return true }
    return !(nodes?.database.isBusy ?? false)
  }

  private func carryOut(_ action: Plan.Action) throws {
    log.add("plan", "\(action)")
    switch action {
    case .network(let fault): network.cause(fault)
    case .killServer(let milliseconds):
      killCount += 1
      serverKillCount += 1
      if network.isBusy { busyKillCount += 1 }
      server.kill()
      Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
      try server.start()
    case .killDevice(let number, let milliseconds):
      killCount += 1
      devices[number].kill(downMilliseconds: milliseconds)
    case .rules(let rules): try apply(rules)
    case .customData(let number, let isEditor):
      try server.setEditor(isEditor, user: devices[number].userID)
    case .backup:
      backupTime = StormClock.now
      try server.backUp()
    case .restore:
      server.kill()
      // What the old server has sent must not arrive later.
      network.cause(.cutAll)
      undone.append(backupTime...StormClock.now + Self.margin)
      try server.restore()
    case .deviceClock(let number, let hours):
      jumpCount += 1
      devices[number].setClock(Int64(hours) * 3_600)
    case .serverClock(let hours):
      jumpCount += 1
      server.setClock(Int64(hours) * 3_600)
    case .node(let fault):
      if case .clock = fault { jumpCount += 1 }
      if fault.isKill {
        killCount += 1
        serverKillCount += 1
        if network.isBusy { busyKillCount += 1 }
      }
      nodes?.cause(fault)
    }
  }

  /// Lets the network be quiet.
  func calmNetwork() throws {
    log.add("storm", "the plan is done")
    network.calm()
    try nodes?.calm()
  }

  private func report() {
    let entries = ledger.entries
    var counts = [
      ("commits", entries.commitCount), ("acknowledged objects", entries.acknowledged.count),
      ("compensating writes", entries.refusedCount), ("kills", killCount),
      ("kills of the server", serverKillCount),
      ("kills of the server while devices were sending", busyKillCount),
      ("jumps of clocks", jumpCount),
      ("logins after the end of a user's session", entries.loginCount),
      ("cut connections", network.cutCount), ("client resets", entries.resetCount),
      ("files put aside by a second reset", entries.putAsideCount),
      ("acknowledged and lost with a backup", lostCount),
    ]
    if let nodes { counts += nodes.report }
    for (name, count) in counts { Terminal.line("\(count) \(name)") }
    for (text, count) in entries.errors.sorted(by: { $0.key < $1.key }) {
      Terminal.line("\(count) times: \(text)")
    }
    Terminal.line("from a commit to its arrival on another device, with all outages:")
    for line in Histogram(entries.latencies).lines { Terminal.line(line) }
    for problem in problems { Terminal.line("PROBLEM: \(problem)") }
    Terminal.line(
      problems.isEmpty
        ? "All devices and the server are equal, and everything acknowledged is there."
        : "The storm has failed: its files are in \(directory), storm.txt says what happened.")
  }
}
#endif
