// SPDX-License-Identifier: Apache-2.0

// The server of a storm, and what its operator does.

#if Server
import Foundation

/// The program `realm-server` with one folder and one port.
final class StormServer {
  /// The server does not do what it should.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let directory: String
  let name: String
  private let mode: StormMode
  private let port: Int
  private let address: String
  /// More options of the program.
  private let options: [String]
  private let offlineDays: Int
  private let log: StormLog
  private var child: ChildProcess?
  /// How far its clock is from that of the machine, in seconds.
  private var clockOffset: Int64 = 0

  private var folder: String { directory + "/" + name }
  /// The file with its messages.
  var errors: String { folder + ".txt" }
  private var backupFolder: String { directory + "/backup" }
  private var app: String { folder + "/apps/" + StormRules.app }

  /// - Parameters:
  ///   - address: That of the network between it and devices.
  ///   - offlineDays: After so many days away a device has to reset its realms.
  init(
    _ directory: String, name: String = "server", mode: StormMode, port: Int, address: String,
    options: [String] = [], offlineDays: Int = 1, log: StormLog
  ) throws {
    self.directory = directory
    self.name = name
    self.options = options
    self.offlineDays = offlineDays
    self.log = log
    self.mode = mode
    self.port = port
    self.address = address
    try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
    try write(StormRules.schema, "schema.json")
    try write(StormRules.open.file(mode), "app.json")
  }

  private func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: app + "/" + name), options: .atomic)
  }

  /// The number of the process; nil if it does not run.
  var process: Int32? { child.flatMap { $0.isRunning ? $0.number : nil } }

  /// Starts the process.
  @discardableResult
  func launch() throws -> ChildProcess {
    let child = try ChildProcess(
      "realm-server",
      [
        "serve", "--dir", folder, "--listen", "127.0.0.1:\(port)", "--public-url", address,
        "--registrations", "100000", "--offline-days", "\(offlineDays)", "--log-level", "warning",
        "--controlled=\(clockOffset)",
      ] + options, errors: errors)
    self.child = child
    log.add(name, "process \(child.number) starts")
    return child
  }

  /// Starts the process, and waits until it accepts connections.
  func start() throws {
    let child = try launch()
    for _ in 0..<6_000 {
      if accepts { return }
      guard child.isRunning else { break }
      Thread.sleep(forTimeInterval: 0.01)
    }
    throw Failure(description: "The server does not start: \(errors) says why.")
  }

  /// Whether the process accepts connections.
  var accepts: Bool {
    guard let socket = Socket(connectingTo: port) else { return false }
    socket.close()
    return true
  }

  /// Sets its clock, now and after each start.
  func setClock(_ offset: Int64) {
    clockOffset = offset
    child?.send("clock \(offset)")
  }

  /// Looks whether it still runs.
  func check() throws {
    guard let child, !child.isRunning else { return }
    throw Failure(description: "The server has ended by itself: see \(errors).")
  }

  /// Asks it to end in good order.
  func stop() { child?.signal(SIGTERM) }

  /// The exit code of a process that has ended by itself; nil if there is none.
  func takeEnd() -> Int32? {
    guard let child, !child.isRunning else { return nil }
    self.child = nil
    return child.wait()
  }

  func kill() {
    child?.end()
    child = nil
  }

  /// Replaces the file of the app while the server runs.
  func apply(_ rules: StormRules) throws {
    try write(rules.file(mode), "app.json")
    child?.signal(SIGHUP)
  }

  /// Says whether a user is an editor, with the command of an operator.
  func setEditor(_ isEditor: Bool, user: String) throws {
    let command = try ChildProcess(
      "realm-server",
      [
        "users", "custom-data", "--dir", folder, "--user", user, "--set",
        "{\"editor\":\(isEditor)}",
      ], errors: directory + "/commands.txt")
    guard command.wait() == 0 else {
      throw Failure(description: "realm-server users fails: see \(directory)/commands.txt.")
    }
  }

  /// Copies the folder as a kill leaves it.
  func backUp() throws {
    kill()
    try? FileManager.default.removeItem(atPath: backupFolder)
    try FileManager.default.copyItem(atPath: folder, toPath: backupFolder)
    try start()
  }

  /// Puts the last backup in place of the folder.
  func restore() throws {
    kill()
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.copyItem(atPath: backupFolder, toPath: folder)
    try start()
  }
}
#endif
