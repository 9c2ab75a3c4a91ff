// SPDX-License-Identifier: Apache-2.0

// Clients with queries that end with what they see of the server's content.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

@Suite(.serialized) struct FlexibleConvergenceTests {
  /// `Round` 1. To repeat a failure: `OPENREALM_SEED=<seed> OPENREALM_SEEDS=1`.
  @Test(.heavy, arguments: ConvergenceSeeds.seeds(30))
  func allFilesEndWithTheirViews(_ seed: UInt64) async throws {
    var run = try await FlexibleRun(seed: seed)
    try await run.play()
    try await run.settle()
    try await run.verify()
  }

  /// Where it would take too long to find what a client had, nothing counts as had.
  @Test(.heavy, arguments: ConvergenceSeeds.seeds(10))
  func allFilesEndWithTheirViewsWhereNothingIsLookedFor(_ seed: UInt64) async throws {
    try await UnseenObjects.$comparisonCountMax.withValue(0) {
      var run = try await FlexibleRun(seed: seed + 10_000)
      try await run.play()
      try await run.settle()
      try await run.verify()
    }
  }
}

/// One schedule of writes, messages, queries, lost connections and restarts.
private struct FlexibleRun {
  private final class Device {
    let client: ModelClient
    var query = EffectiveQuery()
    var hasSchema = false

    init(_ client: ModelClient) { self.client = client }

    var ident: FileIdentifier { client.identity.ident }
  }

  let seed: UInt64
  var random: SeededGenerator
  let server: TestServer
  let scratch: ViewScratch
  private var devices: [Device] = []

