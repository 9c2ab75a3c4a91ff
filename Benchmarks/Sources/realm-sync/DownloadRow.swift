// SPDX-License-Identifier: Apache-2.0

// How many objects a new client gets from a server in a second.

#if Server
import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables

extension ServerRow {
  /// A client with a new file opens a socket, downloads 100,000 persons, and commits them durably.
  static var download: ServerRow {
    ServerRow(name: "download") { options, print in
      let count = 100_000
      let persons = SyncRow.persons(count)
      let expected = try digest(of: persons)
      try await forEachServer(options) { server in
        try await server.load(persons)
        var rates: [Double] = []
        for round in 0..<5 {
          let start = ContinuousClock.now
          let device = try MeasuredDevice(server.folder + "/\(round).realm", server)
          try await device.download()
          rates.append(Double(count) / (ContinuousClock.now - start).inSeconds)
          guard try device.digest() == expected else {
            throw MeasuredServer.Failure(description: "the client has other objects")
          }
          await device.close()
        }
        rates.sort()
        print("\(server.title): \(Int(rates[2])) objects/s (best \(Int(rates[4])))")
      }
    }
  }

  private static func digest(of persons: [DownloadEntry]) throws -> StateDigest {
    let file = try DatabaseFile.open(
      path: "/expected.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    var applier = InstructionApplier(group)
    for entry in persons { try applier.apply(ChangesetParser.parse(entry.changeset)) }
    defer { group.rollback() }
    return try StateDigest(of: group)
  }
}
#endif
