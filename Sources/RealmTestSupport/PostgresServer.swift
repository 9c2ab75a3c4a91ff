// SPDX-License-Identifier: Apache-2.0

// A PostgreSQL server of a storm or of a measurement: a primary, or a standby.

import Foundation

/// A PostgreSQL server with a folder and a port of the loopback address: the primary, or a standby.
package final class PostgresServer {
  /// The server or one of its programs fails.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The folders where programs of PostgreSQL may be, the newest version first.
  private static let folders: [String] = {
    let debian = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
    return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(debian)/\($0)/bin" }
      + ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"]
  }()

  /// The folder with the programs; nil if there is none.
  package static let programs = folders.first { folder in
    ["initdb", "postgres", "pg_basebackup", "psql"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
    }
  }

  /// PostgreSQL does not run as root.
  private static let changer = "/usr/bin/setpriv"
  private static let owner: uid_t = 65_534
  /// The superuser of the database.
  package static let user = "storm"

  /// The name by which the other server knows this one.
  package let name: String
  /// The port of the loopback address.
  package let port: Int
  private let folder: String
  private let errors: String
  /// The options of the program.
  private let settings: [String]
  private let note: @Sendable (String) -> Void
  private var shell: SpawnedProgram?

  private var data: String { folder + "/" + name }

  /// - Parameters:
  ///   - folder: A folder of both servers, which this makes.
  ///   - other: The name of the server whose standby this is, or that is the standby of this.
  ///   - source: The port at which this reaches the other server.
  ///   - isSynchronous: Whether commits wait for the standby.
  ///   - settings: More settings, or other values of those here.
  ///   - note: Called with what happens to the server.
  package init(
    _ name: String, folder: String, port: Int, other: String, source: Int, isSynchronous: Bool,
    settings: [String] = [], note: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    (self.name, self.folder, self.port, self.note) = (name, folder, port, note)
    errors = folder + "-\(name).txt"
    self.settings =
      ([
        "port=\(port)", "listen_addresses=127.0.0.1", "unix_socket_directories=",
        "max_connections=200", "cluster_name=\(name)",
        "synchronous_commit=on", "synchronous_standby_names=\(isSynchronous ? other : "")",
        "primary_conninfo=host=127.0.0.1 port=\(source) user=\(Self.user)"
          + " application_name=\(name) connect_timeout=5",
        "wal_keep_size=512MB", "wal_sender_timeout=10s", "wal_receiver_timeout=10s",
        "wal_receiver_status_interval=1s", "wal_retrieve_retry_interval=500ms",
      ] + settings).flatMap { ["-c", $0] }
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

  /// Runs a program of PostgreSQL to its end.
  ///
  /// - Parameters:
  ///   - program: The name of the program.
  ///   - arguments: Its arguments.
  /// - Returns: Its output; nil if it fails.
  package func output(_ program: String, _ arguments: [String]) throws -> String? {
    let command = Self.unprivileged([try Self.path(program)] + arguments)
    let run = try SpawnedProgram.run("/bin/sh", ["-c", "cd / && exec \"$@\"", "sh"] + command)
    if !run.errors.isEmpty { try append(run.errors) }
    return run.status == 0 ? run.output : nil
  }

  private func append(_ text: String) throws {
    let file = try openErrors()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  /// The file with the messages of the programs, at its end.
  private func openErrors() throws -> FileHandle {
    if !FileManager.default.fileExists(atPath: errors) {
      try Data().write(to: URL(fileURLWithPath: errors))
    }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    try file.seekToEnd()
    return file
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    guard try output(program, arguments) != nil else {
      throw Failure(description: "\(program) fails: see \(errors).")
    }
  }

  /// The first value of a query; nil if the server does not answer.
  package func value(_ query: String) throws -> String? {
    try output("psql", ["-X", "-A", "-t", "-d", address(), "-c", query])?
      .trimmingCharacters(in: .newlines)
  }

  /// The connection string of a database.
  package func address(_ database: String = "postgres") -> String {
    "postgresql://\(Self.user)@127.0.0.1:\(port)/\(database)"
  }

  /// Asks until an answer is as it should be.
  package func wait(for answer: String, to query: String, seconds: Double = 120) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try value(query) != answer {
      guard ContinuousClock.now < end else {
        throw Failure(
          description: "The database \(name) does not answer \(answer) to \(query): see \(errors).")
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  // MARK: Life

  /// Makes an empty database.
  package func make() throws {
    try run(
      "initdb",
      ["-D", data, "-U", Self.user, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
  }

  /// Becomes a standby of another server, with a copy of its data.
  package func copy(of other: PostgresServer) throws {
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
  package func start() throws {
    let errors = try openErrors()
    defer { try? errors.close() }
    // The shell ends the server when this program is gone, whatever became of it.
    let shell = try SpawnedProgram(
      "/bin/sh",
      ["-c", "cd /; \"$@\" & p=$!; cat >/dev/null; kill -QUIT $p; wait $p", "sh"]
        + Self.unprivileged([try Self.path("postgres"), "-D", data] + settings),
      input: .pipe, output: .null, errors: .descriptor(errors.fileDescriptor))
    self.shell = shell
    note("process \(shell.identifier) starts")
    try wait(for: "1", to: "SELECT 1")
  }

  /// Makes the standby the primary.
  package func promote() throws {
    try wait(for: "t", to: "SELECT pg_promote(true, 60)", seconds: 1)
  }

  /// Waits until the standby has all that the primary commits.
  package func waitForStandby() throws {
    try wait(
      for: "sync", to: "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'")
  }

  /// Ends all its processes at once, wherever they are.
  package func kill() {
    if let server = number {
      // It starts no more processes.
      _ = Foundation.kill(server, SIGSTOP)
      for process in processes.dropFirst() + [server] { _ = Foundation.kill(process, SIGKILL) }
    }
    // The shell has to collect the server: a lock file whose process can be found is respected.
    try? shell?.input?.close()
    shell?.waitUntilExit()
    shell = nil
  }

  /// The process of the server, which its other processes are children of.
  private var number: Int32? {
    guard shell != nil,
      let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
    else { return nil }
    return text.split(separator: "\n").first.flatMap { Int32($0) }
  }

  /// The numbers of all its processes, the first one's first.
  package var processes: [Int32] {
    guard let server = number else { return [] }
    let text = (try? SpawnedProgram.run("/bin/ps", ["-A", "-o", "pid=,ppid="]).output) ?? ""
    return [server]
      + text.split(separator: "\n").compactMap { line in
        let numbers = line.split(separator: " ").compactMap { Int32($0) }
        return numbers.count == 2 && numbers[1] == server ? numbers[0] : nil
      }
  }
}
