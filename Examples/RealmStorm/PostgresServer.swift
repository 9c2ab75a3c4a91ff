// SPDX-License-Identifier: Apache-2.0

// A PostgreSQL server of a storm.

#if Server
import Foundation

/// A PostgreSQL server with a folder and a port of the loopback address: the primary, or a standby.
final class PostgresServer {
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
  static let programs = folders.first { folder in
    ["initdb", "postgres", "pg_basebackup", "psql"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
    }
  }

  /// PostgreSQL does not run as root.
  private static let changer = "/usr/bin/setpriv"
  private static let owner: uid_t = 65_534
  static let user = "storm"

  let name: String
  let port: Int
  private let folder: String
  private let errors: String
  /// The options of the program.
  private let settings: [String]
  private let log: StormLog
  private var child: ChildProcess?

  private var data: String { folder + "/" + name }

  /// - Parameters:
  ///   - folder: A folder of both servers, which this makes.
  ///   - other: The name of the server whose standby this is, or that is the standby of this.
  ///   - source: The port of the network in front of the other server.
  ///   - isSynchronous: Whether commits wait for the standby.
  init(
    _ name: String, folder: String, port: Int, other: String, source: Int, isSynchronous: Bool,
    log: StormLog
  ) throws {
    (self.name, self.folder, self.port, self.log) = (name, folder, port, log)
    errors = folder + "-\(name).txt"
    // A kill of the processes takes nothing from the pages that the kernel has: what is written is
    // there afterwards, also without fsync. Only a crash of the machine would lose it.
    settings =
      [
        "port=\(port)", "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off",
        "max_connections=200", "shared_buffers=16MB", "cluster_name=\(name)",
        "synchronous_commit=on", "synchronous_standby_names=\(isSynchronous ? other : "")",
        "primary_conninfo=host=127.0.0.1 port=\(source) user=\(Self.user)"
          + " application_name=\(name) connect_timeout=5",
        "wal_keep_size=512MB", "wal_sender_timeout=10s", "wal_receiver_timeout=10s",
        "wal_receiver_status_interval=1s", "wal_retrieve_retry_interval=500ms",
      ].flatMap { ["-c", $0] }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    if geteuid() == 0 { chown(folder, Self.owner, Self.owner) }
  }

  // MARK: Programs

  private static func unprivileged(_ command: [String]) -> [String] {
    guard geteuid() == 0 else { return command }
    return [changer, "--reuid=\(owner)", "--regid=\(owner)", "--clear-groups"] + command
  }

  private static func path(_ program: String) throws -> String {
    guard let programs else { throw Failure(description: "PostgreSQL is not installed.") }
    return programs + "/" + program
  }

  /// Runs a program of PostgreSQL to its end. Returns its output; nil if it fails.
  private func output(_ program: String, _ arguments: [String]) throws -> String? {
    let lines = Lines()
    let command = Self.unprivileged([try Self.path(program)] + arguments)
    let child = try ChildProcess(
      "/bin/sh", ["-c", "cd / && exec \"$@\"", "sh"] + command, errors: errors
    ) { lines.add($0) }
    return child.wait() == 0 ? lines.text : nil
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    guard try output(program, arguments) != nil else {
      throw Failure(description: "\(program) fails: see \(errors).")
    }
  }

  /// The first value of a query; nil if the server does not answer.
  func value(_ query: String) throws -> String? {
    try output(
      "psql",
      [
        "-X", "-A", "-t", "-h", "127.0.0.1", "-p", "\(port)", "-U", Self.user, "-d", "postgres",
        "-c", query,
      ])
  }

  /// Asks until an answer is as it should be.
  func wait(for answer: String, to query: String, seconds: Int = 120) throws {
    let end = StormClock.now + seconds * 1_000_000
    while try value(query) != answer {
      guard StormClock.now < end else {
        throw Failure(
          description: "The database \(name) does not answer \(answer) to \(query): see \(errors).")
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  // MARK: Life

  /// Makes an empty database.
  func make() throws {
    try run(
      "initdb",
      ["-D", data, "-U", Self.user, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
  }

  /// Becomes a standby of another server, with a copy of its data.
  func copy(of other: PostgresServer) throws {
    try? FileManager.default.removeItem(atPath: data)
    try run(
      "pg_basebackup",
      [
        "-D", data, "-h", "127.0.0.1", "-p", "\(other.port)", "-U", Self.user, "-X", "stream",
        "-c", "fast", "--no-sync", "--no-manifest",
      ])
    try Data().write(to: URL(fileURLWithPath: data + "/standby.signal"))
  }

  /// Starts it, and waits until it answers.
  func start() throws {
    // The shell ends the server when the storm is gone, whatever became of it.
    let child = try ChildProcess(
      "/bin/sh",
      ["-c", "cd /; \"$@\" & p=$!; cat >/dev/null; kill -QUIT $p; wait $p", "sh"]
        + Self.unprivileged([try Self.path("postgres"), "-D", data] + settings),
      errors: errors)
    self.child = child
    log.add("database \(name)", "process \(child.number) starts")
    try wait(for: "1", to: "SELECT 1")
  }

  /// Makes the standby the primary.
  func promote() throws { try wait(for: "t", to: "SELECT pg_promote(true, 60)", seconds: 1) }

  /// Waits until the standby has all that the primary commits.
  func waitForStandby() throws {
    try wait(
      for: "sync", to: "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'")
  }

  /// Ends all its processes at once, wherever they are.
  func kill() {
    if let server = number {
      // It starts no more processes.
      _ = Foundation.kill(server, SIGSTOP)
      for process in children(of: server) + [server] { _ = Foundation.kill(process, SIGKILL) }
    }
    // The shell has to collect the server: a lock file whose process can be found is respected.
    child?.endInput()
    _ = child?.wait()
    child = nil
  }

  /// The process of the server, which its other processes are children of.
  private var number: Int32? {
    guard child != nil,
      let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
    else { return nil }
    return text.split(separator: "\n").first.flatMap { Int32($0) }
  }

  private func children(of process: Int32) -> [Int32] {
    let lines = Lines()
    let child = try? ChildProcess("/bin/ps", ["-A", "-o", "pid=,ppid="], errors: errors) {
      lines.add($0)
    }
    _ = child?.wait()
    return lines.text.split(separator: "\n").compactMap { line in
      let numbers = line.split(separator: " ").compactMap { Int32($0) }
      return numbers.count == 2 && numbers[1] == process ? numbers[0] : nil
    }
  }
}
#endif
