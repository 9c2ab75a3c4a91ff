// SPDX-License-Identifier: Apache-2.0

// Devices and a server that meet and lose each other, in an order that a seed decides.

import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport

/// One schedule of writes, messages, lost connections, restarts and subscriptions.
struct ConvergenceRun {
  let network: SyncNetwork
  private var random: SeededGenerator
  private var programs: [DeviceProgram] = []
  private var time: UInt64 = 1_000_000

  init(seed: UInt64, mode: SyncMode) throws {
    random = SeededGenerator(seed: seed)
    var (server, client) = (ServerConnectionMachine.Limits(), ClientMachine.Limits())
    // What waits reaches its limits in half of the runs.
    if random.percent(50) {
      (server.heldByteCount, server.outputByteCount) = (400, 400)
      (client.waitingByteCount, client.outputByteCount) = (400, 400)
    }
    let networkSeed = random.next()
    let downloadByteCount = random.pick([1, 300, 128 << 10])
    let partByteCount = random.pick([1, 1 << 20])
    network = SyncNetwork(
      mode: mode, seed: networkSeed,
      limits: SessionLimits(
        downloadByteCount: downloadByteCount, bootstrapByteCount: partByteCount,
        roundByteCount: partByteCount),
      connectionLimits: server, clientLimits: client)
    let schemaSeed = random.next()
    for index in 0..<random.pick([3, 3, 3, 3, 3, 3, 4, 4, 4, 5, 6, 8]) {
      var limits = TurnLimits()
      // A turn that time ends would make runs differ.
      limits.uncontended = random.percent(30) ? .zero : .seconds(3600)
      if random.percent(30) { limits.groupByteCount = 100 }
      let number = mode == .flexible && random.percent(25) ? 12 : ProtocolVersion.newest
      let device = try network.addDevice(
        named: "device \(index)", protocolNumber: number, limits: limits)
      let program = DeviceProgram(
        device, index: index, seed: random.next(), schemaSeed: schemaSeed)
      programs.append(program)
      setClock(of: device)
      try program.start()
      device.afterCommit = program.interrupt
    }
  }

  // MARK: Steps

  mutating func play(steps: Int) async throws {
    for _ in 0..<steps {
      let index = random.number(below: network.devices.count)
      let device = network.devices[index]
      network.advance(milliseconds: UInt64(random.number(below: 5_000)))
      switch random.number(below: 200) {
      case 0..<22:
        setClock(of: device)
        try programs[index].write()
        network.trace?("\(device.name) writes")
      case 22..<24 where network.mode == .flexible:
        setClock(of: device)
        try programs[index].subscribe()
        network.trace?("\(device.name) subscribes")
      case 24..<28: network.cut(device)
      case 28..<32: network.setOnline(!device.isOnline, device)
      case 32..<34: try await network.restart(device)
      case 34 where random.percent(60): try network.restartServer()
      case 35: network.tap(device)
      case 36 where random.percent(50): network.renew(device)
      case 37..<52: _ = await network.proceedWithLostConnection()
      default: _ = await network.proceed(device)
      }
    }
  }

  /// A file that several programs use in turn while it is offline: 60 commits wait at the end, and
  /// the other devices go on meanwhile.
  mutating func playInTurns() async throws {
    try await play(steps: 60)
    let device = network.devices[0]
    device.afterCommit = nil
    for _ in 0..<3 {
      network.setOnline(false, device)
      for _ in 0..<20 {
        setClock(of: device)
        try programs[0].write()
      }
      try await network.restart(device)
      network.setOnline(false, device)
      for index in 1..<network.devices.count {
        setClock(of: network.devices[index])
        try programs[index].write()
        for _ in 0..<10 { _ = await network.proceed(network.devices[index]) }
      }
    }
  }

  private mutating func setClock(of device: SimulatedDevice) {
    time += UInt64(random.number(below: 3))
    // The devices' clocks differ.
    device.clock.set(time + UInt64(random.number(below: 4)))
    network.server.clock.set(time)
  }

  // MARK: The end

  /// Brings all together and returns what is wrong then.
  mutating func finish() async throws -> [String] {
    for device in network.devices {
      network.setOnline(true, device)
      device.afterCommit = nil
    }
    var problems: [String] = []
    if try await !network.settle() { problems.append("there is no end") }
    problems += network.problems
    let entries = try await network.server.entries()
    if let trace = network.trace {
      for entry in entries {
        let changeset = try ChangesetParser.parse(entry.changeset)
        trace("version \(entry.version): file \(entry.file.rawValue), \(entry.clientVersion)")
        for instruction in changeset.instructions { trace("  \(changeset.line(instruction))") }
      }
    }
    guard problems.isEmpty else { return problems }
    let snapshot = try await network.server.snapshot()
    for device in network.devices {
      let found = try check(device, entries, snapshot)
      problems += found.map { "\(device.name): \($0)" }
    }
    return problems
  }

  private func check(
    _ device: SimulatedDevice, _ entries: [StoredEntry], _ snapshot: RealmSnapshot
  ) throws -> [String] {
    var problems: [String] = []
    let (group, ident) = (try device.read(), try device.ident())
    // SY4
    switch network.mode {
    case .partition:
      let expected = try StateDigest(of: snapshot.objects, file: .server)
      if try device.digest() != expected {
        problems += try StateDifference.lines(from: snapshot.objects, .server, to: group, ident)
      }
    case .flexible:
      let sets = try device.querySets()
      guard sets.count == 1, sets[0].state == .complete,
        let document = QueryDocument(text: sets[0].text)
      else { return ["subscription sets \(sets)"] }
      let replica = try ViewReplica(snapshot, EffectiveQuery(document.queries), ident)
      if try device.digest() != replica.digest() {
        problems += try StateDifference.lines(from: replica.read(), ident, to: group, ident)
        problems.append("with \(sets[0].text)")
      }
    }
    // SY3: everything that was recorded is at the server, once and in order.
    let stored = entries.filter { $0.file == ident }.map(\.clientVersion)
    if stored != device.written {
      problems.append("the server has \(stored) of \(device.written)")
    }
    // SY1
    let findings = try device.findings()
    if !findings.isEmpty { problems.append("\(findings)") }
    if let history = try device.history() {
      let version = group.snapshot.version
      if try history.hasPendingUploads() { problems.append("uploads are pending") }
      if history.version != version { problems.append("a version without entry") }
      if history.progress.download.serverVersion > snapshot.head.version {
        problems.append("the cursor is ahead of the server")
      }
    }
    return problems
  }
}
