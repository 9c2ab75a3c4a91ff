// SPDX-License-Identifier: Apache-2.0

// Thousands of clients that are connected and do nothing.

#if Server
import Foundation
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@Suite(
  .timeLimit(.minutes(10)),
  .enabled(
    if: ServerProcess.isBuilt && FileManager.default.fileExists(atPath: "/proc/self/status"),
    "the program was not built with the tests, or the system has no /proc"))
struct IdleClientTests {
  /// With more than some 1,350 open files, `Process` of Foundation may read beyond a buffer when
  /// another test starts a program (`SpawnedProgram`). The benchmark `idle` has 2,000 clients.
  private static let clientCount = 500

  /// The goal; without optimisation the frames of suspended functions are larger.
  private static var byteCountMax: Int {
    #if DEBUG
    80 << 10
    #else
    40 << 10
    #endif
  }

  /// The sockets of the clients and some more. The server inherits the limit.
  private static func allowOpenFiles() -> Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
    let needed = rlim_t(clientCount + 1_500)
    guard limit.rlim_cur < needed else { return true }
    limit.rlim_cur = min(needed, limit.rlim_max)
    return limit.rlim_cur == needed
      && setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
  }

  /// A client that has answered everything, and waits.
  private static func client(_ endpoint: SyncEndpoint) async throws -> ProtocolClient {
    var client = try await ProtocolClient(
      ClientSockets.shared.open(endpoint), partition: "\"home\"")
    try await client.ping()
    return client
  }

  private static func clients(_ endpoint: SyncEndpoint) async throws -> [ProtocolClient] {
    try await withThrowingTaskGroup(of: ProtocolClient.self) { group in
      var clients: [ProtocolClient] = []
      for number in 0..<clientCount {
        if number >= 50, let client = try await group.next() { clients.append(client) }
        group.addTask { try await client(endpoint) }
      }
      for try await client in group { clients.append(client) }
      return clients
    }
  }

  /// The number of clients that receive a changeset.
  private static func reached(_ clients: [ProtocolClient]) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for client in clients {
        group.addTask {
          var client = client
          while true {
            guard case .download(_, let download) = try await client.receive(),
              let entry = try download.body.downloadEntries().first
            else { continue }
            return entry.changeset.isEmpty ? 0 : 1
          }
        }
      }
      return try await group.reduce(0, +)
    }
  }

  @Test func hundredsOfClientsWaitInLittleMemory() async throws {
    try #require(Self.allowOpenFiles(), "the system allows too few open files")
    let directory = try TemporaryDirectory()
    let server = try await ServerProcess(directory, app: "idle")
    defer { server.kill() }
    let app = AppClient(
      forgetting: AppSettings(
        id: "idle", baseURL: server.address, requestTimeout: RunningServer.answerLimit),
      transport: ClientTransport.shared)
    let user = try await app.logIn(.anonymous)
    let endpoint = await UserAuthority(app, user).endpoint(.partition)
    var writer = try await Self.client(endpoint)
    let before = try server.residentByteCount()
    let clients = try await Self.clients(endpoint)
    let idle = try server.residentByteCount()
    expectTrue((idle - before) / Self.clientCount < Self.byteCountMax)
    // One write reaches all of them, and leaves nothing behind.
    var changeset = Changeset()
    changeset.append(
      .addTable(
        .init(
          table: changeset.intern("Note"), kind: .topLevel,
          key: .init(field: changeset.intern("_id"), type: .int, isNullable: false))))
    try await writer.upload([ChangesetEncoder.encode(changeset)])
    try await expectEqual(Self.reached(clients), Self.clientCount)
    let after = try server.residentByteCount()
    expectTrue((after - before) / Self.clientCount < Self.byteCountMax)
    for client in clients { await client.socket.close(.normal) }
  }
}
#endif
