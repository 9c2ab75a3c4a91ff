// SPDX-License-Identifier: Apache-2.0

// How many transactions of many clients the server has on its disk in a second.

#if Server
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport

extension ServerRow {
  /// 64 clients, which keep no files, change one property of an object of their own at a time; a
  /// change counts when it is acknowledged, that is after it was synced to the server's disk.
  ///
  /// The clients send the next change after the acknowledgement of the last, or have eight under
  /// way. In partition mode each gets the changes of all others, too; in flexible mode each has
  /// subscribed to its own object.
  static var durable: ServerRow {
    ServerRow(name: "durable") {
      var lines: [String] = []
      for mode in [SyncMode.partition, .flexible] {
        for depth in [1, 8] {
          var runs: [(rate: Double, microseconds: Double)] = []
          for _ in 0..<3 { runs.append(try await durableRun(mode, depth: depth)) }
          runs.sort { $0.rate < $1.rate }
          lines.append(
            "\(mode), \(depth) under way: \(Int(runs[1].rate)) transactions/s "
              + "(best \(Int(runs[2].rate))), \(Int(runs[1].microseconds)) µs of the server's "
              + "processor time each")
        }
      }
      return lines
    }
  }

  private static func durableRun(
    _ mode: SyncMode, depth: Int
  ) async throws -> (rate: Double, microseconds: Double) {
    let server = try await MeasuredServer.start(mode)
    defer { server.stop() }
    try await server.load(SyncRow.persons(1_000))
    let start = ContinuousClock.now + .seconds(1)
    let end = start + .seconds(3)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<64 {
        group.addTask {
          let query = QueryDocument(queries: ["Person": "_id == \(number)"])
          let client = try await server.protocolClient(query)
          return try await acknowledged(by: client, number, depth: depth, from: start, to: end)
        }
      }
      try await Task.sleep(until: start)
      let before = try server.processorTime()
      try await Task.sleep(until: end)
      let time = try server.processorTime() - before
      var count = 0
      for try await part in group { count += part }
      return (Double(count) / (end - start).inSeconds, time.inSeconds * 1e6 / Double(count))
    }
  }

  /// The acknowledged changes of one client in a time.
  private static func acknowledged(
    by client: ProtocolClient, _ number: Int, depth: Int, from start: ContinuousClock.Instant,
    to end: ContinuousClock.Instant
  ) async throws -> Int {
    var client = client
    var first: UInt64?
    while ContinuousClock.now < end {
      if first == nil, ContinuousClock.now >= start { first = client.cursors.upload.clientVersion }
      while client.sentVersion < client.cursors.upload.clientVersion + UInt64(depth) {
        try await client.upload([change(of: number, Int64(client.sentVersion))])
      }
      try await client.acknowledgement(of: client.cursors.upload.clientVersion + 1)
    }
    let count = client.cursors.upload.clientVersion - (first ?? 0)
    await client.socket.close(.normal)
    return Int(count)
  }

  static func change(of person: Int, _ age: Int64) -> [UInt8] {
    var changeset = Changeset()
    let path = InstructionPath(
      table: changeset.intern("Person"), key: .int(Int64(person)), field: changeset.intern("age"))
    changeset.append(.update(.init(path: path, value: .int(age))))
    return ChangesetEncoder.encode(changeset)
  }
}
#endif
