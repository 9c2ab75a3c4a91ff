// SPDX-License-Identifier: Apache-2.0

// The server of the measurements: the program `realm-server` in a process of its own.

#if Server
import Foundation
import RealmNetworking
import RealmServerEngine
import RealmSync
import RealmFormats
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport

/// A server with an empty folder, until `stop()`.
final class MeasuredServer: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let mode: SyncMode
  let directory: TemporaryDirectory
  let processIdentifier: Int32
  let user: AppUser
  private let client: AppClient

  /// Starts a server, and logs a user in.
  ///
  /// - Parameters:
  ///   - directory: The folder of a server that has ended; nil for a new one.
  ///   - arguments: More arguments for the program.
  static func start(
    _ mode: SyncMode, in directory: TemporaryDirectory? = nil, _ arguments: [String] = []
  ) async throws -> MeasuredServer {
    let isNew = directory == nil
    let directory = try directory ?? TemporaryDirectory()
    let folder = directory.path
    if isNew {
      let app = folder + "/data/apps/app"
      try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
      try Data(JSONWriter.bytes(AppFile(id: "app", name: "app", mode: mode).json))
        .write(to: URL(fileURLWithPath: app + "/app.json"))
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("realm-server")
    process.arguments =
      [
        "serve", "--dir", folder + "/data", "--listen", "127.0.0.1:0", "--log-level", "error",
        "--sockets-per-user", "10000",
      ] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var text = ""
    while !text.contains("\"))") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Failure(description: "realm-server did not start") }
      text += String(decoding: data, as: UTF8.self)
    }
    guard let start = text.firstRange(of: "http://") else {
      throw Failure(description: "realm-server has no address: \(text)")
    }
    let address = text[start.lowerBound...].prefix { $0 != "\"" }
    let client = AppClient(
      forgetting: AppSettings(id: "app", baseURL: String(address)),
      transport: ClientTransport.shared)
    return MeasuredServer(
      mode, directory, process, client, try await client.logIn(.anonymous))
  }

  private init(
    _ mode: SyncMode, _ directory: TemporaryDirectory, _ process: Process,
    _ client: AppClient, _ user: AppUser
  ) {
    self.mode = mode
    self.directory = directory
    processIdentifier = process.processIdentifier
    self.client = client
    self.user = user
  }

  /// The folder of the server and of clients' files, which goes with the server.
  var folder: String { directory.path }

  /// Ends the server.
  func stop() { kill(processIdentifier, SIGKILL) }

  /// Ends the server, and waits until its folder is free.
  func stopAndWait() async throws {
    stop()
    while kill(processIdentifier, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
  }

  // MARK: Clients

  var partition: String? { mode == .partition ? "\"home\"" : nil }

  /// A connection of the user, for clients with a file.
  func connection() -> ClientDriver {
    ClientDriver(
      mode: mode, provider: ClientSockets.shared, authority: UserAuthority(client, user))
  }

  /// An open socket of the user.
  func socket() async throws -> any MessageSocket {
    try await ClientSockets.shared.open(await UserAuthority(client, user).endpoint(mode))
  }

  /// A client without a file that is connected, and has its first download.
  func protocolClient(
    _ query: QueryDocument = QueryDocument()
  ) async throws -> ProtocolClient {
    try await ProtocolClient(socket(), partition: partition, query: query)
  }

  /// Gives the server persons, and waits until it has them on its disk.
  func load(_ persons: [DownloadEntry]) async throws {
    var client = try await protocolClient()
    for entry in persons {
      try await client.upload([entry.changeset])
      try await client.acknowledgement(of: client.sentVersion)
    }
    await client.socket.close(.normal)
  }

  // MARK: What it takes

  /// The processor time that the process has had.
  func processorTime() throws -> Duration {
    let text = try String(contentsOfFile: "/proc/\(processIdentifier)/stat", encoding: .utf8)
    let fields = text.split(separator: " ")
    guard fields.count > 14, let user = Int(fields[13]), let system = Int(fields[14]) else {
      throw Failure(description: "the system does not say how much time a process has had")
    }
    return .seconds(Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// The files and sockets that the process has open.
  func openFileCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd").count
  }

  /// The memory of the process that is in use.
  func residentByteCount() throws -> Int {
    let status = try String(
      contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)
    for line in status.split(separator: "\n") where line.hasPrefix("RssAnon:") {
      let digits = line.filter { $0.isNumber }
      if let count = Int(digits) { return count << 10 }
    }
    throw Failure(description: "the system does not say how much memory a process has")
  }
}
#endif
