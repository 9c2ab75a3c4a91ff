// SPDX-License-Identifier: Apache-2.0

// The database of the measurements: a PostgreSQL primary, whose commits wait for a standby.

#if Server
import Foundation
import RealmTestSupport
import Synchronization

/// A primary and its synchronous standby, both of which sync their disks, on this machine.
final class MeasuredDatabase: Sendable {
  private struct Pair {
    let primary: PostgresServer
    let standby: PostgresServer
    var databaseCount = 0
  }

  /// The one of the program; nil before its first use.
  private static let shared = Mutex<MeasuredDatabase?>(nil)

  private let directory: TemporaryDirectory
  private let pair: Mutex<Pair>

  /// The program's database, which its first use starts.
  static func running() throws -> MeasuredDatabase {
    try shared.withLock { database in
      if let database { return database }
      let made = try MeasuredDatabase()
      database = made
      return made
    }
  }

  /// Ends the program's database, and removes its files.
  static func end() {
    shared.withLock { database in
      database?.kill()
      database = nil
    }
  }

  private init() throws {
    directory = try TemporaryDirectory()
    // The user of the database goes through it.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: directory.path)
    // Below the ports that the system gives to programs which ask for any.
    let port = 20_000 + Int(ProcessInfo.processInfo.processIdentifier) % 6_000 * 2
    let folder = directory.file("database")
    func server(
      _ name: String, _ port: Int, standby: String, _ source: Int
    ) throws -> PostgresServer {
      try PostgresServer(
        name, folder: folder, port: port, other: standby, source: source, isSynchronous: true,
        settings: ["shared_buffers=256MB", "max_wal_size=4GB"])
    }
    let primary = try server("primary", port, standby: "standby", port + 1)
    let standby = try server("standby", port + 1, standby: "primary", port)
    try primary.make()
    try primary.start()
    try standby.copy(of: primary)
    try standby.start()
    try primary.waitForStandby()
    pair = Mutex(Pair(primary: primary, standby: standby))
  }

  private func kill() {
    pair.withLock { pair in
      pair.standby.kill()
      pair.primary.kill()
    }
  }

  /// Makes an empty database, whose clock `setClock(_:of:)` moves. Returns its connection string.
  func makeDatabase() throws -> String {
    let address = try pair.withLock { pair in
      pair.databaseCount += 1
      let name = "measured_\(pair.databaseCount)"
      try Self.need(pair.primary.value("CREATE DATABASE \(name)"))
      // A function of this schema is found before that of the system.
      try Self.need(
        pair.primary.value(
          "ALTER DATABASE \(name) SET search_path = measured, pg_catalog, public"))
      return pair.primary.address(name)
    }
    try run("CREATE SCHEMA measured", at: address)
    // Statements that were prepared before the function was there would never use it.
    try setClock(0, of: address)
    return address
  }

  /// Moves the time of day of a database so many seconds ahead. Leases go by another clock.
  func setClock(_ seconds: Int64, of address: String) throws {
    try run(
      "CREATE OR REPLACE FUNCTION measured.clock_timestamp() RETURNS timestamptz LANGUAGE sql "
        + "VOLATILE AS 'SELECT pg_catalog.clock_timestamp() + \(seconds) * interval ''1 second'''",
      at: address)
  }

  private func run(_ statement: String, at address: String) throws {
    let words = ["-X", "-q", "-d", address, "-v", "ON_ERROR_STOP=1", "-c", statement]
    try pair.withLock { try Self.need($0.primary.output("psql", words)) }
  }

  private static func need(_ output: String?) throws {
    guard output == nil else { return }
    throw MeasuredServer.Failure(description: "the database refuses a statement")
  }

  // MARK: What it takes

  /// The bytes of the newest database on the disk, without the log that the primary keeps anyway.
  func newestByteCount() throws -> Int {
    try pair.withLock { pair in
      let name = "measured_\(pair.databaseCount)"
      return try pair.primary.value("SELECT pg_database_size('\(name)')").flatMap(Int.init) ?? 0
    }
  }

  /// The processor time of all processes of both servers that run.
  func processorTime() throws -> Duration {
    let processes = pair.withLock { $0.primary.processes + $0.standby.processes }
    return processes.reduce(.zero) { $0 + ((try? ProcessUse.processorTime(of: $1)) ?? .zero) }
  }

  // MARK: pgbench

  /// Transactions as an append makes them, by so many clients of the program pgbench.
  ///
  /// - Parameter isShared: Whether all of them are about one row, as the appends of a realm are.
  /// - Returns: Transactions in a second.
  func benchmark(clients: Int, isShared: Bool, seconds: Int) throws -> Double {
    let folder = directory.file("database")
    let (setUp, script) = (folder + "/bench-setup.sql", folder + "/bench.sql")
    try Self.tables(clients).write(toFile: setUp, atomically: true, encoding: .utf8)
    try Self.script(isShared: isShared).write(toFile: script, atomically: true, encoding: .utf8)
    return try pair.withLock { pair in
      let address = pair.primary.address()
      try Self.need(pair.primary.output("psql", ["-X", "-q", "-d", address, "-f", setUp]))
      let output = try pair.primary.output(
        "pgbench",
        [
          "-n", "-M", "prepared", "-c", "\(clients)", "-j", "2", "-T", "\(seconds)", "-f", script,
          address,
        ])
      for line in (output ?? "").split(separator: "\n") where line.hasPrefix("tps = ") {
        if let rate = line.split(separator: " ").compactMap({ Double($0) }).first { return rate }
      }
      throw MeasuredServer.Failure(description: "pgbench says nothing of its rate")
    }
  }

  /// What the tables of a store have: a head, a row for each client, a history.
  private static func tables(_ clients: Int) -> String {
    """
    DROP TABLE IF EXISTS bench_realm, bench_file, bench_history;
    CREATE TABLE bench_realm (number bigint PRIMARY KEY, version bigint NOT NULL,
      salt bigint NOT NULL, token bigint NOT NULL, lease_until timestamptz NOT NULL);
    CREATE TABLE bench_file (realm bigint, ident bigint, client_version bigint NOT NULL,
      reciprocal_base bigint NOT NULL, last_seen bigint NOT NULL, PRIMARY KEY (realm, ident));
    CREATE TABLE bench_history (realm bigint, version bigint, file bigint, salt bigint NOT NULL,
      committed bigint NOT NULL, changeset bytea NOT NULL, touches bytea NOT NULL,
      PRIMARY KEY (realm, version, file));
    INSERT INTO bench_realm SELECT n, 0, 0, 0, now() FROM generate_series(0, \(clients - 1)) AS n;
    INSERT INTO bench_file SELECT 0, n, 0, 0, 0 FROM generate_series(0, \(clients - 1)) AS n;

    """
  }

  private static func script(isShared: Bool) -> String {
    """
    \\set salt random(1, 1000000000)
    BEGIN;
    UPDATE bench_realm SET version = version + 1, salt = :salt, token = :salt,
      lease_until = now() + interval '15 seconds' WHERE number = \(isShared ? "0" : ":client_id")
      RETURNING version \\gset
    UPDATE bench_file SET client_version = client_version + 1, reciprocal_base = :version,
      last_seen = :salt WHERE realm = 0 AND ident = :client_id;
    INSERT INTO bench_history VALUES (\(isShared ? "0" : ":client_id"), :version, :client_id,
      :salt, :salt, decode(repeat('5a', 60), 'hex'), decode(repeat('5a', 40), 'hex'));
    COMMIT;
    SELECT pg_notify('bench', '1');

    """
  }
}
#endif
