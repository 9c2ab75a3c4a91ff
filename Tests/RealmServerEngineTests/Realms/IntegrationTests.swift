// SPDX-License-Identifier: Apache-2.0

// The integration of uploads (P4 A.5), rule by rule.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct IntegrationTests {
  // MARK: Limits

  private func integration(
    _ idents: [UInt64], _ limits: Integration.Limits = Integration.Limits()
  ) -> Integration {
    var base = MergeBase(history: HistoryWindow(base: 0), trimmed: 0)
    for ident in idents.map({ FileIdentifier($0) }) {
      let file = ClientFile(
        ident: ident, salt: 1, user: "u", lastSeen: OriginTimestamp(milliseconds: 1))
      base.files[ident] = ClientHistory(file: file, reciprocals: [:], privates: [:])
    }
    return Integration(base, transformer: Transformer(), workMax: limits.work)
  }

  private func refusal(
    _ integration: inout Integration, _ file: UInt64, _ changesets: [[UInt8]],
    _ limits: Integration.Limits = Integration.Limits()
  ) -> SessionRefusal? {
    let client = ClientFile(
      ident: FileIdentifier(file), salt: 1, user: "u", lastSeen: OriginTimestamp(milliseconds: 1))
    var attempt = UploadAttempt(Upload(client, changesets, from: 1))
    attempt.read(limits)
    do throws(MergeStop) {
      try integration.add(attempt, now: OriginTimestamp(milliseconds: 2))
    } catch {
      if case .refused(let refusal) = error { return refusal }
      Issue.record("\(error)")
    }
    return nil
  }

  /// `Integration` 1
  @Test func anUploadHasALimitOfInstructions() {
    let limits = Integration.Limits(instructionCount: 5)
    var integration = integration([2])
    let changeset = ChangesetText.create("a", count: 1)
    let three = [changeset, changeset, changeset]
    expectEqual(refusal(&integration, 2, three, limits)?.code, .badChangeset)
    expectEqual(integration.history.end, 0)
    expectTrue(integration.entries.isEmpty)
    expectEqual(refusal(&integration, 2, [changeset, changeset], limits), nil)
  }

  @Test func anUploadHasALimitOfChangesets() {
    let limits = Integration.Limits(entryCount: 2)
    var integration = integration([2])
    let changeset = ChangesetText.create("a", count: 1)
    let three = [changeset, changeset, changeset]
    expectEqual(refusal(&integration, 2, three, limits)?.code, .badChangeset)
    expectEqual(refusal(&integration, 2, [changeset, changeset], limits), nil)
  }

  /// An upload of 61 KiB with 4,000 properties took an app's thread for half a minute.
  @Test func aClassHasALimitOfProperties() async throws {
    let server = try await TestServer()
    let file = try await server.realm.allocateFile(for: "u")
    await expectEqual(server.realm.integrate(Upload(file, [Text.schema()], from: 1)).code, nil)
    func upload(_ count: Int) async -> UploadOutcome {
      var encoder = ChangesetEncoder()
      let thing = encoder.intern("Thing")
      for number in 0..<count {
        let field = encoder.intern("p\(number)")
        encoder.append(
          .addColumn(
            .init(table: thing, field: field, type: .int, isNullable: false, collection: .single)))
      }
      return await server.realm.integrate(Upload(file, [encoder.bytes], from: 2, base: 0))
    }
    await expectEqual(upload(4_000).code, .invalidSchemaChange)
    await expectEqual(upload(900).code, nil)
  }

  /// Two lists that meet take the product of their lengths. `Integration` 1: what was merged of the
  /// refused upload is gone.
  @Test func anUploadHasALimitOfWork() {
    let changesets = (0..<40).map { ChangesetText.insert("a", 1, priorSize: UInt32($0)) }
    var integration = integration([2, 3], Integration.Limits(work: 8 * 1000))
    expectEqual(refusal(&integration, 2, changesets), nil)
    expectEqual(refusal(&integration, 3, changesets)?.code, .badChangeset)
    expectEqual(integration.history.end, 40)
    expectEqual(refusal(&integration, 3, Array(changesets.prefix(25))), nil)
    expectEqual(integration.history.end, 65)
  }

  // MARK: Merging

  private typealias Text = ChangesetText

  /// A server with the class, and two files that know version 1.
  private func makeServer() async throws -> (TestServer, ClientFile, ClientFile) {
    let server = try await TestServer()
    let first = try await server.realm.allocateFile(for: "a")
    let second = try await server.realm.allocateFile(for: "b")
    await expectEqual(server.realm.integrate(Upload(first, [Text.schema()], from: 1)).code, nil)
    return (server, first, second)
  }

  private func things(_ server: TestServer) async throws -> [String: Int64] {
    let objects = try await server.snapshot().objects
    let table = try #require(try objects.table(named: "class_Thing"))
    var found: [String: Int64] = [:]
    for index in 0..<(try table.objectCount()) {
      let key = try #require(try table.key(at: index))
      let row = try #require(try table.row(of: key))
      let values = try row.queryableValues(table.schema, in: objects)
      guard case .string(let id) = values[0].value, case .int(let count) = values[1].value else {
        continue
      }
      found[id] = count
    }
    return found
  }

  @Test func anUploadBecomesVersions() async throws {
    let (server, first, _) = try await makeServer()
    let outcome = await server.realm.integrate(
      Upload(first, [Text.create("x", count: 1), Text.set("x", count: 2)], from: 3, base: 1))
    guard case .integrated(let file, let head) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    expectEqual(file.clientVersion, 4)
    expectEqual(file.reciprocalBase, 1)
    expectEqual(head.version, 3)
    try await expectEqual(things(server), ["x": 2])
    let entries = try await server.entries()
    expectEqual(entries.map(\.clientVersion), [1, 3, 4])
    #expect(entries.allSatisfy { $0.file == first.ident && $0.salt != 0 && $0.salt >> 63 == 0 })
    expectEqual(Set(entries.map(\.salt)).count, 3)
    expectEqual(entries.last?.salt, head.salt)
    // Bytes that merging did not change are stored as they came.
    expectEqual(entries[1].changeset, Text.create("x", count: 1))
    expectEqual(entries.last?.totalByteCount, entries.reduce(0) { $0 + $1.originalByteCount })
  }

  @Test func aChangesetThatLosesEverythingStillMakesAVersion() async throws {
    let (server, first, second) = try await makeServer()
    _ = await server.realm.integrate(Upload(first, [Text.create("x")], from: 2, base: 1))
    _ = await server.realm.integrate(
      Upload(first, [Text.set("x", count: 9)], from: 3, base: 2, time: 500))
    let late = Upload(second, [Text.set("x", count: 5)], from: 1, base: 2, time: 400)
    await expectEqual(server.realm.integrate(late).code, nil)
    let entries = try await server.entries()
    expectTrue(entries.count == 4 && entries[3].changeset == [] && entries[3].file == second.ident)
    try await expectEqual(things(server), ["x": 9])
  }

  @Test func duplicatesAreSkippedByTheirClientVersions() async throws {
    let (server, first, _) = try await makeServer()
    let upload = Upload(first, [Text.create("x", count: 1)], from: 2, base: 1)
    await expectEqual(server.realm.integrate(upload).code, nil)
    await expectEqual(server.realm.integrate(upload).code, nil)
    let more = Upload(
      first, [Text.create("x", count: 1), Text.create("y", count: 2)], from: 2, base: 1)
    await expectEqual(server.realm.integrate(more).code, nil)
    try await expectEqual(server.entries().map(\.clientVersion), [1, 2, 3])
  }

  @Test func ownEntriesAreNotMergedWith() async throws {
    let (server, first, _) = try await makeServer()
    _ = await server.realm.integrate(Upload(first, [Text.create("x")], from: 2, base: 1))
    // The same file's next insertion counts on its first.
    for (version, size) in [(3, 0), (4, 1)] as [(UInt64, UInt32)] {
      let insert = Text.insert("x", 7, priorSize: size)
      await expectEqual(
        server.realm.integrate(Upload(first, [insert], from: version, base: 1)).code, nil)
    }
  }

  @Test func reciprocalsAreSavedUsedAndTrimmed() async throws {
    let (server, first, second) = try await makeServer()
    _ = await server.realm.integrate(Upload(first, [Text.create("x")], from: 2, base: 1))
    _ = await server.realm.integrate(
      Upload(first, [Text.insert("x", 1, priorSize: 0)], from: 3, base: 2))
    let store = try await server.realm.store
    // Version 3 makes room for what the second file inserted meanwhile.
    let insert = Text.insert("x", 2, priorSize: 0)
    await expectEqual(
      server.realm.integrate(Upload(second, [insert], from: 1, base: 2)).code, nil)
    try await expectEqual(
      store.reciprocals(of: second.ident, after: 0).keys.sorted(),
      [3])
    // After a restart too, the next insertion meets version 3 as it left it.
    try await server.restart()
    let next = Text.insert("x", 3, priorSize: 1)
    await expectEqual(server.realm.integrate(Upload(second, [next], from: 2, base: 2)).code, nil)
    let table = try #require(try await server.snapshot().objects.table(named: "class_Thing"))
    let row = try #require(try table.row(of: .value(.string("x"))))
    let list = try #require(table.schema.column(named: "list"))
    guard case .list(let values) = try row.value(of: list) else { return }
    expectEqual(values.count, 3)
    let ahead = Upload(second, [], from: 3, base: 4)
    await expectEqual(server.realm.integrate(ahead).code, nil)
    let left = try await server.realm.store.reciprocals(
      of: second.ident, after: 0)
    expectEqual(left, [:])
  }

  @Test func aBaseThatWasAcknowledgedIsRefused() async throws {
    let (server, first, _) = try await makeServer()
    _ = await server.realm.integrate(Upload(first, [Text.create("x")], from: 2, base: 1))
    let old = Upload(first, [Text.create("y")], from: 3, base: 0)
    await expectEqual(server.realm.integrate(old).code, .badServerVersion)
    let future = Upload(first, [Text.create("y")], from: 3, base: 9)
    await expectEqual(server.realm.integrate(future).code, .badServerVersion)
  }

  /// `GroupTransaction` 1
  @Test func damagedAndUnfitChangesetsAreRefusedWithoutATrace() async throws {
    let (server, first, _) = try await makeServer()
    for changeset in [[0xFF], Text.set("missing", count: 1), Text.insert("x", 1, priorSize: 4)] {
      let upload = Upload(first, [Text.create("x"), changeset], from: 2, base: 1)
      await expectEqual(server.realm.integrate(upload).code, .badChangeset)
    }
    try await expectEqual(server.entries().count, 1)
    try await expectEqual(things(server), [:])
    let file = try await server.realm.file(first.ident)
    expectEqual(file?.clientVersion, 1)
    await expectEqual(
      server.realm.integrate(Upload(first, [Text.create("x")], from: 2, base: 1)).code, nil)
  }

  @Test func classesAreNotErased() async throws {
    let (server, first, _) = try await makeServer()
    let upload = Upload(first, [Text.eraseTable()], from: 2, base: 1)
    await expectEqual(server.realm.integrate(upload).code, .invalidSchemaChange)
  }

  @Test func anotherDefinitionOfAClassIsRefused() async throws {
    let (server, first, second) = try await makeServer()
    var encoder = ChangesetEncoder()
    let (thing, id) = (encoder.intern("Thing"), encoder.intern("id"))
    encoder.append(
      .addTable(
        .init(
          table: thing, kind: .topLevel, key: .init(field: id, type: .int, isNullable: false))))
    for (file, base) in [(first, 1), (second, 0)] as [(ClientFile, UInt64)] {
      let upload = Upload(file, [encoder.bytes], from: 2, base: base)
      await expectEqual(server.realm.integrate(upload).code, .invalidSchemaChange)
    }
  }

  /// `GroupTransaction` 1, and `HistoryWindow` 1 of the window afterwards.
  @Test func aGroupGoesOnWithoutTheUploadThatFails() async throws {
    let (server, first, second) = try await makeServer()
    let outcomes = await server.realm.integrate(group: [
      Upload(first, [Text.create("x", count: 1)], from: 2, base: 1),
      Upload(second, [Text.create("y"), Text.set("missing", count: 1)], from: 1),
      Upload(first, [Text.create("z", count: 3)], from: 3, base: 1),
    ])
    expectEqual(outcomes.map(\.code), [nil, .badChangeset, nil])
    try await expectEqual(things(server), ["x": 1, "z": 3])
    try await expectEqual(server.entries().count, 3)
    try await expectEqual(server.realm.file(second.ident)?.clientVersion, 0)
    await expectEqual(server.realm.windowEnd, server.realm.head.version)
  }

  /// `GroupTransaction` 1: declarations and refused writes go with the upload that they are of.
  @Test(arguments: [WriteRight.allowed, .compensated])
  func nothingOfAMisfitIsStored(_ right: WriteRight) async throws {
    let (server, first, second) = try await makeServer()
    var encoder = ChangesetEncoder()
    let (later, id) = (encoder.intern("Later"), encoder.intern("id"))
    encoder.append(
      .addTable(
        .init(table: later, kind: .topLevel, key: .init(field: id, type: .int, isNullable: false))))
    // An object without primary key fits no class here, and cannot be taken back.
    var note = ChangesetEncoder()
    note.append(
      .createObject(
        .init(table: note.intern("Note"), key: .globalKey(GlobalKey(high: 0, low: 5)))))
    var misfit = Upload(second, [encoder.bytes, Text.create("y"), note.bytes], from: 1)
    misfit.right = right
    let outcomes = await server.realm.integrate(group: [
      misfit, Upload(first, [Text.create("x", count: 1)], from: 2, base: 1),
    ])
    expectEqual(
      outcomes.map(\.code), [right == .allowed ? .badChangeset : .writeNotAllowed, nil])
    let snapshot = try await server.snapshot()
    #expect(try snapshot.objects.table(named: "class_Later") == nil)
    try await expectEqual(things(server), ["x": 1])
    try await expectEqual(server.entries().map(\.file), [first.ident, first.ident])
    #expect(try await server.realm.store.privates(of: second.ident, after: 0).isEmpty)
  }

  /// `UploadGroup` 1
  @Test func laterUploadsOfTheFileGoWithARefusedOne() async throws {
    let (server, first, second) = try await makeServer()
    let outcomes = await server.realm.integrate(group: [
      Upload(second, [Text.set("missing", count: 1)], from: 1),
      Upload(second, [Text.create("y")], from: 2),
      Upload(first, [Text.create("x", count: 1)], from: 2, base: 1),
    ])
    expectEqual(outcomes.map(\.code), [.badChangeset, .badChangeset, nil])
    try await expectEqual(things(server), ["x": 1])
  }

  /// `UploadGroup` 1
  @Test func aGroupMayHaveManyMisfits() async throws {
    let (server, first, second) = try await makeServer()
    var uploads = [Upload(first, [Text.create("x", count: 1)], from: 2, base: 1)]
    for number in 0..<6 {
      let file = try await server.realm.allocateFile(for: "\(number)")
      uploads.append(Upload(file, [Text.set("missing", count: 1)], from: 1))
      uploads.append(Upload(file, [Text.create("y\(number)", count: 1)], from: 2))
    }
    uploads.append(Upload(second, [Text.create("z", count: 2)], from: 1))
    uploads.append(Upload(first, [Text.set("x", count: 3)], from: 3, base: 1))
    let codes = await server.realm.integrate(group: uploads).map(\.code)
    let bad = Array(repeating: SessionErrorCode.badChangeset as SessionErrorCode?, count: 12)
    expectEqual(codes, [nil] + bad + [nil, nil])
    try await expectEqual(things(server), ["x": 3, "z": 2])
  }

  @Test func ownGlobalKeysGetTheIdentifier() async throws {
    let (server, first, _) = try await makeServer()
    var encoder = ChangesetEncoder()
    let (note, none) = (encoder.intern("Note"), encoder.intern(""))
    encoder.append(
      .addTable(
        .init(
          table: note, kind: .topLevel,
          key: .init(field: none, type: .globalKey, isNullable: false))))
    encoder.append(
      .createObject(.init(table: note, key: .globalKey(GlobalKey(high: 0, low: 5)))))
    let upload = Upload(first, [encoder.bytes], from: 2, base: 1)
    await expectEqual(server.realm.integrate(upload).code, nil)
    let table = try #require(try await server.snapshot().objects.table(named: "class_Note"))
    let key = ObjectIdentity.Key.global(GlobalKey(high: first.ident.rawValue, low: 5))
    #expect(try table.key(of: key) != nil)
  }

  @Test func aFencedOwnerIntegratesNothingMore() async throws {
    let (server, first, _) = try await makeServer()
    _ = try await server.realm.store.own()
    let upload = Upload(first, [Text.create("x")], from: 2, base: 1)
    for _ in 0..<2 {
      await expectEqual(server.realm.integrate(upload), .failed(.fenced))
    }
    try await expectEqual(server.entries().count, 1)
  }

  @Test func aClosedRealmIsUnknown() async throws {
    let (server, first, _) = try await makeServer()
    let realm = server.realm
    await realm.close()
    await #expect(throws: StoreError.unknownRealm(realm.id)) {
      _ = try await realm.file(first.ident)
    }
    let upload = Upload(first, [Text.create("x")], from: 2, base: 1)
    await expectEqual(realm.integrate(upload), .failed(.fenced))
  }

  /// `ServerRealm` 2: what failed is sent again and integrated once.
  @Test func aFailureOfTheDiskIsOverWithTheNextUpload() async throws {
    let (server, first, _) = try await makeServer()
    let file = try server.files.system(server.realm.id).file
    file.clearTrace()
    file.fail(call: 1, .error(28))
    let upload = Upload(first, [Text.create("x")], from: 2, base: 1)
    guard case .failed = await server.realm.integrate(upload) else {
      Issue.record("the fault was not noticed")
      return
    }
    file.fail(call: 0, nil)
    await expectEqual(server.realm.integrate(upload).code, nil)
    try await expectEqual(server.entries().map(\.clientVersion), [1, 2])
  }

  /// `ServerRealm` 1: what is answered is there after a crash.
  @Test func uploadsThatWaitGoIntoOneTransaction() async throws {
    let (server, _, _) = try await makeServer()
    var files: [ClientFile] = []
    for number in 0..<8 { files.append(try await server.realm.allocateFile(for: "u\(number)")) }
    let realm = server.realm
    await withTaskGroup(of: SessionErrorCode?.self) { group in
      for (number, file) in files.enumerated() {
        let upload = Upload(file, [Text.create("t\(number)")], from: 1)
        group.addTask { await realm.integrate(upload).code }
      }
      for await code in group { expectEqual(code, nil) }
    }
    try await expectEqual(things(server).count, 8)
    await expectEqual(server.realm.head.version, 9)
    try await server.restart()
    try await expectEqual(things(server).count, 8)
  }

  @Test func groupsHaveLimits() {
    let file = ClientFile(
      ident: FileIdentifier(2), salt: 1, user: "u", lastSeen: OriginTimestamp(milliseconds: 1))
    let two = Upload(file, [[1, 2], [3]], from: 1)
    expectEqual(GroupCommit(entryCountMax: 5).count(of: [two, two, two]), 2)
    expectEqual(GroupCommit(entryCountMax: 1).count(of: [two, two]), 1)
    expectEqual(GroupCommit(byteCountMax: 6).count(of: [two, two, two]), 2)
    expectEqual(GroupCommit().count(of: [two, two, two]), 3)
    expectEqual(GroupCommit().count(of: []), 0)
  }
}

extension ServerRealm {
  /// The last version of the parsed entries.
  fileprivate var windowEnd: UInt64? { window?.end }
}

extension UploadOutcome {
  /// The failure of the store; nil if there was none.
  var error: StoreError? {
    if case .failed(let error) = self { error } else { nil }
  }
}
