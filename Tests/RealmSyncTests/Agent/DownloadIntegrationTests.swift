// SPDX-License-Identifier: Apache-2.0

// Messages of the steady state become commits (SY3, SY6).

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSync

struct DownloadIntegrationTests {
  private static let item = Items.changeset { items in
    items.addClass()
    items.create(1)
    items.setText("theirs", of: 1)
  }

  private func refusal(
    _ device: TestDevice, _ download: DownloadBatch
  ) async throws -> IntegrationError? {
    do throws(IntegrationError) {
      _ = try await device.agent.integrate(download)
      return nil
    } catch {
      return error
    }
  }

  /// `IntegrationTransaction` 1 and 2.
  @Test func anIntegrationIsOneEntryWithoutChangeset() async throws {
    let device = try TestDevice()
    let download = DownloadBatch.of(
      [Self.item, Items.changeset { $0.setText("b", of: 1) }], from: 4)
    let state = try await device.agent.integrate(download)
    let entry = try device.history().entry(at: state.version)
    expectEqual(entry.changeset, [])
    expectTrue(entry.reciprocal == nil)
    expectEqual(entry.originFile, 7)
    expectEqual(entry.originTimestamp, 501)
    expectEqual(entry.remoteVersion, 5)
    expectEqual(state.version, 2)
    expectEqual(state.cursors, download.cursors)
    try expectEqual(Items.texts(device.read()), [1: "b"])
    #expect(try !device.history().hasPendingUploads())
    try expectEqual(device.findings(), [])
  }

  @Test func bytesAreCounted() async throws {
    let device = try TestDevice()
    try device.write(Items.makeClass)
    let before = try await device.agent.state()
    let version = try device.file.snapshot().version
    let download = DownloadBatch.of([Self.item, Self.item], acknowledged: version)
    let state = try await device.agent.integrate(download)
    expectEqual(state.downloadedByteCount, 20)
    expectEqual(state.downloadableByteCount, 3)
    expectEqual(state.uploadedByteCount, before.uploadableByteCount)
    expectEqual(state.uploadableByteCount, before.uploadableByteCount)
  }

  @Test func aMessageWithoutEntriesIsACommit() async throws {
    let device = try TestDevice()
    let version = try device.write(Items.makeClass)
    let cursors = SyncCursors(
      download: DownloadCursor(serverVersion: 8, clientVersion: version),
      upload: UploadCursor(clientVersion: version, serverVersion: 8),
      latest: SaltedVersion(version: 9, salt: 1))
    let state = try await device.agent.integrate(DownloadBatch(cursors: cursors))
    expectEqual(state.cursors, cursors)
    expectEqual(state.version, version + 1)
    #expect(try device.history().head(at: state.version).isLocal)
  }

  @Test func acknowledgedEntriesAreTrimmed() async throws {
    let device = try TestDevice()
    try device.write(Items.makeClass)
    let version = try device.write { try Items.put(1, "a", $0) }
    try device.write { try Items.put(2, "b", $0) }
    _ = try await device.agent.integrate(.of([Self.item], base: version))
    try expectEqual(device.history().base, version)
  }

