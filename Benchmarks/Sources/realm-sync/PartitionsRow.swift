// SPDX-License-Identifier: Apache-2.0

// How many partitions one server has, and what those cost that are live.

#if Server
import Foundation
import RealmSync
import RealmSyncProtocol

extension ServerRow {
  /// Makes 100,000 partitions, each with a class and an object. Then 1,000 of them are in use at
  /// once, in which a client writes. `REALM_PARTITIONS` is another number, of which a hundredth is
  /// live; after `REALM_PARTITION_SECONDS` (3,600) no more are made.
  static var partitions: ServerRow {
    ServerRow(name: "partitions") { _, print in
      let environment = ProcessInfo.processInfo.environment
      let wanted = environment["REALM_PARTITIONS"].flatMap(Int.init) ?? 100_000
      let seconds = environment["REALM_PARTITION_SECONDS"].flatMap(Int.init) ?? 3_600
      let options = ["--new-partitions", "1000000000"]
      var server = try await MeasuredServer.start(.partition, .embedded, options)
      defer { server.stop() }
      let start = ContinuousClock.now
      let end = start + .seconds(seconds)
      let made = try await make(wanted, server, until: end)
      print(
        "made: \(made) in \(Self.seconds(since: start)) s; \(try size(of: server))")
      try await server.stopAndWait()
      let restart = ContinuousClock.now
      server = try server.startAgain(options)
      print(
        "restart: \(Self.seconds(since: restart)) s; \(try size(of: server))")
      let live = max(1, made / 100)
      let opening = ContinuousClock.now
      let sockets = try await open(live, of: made, server)
      print(
        "live: \(live) of \(made) opened and written to in \(Self.seconds(since: opening)) s; "
          + (try size(of: server)))
      let writing = ContinuousClock.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for client in sockets {
          group.addTask {
            var client = client
            try await client.writeAll()
          }
        }
        try await group.waitForAll()
      }
      print(
        "write: one in each of \(live) in \(Self.seconds(since: writing)) s; "
          + (try size(of: server)))
    }
  }

  private static func seconds(since start: ContinuousClock.Instant) -> String {
    String(format: "%.1f", (ContinuousClock.now - start).inSeconds)
  }

  private static func size(of server: MeasuredServer) throws -> String {
    "\(try server.residentByteCount() >> 20) MiB, \(try server.openFileCount()) open files"
  }

  /// Makes partitions over four sockets. Returns how many there are when the time is over.
  private static func make(
    _ count: Int, _ server: MeasuredServer, until end: ContinuousClock.Instant
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      let laneCount = 4
      for lane in 0..<laneCount {
        group.addTask {
          var client = PartitionClient(try await server.socket())
          var made = 0
          for number in stride(from: lane, to: count, by: laneCount) {
            guard ContinuousClock.now < end else { break }
            try await client.begin(number)
            try await client.end(number)
            made += 1
          }
          await client.close()
          return made
        }
      }
      // The lanes have the lowest numbers in turns.
      var least = Int.max
      for try await made in group { least = min(least, made) }
      return min(count, least * laneCount)
    }
  }

  /// Uses partitions that are there, 200 on each socket.
  private static func open(
    _ live: Int, of count: Int, _ server: MeasuredServer
  ) async throws -> [PartitionClient] {
    try await withThrowingTaskGroup(of: PartitionClient.self) { group in
      for first in stride(from: 0, to: live, by: 200) {
        group.addTask {
          var client = PartitionClient(try await server.socket())
          for number in first..<min(first + 200, live) {
            try await client.begin(number * (count / live))
          }
          return client
        }
      }
      var clients: [PartitionClient] = []
      for try await client in group { clients.append(client) }
      return clients
    }
  }
}
#endif
