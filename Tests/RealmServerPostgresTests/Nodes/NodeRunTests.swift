// SPDX-License-Identifier: Apache-2.0

// Random runs of servers with one database: clients at all of them, connections that break, and
// realms that are given up and taken.

#if Postgres
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerPostgres
@testable import RealmSyncTestSupport

@Suite(.heavy)
struct NodeRunTests {
  /// Nothing that was acknowledged is lost, and all servers have the same in the end.
  @Test(arguments: [SyncMode.partition, .flexible], RandomRuns.seeds(4))
  func allServersHaveWhatWasAcknowledged(_ mode: SyncMode, _ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let bench = try NodeBench(mode, .sockets, count: 3)
    var clients: [ProtocolClient?] = [nil, nil, nil, nil]
    var acknowledged: Set<String> = []
    var sent: Set<String> = []
    var first = try await bench.client(at: 0)
    try await first.upload([ChangesetText.schema()])
    try await first.acknowledgement(of: 1)
    for step in 0..<120 {
      let index = Int.random(in: clients.indices, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: bench.directory.cut()
      case 1:
        // As a server that ends does it.
        await bench.nodes[Int.random(in: 0..<3, using: &random)].app.realms.closeAll()
      case 2:
        let read = try await bench.keys(at: Int.random(in: 0..<3, using: &random))
        expectTrue(acknowledged.isSubset(of: read), "step \(step) of seed \(seed)")
      default:
        let node = Int.random(in: 0..<3, using: &random)
        do {
          var client: ProtocolClient
          if let known = clients[index] {
            client = known
          } else {
            client = try await bench.client(at: node)
          }
          clients[index] = nil
          let key = "step \(step)"
          sent.insert(key)
          try await client.upload([ChangesetText.create(key)])
          try await client.acknowledgement(of: client.sentVersion)
          acknowledged.insert(key)
          clients[index] = client
        } catch is ProtocolClient.Unexpected {
        } catch is SocketClosed {}
      }
    }
    for node in 0..<3 {
      let keys = Set(try await bench.keys(at: node))
      expectTrue(acknowledged.isSubset(of: keys), "seed \(seed)")
      expectTrue(keys.isSubset(of: sent), "seed \(seed)")
    }
    expectTrue(acknowledged.count > 40, "seed \(seed)")
    try await expectEqual(bench.keys(at: 0), bench.keys(at: 1))
    try await expectEqual(bench.keys(at: 1), bench.keys(at: 2))
  }
}
#endif