  /// `OwnEntries` 1: the second message meets what the first left of the own changeset.
  @Test func laterMessagesMeetTheReciprocal() async throws {
    let device = try TestDevice()
    try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    let state = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1)
    let base = state.version
    try device.write { try Items.append("mine", to: 1, $0) }
    func insertion(_ text: String, _ index: UInt32) -> [UInt8] {
      Items.changeset { $0.insert(text, at: index, of: 1, priorSize: index) }
    }
    _ = try await device.agent.integrate(.of([insertion("x", 0)], from: 1, base: base))
    _ = try await device.agent.integrate(.of([insertion("y", 1)], from: 2, base: base))
    let list = try Items.list(of: 1, device.read())
    expectEqual(Set(list), [.string("mine"), .string("x"), .string("y")])
    expectEqual(list.count, 3)
    let history = try device.history()
    let version = try #require(device.written.last)
    let bytes = try #require(try history.reciprocal(at: version))
    let changeset = try ChangesetParser.parse(StoredChangesetFraming.decode(bytes))
    let line = changeset.instructions.map(changeset.line).first ?? ""
    expectTrue(line.hasSuffix("prior 2"), "\(line)")
  }

  /// `OwnEntries` 2: changesets of two bases meet one own changeset, in one commit.
  @Test func groupsOfAMessageMeetTheSameOwnChangeset() async throws {
    var limits = TurnLimits()
    limits.uncontended = .seconds(600)
    let device = try TestDevice(limits: limits)
    try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    let first = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1).version
    let second = try device.write { try Items.put(2, "b", $0) }
    let version = try device.write { try Items.append("mine", to: 1, $0) }
    var download = DownloadBatch.of(
      (0..<2 as Range<UInt32>).map { index in
        Items.changeset { $0.insert("x", at: index, of: 1, priorSize: index) }
      }, base: second)
    download.entries[0].clientVersion = first
    try await expectEqual(device.agent.integrate(download).version, version + 1)
    try expectEqual(Items.list(of: 1, device.read()).count, 3)
    let bytes = try #require(try device.history().reciprocal(at: version))
    let changeset = try ChangesetParser.parse(StoredChangesetFraming.decode(bytes))
    let line = changeset.instructions.map(changeset.line).first ?? ""
    expectTrue(line.hasSuffix("prior 2"), "\(line)")
  }

  /// `OwnEntries` 3: a message that fails leaves nothing of what it merged.
  @Test func aFailedMessageLeavesTheKeptEntries() async throws {
    let device = try TestDevice()
    try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    let base = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1).version
    try device.write { try Items.append("mine", to: 1, $0) }
    func insertion(_ text: String, _ index: UInt32, prior: UInt32) -> [UInt8] {
      Items.changeset { $0.insert(text, at: index, of: 1, priorSize: prior) }
    }
    let good = insertion("x", 0, prior: 0)
    _ = try await device.agent.integrate(.of([good], from: 1, base: base))
    let second = insertion("y", 1, prior: 1)
    let bad = insertion("z", 9, prior: 9)
    #expect(try await refusal(device, .of([second, bad], from: 2, base: base)) != nil)
    // An own entry that came meanwhile is merged with too.
    try device.write { try Items.append("new", to: 1, $0) }
    _ = try await device.agent.integrate(.of([second], from: 2, base: base))
    let list = try Items.list(of: 1, device.read())
    expectEqual(
      Set(list), [.string("mine"), .string("new"), .string("x"), .string("y")] as Set<TableValue>)
    let history = try device.history()
    let sizes = try device.written.suffix(2).map { version in
      let bytes = try #require(try history.reciprocal(at: version))
      let changeset = try ChangesetParser.parse(StoredChangesetFraming.decode(bytes))
      return changeset.instructions.map(changeset.line).first?.suffix(7)
    }
    expectEqual(sizes, ["prior 2", "prior 3"])
  }

  /// `IntegrationTransaction` 3.
  @Test func cursorsThatGoBackAreRefused() async throws {
    let device = try TestDevice()
    for id in 0..<6 as Range<Int64> {
      try device.write { group in
        if id == 0 { try Items.makeClass(group) }
        try Items.put(id, "a", group)
      }
    }
    let good = SyncCursors(
      download: DownloadCursor(serverVersion: 8, clientVersion: 3),
      upload: UploadCursor(clientVersion: 4, serverVersion: 7),
      latest: SaltedVersion(version: 9, salt: 1))
    let state = try await device.agent.integrate(DownloadBatch(cursors: good))
    let numbers: [WritableKeyPath<SyncCursors, UInt64>] = [
      \.download.serverVersion, \.download.clientVersion, \.upload.serverVersion,
      \.upload.clientVersion, \.latest.version,
    ]
    for number in numbers {
      for change in [-1, .min] as [Int64] {
        var bad = good
        bad[keyPath: number] = bad[keyPath: number] &+ UInt64(bitPattern: change)
        let error = try await refusal(device, DownloadBatch(cursors: bad))
        expectEqual(error?.reportedCode?.rawValue, 233, "\(number) by \(change)")
      }
    }
    for change in [
      { $0.upload.clientVersion = 100 }, { $0.download.clientVersion = 5 },
      { $0.download.serverVersion = 10 },
    ] as [(inout SyncCursors) -> Void] {
      var bad = good
      change(&bad)
      try await expectEqual(
        refusal(device, DownloadBatch(cursors: bad))?.reportedCode?.rawValue, 233)
    }
    try await expectEqual(device.agent.state(), state)
    // A server version of 0 is none.
    var unsaid = good
    unsaid.upload.serverVersion = 0
    let next = try await device.agent.integrate(DownloadBatch(cursors: unsaid))
    expectEqual(next.cursors, good)
  }

  @Test func entriesThatContradictTheirMessageAreRefused() async throws {
    let device = try TestDevice()
    let base = try device.write(Items.makeClass)
    _ = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1)
    let state = try await device.agent.state()
    let good = DownloadBatch.of([Self.item, Self.item], from: 3, base: base)
    for change in [
      { $0.entries[1].serverVersion = 2 }, { $0.entries[1].serverVersion = 5 },
      { $0.entries[1].clientVersion = base - 1 }, { $0.entries[1].clientVersion = base + 1 },
      { $0.entries[0].file = .own }, { $0.entries[0].file = FileIdentifier(9) },
      { $0.entries[0].file = FileIdentifier(.max) },
    ] as [(inout DownloadBatch) -> Void] {
      var bad = good
      change(&bad)
      try await expectEqual(refusal(device, bad)?.reportedCode?.rawValue, 233)
    }
    try await expectEqual(device.agent.state(), state)
    _ = try await device.agent.integrate(good)
  }

  @Test func badChangesetsLeaveNothing() async throws {
    let device = try TestDevice()
    try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    let state = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1)
    try device.write { try Items.append("mine", to: 1, $0) }
    let before = try await device.agent.state()
    let digest = try device.digest()
    let good = Items.changeset { $0.create(8) }
    for bad in [
      // Unreadable; of a class that is not there; in contradiction to the own insertion.
      [0x7F], Items.changeset { $0.setText("x", of: 99) },
      Items.changeset { $0.insert("x", at: 4, of: 1, priorSize: 4) },
    ] {
      let error = try await refusal(device, .of([good, bad], base: state.version))
      expectEqual(error?.reportedCode?.rawValue, 212, "\(String(describing: error))")
    }
    try await expectEqual(device.agent.state(), before)
    try expectEqual(device.digest(), digest)
    try expectEqual(device.findings(), [])
  }

  /// `DownloadIntegration` 1: a changeset that cannot be read is refused while another writes.
  @Test func changesetsAreReadWithoutTheRightToWrite() async throws {
    let device = try TestDevice()
    let other = try device.file.beginWrite()
    defer { other.rollback() }
    try await expectEqual(refusal(device, .of([[0x7F]]))?.reportedCode?.rawValue, 212)
  }

  /// Own instructions that have no effect any more are reported once, with the version of the
  /// server; those that a refused message would have dropped are not.
  @Test(arguments: [false, true]) func whatAMergeDropsIsReported(isLater: Bool) async throws {
    let device = try TestDevice()
    device.clock.set(1)
    try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    let base = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1).version
    device.clock.set(isLater ? 2_000 : 1)
    try device.write { try Items.put(1, "mine", $0) }
    let theirs = Items.changeset { $0.setText("theirs", of: 1) }
    let bad = Items.changeset { $0.setText("x", of: 99) }
    #expect(try await refusal(device, .of([theirs, bad], from: 3, base: base)) != nil)
    expectEqual(device.losses.withLock { $0 }, [])
    _ = try await device.agent.integrate(.of([theirs], from: 3, base: base))
    try expectEqual(Items.texts(device.read()), [1: isLater ? "mine" : "theirs"])
    let loss = UploadLoss(instructionCount: 1, serverVersion: 3)
    expectEqual(device.losses.withLock { $0 }, (isLater ? [] : [loss]))
    _ = try await device.agent.integrate(.of([theirs], from: 4, base: base))
    expectEqual(device.losses.withLock { $0.count }, (isLater ? 0 : 1))
  }

  // MARK: Turns

  private func changesets(_ count: Int) -> [[UInt8]] {
    [Self.item]
      + (1..<Int64(count)).map { id in
        Items.changeset { items in
          items.create(id)
          items.setText("text", of: id)
        }
      }
  }

  private static let shortTurns: TurnLimits = {
    var limits = TurnLimits()
    limits.uncontended = .zero
    return limits
  }()

  /// `DownloadIntegration` 2.
  @Test func aTurnEndsBetweenChangesets() async throws {
    let device = try TestDevice(limits: Self.shortTurns)
    let state = try await device.agent.integrate(.of(changesets(5), from: 11))
    let history = try device.history()
    expectEqual(state.version, 6)
    expectEqual(history.version, 6)
    try expectEqual(history.head(at: 6).remoteVersion, 15)
    expectEqual(state.cursors.download.serverVersion, 15)
  }

  /// `IntegrationTransaction` 3: a message may have entries of older bases than the file's cursor,
  /// and end in the middle. The client version then stays.
  @Test func cursorsDoNotGoBackInTheMiddleOfAMessage() async throws {
    let device = try TestDevice(limits: Self.shortTurns)
    try device.write(Items.makeClass)
    _ = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1)
    let old = try device.write { try Items.put(1, "a", $0) }
    let base = try device.write { try Items.put(2, "b", $0) }
    let before = try await device.agent.integrate(.of([Self.item], from: 3, base: base)).cursors
    expectEqual(before.download, DownloadCursor(serverVersion: 3, clientVersion: base))
    var download = DownloadBatch.of(
      [Items.changeset { $0.create(5) }, Items.changeset { $0.setText("x", of: 99) }], from: 4,
      base: base)
    for index in download.entries.indices { download.entries[index].clientVersion = old }
    #expect(try await refusal(device, download) != nil)
    try await device.restart()
    let cursors = try await device.agent.state().cursors
    expectEqual(cursors.download, DownloadCursor(serverVersion: 4, clientVersion: base))
    expectFalse(cursors.goesBack(from: before))
    // What is left of the message comes again.
    download.entries[1].changeset = Items.changeset { $0.setText("x", of: 5) }
    download.entries.removeFirst()
    let after = try await device.agent.integrate(download)
    expectEqual(after.cursors, download.cursors)
    try expectEqual(Items.texts(device.read()), [1: "theirs", 2: "b", 5: "x"])
    try expectEqual(device.findings(), [])
  }

  /// `DownloadIntegration` 3.
  @Test func aTurnLastsWhileAnOwnChangesetIsAltered() async throws {
    let device = try TestDevice(limits: Self.shortTurns)
    try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    let state = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1)
    try device.write { try Items.append("mine", to: 1, $0) }
    let before = try await device.agent.state().version
    let incoming = (0..<4 as Range<UInt32>).map { index in
      Items.changeset { $0.insert("x\(index)", at: index, of: 1, priorSize: index) }
    }
    let after = try await device.agent.integrate(.of(incoming, base: state.version))
    expectEqual(after.version, before + 1)
  }

  /// `DownloadIntegration` 3: what the first changeset alters, the second takes back.
  @Test func aTurnLastsWhileAnOwnChangesetIsAlteredInBetween() async throws {
    let device = try TestDevice(limits: Self.shortTurns)
    try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    let state = try await device.agent.adoptIdent(FileIdentifier(9), salt: 1)
    try device.write { try Items.append("mine", to: 1, $0) }
    let incoming = [
      Items.changeset { $0.insert("x", at: 0, of: 1, priorSize: 0) },
      Items.changeset { $0.removeElement(at: 0, of: 1, priorSize: 1) },
    ]
    _ = try await device.agent.integrate(.of(incoming, base: state.version))
    try expectEqual(Items.list(of: 1, device.read()), [.string("mine")])
  }

  @Test func aTurnDoesNotEndWithinAServerVersion() async throws {
    let device = try TestDevice(limits: Self.shortTurns)
    var download = DownloadBatch.of(changesets(4), from: 11)
    for index in download.entries.indices { download.entries[index].serverVersion = 14 }
    try await expectEqual(device.agent.integrate(download).version, 2)
  }

  /// SY12: a local writer waits for one turn at most, and a turn is much shorter than 20 ms.
  @Test func writersThatWaitGoFirst() async throws {
    var limits = TurnLimits()
    limits.byteCount = 0
    limits.uncontended = .seconds(100)
    let device = try TestDevice(limits: limits)
    let blocker = try device.file.beginWrite()
    let agent = device.agent
    let download = DownloadBatch.of(changesets(40))
    let integration = Task { try await agent.integrate(download) }
    while device.file.writers.waiterCount == 0 { try? await Task.sleep(for: .milliseconds(1)) }
    // A second writer waits behind the integration.
    let file = device.file
    let second = Task.detached { () throws -> UInt64 in
      try await withCheckedThrowingContinuation { continuation in
        _ = BackgroundThread.start(named: "writer") {
          do {
            let snapshot = try file.beginWrite().commit(changeset: [])
            continuation.resume(returning: snapshot.version)
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    }
    while device.file.writers.waiterCount < 2 { try? await Task.sleep(for: .milliseconds(1)) }
    blocker.rollback()
    let last = try await integration.value.version
    #expect(try await second.value < last)
    expectTrue(TurnLimits().contended <= .milliseconds(5))
    try expectEqual(Items.texts(device.read()).count, 39)
  }
}
