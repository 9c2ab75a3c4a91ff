// SPDX-License-Identifier: Apache-2.0

// What is particular about PostgreSQL: its library, its tables, its waits.

#if Postgres
import Foundation
import RealmFormats
import RealmServerEngine
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerPostgres

/// The tests that need PostgreSQL say so here, once, where it is missing.
@Suite(.heavy)
struct PostgresStoreTests {
  @Test(.enabled(if: PostgresCluster.isRequired)) func postgresIsThereWhereItIsRequired() {
    expectTrue(PostgresCluster.isInstalled)
  }

  @Test func theErrorOfAMachineWithoutTheLibraryNamesThePackage() {
    do {
      _ = try Libpq(names: ["libpq-that-is-not-there.so"])
      Issue.record("a library that is not there is loaded")
    } catch {
      guard case .unsupported(let reason) = error else { return #expect(Bool(false), "\(error)") }
      expectTrue(reason.contains("--store"))
      expectTrue(reason.contains("libpq5"))
    }
  }

  @Test func aLibraryWithoutTheFunctionsIsTooOld() {
    do {
      _ = try Libpq(names: ["libc.so.6", "libSystem.dylib"])
      Issue.record("another library is taken for libpq")
    } catch {
      expectTrue("\(error)".contains("older than version 14"))
    }
  }

  @Test(.withPostgres) func aServerThatIsNotThereIsUnreachable() throws {
    let connector = try PostgresConnector("host=/no/such/folder user=x")
    do {
      _ = try connector.connect()
      Issue.record("a server that is not there answers")
    } catch {
      guard case .unreachable = error else { throw error }
    }
  }

  /// `PostgresLink` 2: a host that is frozen accepts connections, and never answers.
  @Test(.withPostgres) func aHostThatDoesNotAnswerIsLeftForTheNext() throws {
    let cluster = try PostgresCluster.shared.get()
    let frozen = try #require(SilentPort())
    let place = cluster.address().split(separator: " ").first?.split(separator: "=").last
    let folder = String(try #require(place))
    let connector = try PostgresConnector(
      "host=127.0.0.1,\(folder) port=\(frozen.port),5432 user=test dbname=postgres",
      hostMilliseconds: 3_000)
    let link = try connector.connect()
    defer { link.close() }
    try expectEqual(link.run([DatabaseStatement("one", "SELECT 1::bigint")()]), [[[.int(1)]]])
    // An address has the same hosts.
    let hosts = PostgresHosts(
      of: "postgresql://a:1,b:2/name?target_session_attrs=any", try Libpq.found())
    expectEqual(hosts.choices.map { $0.map(\.1) }, [["a", "1"], ["b", "2"]])
    let noPorts = PostgresHosts(of: "postgresql://a,b/name", try Libpq.found())
    expectEqual(noPorts.choices.map { $0.map(\.1) }, [["a", "5432"], ["b", "5432"]])
    let address = try PostgresConnector("postgresql://127.0.0.1,127.0.0.2/x", hostMilliseconds: 300)
    do {
      _ = try address.connect()
    } catch {
      expectFalse("\(error)".contains("port numbers"))
    }
    let onePort = PostgresHosts(of: "host=a,b port=7", try Libpq.found())
    expectEqual(onePort.choices.map { $0.map(\.1) }, [["a", "7"], ["b", "7"]])
    #expect(PostgresHosts(of: "host=a", try Libpq.found()).choices.isEmpty)
    #expect(PostgresHosts(of: "nonsense", try Libpq.found()).choices.isEmpty)
  }

  @Test(.withPostgres) func aStandbyIsNotTakenForThePrimary() throws {
    let cluster = try PostgresCluster(settings: ["fsync=off", "default_transaction_read_only=on"])
    let connector = try PostgresConnector(cluster.address())
    do {
      _ = try connector.connect()
      Issue.record("a server that only reads is taken")
    } catch {
      guard case .unreachable = error else { throw error }
    }
  }

  // MARK: Tables

  @Test(.withPostgres) func theTablesAreMadeOnceByManyServers() async throws {
    let cluster = try PostgresCluster.shared.get()
    let database = try cluster.makeDatabase()
    let folder = try TemporaryDirectory()
    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<4 {
        group.addTask {
          try PostgresStore(
            cluster.connector(database), folder: folder.file("node \(number)")
          ).node
        }
      }
      var nodes: Set<String> = []
      for try await node in group { nodes.insert(node) }
      expectEqual(nodes.count, 4)
    }
    let rows = try cluster.run("SELECT version FROM openrealm.database", in: database)
    expectEqual(rows, [[.int(DatabaseSchema.current)]])
  }

  @Test(.withPostgres) func tablesOfANewerProgramAreRefused() throws {
    let cluster = try PostgresCluster.shared.get()
    let database = try cluster.makeDatabase()
    let folder = try TemporaryDirectory()
    _ = try PostgresStore(cluster.connector(database), folder: folder.path)
    try cluster.run("UPDATE openrealm.database SET version = 99, usable_since = 99", in: database)
    do {
      _ = try PostgresStore(cluster.connector(database), folder: folder.path)
      Issue.record("tables of a newer program are used")
    } catch {
      guard case .unavailable(let reason)? = error as? StoreError else { throw error }
      expectTrue(reason.contains("version 99"))
      expectTrue(reason.contains("newer realm-server"))
    }
  }

  /// `DatabaseSchema` 1: whoever changes tables adds a version, and the checksum of its statements
  /// here.
  @Test func aReleasedVersionStaysAsItIs() {
    let checksums = DatabaseSchema.versions.map { statements in
      var checksum = CRC32()
      checksum.add(Array(statements.map(\.sql).joined(separator: "\n").utf8))
      return checksum.checksum
    }
    expectEqual(checksums, [0xFDF9_65D3, 0xA808_E2D4])
  }

  /// `DatabaseSchema` 2
  @Test(.withPostgres) func tablesThatAreHalfMadeAreMadeWhole() throws {
    let cluster = try PostgresCluster.shared.get()
    for number in 1...20 {
      let database = try cluster.makeDatabase()
      let connector = FaultyConnector(try cluster.connector(database))
      connector.fail(at: number, number % 2 == 0 ? .before : .after)
      let folder = try TemporaryDirectory()
      _ = try PostgresStore(connector, folder: folder.path)
      try expectEqual(
        cluster.run("SELECT version FROM openrealm.database", in: database),
        [[.int(DatabaseSchema.current)]])
    }
  }

  // MARK: Values

  @Test(.withPostgres) func valuesOfAllTypesAreReadBack() throws {
    let link = try PostgresCluster.shared.get().connector().connect()
    let statement = DatabaseStatement(
      "values", "SELECT $1::bigint, $2::text, $3::bytea, $4::bigint, $5::text, $6::bytea")
    for number in [Int64.min, -1, 0, 1, .max] {
      let values: [DatabaseValue] = [
        .int(number), .text("é\u{1F600}"), .bytes([0, 255, 10]), .null, .text(""), .bytes([]),
      ]
      let call = DatabaseCall(statement: statement, values: values)
      try expectEqual(link.run([call, call]), [[values], [values]])
    }
    let large = DatabaseValue.bytes([UInt8](repeating: 7, count: 20 << 20))
    let echo = DatabaseStatement("echo", "SELECT $1::bytea")
    try expectEqual(link.run([echo(large), echo(large)]), [[[large]], [[large]]])
  }

  @Test(.withPostgres) func aRefusedStatementEndsItsExchange() throws {
    let cluster = try PostgresCluster.shared.get()
    let database = try cluster.makeDatabase()
    let link = try cluster.connector(database).connect()
    let wrong = DatabaseStatement("wrong", "SELECT 1 / $1::bigint")
    let make = DatabaseStatement("make", "CREATE TABLE a (b bigint)")
    do {
      _ = try link.run([make(), wrong(.int(0)), Statements.commit()])
      Issue.record("a division by zero has a result")
    } catch {
      guard case .refused(let code, _) = error else { throw error }
      expectEqual(code, "22012")
    }
    link.close()
    try expectEqual(
      cluster.run("SELECT to_regclass('a')::text", in: database), [[.null]])
  }

  // MARK: Waits

  /// A COMMIT that waits for a standby is neither acknowledged nor tried again: it is there, or it
  /// is not, once the database knows. `PostgresLink` 2
  @Test(.withPostgres) func aCommitThatWaitsForAStandbyIsNotAcknowledged() async throws {
    let cluster = try PostgresCluster(settings: ["fsync=off"])
    let folder = try TemporaryDirectory()
    var settings = PostgresSettings()
    settings.patienceMilliseconds = 100
    let connector = try cluster.connector(answerMilliseconds: 5_000)
    let store = try PostgresStore(connector, folder: folder.path, settings: settings)
    let realm = try await store.open(RealmName(app: "a"))
    let head = try await realm.fill(try await realm.own(), to: 1)
    try cluster.run("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
    try cluster.run("SELECT pg_reload_conf()")
    do {
      for _ in 0..<100 {
        // Until the settings are read.
        let present = try await realm.snapshot(atLeast: 0).head
        let entry = ThingEntries.entry(present.version + 1)
        _ = try await realm.append(
          Batch(entries: [entry]), after: present.version, epoch: head.epoch)
        try await Task.sleep(for: .milliseconds(50))
      }
      Issue.record("a commit without its standby is acknowledged")
    } catch {
      guard case .unavailable? = error as? StoreError else { throw error }
    }
    // Nothing is said of it meanwhile.
    await #expect(throws: StoreError.self) { _ = try await realm.snapshot(atLeast: 0) }
    let link = try cluster.connector().connect()
    for statement in [
      "SET synchronous_commit = off", "ALTER SYSTEM RESET synchronous_standby_names",
      "SELECT pg_reload_conf()::text",
    ] {
      _ = try link.run([DatabaseStatement("test \(statement)", statement)()])
    }
    link.close()
    var found: RealmSnapshot?
    for _ in 0..<600 where found == nil {
      found = try? await realm.snapshot(atLeast: 2)
      if found == nil { try await Task.sleep(for: .milliseconds(100)) }
    }
    let snapshot = try #require(found)
    try expectEqual(ThingEntries.keys(in: snapshot).count, Int(snapshot.head.version) - 1)
    let next = Batch(entries: [ThingEntries.entry(snapshot.head.version + 1)])
    #expect(
      try await realm.append(next, after: snapshot.head.version, epoch: head.epoch) != nil)
  }

  @Test(.withPostgres) func aServerGoesOnWhenAllItsConnectionsBreak() async throws {
    let cluster = try PostgresCluster()
    let folder = try TemporaryDirectory()
    let store = try PostgresStore(cluster.connector(), folder: folder.path)
    let realm = try await store.open(RealmName(app: "a"))
    var head = try await realm.fill(try await realm.own(), to: 1)
    for version in 2...5 as ClosedRange<UInt64> {
      // As when the primary ends.
      try cluster.run(
        """
        SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity \
        WHERE application_name = 'realm-server' AND pid <> pg_backend_pid()
        """)
      head = try await realm.fill(head, to: version)
    }
    try await expectEqual(realm.snapshot(atLeast: 5).head, head)
  }
}
#endif
