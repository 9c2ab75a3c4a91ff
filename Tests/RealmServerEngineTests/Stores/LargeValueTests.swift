// SPDX-License-Identifier: Apache-2.0

// Values of internal tables that are longer than a blob, and transactions that touch much.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

@Suite(.serialized) struct LargeValueTests {
  /// The longest blob has 16,777,200 bytes.
  static let sizes = [16_777_199, 16_777_200, 16_777_201, 40_000_000]

  private let now = OriginTimestamp(milliseconds: 5)

  /// An object with so long a key that its touch, or its place in a private change, takes so many
  /// bytes in the store.
  private func object(storedIn size: Int) throws -> ObjectIdentity {
    func make(_ count: Int) -> ObjectIdentity {
      let bytes = [UInt8](repeating: UInt8(ascii: "k"), count: count)
      return ObjectIdentity(
        className: "Thing", key: .value(.string(String(decoding: bytes, as: UTF8.self))))
    }
    let overhead = TouchWriter.encode(objects: [make(size)]).count - size
    let object = make(size - overhead)
    try #require(TouchWriter.encode(objects: [object]).count == size)
    return object
  }

  @Test(.heavy, arguments: sizes) func valuesOfAllSizesAreReadBack(_ size: Int) async throws {
    let files = SimulatedFiles()
    let realm = try await EmbeddedStore(files).open(RealmName(app: "app"))
    let head = try await realm.own()
    var file = try await realm.allocateFile(for: "user", now: now)
    var bytes = [UInt8](repeating: 7, count: size)
    for place in stride(from: 0, to: size, by: 997) {
      bytes[place] = UInt8(truncatingIfNeeded: place)
    }
    let object = try object(storedIn: size)
    let entry = StoredEntry(
      version: 1, salt: 1, file: file.ident, clientVersion: 1, timestamp: now, committed: now,
      originalByteCount: size, totalByteCount: size, changeset: bytes,
      touches: [Touch(object: object, existence: .absent)])
    let batch = Batch(
      entries: [entry], files: [file],
      reciprocals: [ReciprocalChange(file: file.ident, version: 1, changeset: bytes)],
      privates: [
        PrivateChange(
          file: file.ident, version: 1, timestamp: now, objects: [object], changeset: bytes)
      ])
    _ = try await realm.append(expecting: 0, epoch: head.epoch) { _ in batch }
    let other = try await EmbeddedStore(files.restarted()).open(RealmName(app: "app"))
    let reopened = try await other.own()
    try await expectEqual(other.entries(in: 1..<2), [entry])
    try await expectEqual(other.reciprocals(of: file.ident, after: 0), [1: bytes])
    try await expectEqual(other.privates(of: file.ident, after: 0), batch.privates)
    // They go as others do.
    file.reciprocalBase = 1
    let trimming = Batch(files: [file], trimsThrough: 1)
    _ = try await other.append(expecting: 1, epoch: reopened.epoch) { _ in trimming }
    #expect(try await other.privates(of: file.ident, after: 0).isEmpty)
    await #expect(throws: StoreError.trimmed(through: 1)) {
      _ = try await other.entries(in: 1..<2)
    }
  }

  // MARK: Objects with large values

  /// Of a long list nothing is kept, whatever its elements are.
  @Test(arguments: [TableValue.string(""), .binary([]), .int(1), .null])
  func longListsAreNotKept(_ element: TableValue) {
    func kept(_ count: Int) -> TableValue? {
      Touch.Field("list", kept: .list(Array(repeating: element, count: count))).before
    }
    expectTrue(kept(500) != nil)
    expectTrue(kept(5_000) == nil)
  }

  private func makeClasses(_ group: WriteGroup) throws {
    let things = try group.createTable(named: "class_Thing")
    try things.setPrimaryKey(things.addColumn(named: "id", type: .int).key)
    try things.addColumn(named: "data", type: .binary)
    try things.addColumn(named: "text", type: .string)
  }

  private static func keys(of table: WritableTable) throws -> [ObjectKey] {
    try (0..<table.objectCount()).compactMap { try table.table.key(at: $0) }
  }

  private func set(
    _ value: TableValue, _ name: String, of ids: Range<Int64>, _ client: ModelClient
  ) throws {
    try client.write { group in
      let things = try #require(try group.table(named: "class_Thing"))
      let column = try #require(things.schema.column(named: name))
      for id in ids {
        try things.set(value, column, things.findOrCreate(primaryKey: .int(id)).key)
      }
    }
  }

  private func upload(_ client: ModelClient, _ server: TestServer) async throws {
    if !client.isOnline { try await client.connect(to: server) }
    guard let upload = try client.upload() else { return }
    await expectEqual(server.realm.integrate(upload).code, nil)
  }

  private func download(
    _ client: ModelClient, _ server: TestServer, _ condition: String
  ) async throws -> DownloadBatch {
    if !client.isOnline { try await client.connect(to: server) }
    let answer = try await server.realm.view(
      for: client.identity.ident, after: client.cursor,
      query: EffectiveQuery(["Thing": condition]), scratch: ViewScratch())
    let round = try answer.get().round
    try client.integrate(round)
    return round
  }

  private func makeClients(_ server: TestServer) async throws -> [ModelClient] {
    var clients: [ModelClient] = []
    for name in ["author", "reader"] {
      let file = try await server.realm.allocateFile(for: name)
      let client = try ModelClient(file, clock: 1000)
      try client.write(makeClasses)
      try await upload(client, server)
      clients.append(client)
    }
    return clients
  }

  @Test(.heavy) func aTransactionThatErasesMuchIsReadAfterARestart() async throws {
    let server = try await TestServer(recordsTouches: true)
    let clients = try await makeClients(server)
    let data = TableValue.binary([UInt8](repeating: 7, count: 20_000))
    try set(data, "data", of: 0..<900, clients[0])
    try await upload(clients[0], server)
    _ = try await download(clients[1], server, "TRUEPREDICATE")
    try clients[0].write { group in
      let things = try #require(try group.table(named: "class_Thing"))
      for key in try Self.keys(of: things) { try things.delete(key) }
    }
    try await upload(clients[0], server)
    let bytes = TouchWriter.encode(try #require(try await server.entries().last).touches)
    expectTrue(bytes.count < 100_000)
    try await server.restart()
    clients[1].disconnect()
    _ = try await download(clients[1], server, "TRUEPREDICATE")
    try await expectEqual(clients[1].digest(), server.digest())
    expectEqual(server.problems.withLock { $0 }, [])
  }

  /// Where a condition asks for a large value, the object is sent whole, or goes.
  @Test(.heavy) func aConditionAboutALargeValue() async throws {
    let server = try await TestServer(recordsTouches: true)
    let clients = try await makeClients(server)
    let condition = "text BEGINSWITH \"x\""
    let rest = String(repeating: "z", count: 5000)
    for (text, count, instructions) in [
      ("x", 1, 3), ("xx", 1, 3), ("y", 0, 1), ("yy", 0, 1), ("x", 1, 3),
    ] {
      try set(.string(text + rest), "text", of: 1..<2, clients[0])
      try await upload(clients[0], server)
      let round = try await download(clients[1], server, condition)
      let things = try #require(try clients[1].read().table(named: "class_Thing"))
      try expectEqual(things.objectCount(), count)
      let last = try ChangesetParser.parse(try #require(round.entries.last).changeset)
      expectTrue(last.instructions.count <= instructions)
    }
    // Other conditions do not care.
    let before = server.problems.withLock { $0.count }
    try set(.string("q" + rest), "text", of: 1..<2, clients[0])
    try await upload(clients[0], server)
    _ = try await download(clients[1], server, "id == 1")
    expectEqual(server.problems.withLock { $0.count }, before)
  }

  // MARK: Rows that cannot be read

  private func damage(
    _ table: String, _ column: String, _ keys: [ObjectKey]? = nil
  ) -> (
    WriteGroup
  ) throws -> Void {
    { group in
      let rows = try #require(try group.table(named: table))
      let column = try #require(rows.schema.column(named: column))
      for key in try keys ?? Self.keys(of: rows) {
        try rows.set(.binary([0xFF, 0xFF, 0xFF]), column, key)
      }
    }
  }

  /// Takes the value of a property from all rows, which cannot be read then; new rows have one.
  private func lose(_ table: String, _ column: String) -> (WriteGroup) throws -> Void {
    { group in
      let rows = try #require(try group.table(named: table))
      try rows.columns.remove(try #require(rows.schema.column(named: column)).key)
      try rows.addColumn(named: column, type: .binary, isNullable: true)
    }
  }

  @Test func withoutTouchesObjectsComeWhole() async throws {
    let server = try await TestServer(recordsTouches: true)
    let clients = try await makeClients(server)
    try set(.string("x"), "text", of: 0..<3, clients[0])
    try await upload(clients[0], server)
    _ = try await download(clients[1], server, "text == \"x\"")
    try set(.string("y"), "text", of: 0..<1, clients[0])
    try set(.string("x"), "text", of: 3..<5, clients[0])
    try await upload(clients[0], server)
    try await server.restart(damage: damage("server_touches", "touches"))
    for client in clients { client.disconnect() }
    _ = try await download(clients[1], server, "text == \"x\"")
    let things = try #require(try clients[1].read().table(named: "class_Thing"))
    try expectEqual(things.objectCount(), 4)
    #expect(server.problems.withLock { !$0.isEmpty })
    try set(.string("x"), "text", of: 0..<1, clients[0])
    try await upload(clients[0], server)
    _ = try await download(clients[1], server, "text == \"x\"")
    try await expectEqual(clients[1].digest(), server.digest())
  }

  @Test(arguments: ["objects", "changeset"])
  func aClientWhoseRowsCannotBeReadIsResetAlone(_ column: String) async throws {
    let server = try await TestServer(recordsTouches: true)
    let clients = try await makeClients(server)
    try set(.string("x"), "text", of: 0..<3, clients[0])
    try await upload(clients[0], server)
    for client in clients { _ = try await download(client, server, "text == \"x\"") }
    try set(.string("y"), "text", of: 0..<1, clients[0])
    try await upload(clients[0], server)
    // The reader is told that an object has left its view.
    _ = try await server.realm.view(
      for: clients[1].identity.ident, after: clients[1].cursor,
      query: EffectiveQuery(["Thing": "text == \"x\""]), scratch: ViewScratch())
    try await server.restart(damage: damage("server_private", column))
    for client in clients { client.disconnect() }
    var uploads: [Upload] = []
    for client in clients {
      try await client.connect(to: server)
      try set(.string("z"), "text", of: 1..<2, client)
      uploads.append(try #require(try client.upload()))
    }
    let outcomes = await server.realm.integrate(group: uploads)
    expectTrue(outcomes[0].code == nil)
    expectEqual(outcomes[1].code, .badServerVersion)
    if case .refused(let refusal) = outcomes[1] {
      expectEqual(refusal.document.action, .clientReset)
    }
    #expect(server.problems.withLock { !$0.isEmpty })
  }

  /// What finds the entry that cannot be read.
  enum Finder: CaseIterable {
    case uploadInPartitionMode, downloadInPartitionMode, uploadInFlexibleMode, round, otherQuery

    var isView: Bool { self == .round || self == .otherQuery }
    var isFlexible: Bool { self == .uploadInFlexibleMode || isView }
  }

  /// Clients that need an entry which cannot be read are reset or get the state; others go on. It
  /// is reported once. What cannot be read is the changeset, or the row that has it.
  @Test(arguments: Finder.allCases, [false, true]) func anEntryThatCannotBeReadIsGivenUp(
    finder: Finder, isRowLost: Bool
  ) async throws {
    let server = try await TestServer(recordsTouches: finder.isFlexible)
    let clients = try await makeClients(server)
    let everything = EffectiveQuery(["Thing": "TRUEPREDICATE"])
    if finder.isView { _ = try await download(clients[1], server, "TRUEPREDICATE") }
    try set(.string("x"), "text", of: 0..<3, clients[0])
    try await upload(clients[0], server)
    let version = await server.realm.head.version
    let key = ObjectKey(Int64(version))
    try await server.restart(
      damage: isRowLost
        ? lose("server_history", "changeset") : damage("server_history", "changeset", [key]))
    let file = try await server.realm.allocateFile(for: "new")
    let client = try ModelClient(file, clock: 1000)
    try client.write(makeClasses)
    try set(.string("n"), "text", of: 7..<8, client)
    switch finder {
    case .uploadInPartitionMode, .uploadInFlexibleMode: try await upload(client, server)
    case .downloadInPartitionMode: break
    case .round, .otherQuery:
      for _ in 0..<2 {
        await #expect(throws: StoreError.trimmed(through: version)) {
          _ = try await server.realm.view(
            for: clients[1].identity.ident, after: clients[1].cursor, query: everything,
            next: finder == .otherQuery ? EffectiveQuery([:]) : nil, scratch: ViewScratch())
        }
      }
    }
    if finder.isFlexible {
      _ = try await server.realm.schemaBootstrap(for: file.ident)
    } else {
      let download = try await server.realm.download(for: file.ident, after: DownloadCursor())
      if !client.isOnline { try await client.connect(to: server) }
      try client.integrate(download)
      try await upload(client, server)
      try await expectEqual(client.digest(), server.digest())
    }
    await expectEqual(server.realm.head.base, version)
    let losses = server.problems.withLock { $0.filter { $0.contains("version \(version) are") } }
    expectEqual(losses.count, 1)
  }
}
