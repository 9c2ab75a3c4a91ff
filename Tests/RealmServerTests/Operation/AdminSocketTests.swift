// SPDX-License-Identifier: Apache-2.0

// The page of a server over its sockets: its address, live events, limits.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct AdminSocketTests {
  /// The address of the page, as the operator gets it.
  static func address(_ server: RunningServer) async throws -> URL {
    for _ in 0..<3_000 {
      if let text = try? AdminCommand.answer(server.directory.path + "/data"),
        let url = URL(string: text)
      {
        return url
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    return try #require(URL(string: try AdminCommand.answer(server.directory.path + "/data")))
  }

  private static func connect(_ url: URL) async throws -> (RawConnection, String) {
    let host = "127.0.0.1:\(try #require(url.port))"
    return (try await RawConnection(host), host)
  }

  private static func token(_ url: URL) -> String {
    String(url.absoluteString.split(separator: "=").last ?? "")
  }

  private static func lines(
    _ method: String, _ path: String, _ host: String, _ token: String
  )
    -> [UInt8]
  {
    Array(
      """
      \(method) \(path) HTTP/1.1\r
      Host: \(host)\r
      x-realm-admin-token: \(token)\r
      \r\n
      """.utf8)
  }

  @Test func thePageIsServedToItsOwnerAlone() async throws {
    let server = try await RunningServer(mode: .partition, adminPort: 0)
    let url = try await Self.address(server)
    expectEqual(url.host, "127.0.0.1")
    expectEqual(url.query?.hasPrefix("token="), true)
    let rights = try FileManager.default.attributesOfItem(
      atPath: server.directory.path + "/data/admin")[.posixPermissions]
    expectEqual((rights as? Int).map { $0 & 0o077 }, 0)
    let (connection, host) = try await Self.connect(url)
    for (token, status) in [(Self.token(url), "200"), ("wrong", "401")] {
      try await connection.send(Self.lines("GET", "/api/overview", host, token))
      #expect(try await DeployedClient.answer(connection).status.contains(status))
    }
    try await connection.send(Self.lines("GET", "/", "evil.example", Self.token(url)))
    #expect(try await DeployedClient.answer(connection).status.contains("403"))
    await connection.close()
    try await server.stop()
    // The address is gone with the server.
    #expect(throws: ServerFailure.self) {
      try AdminCommand.answer(server.directory.path + "/data")
    }
  }

  @Test func withoutAPortThereIsNoPage() async throws {
    let server = try await RunningServer(mode: .partition)
    #expect(throws: ServerFailure.self) {
      try AdminCommand.answer(server.directory.path + "/data")
    }
    try await server.stop()
    #expect(throws: ServerFailure.self) {
      try ServerOptions(directory: "d", listen: "a:1", adminPort: 70_000)
    }
  }

  @Test func openPagesHearOfEachDevice() async throws {
    let server = try await RunningServer(mode: .partition, adminPort: 0)
    let url = try await Self.address(server)
    let (connection, host) = try await Self.connect(url)
    try await connection.send(Self.lines("GET", "/api/events", host, Self.token(url)))
    /// Reads events until one is as it should be.
    func wait(for condition: (JSONValue) -> Bool) async throws {
      while true {
        let line = try await connection.textLine()
        guard line.hasPrefix("data: ") else { continue }
        let json = try JSONParser.parse(String(line.dropFirst(6)))
        if condition(json) { return }
      }
    }
    func sessions(_ json: JSONValue) -> Int64? {
      json["apps"]?.array?.first?["openSessions"]?.integer
    }
    try await wait { sessions($0) == 0 }
    let device = try await ServedDevice(try await server.user().connection())
    try device.put(1, "a")
    try await device.wait(for: .upload)
    try await wait { sessions($0) == 1 }
    await device.close()
    try await wait { sessions($0) == 0 }
    await connection.close()
    try await server.stop()
  }

  /// `AdminHub` 1
  @Test func streamsHaveALimit() async throws {
    let hub = AdminHub()
    var streams: [AsyncStream<String>] = []
    for _ in 0..<AdminHub.streamCountMax { streams.append(try #require(hub.subscribe())) }
    expectTrue(hub.subscribe() == nil)
    expectEqual(hub.count, AdminHub.streamCountMax)
    for number in 0..<100 as Range<Int64> { hub.publish(.integer(number)) }
    hub.publish(.integer(99))
    hub.finish()
    expectTrue(hub.subscribe() == nil)
    expectEqual(hub.count, 0)
    // A slow reader has the newest states, each once.
    var last: [String] = []
    for await message in streams[0] { last.append(message) }
    expectTrue(last.count <= 4)
    expectEqual(last.last, "data: 99\n\n")
    expectEqual(Set(last).count, last.count)
  }

  @Test func connectionsHaveALimit() async throws {
    let server = try await RunningServer(mode: .partition, adminPort: 0)
    let url = try await Self.address(server)
    var connections: [RawConnection] = []
    for _ in 0..<AdminListener.connectionCountMax + 8 {
      connections.append(try await Self.connect(url).0)
    }
    // Those within the limit are answered; the others wait until one of these ends.
    let host = "127.0.0.1:\(try #require(url.port))"
    for connection in connections {
      try await connection.send(Self.lines("GET", "/api/overview", host, Self.token(url)))
    }
    #expect(try await DeployedClient.answer(connections[0]).status.contains("200"))
    for connection in connections.prefix(AdminListener.connectionCountMax) {
      await connection.close()
    }
    #expect(
      try await DeployedClient.answer(connections[connections.count - 1]).status.contains("200"))
    for connection in connections { await connection.close() }
    try await server.stop()
  }
}

extension RawConnection {
  /// The next line of a stream of events, whatever parts it came in.
  fileprivate func textLine() async throws -> String {
    var bytes: [UInt8] = []
    while true {
      let byte = try await self.bytes(1)[0]
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      if byte != UInt8(ascii: "\r") { bytes.append(byte) }
    }
  }
}
#endif