  init(seed: UInt64) async throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    scratch = try ViewScratch()
    server = try await TestServer(seed: seed, recordsTouches: true)
    for number in 0..<3 + random.number(below: 3) {
      let file = try await server.realm.allocateFile(for: "user \(number)")
      let client = try ModelClient(file, clock: UInt64(1000 + random.number(below: 500)))
      try client.write { try RandomChanges.makeSchema(in: $0) }
      devices.append(Device(client))
    }
  }

  private mutating func makeQuery() -> EffectiveQuery {
    var query = EffectiveQuery()
    let bound = random.number(below: 60)
    query.conditions["Thing"] = random.pick([
      "TRUEPREDICATE", "count > \(bound)", "count <= \(bound)", "ANY numbers > \(bound)",
      "(name BEGINSWITH \"x\" or count == 0)", "!(count > \(bound))", "tags.@count > 1",
      // Each names the values of what it selects (`MissedChanges` 2).
      "count == 0", "count IN {0, 1, 2, 3, 4, 5, 6, 7, 8}", "id == \"t1\" or id == \"t4\"",
      "count == 0 and name BEGINSWITH \"x\"",
    ])
    if random.percent(60) {
      query.conditions["Note"] = random.pick(["TRUEPREDICATE", "text < \"n25\""])
    }
    return query
  }

  mutating func play() async throws {
    for _ in 0..<70 {
      let device = random.pick(devices)
      let client = device.client
      client.clock += UInt64(random.number(below: 40))
      server.advance(UInt64(random.number(below: 40)))
      switch random.number(below: 20) {
      case 0: client.disconnect()
      case 1 where random.percent(40):
        try await server.restart()
        for device in devices { device.client.disconnect() }
      case 2...8: try write(device)
      case 9...13: try await upload()
      case 14: try await download(device, next: makeQuery())
      default: try await download(device)
      }
    }
  }

  private mutating func write(_ device: Device) throws {
    try device.client.write { try RandomChanges.write($0, &random) }
  }

  private func connect(_ device: Device) async throws {
    if !device.client.isOnline { try await device.client.connect(to: server) }
    guard !device.hasSchema else { return }
    device.hasSchema = true
    let bootstrap = try await server.realm.schemaBootstrap(for: device.ident).batch()
    expectFalse(bootstrap.entries.isEmpty)
    try device.client.integrate(bootstrap)
  }

  private mutating func upload() async throws {
    var uploads: [Upload] = []
    for device in devices where random.percent(50) {
      if !device.client.isOnline { try await device.client.connect(to: server) }
      if var upload = try device.client.upload(limit: random.pick([1, 2, .max])) {
        upload.query = device.query
        uploads.append(upload)
      }
    }
    try await integrate(uploads)
    for device in devices where random.percent(10) { device.client.disconnect() }
  }

  private func integrate(_ uploads: [Upload]) async throws {
    for (upload, outcome) in zip(uploads, await server.realm.integrate(group: uploads)) {
      try trace(upload)
      guard outcome.code != nil else { continue }
      Issue.record("seed \(seed): \(outcome)")
    }
  }

  /// Prints what a run does if `OPENREALM_TRACE` is set.
  private func trace(_ line: @autoclosure () -> String) {
    if ConvergenceSeeds.isTraced { print(line()) }
  }

  private func trace(_ upload: Upload) throws {
    trace("file \(upload.file.rawValue) uploads")
    for entry in upload.entries {
      let changeset = try ChangesetParser.parse(entry.changeset)
      trace("  \(entry.clientVersion) based on \(entry.serverVersion): \(changeset)")
    }
  }

  private mutating func download(
    _ device: Device, next: EffectiveQuery? = nil
  ) async throws {
    try await connect(device)
    let answer = try await server.realm.view(
      for: device.ident, after: device.client.cursor, query: device.query, next: next,
      scratch: scratch)
    let download = try answer.get()
    for part in [download.round] + (try download.bootstrap.map { [try $0.batch()] } ?? []) {
      trace("file \(device.ident.rawValue) is sent \(part.cursors.download)")
      for entry in part.entries {
        let changeset = try ChangesetParser.parse(entry.changeset)
        trace("  \(entry.serverVersion) after \(entry.clientVersion): \(changeset)")
      }
    }
    // What is computed and never arrives is computed again.
    if random.percent(15) { return device.client.disconnect() }
    try device.client.integrate(download.round)
    guard let due = download.bootstrap, let next else { return }
    // The client may write before a bootstrap arrives.
    if random.percent(20) { try write(device) }
    if random.percent(15) { return device.client.disconnect() }
    // It is written now, of the version that was the newest before.
    let bootstrap = try due.batch()
    expectFalse(bootstrap.entries.isEmpty)
    try device.client.integrate(bootstrap)
    device.query = next
  }

  mutating func settle() async throws {
    for device in devices {
      try await connect(device)
      if let upload = try device.client.upload() { try await integrate([upload]) }
    }
    for device in devices {
      let answer = try await server.realm.view(
        for: device.ident, after: device.client.cursor, query: device.query,
        scratch: scratch)
      try device.client.integrate(try answer.get().round)
    }
  }

  /// Each device has what a new one with its query would get.
  func verify() async throws {
    let snapshot = try await server.snapshot()
    for device in devices {
      let client = device.client
      let replica = try ModelClient(client.identity, clock: 0)
      let view = try View.bind(device.query, to: snapshot.objects).get()
      let timestamp = OriginTimestamp(milliseconds: 0)
      for bootstrap in [
        try Bootstrap.schema(
          Bootstrap.Basis(snapshot, at: DownloadCursor(serverVersion: 0), timestamp: timestamp)),
        try Bootstrap.change(
          from: nil, to: view,
          Bootstrap.Basis(
            snapshot, at: DownloadCursor(serverVersion: snapshot.head.version),
            timestamp: timestamp)),
      ] {
        try replica.integrate(
          DownloadBatch(
            entries: try bootstrap.allEntries(),
            cursors: SyncCursors(bootstrap.cursors.download, snapshot.head, client.identity)))
      }
      guard try replica.digest() != client.digest() else { continue }
      let lines = try StateDifference.lines(
        from: replica.read(), client.identity.ident, to: client.read(), client.identity.ident)
      Issue.record("seed \(seed), file \(device.ident.rawValue), \(device.query): \(lines)")
    }
  }
}
