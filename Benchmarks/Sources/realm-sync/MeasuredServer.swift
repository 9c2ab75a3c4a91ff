// SPDX-License-Identifier: Apache-2.0

// The server of the measurements: the program `realm-server` in a process of its own.

#if Server
import Foundation
import RealmNetworking
import RealmServerServices
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
  let store: MeasuredStore
  let directory: TemporaryDirectory
  let processIdentifier: Int32
  /// The address for apps.
  let address: String
  let user: AppUser
  /// The connection string of the database; nil without one.
  private let database: String?
  private let client: AppClient
  /// The standard input of a server whose clock is set; nil for others.
  private let input: FileHandle?

  /// Starts a server, and logs a user in.
  ///
  /// - Parameters:
  ///   - store: Where it keeps realms.
  ///   - arguments: More arguments for the program.
  ///   - setsClock: Whether its clock is set by `setClock(_:)`.
  static func start(
    _ mode: SyncMode, _ store: MeasuredStore = .embedded, _ arguments: [String] = [],
    setsClock: Bool = false
  ) async throws -> MeasuredServer {
    let directory = try TemporaryDirectory()
    let app = directory.path + "/data/apps/app"
    try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
    try Data(JSONWriter.bytes(AppFile(id: "app", name: "app", mode: mode).json))
      .write(to: URL(fileURLWithPath: app + "/app.json"))
    let database = try store == .postgres ? MeasuredDatabase.running().makeDatabase() : nil
    let started = try run(directory, database, "127.0.0.1:0", arguments, setsClock: setsClock)
    let client = AppClient(
      forgetting: AppSettings(id: "app", baseURL: started.address),
      transport: ClientTransport.shared)
    return MeasuredServer(
      mode, store, directory, database, started, client, try await client.logIn(.anonymous))
  }

  /// Starts a server again that has ended, at the same address and for the same user.
  func startAgain(_ arguments: [String] = []) throws -> MeasuredServer {
    let place = String(address.dropFirst("http://".count))
    let started = try Self.run(directory, database, place, arguments, setsClock: false)
    return MeasuredServer(mode, store, directory, database, started, client, user)
  }

  /// A process that listens.
  private struct Started {
    let process: Int32
    let address: String
    let input: FileHandle?
  }

  private static func run(
    _ directory: TemporaryDirectory, _ database: String?, _ place: String,
    _ arguments: [String], setsClock: Bool
  ) throws -> Started {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("realm-server")
    process.arguments =
      [
        "serve", "--dir", directory.path + "/data", "--listen", place, "--log-level", "error",
        "--sockets-per-user", "20000", "--sockets-per-address", "20000",
      ] + (database.map { ["--store", $0] } ?? []) + (setsClock ? ["--controlled=0"] : [])
      + arguments
    let (output, input) = (Pipe(), Pipe())
    process.standardOutput = output
    if setsClock { process.standardInput = input }
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
    return Started(
      process: process.processIdentifier,
      address: String(text[start.lowerBound...].prefix { $0 != "\"" }),
      input: setsClock ? input.fileHandleForWriting : nil)
  }

  private init(
    _ mode: SyncMode, _ store: MeasuredStore, _ directory: TemporaryDirectory,
    _ database: String?, _ started: Started, _ client: AppClient, _ user: AppUser
  ) {
    self.mode = mode
    self.store = store
    self.directory = directory
    self.database = database
    processIdentifier = started.process
    address = started.address
    input = started.input
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
    let first = await connected(query)
    // The token is over where the clock of the server has been moved.
    guard case .failure(let error) = first, let closed = error as? SocketClosed,
      closed.code.reaction == .refreshToken,
      await UserAuthority(client, user).refreshToken()
    else { return try first.get() }
    return try await connected(query).get()
  }

  private func connected(_ query: QueryDocument) async -> Result<ProtocolClient, any Error> {
    do {
      return .success(try await ProtocolClient(socket(), partition: partition, query: query))
    } catch {
      return .failure(error)
    }
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
    try ProcessUse.processorTime(of: processIdentifier)
  }

  /// The files and sockets that the process has open.
  func openFileCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd").count
  }

  /// The memory of the process that is in use.
  func residentByteCount() throws -> Int {
    try ProcessUse.anonymousByteCount(of: processIdentifier)
  }

  /// Moves its time of day so many seconds ahead of the machine's: that of its database, if it has
  /// one.
  func setClock(_ seconds: Int64) throws {
    if let database { try MeasuredDatabase.running().setClock(seconds, of: database) }
    try input?.write(contentsOf: Data("clock \(seconds)\n".utf8))
  }

  /// The bytes of its folder on the disk, and of its database.
  func diskByteCount() throws -> Int {
    let files = ProcessUse.diskByteCount(ofFolder: directory.path + "/data")
    guard database != nil else { return files }
    return files + (try MeasuredDatabase.running().newestByteCount())
  }
}
#endif
