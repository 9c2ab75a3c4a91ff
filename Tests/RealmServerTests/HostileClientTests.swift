// SPDX-License-Identifier: Apache-2.0

// Clients that send what no client should, or nothing at all.

#if Server
import Foundation
import Logging
import NIOSSL
import RealmNetworking
import RealmServerEngine
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import Testing

@testable import RealmServer

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
    #expect(try await socket.closeCode() == 1002)
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
    #expect(pongs.count < 500, "\(pongs.count)")
    await client.leave()
    try await server.stop()
  }

  // MARK: Memory

  /// `MemoryBudget` 1
  @Test func theBudgetCountsByProcessAddressAndUser() {
    let budget = MemoryBudget(byteCount: 256 << 20)
    let first = budget.share(address: "a")
    first.setUser("ann")
    #expect(first.take(32 << 20))
    #expect(!first.take(1))
    let second = budget.share(address: "a")
    second.setUser("ann")
    #expect(!second.take(1))
    second.setUser("bob")
    #expect(second.take(32 << 20))
    let third = budget.share(address: "a")
    #expect(!third.take(1))
    var others = ["b", "c", "d"].map { budget.share(address: $0) }
    for other in others { #expect(other.take(64 << 20)) }
    let last = budget.share(address: "e")
    #expect(!last.take(1))
    first.giveBack(1)
    #expect(last.take(1))
    // What is forgotten is given back.
    others = []
    #expect(budget.byteCount == 64 << 20)
    withExtendedLifetime([first, second, third, last]) {}
  }

  /// `WebSocketHandler` 5
  @Test func unfinishedMessagesOfAUserHaveALimitTogether() async throws {
    let server = try await RunningServer(
      users: ServerLimits(socketsPerUser: 100, memory: 128))
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    // A message of 12 MiB, of which the end is missing; 16 MiB and some are a user's.
    let head: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 0, 0xC0, 0, 0] + DeployedSocket.mask
    let part = head + [UInt8](repeating: 0, count: 9 << 20)
    let first = try await client.socket(Self.offer, token: token)
    try await first.send(frames: part)
    while server.budget.byteCount < 9 << 20 { try await Task.sleep(for: .milliseconds(5)) }
    let second = try await client.socket(Self.offer, token: token)
    try? await second.send(frames: part)
    #expect(try await second.closeCode() == 1008)
    // The first one goes on, and gives its share back.
    try await first.send(frames: [UInt8](repeating: 0, count: 3 << 20))
    _ = try? await first.frame()
    #expect(server.budget.byteCount == 0)
    let third = try await client.socket(Self.offer, token: token)
    try await third.send("ping 3 0\n")
    #expect(try await third.text() == "pong 3\n")
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
      #expect(try await socket.text() == "pong \(number)\n")
    }
    let token = try await client.logIn().accessToken
    #expect(try await client.socket(Self.offer, token: token).closeCode() == 1008)
    await client.leave()
    try await server.stop()
  }

  @Test func bodiesOfNobodyKnownAreSmall() async throws {
    let server = try await RunningServer()
    let url = server.address + "/api/client/v2.0/app/todos/auth/providers/local-userpass/login"
    for (count, status) in [(60 << 10, 400), (70 << 10, 413)] {
      let answer = try await ClientTransport.shared.send(
        HTTPRequest(.post, url: url, body: [UInt8](repeating: 0x20, count: count)))
      #expect(answer.status == status)
      #expect(answer[header: "Cache-Control"] == "no-store")
    }
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
    #expect(try await socket.text() == "pong 1\n")
    try await server.accounts.sendReset("ann@x.org")
    let folder = server.directory.path + "/data/apps/todos/outbox"
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let mail = try JSONParser.parse(
      Array(try #require(FileManager.default.contents(atPath: folder + "/" + file))))
    try await server.accounts.reset(
      to: "another", token: try #require(mail["token"]?.string),
      id: try #require(mail["tokenId"]?.string), for: "")
    #expect(try await socket.closeCode() == 4001)
    await client.leave()
    try await server.stop()
  }

  @Test func metricsAreForTheOperator() async throws {
    let server = try await RunningServer(metricsToken: "0123456789abcdef")
    func status(_ name: String, _ value: String) async throws -> Int {
      try await ClientTransport.shared.send(
        HTTPRequest(
          .get, url: server.address + "/metrics",
          headers: [HTTPHeader("X-Forwarded-For", "192.0.2.1"), HTTPHeader(name, value)])
      ).status
    }
    #expect(try await status("Accept", "*/*") == 403)
    #expect(try await status("Authorization", "Bearer 0123456789abcdeF") == 403)
    #expect(try await status("Authorization", "Bearer 0123456789abcdef") == 200)
    try await server.stop()
  }

  // MARK: Connections

  /// `SocketService` 4
  @Test func connectionsThatAreHalfOpenDoNotHoldUpTheEnd() async throws {
    let server = try await RunningServer()
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
    #expect(try await socket.text() == "pong 1\n")
    // Longer than all limits of the shutdown together would be a hang.
    try await server.stop()
    #expect(await silent.rest() == [])
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
    #expect(certificates.context === before)
    let files = FileManager.default
    // What cannot be used changes nothing.
    try Data("junk".utf8).write(to: URL(fileURLWithPath: old.certificatePath))
    certificates.reload()
    #expect(certificates.context === before)
    for (place, source) in [
      (old.certificatePath, new.certificatePath), (old.keyPath, new.keyPath),
    ] {
      try files.removeItem(atPath: place)
      try files.copyItem(atPath: source, toPath: place)
      try files.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: 5)], ofItemAtPath: place)
    }
    certificates.reloadIfChanged()
    #expect(certificates.context !== before)
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
      #expect((failure?.code == .tlsFailed) == (code == .tlsFailed), "\(version)")
    }
    try await server.stop()
  }
}
#endif
