// SPDX-License-Identifier: Apache-2.0

// Devices that write, meet and lose each other, in an order that a seed decides.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import Testing

/// A run of some devices and a server.
struct ConvergenceRun {
  private var random: SeededGenerator
  private var server: PlainServer
  private var sessions: [DeviceSession] = []
  private var time: UInt64 = 10_000
  private let seed: UInt64
  /// Whether writing has ended.
  private var isMeeting = false
  var trace: [String] = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let path = "/server-\(seed).realm"
    server = PlainServer(
      try DatabaseFile.open(
        path: path, options: OpenOptions(isInMemory: true), system: SimulatedFileSystem(),
        registry: FileRegistry()))
    var limits = TurnLimits()
    if random.percent(40) { limits.uncontended = .zero }
    if random.percent(40) { limits.groupByteCount = 100 }
    let count = 2 + random.number(below: 3)
    for index in 0..<count {
      var writer = RandomWriter(seed: random.next())
      writer.erasesSchema = false
      writer.isConvergent = true
      // Of three devices' collections in one mixed value, not all need be equal (P2 D.6).
      writer.makesNestedCollections = count == 2
      writer.suffix = "d\(index)"
      sessions.append(
        DeviceSession(
          device: try TestDevice(limits: limits), suffix: writer.suffix, writer: writer))
    }
  }

  /// Runs the schedule, brings all devices together, and compares them.
  mutating func run(steps: Int) async throws {
    let schemaSeed = random.next()
    for index in sessions.indices {
      var schema = SeededGenerator(seed: schemaSeed)
      setClock(index)
      try sessions[index].device.write { try RandomSchema.make(in: $0, &schema) }
    }
    for _ in 0..<steps { try await step() }
    try await meet()
    try compare()
  }

  private mutating func setClock(_ index: Int) {
    time += UInt64(random.number(below: 3))
    // The devices' clocks differ.
    sessions[index].device.clock.set(time + UInt64(index * random.number(below: 3)))
  }

  // MARK: Steps

  private mutating func step() async throws {
    let index = random.number(below: sessions.count)
    switch random.number(below: 100) {
    case 0..<40: try write(index)
    case 40..<42:
      trace.append("\(index) restarts")
      sessions[index].disconnect()
      try await sessions[index].device.restart()
    case 42..<45:
      trace.append("\(index) is cut off")
      sessions[index].disconnect()
    default:
      guard sessions[index].isOnline || random.percent(10) else { return }
      try await exchange(index, part: random.number(below: 5))
    }
  }

  private mutating func write(_ index: Int) throws {
    setClock(index)
    var writer = sessions[index].writer
    defer { sessions[index].writer = writer }
    let version = try sessions[index].device.write { group in
      try writer.write(group)
    }
    trace.append("\(index) writes version \(version)")
  }

  /// Does one step of a session.
  private mutating func exchange(_ index: Int, part: Int) async throws {
    let device = sessions[index].device
    guard sessions[index].isOnline else { return try await connect(index) }
    guard let ident = sessions[index].ident else { return }
    switch part {
    case 0:
      let batch = try await device.agent.scanUploads(after: sessions[index].scanned)
      guard batch.progress.clientVersion > sessions[index].scanned else { return }
      sessions[index].scanned = batch.progress.clientVersion
      sessions[index].uploads.append(batch)
    case 1:
      guard !sessions[index].uploads.isEmpty else { return }
      let batch = sessions[index].uploads.removeFirst()
      trace.append("\(index) uploads \(batch.entries.map(\.clientVersion))")
      try server.receive(batch, from: ident)
    case 2:
      let limit = random.pick([1, 2, 3, 100])
      let download = try server.download(
        after: sessions[index].sent, limit: limit, for: ident)
      sessions[index].sent = download.cursors.download.serverVersion
      sessions[index].downloads.append(download)
    default:
      guard !sessions[index].downloads.isEmpty else { return }
      let download = sessions[index].downloads.removeFirst()
      let entries = download.entries.map { "\($0.serverVersion) on \($0.clientVersion)" }
      trace.append("\(index) integrates \(entries)")
      if isMeeting || random.percent(70) {
        _ = try await device.agent.integrate(download)
      } else {
        setClock(index)
        let interruption = InterruptingWriter(device, sessions[index].writer)
        try interruption.begin()
        _ = try await device.agent.integrate(download)
        try interruption.end()
        sessions[index].writer = interruption.writer
        trace.append("\(index) writes meanwhile \(interruption.versions)")
      }
    }
  }

  private mutating func connect(_ index: Int) async throws {
    let agent = sessions[index].device.agent
    var state = try await agent.activate()
    if state.ident == .own {
      // The answer may be lost; the server has given an identifier away then.
      let file = server.makeFile()
      if random.percent(20) { return }
      state = try await agent.adoptIdent(file.ident, salt: file.salt)
      trace.append("\(index) is file \(file.ident.rawValue)")
    }
    sessions[index].isOnline = true
    sessions[index].ident = state.ident
    sessions[index].scanned = state.cursors.upload.clientVersion
    sessions[index].sent = state.cursors.download.serverVersion
  }

  // MARK: The end

  private mutating func meet() async throws {
    trace.append("all meet")
    isMeeting = true
    for _ in 0..<3 {
      for index in sessions.indices {
        while !sessions[index].isOnline { try await connect(index) }
        // Uploads, whatever was sent before, then downloads.
        try await exchange(index, part: 0)
        while !sessions[index].uploads.isEmpty { try await exchange(index, part: 1) }
        while !sessions[index].downloads.isEmpty { try await exchange(index, part: 3) }
        while sessions[index].sent < server.head { try await exchange(index, part: 2) }
        try await exchange(index, part: 2)
        while !sessions[index].downloads.isEmpty { try await exchange(index, part: 3) }
      }
    }
  }

  private func compare() throws {
    let expected = try server.digest()
    for (index, session) in sessions.enumerated() {
      let device = session.device
      #expect(try device.digest() == expected, "device \(index) differs, \(hint)")
      #expect(try device.findings() == [], "device \(index), \(hint)")
      let history = try device.history()
      #expect(try !history.hasPendingUploads(), "device \(index), \(hint)")
      #expect(history.progress.download.serverVersion == server.head, "device \(index), \(hint)")
      // SY3: everything that was recorded is at the server, once and in order.
      let file = try #require(session.ident.flatMap { server.files[$0] })
      #expect(file.integrated == device.written, "device \(index), \(hint)")
    }
  }

  private var hint: String { "repeat with OPENREALM_SEED=\(seed) OPENREALM_SEEDS=1" }
}
