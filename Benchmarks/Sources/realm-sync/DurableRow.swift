// SPDX-License-Identifier: Apache-2.0

// How many transactions of many clients the server has on its disk in a second.

#if Server
import Foundation
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
    ServerRow(name: "durable") { options, print in
      for store in options.stores {
        for mode in options.modes {
          for depth in [1, 8] {
            var runs: [DurableRun] = []
            for _ in 0..<options.runs {
              runs.append(try await durableRun(mode, store, depth: depth, options.seconds))
            }
            runs.sort { $0.rate < $1.rate }
            let median = runs[runs.count / 2]
            print(
              "\(store.rawValue), \(mode), \(depth) under way: \(Int(median.rate)) transactions/s "
                + "(best \(Int(runs[runs.count - 1].rate))), processor time each: \(median.times)")
          }
        }
      }
    }
  }

  /// What a run has measured.
  private struct DurableRun {
    let rate: Double
    /// The microseconds of a transaction.
    let server: Double
    let clients: Double
    let database: Double

    var times: String {
      "\(Int(server)) µs of the server, \(Int(clients)) of the clients"
        + (database > 0 ? ", \(Int(database)) of the database" : "")
    }
  }

  /// The processor time of the server, of this process, and of the database.
  private static func times(_ server: MeasuredServer) throws -> [Duration] {
    [
      try server.processorTime(),
      try ProcessUse.processorTime(of: ProcessInfo.processInfo.processIdentifier),
      try server.store == .postgres ? MeasuredDatabase.running().processorTime() : .zero,
    ]
  }

  private static func durableRun(
    _ mode: SyncMode, _ store: MeasuredStore, depth: Int, _ seconds: Int
  ) async throws -> DurableRun {
    let server = try await MeasuredServer.start(mode, store)
    defer { server.stop() }
    try await server.load(SyncRow.persons(1_000))
    let start = ContinuousClock.now + .seconds(1)
    let end = start + .seconds(seconds)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<64 {
        group.addTask {
          let query = QueryDocument(queries: ["Person": "_id == \(number)"])
          let client = try await server.protocolClient(query)
          return try await acknowledged(by: client, number, depth: depth, from: start, to: end)
        }
      }
      try await Task.sleep(until: start)
      let before = try times(server)
      try await Task.sleep(until: end)
      let time = zip(try times(server), before).map { ($0 - $1).inSeconds * 1e6 }
      var count = 0
      for try await part in group { count += part }
      return DurableRun(
        rate: Double(count) / (end - start).inSeconds, server: time[0] / Double(count),
        clients: time[1] / Double(count), database: time[2] / Double(count))
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
