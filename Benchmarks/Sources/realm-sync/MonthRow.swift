// SPDX-License-Identifier: Apache-2.0

// How a server grows in a month of writes, with trimming.

#if Server
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport

extension ServerRow {
  private static let writerCount = 16
  /// The devices that connect once and stay away, and the days after which the server gives up.
  private static let (absentCount, offlineDays) = (100, 7)

  /// Each day of a month devices write and read; others were there on the first day alone. The
  /// clock of the server goes on by a day, in which it has its hourly upkeep. Its memory and its
  /// disk are printed for some days.
  static var month: ServerRow {
    ServerRow(name: "month") { options, print in
      let arguments = ["--offline-days", "\(offlineDays)"]
      try await forEachServer(options, arguments, setsClock: true) { server in
        try await server.load(SyncRow.persons(1_000))
        for number in 0..<absentCount {
          let client = try await server.protocolClient(query(number))
          await client.socket.close(.normal)
        }
        let start = ContinuousClock.now
        for day in 1...options.days {
          try await write(server, options.transactionsPerDay, day)
          try server.setClock(Int64(day) * 86_400)
          // The server looks at its clock each second, and does its upkeep; it reads that of a
          // database each five seconds.
          try await Task.sleep(
            for: .milliseconds(server.store == .postgres ? 7_000 : 1_500))
          guard day == 1 || day % 5 == 0 || day == offlineDays + 1 else { continue }
          print(
            "\(server.title): day \(day), \(day * options.transactionsPerDay) transactions: "
              + "\(try server.residentByteCount() >> 10) KiB of memory, "
              + "\(try server.diskByteCount() >> 10) KiB on the disk")
        }
        let time = ContinuousClock.now - start
        print("\(server.title): \(options.days) days in \(time.inMilliseconds) ms")
      }
    }
  }

  private static func query(_ number: Int) -> QueryDocument {
    QueryDocument(queries: ["Person": "_id == \(number)"])
  }

  /// Devices write what they have a subscription of, eight changes at a time.
  private static func write(_ server: MeasuredServer, _ count: Int, _ day: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<writerCount {
        group.addTask {
          var client = try await server.protocolClient(query(number))
          for part in 0..<count / writerCount / 8 {
            let changes = (0..<8).map { change(of: number, Int64(day * 100_000 + part * 8 + $0)) }
            try await client.upload(changes)
            try await client.acknowledgement(of: client.sentVersion)
          }
          await client.socket.close(.normal)
        }
      }
      try await group.waitForAll()
    }
  }
}
#endif
