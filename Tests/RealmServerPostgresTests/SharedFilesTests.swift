// SPDX-License-Identifier: Apache-2.0

// The files that servers share: changed by one at a time, and known to all.

#if Postgres
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerPostgres

@Suite(.heavy)
struct SharedFilesTests {
  /// Opens the store of another server.
  private static func store(_ bench: StoreBench) throws -> PostgresStore {
    try #require(try bench.otherServer() as? PostgresStore)
  }

  /// A path of the test's own: tests have one database.
  private static func path(_ bench: StoreBench, _ name: String) -> String {
    "apps/\(bench.name.app)/\(name)"
  }

  /// The files of the test's own.
  private static func files(
    _ store: PostgresStore, of bench: StoreBench
  ) throws -> [SharedServerFile] {
    try store.files.all().filter { $0.path.hasPrefix(path(bench, "")) }
  }

  /// `PostgresFiles` 1
  @Test(arguments: StoreKind.shared)
  func aChangeIsThereForAllServersUnlessAnotherWasFaster(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let (one, other) = (try Self.store(bench), try Self.store(bench))
    let (file, removed) = (Self.path(bench, "app.json"), Self.path(bench, "schema.json"))
    #expect(try Self.files(one, of: bench).isEmpty)
    #expect(try one.files.put([1, 2], at: file, after: 0))
    #expect(try !other.files.put([3], at: file, after: 0))
    #expect(try other.files.put([], at: file, after: 1))
    #expect(try one.files.put(nil, at: removed, after: 0))
    try expectEqual(
      Self.files(one, of: bench),
      [
        SharedServerFile(path: file, version: 2, bytes: []),
        SharedServerFile(path: removed, version: 1, bytes: nil),
      ])
    #expect(throws: StoreError.self) { try one.files.put([1], at: "a\0", after: 0) }
  }

  /// `PostgresFiles` 1
  @Test(arguments: StoreKind.shared)
  func aChangeWakesOtherServers(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let (one, other) = (try Self.store(bench), try Self.store(bench))
    var news = other.files.news().makeAsyncIterator()
    #expect(try one.files.put([1], at: Self.path(bench, "app.json"), after: 0))
    // Others wake it, too.
    while try Self.files(other, of: bench).isEmpty { _ = await news.next() }
    #expect(try one.files.put([2], at: Self.path(bench, "app.json"), after: 1))
    while try Self.files(other, of: bench).first?.version != 2 { _ = await news.next() }
  }

  /// A broken connection leaves a change there or not there, and says which.
  @Test(arguments: StoreKind.shared)
  func aChangeSurvivesABrokenConnection(_ kind: StoreKind) async throws {
    for point in FaultyConnector.Point.allCases {
      let bench = try StoreBench(kind)
      let connector = try #require(bench.connector)
      let store = try Self.store(bench)
      let path = Self.path(bench, "app.json")
      var version: Int64 = 0
      for number in 1...4 {
        connector.fail(at: number, point)
        let bytes = [UInt8(number)]
        #expect(try store.files.put(bytes, at: path, after: version))
        version += 1
        connector.fail(at: nil)
        try expectEqual(
          Self.files(store, of: bench),
          [
            SharedServerFile(path: path, version: version, bytes: bytes)
          ])
      }
    }
  }

  // MARK: Random changes

  /// Two servers that change three files, compared with a dictionary. Returns what differs.
  private static func run(seed: UInt64, flaw: SimulationFlaw? = nil) throws -> String? {
    let bench = try StoreBench(.simulated, seed: seed, flaw: flaw)
    let stores = [try store(bench), try store(bench)]
    let connector = try #require(bench.connector)
    var random = SeededGenerator(seed: seed)
    var model: [String: SharedServerFile] = [:]
    // What each server has seen last.
    var seen: [[String: Int64]] = [[:], [:]]
    for step in 0..<60 {
      let server = random.number(below: 2)
      let path = random.pick(["keys/tokens", "apps/a/app.json", "apps/b/app.json"])
      if random.percent(30) {
        let found = try stores[server].files.all()
        guard found == model.values.sorted(by: { $0.path < $1.path }) else {
          return "step \(step): \(found)"
        }
        seen[server] = model.mapValues(\.version)
        continue
      }
      // No two changes are the same: of these both servers may say that theirs is there.
      let bytes: [UInt8]? = random.percent(20) ? nil : [UInt8(step)]
      let version = seen[server][path] ?? 0
      if random.percent(30) {
        connector.fail(at: 1 + random.number(below: 3), random.pick([.before, .after]))
      }
      let isStored = try stores[server].files.put(bytes, at: path, after: version)
      connector.fail(at: nil)
      let isExpected = version == model[path]?.version ?? 0
      // Both may have removed it.
      if bytes == nil, isStored, model[path]?.bytes == nil,
        model[path]?.version == version + 1
      {
        continue
      }
      guard isStored == isExpected else { return "step \(step): \(path) is stored: \(isStored)" }
      guard isStored else { continue }
      model[path] = SharedServerFile(path: path, version: version + 1, bytes: bytes)
      seen[server][path] = version + 1
    }
    return nil
  }

  @Test func randomChangesAreThoseOfAModel() throws {
    for seed in 1...40 { try expectEqual(Self.run(seed: UInt64(seed)), nil, "seed \(seed)") }
  }

  @Test func aDatabaseThatOverwritesIsFound() throws {
    #expect(try (1...10).contains { try Self.run(seed: $0, flaw: .overwritesFiles) != nil })
  }

  // MARK: Servers

  @Test(arguments: StoreKind.shared)
  func serversKnowWhereOthersAre(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let (one, other) = (try Self.store(bench), try Self.store(bench))
    try expectEqual(one.nodes.address(of: other.node), nil)
    try other.nodes.announce("http://127.0.0.2:9090", program: "1")
    try expectEqual(one.nodes.address(of: other.node), "http://127.0.0.2:9090")
    try other.nodes.announce(nil, program: "2")
    try expectEqual(one.nodes.address(of: other.node), nil)
  }

  // MARK: Versions of the tables

  @Test func anOlderProgramUsesTheTablesOfANewerOneThatAllowsIt() async throws {
    let bench = try StoreBench(.simulated)
    try checkVersions(try #require(bench.connector)) { _ = try Self.store(bench) }
  }

  @Test(.withPostgres) func anOlderProgramUsesTheTablesOfPostgreSQL() throws {
    let cluster = try PostgresCluster.shared.get()
    let connector = try cluster.connector(try cluster.makeDatabase())
    let folder = try TemporaryDirectory()
    try checkVersions(connector) { _ = try PostgresStore(connector, folder: folder.file("a")) }
  }

  private func checkVersions(
    _ connector: any DatabaseConnector, _ open: () throws -> Void
  ) throws {
    try open()
    func setVersion(_ version: Int64, usableSince: Int64) throws {
      let link = try connector.connect()
      defer { link.close() }
      _ = try link.run([DatabaseSchema.setVersion(.int(version), .int(usableSince))])
    }
    let current = DatabaseSchema.current
    try setVersion(current + 1, usableSince: current)
    try open()
    try setVersion(current + 1, usableSince: current + 1)
    #expect(throws: StoreError.self) { try open() }
  }
}
#endif
