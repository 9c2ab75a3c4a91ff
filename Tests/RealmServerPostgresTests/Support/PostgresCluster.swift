// SPDX-License-Identifier: Apache-2.0

// A PostgreSQL server of the tests: in a folder of theirs, on a socket of theirs, gone with them.

#if Postgres
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmTestSupport
import Synchronization
import Testing

@testable import RealmServerPostgres

/// A running PostgreSQL server.
final class PostgresCluster: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The folders where programs of PostgreSQL may be, the newest version first.
  private static let folders: [String] = {
    let debian = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
    return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(debian)/\($0)/bin" }
      + ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"]
  }()

  /// The folder with the programs; nil if there is none.
  private static let programs = folders.first { folder in
    ["initdb", "postgres"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
    }
  }

  /// Whether this machine has PostgreSQL, and its client library.
  static let isInstalled =
    programs != nil && (try? Libpq.found()) != nil
    && (geteuid() != 0 || FileManager.default.isExecutableFile(atPath: changer))

  /// Whether a machine without PostgreSQL is a failure.
  static let isRequired =
    ProcessInfo.processInfo.environment["OPENREALM_REQUIRE_POSTGRES"] != nil

  /// PostgreSQL does not run as root.
  private static let changer = "/usr/bin/setpriv"
  private static let user: uid_t = 65_534

  /// The server of all tests.
  static let shared = Result { try PostgresCluster() }

  private let folder: TemporaryDirectory
  private let server: SpawnedProgram
  private let databases = Atomic(0)

  /// - Parameter backup: What `backUp()` has made, which the server begins with.
  init(settings: [String] = ["fsync=off"], restoring backup: String? = nil) throws {
    guard let programs = Self.programs else {
      throw Failure(description: "PostgreSQL is not installed")
    }
    folder = try TemporaryDirectory()
    let data = folder.file("data")
    if geteuid() == 0 { chown(folder.path, Self.user, Self.user) }
    if let backup {
      try Self.carryOut(["cp", "-a", backup, data])
      try Self.carryOut(["touch", data + "/recovery.signal"])
    } else {
      try Self.carryOut([
        "\(programs)/initdb", "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8",
        "--locale=C", "--no-sync",
      ])
    }
    let options = settings + ["max_connections=300", "listen_addresses=", "shared_buffers=16MB"]
    // The shell ends the server when this process is gone, whatever became of it.
    server = try SpawnedProgram(
      "/bin/sh",
      ["-c", "cd /; \"$@\" & p=$!; cat >/dev/null; kill -INT $p; wait $p", "sh"]
        + Self.unprivileged(
          ["\(programs)/postgres", "-D", data, "-k", folder.path]
            + options.flatMap { ["-c", $0] }),
      input: .pipe, output: .null, errors: .file(folder.file("log")))
    let deadline = Date(timeIntervalSinceNow: 60)
    let anyServer = try PostgresConnector(address() + " target_session_attrs=any")
    while (try? anyServer.connect()) == nil {
      guard Date() < deadline, server.isRunning else {
        throw Failure(
          description: (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "")
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  deinit { try? server.input?.close() }

  /// Runs a program to its end.
  private static func carryOut(_ command: [String]) throws {
    let done = try SpawnedProgram.run(
      "/bin/sh", ["-c", "cd / && exec \"$@\"", "sh"] + unprivileged(command))
    guard done.status == 0 else { throw Failure(description: done.errors) }
  }

  /// Copies the files of the server, which runs. Returns their folder, gone with the server.
  func backUp() throws -> String {
    guard let programs = Self.programs else {
      throw Failure(description: "PostgreSQL is not installed")
    }
    let target = folder.file("backup")
    try Self.carryOut([
      "\(programs)/pg_basebackup", "-h", folder.path, "-U", "test", "-D", target,
      "--checkpoint=fast", "--no-sync",
    ])
    return target
  }

  private static func unprivileged(_ command: [String]) -> [String] {
    guard geteuid() == 0 else { return command }
    return [changer, "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + command
  }

  /// The connection string of a database.
  func address(_ database: String = "postgres") -> String {
    "host=\(folder.path) user=test dbname=\(database)"
  }

  func connector(
    _ database: String = "postgres", answerMilliseconds: Int = 60_000
  ) throws -> PostgresConnector {
    try PostgresConnector(address(database), answerMilliseconds: answerMilliseconds)
  }

  /// Makes an empty database.
  func makeDatabase() throws -> String {
    let name = "test_\(databases.add(1, ordering: .relaxed).newValue)"
    try run("CREATE DATABASE \(name)")
    return name
  }

  /// Carries a statement out.
  @discardableResult
  func run(_ statement: String, in database: String = "postgres") throws -> DatabaseRows {
    let link = try connector(database).connect()
    defer { link.close() }
    return try link.run([DatabaseStatement("test", statement)()])[0]
  }
}

extension Trait where Self == ConditionTrait {
  /// The test needs PostgreSQL.
  static var withPostgres: Self {
    .enabled(
      if: PostgresCluster.isInstalled,
      "PostgreSQL is not installed (Debian and Ubuntu: postgresql, libpq5)")
  }
}
#endif
