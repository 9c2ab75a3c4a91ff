// SPDX-License-Identifier: Apache-2.0

// What clients at one cursor have missed, and which objects of it concern each of them.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct MissedChangesTests {
  private typealias Text = ChangesetText

  /// The objects a to d, and one change of each.
  private let changes = [
    Text.schema(), Text.create("a", count: 1), Text.create("b", count: 2),
    Text.create("c", count: 3), Text.create("d", count: 4), Text.set("a", count: 7),
    Text.set("b", count: 1), Text.set("c", count: 9), Text.erase("d"),
  ]

  private func makeServer() async throws -> (TestServer, ClientFile) {
    let server = try await TestServer(recordsTouches: true)
    let file = try await server.realm.allocateFile(for: "writer")
    await expectEqual(server.realm.integrate(Upload(file, changes, from: 1)).code, nil)
    return (server, file)
  }

  /// The primary keys of the objects after version 5 that may concern a client.
  private func keys(
    _ condition: String, _ server: TestServer, file: FileIdentifier = FileIdentifier(9_999)
  ) async throws -> [String] {
    let snapshot = try await server.snapshot()
    let view = try View.bind(EffectiveQuery(["Thing": condition]), to: snapshot.objects).get()
    let missed = try MissedChanges(Array(try await server.entries().suffix(4)))
    return try missed.objects(of: file, in: view, snapshot.objects).map { object in
      guard case .value(.string(let key)) = object.key else { return "?" }
      return key
    }
  }

  static let conditions: [(String, [String])] = [
    ("count == 1", ["a", "b"]), ("count == 9", ["c"]), ("count IN {2, 7}", ["a", "b"]),
    ("count == 4", ["d"]), ("count == 5", []), ("3 == count", ["c"]),
    ("id == \"b\"", ["b"]), ("count == 1 and ANY list == 3", ["a", "b"]),
    ("count == 3 or count == 4", ["c", "d"]),
    // What these select is not known without asking.
    ("count > 100", ["a", "b", "c", "d"]), ("count == 1 or id == \"c\"", ["a", "b", "c", "d"]),
    ("!(count == 1)", ["a", "b", "c", "d"]), ("id ==[c] \"B\"", ["a", "b", "c", "d"]),
  ]

  /// `MissedChanges` 2: an object that has the value, or had it.
  @Test(arguments: conditions)
  func objectsAreFoundByTheirValues(_ condition: String, _ expected: [String]) async throws {
    let (server, _) = try await makeServer()
    try await expectEqual(keys(condition, server), expected)
  }

  /// `MissedChanges` 2: what a client has touched concerns it in any case.
  @Test func theAuthorGetsItsObjects() async throws {
    let (server, file) = try await makeServer()
    try await expectEqual(keys("count == 5", server, file: file.ident), ["a", "b", "c", "d"])
  }

  /// `MissedChanges` 1
  @Test func noVersionIsKept() async throws {
    let (server, file) = try await makeServer()
    let missed = try MissedChanges(Array(try await server.entries().suffix(4)))
    weak var kept: Snapshot?
    do {
      let snapshot = try server.files.open(server.realm.id).snapshot()
      let objects = try TableGroup(snapshot)
      let view = try View.bind(EffectiveQuery(["Thing": "count == 1"]), to: objects).get()
      try expectEqual(missed.objects(of: file.ident, in: view, objects).count, 4)
      kept = snapshot
    }
    expectTrue(kept == nil)
    withExtendedLifetime(missed) {}
  }

  @Test func anEntryIsOfTheClientsThatSeeItsObjects() async throws {
    let (server, _) = try await makeServer()
    let missed = try MissedChanges(try await server.entries())
    func object(_ key: String) -> ObjectIdentity {
      ObjectIdentity(className: "Thing", key: .value(.string(key)))
    }
    // The first one has the classes, which all clients get.
    expectEqual(missed.entries(about: []), [0])
    expectEqual(missed.entries(about: [object("a")]), [0, 1, 5])
    expectEqual(missed.entries(about: [object("d"), object("c")]), [0, 3, 4, 7, 8])
  }

  // MARK: Clients that have missed nothing

  /// What is left out of the computing has no result.
  @Test func aRoundOfNothingIsThatOfNoEntries() async throws {
    let (server, file) = try await makeServer()
    let snapshot = try await server.snapshot()
    let view = try View.bind(EffectiveQuery(["Thing": "count == 1"]), to: snapshot.objects).get()
    for version in [snapshot.head.version - 3, snapshot.head.version] {
      let cursor = DownloadCursor(serverVersion: version, clientVersion: 3)
      let whole = try Round(
        MissedChanges([]), after: cursor, to: snapshot,
        timestamp: OriginTimestamp(milliseconds: 1), view: view, file: file.ident,
        scratch: ViewScratch())
      let short = Round(ofNothingAfter: cursor, to: snapshot.head, file: file.ident)
      expectEqual(short.cursor, whole.cursor)
      expectEqual(short.entries, whole.entries)
      expectEqual(short.parts, whole.parts)
      expectEqual(short.absent, whole.absent)
    }
  }

  /// Another query of an idle client needs nothing of the history.
  @Test func aBootstrapAtTheNewestVersionReadsNoEntries() async throws {
    let (server, _) = try await makeServer()
    let scratch = try ViewScratch()
    let other = try await server.realm.allocateFile(for: "reader")
    let before = EffectiveQuery(["Thing": "count == 1"])
    let cursor = DownloadCursor(serverVersion: await server.realm.head.version)
    let download = try await server.realm.view(
      for: other.ident, after: cursor, query: before,
      next: EffectiveQuery(["Thing": "count == 9"]), scratch: scratch
    ).get()
    expectEqual(scratch.missed.withLock { $0.byteCount }, 0)
    expectEqual(download.round.entries, [])
    let bootstrap = try #require(download.bootstrap)
    let entries = try await server.realm.entries(of: bootstrap, byteLimit: .max).entries
    let objects = try entries.flatMap { entry in
      let changeset = try ChangesetParser.parse(entry.changeset)
      return changeset.instructions.compactMap { $0.object.map(changeset.identity(of:)) }
    }
    expectEqual(
      Set(objects.map(\.key)), [.value(.string("b")), .value(.string("c"))])
  }

  /// The check of a query binds it for the bootstrap.
  @Test func aCheckedQueryIsBound() async throws {
    let (server, _) = try await makeServer()
    let query = EffectiveQuery(["Thing": "count == 1"])
    let scratch = try #require(server.realm.scratch)
    let classes = try await server.snapshot().objects.classSchemas()
    #expect(scratch.views.withLock { $0.view(query, classes) } == nil)
    try await expectEqual(server.realm.check(query), nil)
    #expect(scratch.views.withLock { $0.view(query, classes) } != nil)
  }

  /// Declares another class, and makes an object of it.
  private func later() -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (table, id) = (encoder.intern("Later"), encoder.intern("id"))
    encoder.append(
      .addTable(
        .init(table: table, kind: .topLevel, key: .init(field: id, type: .int, isNullable: false))))
    encoder.append(.createObject(ObjectReference(table: table, key: .int(1))))
    return encoder.bytes
  }

  /// What uploads are merged with is parsed again when one comes.
  @Test func historyIsForgottenThatNoUploadIsMergedWith() async throws {
    let (server, file) = try await makeServer()
    await expectEqual(server.realm.keepsHistory, true)
    await server.realm.forgetUnused()
    await expectEqual(server.realm.keepsHistory, true)
    await server.realm.forgetUnused()
    await expectEqual(server.realm.keepsHistory, false)
    let upload = Upload(file, [Text.set("a", count: 3)], from: 10)
    await expectEqual(server.realm.integrate(upload).code, nil)
    await expectEqual(server.realm.keepsHistory, true)
  }

  /// A view is bound once as long as the classes are the same.
  @Test func viewsAreBoundAgainForOtherClasses() async throws {
    let (server, file) = try await makeServer()
    let scratch = try ViewScratch()
    let other = try await server.realm.allocateFile(for: "reader")
    let query = EffectiveQuery(["Thing": "count == 1", "Later": "TRUEPREDICATE"])
    let cursor = DownloadCursor(serverVersion: 5)
    _ = try await server.realm.view(
      for: other.ident, after: cursor, query: query, scratch: scratch
    ).get()
    let before = try await server.snapshot().objects.classSchemas()
    let known = scratch.views.withLock { $0.view(query, before) }
    expectEqual(known?.classNames, ["Thing"])
    let upload = Upload(file, [later()], from: 10)
    await expectEqual(server.realm.integrate(upload).code, nil)
    let round = try await server.realm.view(
      for: other.ident, after: cursor, query: query, scratch: scratch
    ).get().round
    let after = try await server.snapshot().objects.classSchemas()
    #expect(scratch.views.withLock { $0.view(query, before) } == nil)
    expectEqual(scratch.views.withLock { $0.view(query, after) }?.classNames, ["Later", "Thing"])
    let classes = try round.entries.filter { !$0.changeset.isEmpty }.flatMap { entry in
      let changeset = try ChangesetParser.parse(entry.changeset)
      return changeset.instructions.compactMap { $0.object.map { changeset.text(of: $0.table) } }
    }
    expectTrue(classes.contains("Later"))
  }
}

extension ServerRealm {
  /// Whether parsed entries are in memory.
  fileprivate var keepsHistory: Bool { window != nil }
}
