// SPDX-License-Identifier: Apache-2.0

// Devices and a server that meet and lose each other, in an order that a seed decides.
//
// What runs leave out has tests of its own:
// - classes and properties that a device erases: `IntegrationTests.classesAreNotErased`, and
//   `RecoveryTests.anErasedClassFailsOrDiscards` for resets;
// - turns that time ends, which would make runs differ: `DownloadIntegrationTests`;
// - disks that lose what was not synced, or fail: `IntegrationCrashTests`, `ResetCrashTests`,
//   `ResetFaultTests`, `StoreContractTests`;
// - several files of a program on one connection: `ClientDriverTests`; several agents of a file:
//   `SyncAgentTests`;
// - files that another server synchronised: `FileAdoptionTests`, `AdoptionCrashTests`;
// - clocks that are wrong by more than milliseconds: `RecordedWriteTests`, and storms;
// - hidden properties: see `RunRules`.

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
  var random: SeededGenerator
  private var programs: [DeviceProgram] = []
  private var time: UInt64 = 1_000_000
  /// The rules; nil where each user has all.
  let rules: RunRules?
  /// Whether the server is restored from backups, trims its history, and refuses files.
  let isRestorable: Bool
  /// The backups of the server.
  var backups: [SimulatedFiles]
  var counts = RunCounts()

  /// - Parameter isRestored: Whether the server is restored in any case.
  init(seed: UInt64, mode: SyncMode, isRestored: Bool = false) async throws {
    random = SeededGenerator(seed: seed)
    let ruleSeed = random.next()
    let rules = random.percent(60) ? RunRules(mode, seed: ruleSeed) : nil
    let isRestorable = random.percent(60) || isRestored
    (self.rules, self.isRestorable) = (rules, isRestorable)
    // At times there is a backup of a server without any realm.
    backups = random.percent(20) && isRestorable ? [SimulatedFiles()] : []
    var (server, client) = (ServerConnectionMachine.Limits(), ClientMachine.Limits())
    // What waits reaches its limits in half of the runs.
    if random.percent(50) {
      (server.heldByteCount, server.outputByteCount) = (400, 400)
      (client.waitingByteCount, client.outputByteCount) = (400, 400)
    }
    // UPLOADs wait for room in many runs: what devices write is small.
    server.plainUploadByteCount = random.pick([0, 100, 64 << 10])
    let networkSeed = random.next()
    let downloadByteCount = random.pick([1, 300, 128 << 10])
    let partByteCount = random.pick([1, 1 << 20])
    network = SyncNetwork(
      mode: mode, seed: networkSeed,
      limits: SessionLimits(
        downloadByteCount: downloadByteCount, bootstrapByteCount: partByteCount,
        roundByteCount: partByteCount),
      connectionLimits: server, clientLimits: client, mayRefuse: rules != nil || isRestorable)
    if let access = try rules?.draw() { await network.setAccess(access) }
    let changesSchema = random.percent(20) && rules == nil || !network.mayRefuse
    // What is written to objects without primary key cannot be taken back one by one.
    let writesNotes = random.percent(15) || rules == nil
    let start = try StartFile.file(mode, number: random.number(below: StartFile.count))
    for index in 0..<random.pick([2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 5, 6]) {
      var limits = TurnLimits()
      // A turn that time ends would make runs differ.
      limits.uncontended = random.percent(30) ? .zero : .seconds(3600)
      if random.percent(30) { limits.groupByteCount = 100 }
      let number = mode == .flexible && random.percent(25) ? 12 : ProtocolVersion.newest
      let device = try network.addDevice(
        named: "device \(index)", of: random.pick(RunRules.users), protocolNumber: number,
        limits: limits, contents: start.contents)
      device.resetMode = random.pick([
        .recover, .recover, .recover, .recoverOrDiscard, .recoverOrDiscard, .recoverOrDiscard,
        .discard, .discard, nil,
      ])
      let program = DeviceProgram(
        device, index: index, seed: random.next(), focus: start.focus)
      programs.append(program)
      (program.changesSchema, program.writesNotes) = (changesSchema, writesNotes)
      setClock(of: device)
      try program.start()
      device.onNewFile = program.start
      // Users who may not write declare nothing that is new.
      if index == 0, rules != nil { try network.server.declare(device.read()) }
      device.afterCommit = program.interrupt
    }
  }

  // MARK: Steps

  mutating func play(steps: Int) async throws {
    for _ in 0..<steps {
      var index = random.number(below: network.devices.count)
      // Resets take many steps.
      if random.percent(50), let busy = network.devices.firstIndex(where: { $0.isResetting }) {
        index = busy
      }
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
      case 52..<60: try await makeTrouble(with: device)
      default: _ = await network.proceed(device)
      }
    }
  }

  /// Plays a whole run. In some all devices meet in the middle, and the server comes apart from
  /// devices that it knows well.
  mutating func play() async throws {
    guard random.percent(network.mayRefuse ? 40 : 10) else { return try await play(steps: 200) }
    try await play(steps: 60)
    if let rules { await network.setAccess(try rules.draw(isLast: true)) }
    for device in network.devices { network.setOnline(true, device) }
    // Programs that write meanwhile what is refused would begin with new files again and again.
    for program in programs { program.isEnding = true }
    guard try await network.settle() else { return }
    for program in programs { program.isEnding = false }
    if isRestorable { backups.append(try network.backUp()) }
    for _ in 0..<random.number(below: 4) { try await makeTrouble(with: network.devices[0]) }
    try await play(steps: 100)
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

  /// Devices that write to a handful of objects while they are offline, and come back one after the
  /// other to a server that was restored: what each makes again meets what the others have made.
  mutating func playRestored() async throws {
    try await play(steps: 30)
    for round in 1...2 {
      guard try await meet() else { return }
      let backup = try network.backUp()
      // What the backup does not have.
      for (device, program) in zip(network.devices, programs) {
        setClock(of: device)
        try program.write()
      }
      guard try await meet() else { return }
      for (device, program) in zip(network.devices, programs) {
        network.setOnline(false, device)
        // Others than there were.
        program.keys = 3 * round + 5..<3 * round + 8
        for _ in 0..<2 + random.number(below: 5) {
          setClock(of: device)
          if random.percent(70) { try program.writeThing() } else { try program.write() }
        }
      }
      try await network.restore(backup)
      counts.restores += 1
      for index in network.devices.indices.shuffled(using: &random) {
        network.setOnline(true, network.devices[index])
        guard random.percent(70) else { continue }
        guard try await meet(isWhole: false) else { return }
      }
    }
  }

  /// Lets the devices come to an end of their messages.
  ///
  /// - Parameter isWhole: Whether all of them do.
  private mutating func meet(isWhole: Bool = true) async throws -> Bool {
    for (device, program) in zip(network.devices, programs) {
      if isWhole { network.setOnline(true, device) }
      program.isEnding = true
    }
    defer { for program in programs { program.isEnding = false } }
    return try await network.settle()
  }

  private mutating func setClock(of device: SimulatedDevice) {
    time += UInt64(random.number(below: 3))
    // The devices' clocks differ.
    device.clock.set(time + UInt64(random.number(below: 4)))
    network.server.clock.set(time)
  }

  /// Lets the server's clock go on.
  mutating func letTimePass() {
    time += 10
    network.server.clock.set(time)
  }

  // MARK: The end

  /// Brings all together and returns what is wrong then.
  mutating func finish() async throws -> [String] {
    if let rules { await network.setAccess(try rules.draw(isLast: true)) }
    for (device, program) in zip(network.devices, programs) {
      network.setOnline(true, device)
      program.isEnding = true
    }
    var problems: [String] = []
    if try await !network.settle() { problems.append("there is no end") }
    problems += network.problems
    for device in network.devices {
      counts.note(device)
      problems += unexpectedFailures(of: device)
    }
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
    // SY4; in partition mode the network has compared the contents when it settled.
    if network.mode == .flexible {
      let sets = try device.querySets()
      guard sets.count == 1, sets[0].state == .complete,
        let document = QueryDocument(text: sets[0].text)
      else { return ["subscription sets \(sets)"] }
      var query = EffectiveQuery(document.queries)
      if let filters = rules?.filters(of: device.user) {
        for name in query.conditions.keys { query.filters[name] = filters[name] }
      }
      let replica = try ViewReplica(snapshot, query, ident)
      if try device.digest() != replica.digest() {
        problems += try StateDifference.lines(from: replica.read(), ident, to: group, ident)
        problems.append("with \(sets[0].text) and \(query.filters)")
      }
    }
    problems += try lostChanges(of: device, ident, entries, snapshot)
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
