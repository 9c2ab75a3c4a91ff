// SPDX-License-Identifier: Apache-2.0

// How much memory of the server a client takes that is connected and does nothing.

#if Server
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport

extension ServerRow {
  /// 2,000 clients open a socket and a session, and wait; then a write reaches all of them.
  static var idle: ServerRow {
    ServerRow(name: "idle") {
      var lines: [String] = []
      for mode in [SyncMode.partition, .flexible] {
        let server = try await MeasuredServer.start(mode)
        defer { server.stop() }
        try await server.load(SyncRow.persons(1_000))
        let before = try server.residentByteCount()
        let count = 2_000
        let start = ContinuousClock.now
        let clients = try await idleClients(count, server)
        let time = ContinuousClock.now - start
        let idle = try server.residentByteCount()
        var writer = try await server.protocolClient()
        let writing = ContinuousClock.now
        try await writer.upload([change(of: 1, 500)])
        let reached = try await withThrowingTaskGroup(of: Bool.self) { group in
          for client in clients {
            group.addTask {
              var client = client
              while true {
                if case .download(_, let download) = try await client.receive(),
                  !download.body.isEmpty
                {
                  return true
                }
              }
            }
          }
          var count = 0
          for try await isReached in group where isReached { count += 1 }
          return count
        }
        let news = ContinuousClock.now - writing
        let after = try server.residentByteCount()
        for client in clients { await client.socket.close(.normal) }
        lines.append(
          "\(mode): \((idle - before) / count) bytes a client, "
            + "\((after - before) / count) after a write, which \(reached) saw in "
            + "\(Int(news.inSeconds * 1_000)) ms; connected in "
            + "\(Int(time.inSeconds * 1_000)) ms; \(before >> 10) KiB before")
      }
      return lines
    }
  }

  private static func idleClients(
    _ count: Int, _ server: MeasuredServer
  ) async throws -> [ProtocolClient] {
    let query = QueryDocument(queries: ["Person": "_id == 1"])
    return try await withThrowingTaskGroup(of: ProtocolClient.self) { group in
      var clients: [ProtocolClient] = []
      for number in 0..<count {
        if number >= 50, let client = try await group.next() { clients.append(client) }
        group.addTask {
          var client = try await server.protocolClient(query)
          try await client.ping()
          return client
        }
      }
      for try await client in group { clients.append(client) }
      return clients
    }
  }
}
#endif
