// SPDX-License-Identifier: Apache-2.0

// The example at the head of the module: a client and a server that synchronise.

import Foundation
import RealmSyncProtocol
import TestExtensions
import Testing

struct SynchronisationTests {
  private static let head = "Sources/RealmSyncProtocol/RealmSyncProtocol.swift"

  @Test func aClientAndAServerSynchronise() {
    var (file, realm) = (FakeFile(.partition), FakeRealm(.partition))
    var view = FakeRealm.View()
    file.write([1])

    // snippet: synchronisation
    let version = ProtocolVersion(mode: .partition)
    var client = ClientMachine(mode: .partition)
    var server = ServerConnectionMachine(version: version, served: .partition, now: 0)
    var (toClient, toServer) = ([ClientInput](), [ServerConnectionInput]())
    toClient = [.begin(session: 1, SessionSettings(partition: "\"home\""))]
    while !toClient.isEmpty || !toServer.isEmpty {
      for effect in toClient.isEmpty ? [] : client.handle(toClient.removeFirst(), now: 0) {
        if case .open(let socket) = effect {
          toClient.append(.opened(socket: socket, protocolName: "\(version)", jitter: 0))
        } else if case .send(let bytes, _) = effect {
          toServer.append(.message(bytes))
        } else if case .store(let name, let number, let request) = effect {
          toClient.append(.stored(session: name, request: number, file.carryOut(request)))
        }
      }
      for effect in toServer.isEmpty ? [] : server.handle(toServer.removeFirst(), now: 0) {
        if case .send(let bytes, _) = effect {
          toClient.append(.message(socket: 1, bytes, jitter: 0))
        } else if case .store(let name, let number, let request) = effect {
          let reply = realm.carryOut(request, &view, random: 0)
          toServer.append(.session(name, .stored(request: number, reply)))
        }
      }
    }
    // snippet end

    expectEqual(realm.entries.map(\.changeset), [[], [1]])
    expectTrue(file.cursors.upload.clientVersion >= 2)
    expectEqual(file.problems, [])
  }

  @Test func theExampleStandsAtTheHeadOfTheModule() throws {
    let tests = URL(fileURLWithPath: #filePath)
    let root = (0..<4).reduce(tests) { url, _ in url.deletingLastPathComponent() }
    func lines(_ url: URL) throws -> [Substring] {
      try String(contentsOf: url, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
    }
    let code = try lines(tests).drop { !$0.hasSuffix("// snippet: synchronisation") }
      .dropFirst().prefix { !$0.hasSuffix("// snippet end") }
    let shown = try lines(root.appendingPathComponent(Self.head)).drop { $0 != "// ```swift" }
      .dropFirst().prefix { $0 != "// ```" }
    expectEqual(shown.map { $0.dropFirst(3) }, code.map { $0.dropFirst(4) })
    expectTrue(code.count <= 30)
  }
}
