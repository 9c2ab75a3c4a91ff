// SPDX-License-Identifier: Apache-2.0

// How much memory of the server a client takes that is connected and does nothing.

#if Server
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport

extension ServerRow {
  /// 2,000 clients open a socket and a session, and wait; then a write reaches all of them.
  static var idle: ServerRow {
    ServerRow(name: "idle") { options, print in
      try await forEachServer(options) { server in
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
        let reached = try await reached(clients)
        let news = ContinuousClock.now - writing
        let after = try server.residentByteCount()
        for client in clients { await client.socket.close(.normal) }
        print(
          "\(server.title): \((idle - before) / count) bytes a client, "
            + "\((after - before) / count) after a write, which \(reached) saw in "
            + "\(news.inMilliseconds) ms; connected in \(time.inMilliseconds) ms; "
            + "\(before >> 10) KiB before")
      }
    }
  }

  /// The number of clients that get a change.
  private static func reached(_ clients: [ProtocolClient]) async throws -> Int {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in clients {
        group.addTask {
          var client = client
          while true {
            if case .download(_, let download) = try await client.receive(),
              !download.body.isEmpty
            {
              return
            }
          }
        }
      }
      try await group.waitForAll()
      return clients.count
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
