// SPDX-License-Identifier: Apache-2.0

// Bootstraps are kept part by part, and shown as a whole.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct BootstrapIntegrationTests {
  static func entries(_ ids: Range<Int64>) -> [DownloadEntry] {
    ids.map { id in
      let bytes = Items.changeset { items in
        if id == 0 { items.addClass() }
        items.create(id)
        items.setText("text \(id)", of: id)
      }
      return DownloadEntry(
        serverVersion: 6, clientVersion: 0, timestamp: OriginTimestamp(milliseconds: 3),
        file: .server, originalByteCount: 10, changeset: bytes)
    }
  }

  static let cursors = SyncCursors(
    download: DownloadCursor(serverVersion: 6, clientVersion: 0),
    upload: UploadCursor(clientVersion: 0, serverVersion: 0),
    latest: SaltedVersion(version: 8, salt: 77))

  /// Makes sets 0 to 2, of which the last is wanted.
  static func makeSets(_ device: TestDevice) throws {
    try device.write { group in
      let store = try SubscriptionStore.make(in: group)
      try store.setState(.complete, of: 0)
      try store.add(1)
      try store.add(2)
    }
  }

  static func states(_ device: TestDevice) throws -> [UInt64: SubscriptionState] {
    let group = try WriteGroup(device.file.beginWrite())
    defer { group.rollback() }
    guard let store = try SubscriptionStore(existingIn: group) else { return [:] }
    var states: [UInt64: SubscriptionState] = [:]
    for version in try store.versions() { states[version] = try store.state(of: version) }
    return states
  }

  private func isStored(_ device: TestDevice) throws -> Bool {
    let group = try WriteGroup(device.file.beginWrite())
    defer { group.rollback() }
    return try BootstrapStore(existingIn: group)?.pending() != nil
  }

  /// `BootstrapStore` 2, `SubscriptionStore` 2
  @Test func partsAreKeptAndShownTogether() async throws {
    let device = try TestDevice()
    try Self.makeSets(device)
    try await device.agent.keepBootstrapPart(Self.entries(0..<3), ofQuery: 2, cursors: nil)
    try expectEqual(Self.states(device), [0: .complete, 1: .pending, 2: .bootstrapping])
    try await expectEqual(device.agent.processBootstrap().queryVersion, nil)
    try await device.agent.keepBootstrapPart(Self.entries(3..<5), ofQuery: 2, cursors: Self.cursors)
    #expect(try Items.texts(device.read()).isEmpty)
    let before = try await device.agent.state()
    expectEqual(before.cursors, SyncCursors())
    let result = try await device.agent.processBootstrap()
    expectEqual(result.queryVersion, 2)
    expectEqual(result.state.cursors, Self.cursors)
    expectEqual(result.state.downloadedByteCount, 50)
    try expectEqual(Items.texts(device.read()).count, 5)
    // Sets of lower versions go.
    try expectEqual(Self.states(device), [2: .awaitingMark])
    #expect(try !isStored(device))
    expectEqual(device.written, [])
    try expectEqual(device.findings(), [])
  }

  /// Integrates a bootstrap: of one message, or kept before.
  private static func integrate(
    _ entries: [DownloadEntry], isKept: Bool, _ bootstraps: inout BootstrapIntegration,
    _ cursors: SyncCursors = cursors
  ) throws(IntegrationError) {
    if isKept {
      try expectEqual(bootstraps.process(), 0)
    } else {
      try bootstraps.integrate(entries, ofQuery: 0, cursors: cursors)
    }
  }

  /// `BootstrapIntegration` 1: each batch is a version with an entry, and only the last is seen.
  @Test(arguments: [false, true])
  func batchesAreVersionsOfWhichTheLastIsSeen(isKept: Bool) throws {
    let device = try TestDevice()
    var bootstraps = BootstrapIntegration(device.file, batchByteCount: 60)
    let entries = Self.entries(0..<9)
    if isKept { try bootstraps.keep(entries, ofQuery: 0, cursors: Self.cursors) }
    let before = device.file.newestVersion
    let seen = Locked<[UInt64]>([])
    let listener = try device.file.onNewVersion { version in seen.withLock { $0.append(version) } }
    try Self.integrate(entries, isKept: isKept, &bootstraps)
    listener.cancel()
    let after = device.file.newestVersion
    expectTrue(after > before + 3)
    expectEqual(seen.withLock { $0 }, [after])
    let history = try device.history()
    expectEqual(history.version, after)
    try expectEqual(history.head(at: after).originFile, 1)
    try expectEqual(Items.texts(device.read()).count, 9)
    try expectEqual(device.findings(), [])
  }

  /// `BootstrapIntegration` 2: were the cursors stored with the first batch, the own entries would
  /// be trimmed before the others.
  @Test(arguments: [false, true], [false, true])
  func ownChangesAreMergedOverAllBatches(_ isAcknowledged: Bool, isKept: Bool) async throws {
    let device = try TestDevice()
    let version = try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "mine", group)
      try Items.append("mine", to: 1, group)
    }
    _ = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1)
    var entries = Self.entries(0..<3)
    for (index, text) in ["x", "y"].enumerated() {
      entries[1 + index].changeset = Items.changeset { items in
        items.create(1)
        items.insert(text, at: UInt32(index), of: 1, priorSize: UInt32(index))
      }
    }
    var cursors = Self.cursors
    if isAcknowledged {
      cursors.download.clientVersion = version
      cursors.upload.clientVersion = version
    }
    var bootstraps = BootstrapIntegration(device.file, batchByteCount: 1)
    if isKept { try bootstraps.keep(entries, ofQuery: 0, cursors: cursors) }
    try Self.integrate(entries, isKept: isKept, &bootstraps, cursors)
    try expectEqual(Items.list(of: 1, device.read()).count, 3)
    #expect(try device.history().hasPendingUploads() != isAcknowledged)
    try expectEqual(device.findings(), [])
  }

  /// All in one message is not stored before it is integrated.
  @Test func oneMessageIsIntegratedAtOnce() async throws {
    let device = try TestDevice()
    try Self.makeSets(device)
    let before = device.file.newestVersion
    var bootstraps = BootstrapIntegration(device.file)
    let report = IntegrationCrashTests.report(at: 6)
    try bootstraps.integrate(
      Self.entries(0..<5), ofQuery: 2, cursors: Self.cursors, reports: [report])
    expectEqual(device.file.newestVersion, before + 1)
    let state = try await device.agent.state()
    expectEqual(state.cursors, Self.cursors)
    expectEqual(state.downloadedByteCount, 50)
    try expectEqual(Items.texts(device.read()).count, 5)
    try expectEqual(Self.states(device), [2: .awaitingMark])
    #expect(try device.read().table(named: "flx_pending_bootstrap") == nil)
    try await expectEqual(device.agent.keptReports().due, [report])
    expectEqual(device.written, [])
    try expectEqual(device.findings(), [])
  }

  /// `BootstrapStore` 1: it takes the place of what is stored.
  @Test func oneMessageDropsTheParts() async throws {
    let device = try TestDevice()
    try Self.makeSets(device)
    var bootstraps = BootstrapIntegration(device.file)
    try bootstraps.keep(Self.entries(0..<3), ofQuery: 1, cursors: nil)
    try bootstraps.integrate(Self.entries(0..<1), ofQuery: 2, cursors: Self.cursors)
    #expect(try !isStored(device))
    try expectEqual(Items.texts(device.read()).count, 1)
    try expectEqual(Self.states(device), [2: .awaitingMark])
  }

  /// `BootstrapStore` 1.
  @Test func aMessageOfAnotherQueryDropsTheParts() async throws {
    let device = try TestDevice()
    try await device.agent.keepBootstrapPart(Self.entries(0..<3), ofQuery: 1, cursors: nil)
    try await device.agent.keepBootstrapPart(Self.entries(0..<2), ofQuery: 2, cursors: Self.cursors)
    try await device.agent.keepBootstrapPart(Self.entries(0..<1), ofQuery: 1, cursors: Self.cursors)
    try await expectEqual(device.agent.processBootstrap().queryVersion, 1)
    try expectEqual(Items.texts(device.read()).count, 1)
  }

  @Test func anUnfinishedOneIsDroppedAtStart() async throws {
    let device = try TestDevice()
    try Self.makeSets(device)
    try await device.agent.keepBootstrapPart(Self.entries(0..<3), ofQuery: 2, cursors: nil)
    try await device.restart()
    #expect(try !isStored(device))
    try expectEqual(Self.states(device)[2], .pending)
  }

  /// One that the server began is of the query whose objects are here: it is no reason to ask for
  /// them again.
  @Test func oneOfTheActiveQueryLeavesItActive() async throws {
    let device = try TestDevice()
    try Self.makeSets(device)
    try await device.agent.keepBootstrapPart(Self.entries(0..<3), ofQuery: 2, cursors: Self.cursors)
    _ = try await device.agent.processBootstrap()
    let later = SyncCursors(
      download: DownloadCursor(serverVersion: 7, clientVersion: 0),
      latest: SaltedVersion(version: 8, salt: 77))
    var entry = Self.entries(3..<4)[0]
    entry.serverVersion = 7
    for state in [SubscriptionState.awaitingMark, .complete] {
      try device.write { try SubscriptionStore.make(in: $0).setState(state, of: 2) }
      try await device.agent.keepBootstrapPart([entry], ofQuery: 2, cursors: nil)
      try expectEqual(Self.states(device), [2: state])
      try await device.restart()
      #expect(try !isStored(device))
      try expectEqual(Self.states(device), [2: state])
    }
    try await device.agent.keepBootstrapPart([entry], ofQuery: 2, cursors: later)
    try await expectEqual(device.agent.processBootstrap().state.cursors, later)
    try expectEqual(Items.texts(device.read()).count, 4)
    try expectEqual(Self.states(device), [2: .awaitingMark])
    try expectEqual(device.findings(), [])
  }

  @Test func aFinishedOneIsIntegratedAtStart() async throws {
    let device = try TestDevice()
    try Self.makeSets(device)
    try await device.agent.keepBootstrapPart(Self.entries(0..<3), ofQuery: 2, cursors: Self.cursors)
    try await device.restart()
    try expectEqual(Items.texts(device.read()).count, 3)
    try expectEqual(Self.states(device), [2: .awaitingMark])
  }

  @Test(arguments: [false, true])
  func oneWithoutEntriesIsComplete(isKept: Bool) async throws {
    let device = try TestDevice()
    try Self.makeSets(device)
    if isKept {
      try await device.agent.keepBootstrapPart([], ofQuery: 2, cursors: Self.cursors)
      try await expectEqual(device.agent.processBootstrap().queryVersion, 2)
    } else {
      var bootstraps = BootstrapIntegration(device.file)
      try bootstraps.integrate([], ofQuery: 2, cursors: Self.cursors)
    }
    try await expectEqual(device.agent.state().cursors, Self.cursors)
    try expectEqual(Self.states(device), [2: .awaitingMark])
  }

  /// `BootstrapIntegration` 1: an error in a later batch undoes the earlier ones.
  @Test func anErrorLeavesNothing() throws {
    let device = try TestDevice()
    try Self.makeSets(device)
    var entries = Self.entries(0..<6)
    entries[4].changeset = Items.changeset { $0.setText("x", of: 99) }
    var bootstraps = BootstrapIntegration(device.file, batchByteCount: 60)
    try bootstraps.keep(entries, ofQuery: 2, cursors: Self.cursors)
    let version = device.file.newestVersion
    for _ in 0..<2 {
      do throws(IntegrationError) {
        _ = try bootstraps.process()
        Issue.record("a bad changeset was integrated")
      } catch {
        expectEqual(error.reportedCode?.rawValue, 212)
      }
      expectEqual(device.file.newestVersion, version)
      #expect(try device.read().table(named: "class_Item") == nil)
      try expectEqual(device.findings(), [])
    }
    // Life goes on.
    try device.write(Items.makeClass)
    expectEqual(device.file.newestVersion, version + 1)
    try expectEqual(Self.states(device)[2], .bootstrapping)
    try expectEqual(device.findings(), [])
    // All in one message leaves the set as it was, too.
    do throws(IntegrationError) {
      try bootstraps.integrate(entries, ofQuery: 1, cursors: Self.cursors)
      Issue.record("a bad changeset was integrated")
    } catch {
      expectEqual(error.reportedCode?.rawValue, 212)
    }
    expectEqual(device.file.newestVersion, version + 1)
    try expectEqual(Self.states(device)[1], .pending)
    try expectEqual(device.findings(), [])
  }

  @Test func whatCannotBeReadOrStoredIsRefusedAtOnce() async throws {
    let device = try TestDevice()
    var entries = Self.entries(0..<1)
    for (bytes, code) in [
      ([0x7F], 212), (Array(repeating: 0, count: BootstrapStore.changesetByteCountMax + 1), 112),
    ] as [([UInt8], Int)] {
      entries[0].changeset = bytes
      do throws(IntegrationError) {
        try await device.agent.keepBootstrapPart(entries, ofQuery: 1, cursors: nil)
        Issue.record("the bytes were stored")
      } catch {
        expectEqual(error.reportedCode?.rawValue, code)
      }
    }
    expectEqual(device.file.newestVersion, 1)
  }
}
