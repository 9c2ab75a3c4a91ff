// SPDX-License-Identifier: Apache-2.0

// Requests that a proxy has passed on to a server that is for its own machine.

#if Server
import Foundation
import Logging
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct ForwardGateTests {
  private static let location = "/api/client/v2.0/app/todos/location"

  private static func send(
    _ server: RunningServer, _ header: String?
  ) async throws -> HTTPResponse {
    try await ClientTransport.shared.send(
      HTTPRequest(
        .get, url: server.address + location,
        headers: header.map { [HTTPHeader($0, "192.0.2.1")] } ?? []))
  }

  /// The first line of the answer to a handshake.
  private static func handshake(
    _ server: RunningServer, _ header: String?
  ) async throws -> String {
    let connection = try await RawConnection(
      server.address.replacingOccurrences(of: "http://", with: ""))
    var lines = [
      "GET /api/client/v2.0/app/todos/realm-sync?baas_at=x HTTP/1.1", "Host: a",
      "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      "Sec-WebSocket-Protocol: com.mongodb.realm-sync#14",
    ]
    if let header { lines.append("\(header): 192.0.2.1") }
    try await connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    let line = try await connection.line()
    await connection.close()
    return line
  }

  /// `ForwardGate` 1
  @Test func withoutAModeNothingIsServedThroughAProxy() async throws {
    let log = Locked<[String]>([])
    let server = try await RunningServer(
      logger: Logging.Logger(label: "test") { _ in
        KeptLog { text in log.withLock { $0.append(text) } }
      })
    func errors() -> [String] { log.withLock { $0.filter { $0.hasPrefix("error: ") } } }
    try await expectEqual(Self.send(server, nil).status, 200)
    #expect(try await Self.handshake(server, nil).contains("101"))
    expectTrue(errors().isEmpty)
    for header in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"] {
      let answer = try await Self.send(server, header)
      expectEqual(answer.status, 403, "\(header)")
      let text = String(decoding: answer.body, as: UTF8.self)
      expectTrue(text.contains("RestrictedHost"), "\(text)")
      expectTrue(text.contains(ForwardGate.message), "\(text)")
      #expect(try await Self.handshake(server, header).contains("400"), "\(header)")
    }
    // Once, with what to do.
    let line = try #require(errors().first)
    expectEqual(errors().count, 1, "\(errors())")
    for remedy in ["\"mode\"", "--development", "--public-url"] { #expect(line.contains(remedy)) }
    // A mode is one, and needs no restart.
    let file = server.directory.path + "/data/apps/todos/app.json"
    try Data(#"{"id":"todos","mode":"development","sync":"partition"}"#.utf8)
      .write(to: URL(fileURLWithPath: file))
    _ = try await ApplyCommand.answer(server.directory.path + "/data")
    try await expectEqual(Self.send(server, "X-Forwarded-For").status, 200)
    #expect(try await Self.handshake(server, "X-Forwarded-For").contains("101"))
    try await server.stop()
  }

  @Test func whoSaysWhoReachesTheServerIsBelieved() throws {
    let file = AppFile(id: "todos", name: "todos")
    func isAlone(_ publicURL: String?, isDevelopment: Bool) throws -> Bool {
      try ServerOptions(
        directory: "d", listen: "127.0.0.1:1", publicURL: publicURL, isDevelopment: isDevelopment
      ).isForThisMachineAlone(file)
    }
    #expect(try isAlone(nil, isDevelopment: false))
    #expect(try !isAlone(nil, isDevelopment: true))
    #expect(try !isAlone("http://localhost:8080", isDevelopment: false))
    var named = file
    named.stage = .production
    #expect(
      try !ServerOptions(directory: "d", listen: "127.0.0.1:1").isForThisMachineAlone(named))
  }
}
#endif
