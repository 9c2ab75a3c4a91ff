// SPDX-License-Identifier: Apache-2.0

// Clients and a server that end with equal content, whatever happens between (rules SY4 and SY11).

import RealmReplication
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

@Suite(.serialized) struct PartitionConvergenceTests {
  /// To repeat a failure: `OPENREALM_SEED=<seed> OPENREALM_SEEDS=1`.
  @Test(.heavy, arguments: ConvergenceSeeds.seeds(20))
  func allFilesEndEqual(_ seed: UInt64) async throws {
    var run = try await PartitionRun(seed: seed)
    try await run.play()
    try await run.settle()
    try await run.verify()
  }

  /// New clients come to a realm whose history is trimmed, with objects of their own.
  @Test(.heavy, arguments: ConvergenceSeeds.seeds(20))
  func newClientsOfATrimmedRealmEndEqual(_ seed: UInt64) async throws {
    var run = try await PartitionRun(seed: seed, trims: true)
    for _ in 0..<3 {
      try await run.play()
      try await run.settle()
      // Everybody says what it has.
      try await run.settle()
      try await run.join()
    }
    try await run.settle()
    try await run.verify()
    #expect(await run.server.realm.head.base > 0)
  }
}

/// One schedule of writes, messages, lost connections and restarts.
private struct PartitionRun {
  let seed: UInt64
  var random: SeededGenerator
  let server: TestServer
  var clients: [ModelClient] = []

  init(seed: UInt64, trims: Bool = false) async throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    server = try await TestServer(seed: seed, partByteCount: trims ? 200 : 1 << 19)
    for _ in 0..<(trims ? 2 : 3 + random.number(below: 4)) { try await addClient() }
  }

  private mutating func addClient() async throws {
    let file = try await server.realm.allocateFile(for: "user \(clients.count)")
    let clock = UInt64(1000 + random.number(below: 500))
    let client = try ModelClient(file, clock: clock)
    try client.write { try RandomChanges.makeSchema(in: $0) }
    clients.append(client)
  }

  /// Trims the history, and makes a client that needs it.
  mutating func join() async throws {
    try await server.realm.trim()
    try await addClient()
    let client = clients[clients.count - 1]
    for _ in 0..<random.number(below: 4) {
      try client.write { try RandomChanges.write($0, &random) }
    }
  }

  mutating func play() async throws {
    for _ in 0..<60 {
      let client = random.pick(clients)
      client.clock += UInt64(random.number(below: 40))
      switch random.number(below: 20) {
      case 0: client.disconnect()
      case 1 where random.percent(40):
        try await server.restart()
        for client in clients { client.disconnect() }
      case 2...8:
        try client.write { try RandomChanges.write($0, &random) }
      case 9...13: try await upload()
      default:
        if !client.isOnline { try await client.connect(to: server) }
        let limit = random.pick([1, 200, 1 << 20])
        try await download(client, byteLimit: limit)
      }
    }
  }

  /// Lets some clients upload at once, in one transaction of the server.
  private mutating func upload() async throws {
    var uploads: [Upload] = []
    for client in clients where random.percent(50) {
      if !client.isOnline { try await client.connect(to: server) }
      for _ in 0..<1 + random.number(below: 2) {
        if let upload = try client.upload(limit: random.pick([1, 2, .max])) {
          uploads.append(upload)
        }
      }
    }
    try await integrate(uploads)
    // Some never learn that it went well.
    for client in clients where random.percent(10) { client.disconnect() }
  }

  private func integrate(_ uploads: [Upload]) async throws {
    for outcome in await server.realm.integrate(group: uploads) {
      guard case .integrated = outcome else {
        Issue.record("seed \(seed): \(outcome)")
        return
      }
    }
  }

  private func download(_ client: ModelClient, byteLimit: Int = 1 << 20) async throws {
    let download = try await server.realm.download(
      for: client.identity.ident, after: client.cursor, byteLimit: byteLimit)
    try client.integrate(download)
  }

  /// Brings everything to everybody.
  mutating func settle() async throws {
    for client in clients {
      if !client.isOnline { try await client.connect(to: server) }
      if let upload = try client.upload() { try await integrate([upload]) }
    }
    for client in clients {
      try await download(client)
      // The state of a realm may take several messages.
      while client.cursor.serverVersion < client.latest.version { try await download(client) }
    }
  }

  func verify() async throws {
    let expected = try await server.digest()
    let snapshot = try await server.snapshot()
    for client in clients {
      guard try client.digest() != expected else { continue }
      let lines = try StateDifference.lines(
        from: snapshot.objects, .server, to: try client.read(), client.identity.ident)
      Issue.record("seed \(seed), file \(client.identity.ident.rawValue): \(lines)")
    }
    guard await server.realm.head.base == 0 else { return }
    // Nothing that was confirmed is lost, and nothing is there twice.
    let entries = try await server.entries()
    for client in clients {
      let stored = entries.filter { $0.file == client.identity.ident }.map(\.clientVersion)
      let written = client.history.filter { !$0.bytes.isEmpty }.map(\.version)
      expectEqual(stored, written, "seed \(seed)")
    }
  }
}
