// SPDX-License-Identifier: Apache-2.0

// Clients that send what no client should, or nothing at all.

#if Server
import Foundation
import Logging
import NIOCore
import NIOSSL
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmSync
import RealmFormats
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct HostileClientTests {
  private static let offer = DeployedClient.partition

  /// A frame without a mask.
  private static func plainFrame(_ opcode: UInt8, _ data: [UInt8]) -> [UInt8] {
    [0x80 | opcode, UInt8(data.count)] + data
  }

  // MARK: Frames

  @Test(arguments: [
    HostileClientTests.plainFrame(2, Array("ping 1 0\n".utf8)),
    DeployedSocket.frame(0x42, Array("ping 1 0\n".utf8)),
    DeployedSocket.frame(0x12, [1]), DeployedSocket.frame(3, [1]), DeployedSocket.frame(11, [1]),
    DeployedSocket.frame(8, [0x03, 0xED]), DeployedSocket.frame(8, [0x03, 0xEE]),
    DeployedSocket.frame(8, [0, 0]), DeployedSocket.frame(8, [0x13, 0x88]),
    DeployedSocket.frame(8, [3]),
  ])
  func framesThatNobodyMaySendEndTheSocket(_ frame: [UInt8]) async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let socket = try await client.socket(Self.offer, token: try await client.logIn().accessToken)
    try await socket.send(frames: frame)
    try await expectEqual(socket.closeCode(), 1002)
    await client.leave()
    try await server.stop()
  }

  /// `WebSocketHandler` 4
  @Test func ofManyPingsTheLastIsAnswered() async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let socket = try await client.socket(Self.offer, token: try await client.logIn().accessToken)
    let pings = (0..<5_000).flatMap { number in
      DeployedSocket.frame(9, Array("\(number)".utf8))
    }
    try await socket.send(frames: pings + DeployedSocket.frame(2, Array("ping 7 0\n".utf8)))
    var pongs: [String] = []
    var isAnswered = false
    while pongs.last != "4999" || !isAnswered {
      let (opcode, data) = try await socket.frame()
      if opcode == 10 { pongs.append(String(decoding: data, as: UTF8.self)) }
      if opcode == 2 { isAnswered = String(decoding: data, as: UTF8.self) == "pong 7\n" }
    }
    expectTrue(pongs.count < 500, "\(pongs.count)")
    await client.leave()
    try await server.stop()
  }

  /// `SocketService` 3
  @Test func anAddressHasALimitOfSockets() async throws {
    let server = try await RunningServer(users: ServerLimits(socketsPerAddress: 2))
    let client = try await DeployedClient(server)
    for number in 1...2 {
      let socket = try await client.socket(Self.offer, token: try await client.logIn().accessToken)
      try await socket.send("ping \(number) 0\n")
      try await expectEqual(socket.text(), "pong \(number)\n")
    }
    let token = try await client.logIn().accessToken
    try await expectEqual(client.socket(Self.offer, token: token).closeCode(), 1008)
    await client.leave()
    try await server.stop()
  }

  @Test func reasonsFitTheirCloseFrames() async throws {
    let server = try await RunningServer()
    let app = String(repeating: "a", count: 3_000)
    let endpoint = SyncEndpoint(
      url: server.address.replacingOccurrences(of: "http", with: "ws")
        + "/api/client/v2.0/app/\(app)/realm-sync?baas_at=x",
      protocolNames: ["com.mongodb.realm-sync#14"])
    let socket = try await ClientSockets.shared.open(endpoint)
    let end = await #expect(throws: SocketClosed.self) { _ = try await socket.receive() }
    expectEqual(end?.code, .internalError, "\(String(describing: end))")
    expectEqual(end?.message.utf8.count, 123, "\(String(describing: end))")
    try await server.stop()
  }

  @Test func bodiesWithoutAUserAreSmall() async throws {
    let server = try await RunningServer()
    let url = server.address + "/api/client/v2.0/app/todos/auth/providers/local-userpass/login"
    for (count, status) in [(60 << 10, 400), (70 << 10, 413)] {
      let answer = try await ClientTransport.shared.send(
        HTTPRequest(.post, url: url, body: [UInt8](repeating: 0x20, count: count)))
      expectEqual(answer.status, status)
      expectEqual(answer[header: "Cache-Control"], "no-store")
    }
    try await server.stop()
  }

  /// What is left of a body that is too large is not read, nor taken for the next request.
  @Test func aBodyThatIsTooLargeEndsTheConnection() async throws {
    let server = try await RunningServer(times: .patient)
    let place = String(try #require(server.address.split(separator: "/").last))
    let connection = try await RawConnection(place)
    let head = "POST /api/client/v2.0/x HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n"
    try await connection.send(Array(head.utf8) + [UInt8](repeating: 0x20, count: 70 << 10))
    let text = String(decoding: await connection.rest(), as: UTF8.self)
    expectTrue(text.hasPrefix("HTTP/1.1 413 "), "\(text)")
    expectTrue(text.lowercased().contains("connection: close"), "\(text)")
    try await server.stop()
  }

  // MARK: Users and operators

  @Test func aNewPasswordClosesTheSockets() async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    try await server.accounts.register("ann@x.org", "secret1", for: "")
    let login = try await server.accounts.logIn(
      "ann@x.org", "secret1", linkedTo: nil, device: nil, for: "")
    let socket = try await client.socket(Self.offer, token: login.accessToken)
    try await socket.send("ping 1 0\n")
    try await expectEqual(socket.text(), "pong 1\n")
    try await server.accounts.sendReset("ann@x.org")
    let folder = server.directory.path + "/data/apps/todos/outbox"
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let mail = try JSONParser.parse(
      Array(try #require(FileManager.default.contents(atPath: folder + "/" + file))))
    try await server.accounts.reset(
      to: "another", token: try #require(mail["token"]?.string),
      id: try #require(mail["tokenId"]?.string), for: "")
    try await expectEqual(socket.closeCode(), 4001)
    await client.leave()
    try await server.stop()
  }

  @Test func metricsAreForTheOperator() async throws {
    let server = try await RunningServer(
      file: #"{"id":"todos","mode":"development"}"#, metricsToken: "0123456789abcdef")
    func status(_ name: String, _ value: String) async throws -> Int {
      try await ClientTransport.shared.send(
        HTTPRequest(
          .get, url: server.address + "/metrics",
          headers: [HTTPHeader("X-Forwarded-For", "192.0.2.1"), HTTPHeader(name, value)])
      ).status
    }
    try await expectEqual(status("Accept", "*/*"), 403)
    try await expectEqual(status("Authorization", "Bearer 0123456789abcdeF"), 403)
    try await expectEqual(status("Authorization", "Bearer 0123456789abcdef"), 200)
    try await server.stop()
  }

  // MARK: Connections

  /// The limit of what is missing has come, and the others have not.
  @Test(arguments: [
    (true, ""), (true, "GET /metrics HTTP/1.1\r\nHos"),
    (
      false,
      "POST /api/client/v2.0/auth/session HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1"
    ),
  ])
  func whatDoesNotComeInTimeEndsTheConnection(_ isHead: Bool, _ text: String) async throws {
    var times = ConnectionTimes(head: .hours(1), body: .hours(1), pause: .seconds(3_600))
    if isHead { times.head = .milliseconds(200) } else { times.body = .milliseconds(200) }
    let server = try await RunningServer(times: times)
    let connection = try await RawConnection(
      String(try #require(server.address.split(separator: "/").last)))
    // On a slow machine the end may have come before the first byte.
    if !text.isEmpty { try? await connection.send(Array(text.utf8)) }
    #expect(await connection.rest().isEmpty)
    try await server.stop()
  }

  /// The limits are those of requests.
  @Test func aSocketOutlivesTheTimeOfItsHandshake() async throws {
    let times = ConnectionTimes(head: .seconds(2), body: .seconds(2), pause: .seconds(2))
    let server = try await RunningServer(times: times)
    // On a machine that is too slow for the limit another try may be in time.
    var found: TestUser?
    for _ in 0..<10 where found == nil { found = try? await server.user() }
    let user = try #require(found)
    let endpoint = await user.authority.endpoint(.partition)
    var socket: (any MessageSocket)?
    for _ in 0..<10 where socket == nil { socket = try? await ClientSockets.shared.open(endpoint) }
    try await Task.sleep(for: .seconds(2.5))
    try await socket?.send(Array("ping 1 0\n".utf8))
    try await expectEqual(socket?.receive(), Array("pong 1\n".utf8))
    await socket?.close(.normal)
    try await server.stop()
  }

  /// The socket does not answer the close frame, either. `SocketService` 6
  @Test func connectionsThatAreHalfOpenDoNotHoldUpTheEnd() async throws {
    // Each ends by its own limit, and none because all are cancelled.
    let times = ConnectionTimes(
      head: .hours(1), body: .hours(1), pause: .seconds(3_600), shutdown: .seconds(3_600))
    let server = try await RunningServer(times: times)
    let client = try await DeployedClient(server)
    let address = String(try #require(server.address.split(separator: "/").last))
    let silent = try await RawConnection(address)
    let half = try await RawConnection(address)
    try await half.send(Array("GET /metrics HTTP/1.1\r\nHos".utf8))
    let body = try await RawConnection(address)
    try await body.send(
      Array("POST /api/client/v2.0/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1".utf8))
    let socket = try await client.socket(Self.offer, token: try await client.logIn().accessToken)
    try await socket.send("ping 1 0\n")
    try await expectEqual(socket.text(), "pong 1\n")
    // Longer than all limits of the shutdown together would be a hang.
    try await server.stop()
    await expectEqual(silent.rest(), [])
    _ = await half.rest()
    _ = await body.rest()
    await client.leave()
  }

  @Test func aCertificateIsReadAgain() async throws {
    guard let old = try TestCertificate(), let new = try TestCertificate() else { return }
    let certificates = try ServerCertificates(
      certificate: old.certificatePath, key: old.keyPath, logger: .init(label: "test"))
    let before = certificates.context
    certificates.reloadIfChanged()
    expectTrue(certificates.context === before)
    let files = FileManager.default
    // What cannot be used changes nothing.
    try Data("junk".utf8).write(to: URL(fileURLWithPath: old.certificatePath))
    certificates.reload()
    expectTrue(certificates.context === before)
    for (place, source) in [
      (old.certificatePath, new.certificatePath), (old.keyPath, new.keyPath),
    ] {
      try files.removeItem(atPath: place)
      try files.copyItem(atPath: source, toPath: place)
      try files.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: 5)], ofItemAtPath: place)
    }
    certificates.reloadIfChanged()
    expectTrue(certificates.context !== before)
  }

  @Test func olderVersionsOfTLSAreRefused() async throws {
    guard let certificate = try TestCertificate() else { return }
    let server = try await RunningServer(certificate: certificate)
    let endpoint = SyncEndpoint(
      url: server.address.replacingOccurrences(of: "https", with: "wss") + "/x",
      protocolNames: ["p"])
    for (version, code) in [(TLSVersion.tlsv11, CloseCode.tlsFailed), (.tlsv12, .fatal)] {
      var tls = try certificate.trust()
      tls.minimumTLSVersion = .tlsv1
      tls.maximumTLSVersion = version
      let sockets = ClientSockets(tls: tls)
      let failure = await #expect(throws: SocketClosed.self) {
        _ = try await sockets.open(endpoint)
      }
      expectEqual((failure?.code == .tlsFailed), (code == .tlsFailed), "\(version)")
    }
    try await server.stop()
  }
}
#endif
