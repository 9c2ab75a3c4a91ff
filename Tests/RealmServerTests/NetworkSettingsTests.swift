// SPDX-License-Identifier: Apache-2.0

// Proxies, certificates and headers of an app, over the loopback address.

#if Server
import Foundation
import RealmNetworking
import RealmSwift
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@Suite(.timeLimit(.minutes(10))) struct NetworkSettingsTests {
  /// `ann:secret`
  private static let authorization = "Basic YW5uOnNlY3JldA=="

  private static func app(
    _ server: RunningServer, _ network: NetworkSettings, address: String? = nil
  ) -> App {
    let configuration = AppConfiguration(
      baseURL: address ?? server.address, defaultRequestTimeoutMS: UInt(RunningServer.answerLimit))
    configuration.directory = server.directory.path + "/device"
    configuration.network = network
    return App(id: server.app, configuration: configuration)
  }

  private static func proxy(_ proxy: TestProxy, _ password: String) -> NetworkSettings.Proxy {
    NetworkSettings.Proxy(
      host: "127.0.0.1", port: proxy.port, username: "ann", password: password)
  }

  /// Logs in, writes, and waits until the server has it.
  @MainActor private static func sync(_ app: App) async throws {
    let user = try await app.login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
      subscriptions.append(QuerySubscription<Todo>(name: "all"))
    })
    configuration.objectTypes = [Todo.self]
    let realm = try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "Water the plants"])) }
    try await realm.syncSession?.wait(for: .upload)
  }

  @Test func requestsAndSocketsGoThroughAProxy() async throws {
    let server = try await RunningServer(mode: .flexible)
    let proxy = try await TestProxy(authorization: Self.authorization)
    let app = Self.app(server, NetworkSettings(proxy: Self.proxy(proxy, "secret")))
    expectEqual(app.configuration.network.proxy?.port, proxy.port)
    try await Self.sync(app)
    // One tunnel for requests, and one for the socket.
    expectEqual(proxy.tunnels, [server.address, server.address].map { $0.dropFirst(7) })
    expectTrue(proxy.lines.contains("GET /api/client/v2.0/app/todos/location HTTP/1.1"))
    #expect(proxy.lines.contains { $0.contains("/realm-sync?baas_at=") })
    try await server.stop()
    try await proxy.stop()
  }

  @Test func aTunnelCarriesTLSWithACertificateOfTheApp() async throws {
    guard let certificate = try TestCertificate(for: "DNS:localhost") else { return }
    let server = try await RunningServer(mode: .flexible, certificate: certificate)
    let proxy = try await TestProxy(authorization: Self.authorization)
    let roots = try String(contentsOfFile: certificate.certificatePath, encoding: .utf8)
    let address = server.address.replacing("127.0.0.1", with: "localhost")
    let network = NetworkSettings(
      proxy: Self.proxy(proxy, "secret"), additionalTrustRoots: roots)
    try await Self.sync(Self.app(server, network, address: address))
    expectEqual(proxy.tunnels, [address, address].map { $0.dropFirst(8) })
    #expect(!proxy.lines.contains { $0.contains("/api/client") })
    try await server.stop()
    try await proxy.stop()
  }

  @Test(arguments: [false, true])
  func aCertificateOfAnotherHostIsRefused(isProxied: Bool) async throws {
    guard let certificate = try TestCertificate(for: "DNS:other.example") else { return }
    let server = try await RunningServer(certificate: certificate)
    let proxy = try await TestProxy()
    let roots = try String(contentsOfFile: certificate.certificatePath, encoding: .utf8)
    let address = server.address.replacing("127.0.0.1", with: "localhost")
    var network = NetworkSettings(additionalTrustRoots: roots)
    var route = NetworkRoute(additionalTrustRoots: Array(roots.utf8))
    if isProxied {
      network.proxy = NetworkSettings.Proxy(host: "127.0.0.1", port: proxy.port)
      route.proxy = NetworkRoute.Proxy(host: "127.0.0.1", port: proxy.port)
    }
    await #expect(throws: AppError.self) {
      try await Self.app(server, network, address: address).login(credentials: .anonymous)
    }
    let sockets = try ClientSockets(route)
    let closed = await #expect(throws: SocketClosed.self) {
      _ = try await sockets.open(
        SyncEndpoint(url: address.replacing("https", with: "wss") + "/x", protocolNames: ["p"]))
    }
    expectEqual(closed?.code, .tlsFailed)
    expectEqual(proxy.tunnels.isEmpty, !isProxied)
    try await server.stop()
    try await proxy.stop()
  }

  /// NIOSSL accepts the certificate, as it has the address of the peer, which is the proxy.
  @Test(arguments: ["IP:127.0.0.1", "DNS:localhost,IP:127.0.0.1"])
  func aCertificateOfTheProxyIsRefused(names: String) async throws {
    guard let certificate = try TestCertificate(for: names) else { return }
    let server = try await RunningServer(certificate: certificate)
    let proxy = try await TestProxy()
    let roots = try String(contentsOfFile: certificate.certificatePath, encoding: .utf8)
    let address = server.address.replacing("127.0.0.1", with: "localhost")
    var network = NetworkSettings(additionalTrustRoots: roots)
    network.proxy = NetworkSettings.Proxy(host: "127.0.0.1", port: proxy.port)
    let error = await #expect(throws: AppError.self) {
      try await Self.app(server, network, address: address).login(credentials: .anonymous)
    }
    expectEqual(error?.localizedDescription.contains("address of the proxy"), true)
    let sockets = try ClientSockets(
      NetworkRoute(
        proxy: NetworkRoute.Proxy(host: "127.0.0.1", port: proxy.port),
        additionalTrustRoots: Array(roots.utf8)))
    let closed = await #expect(throws: SocketClosed.self) {
      _ = try await sockets.open(
        SyncEndpoint(url: address.replacing("https", with: "wss") + "/x", protocolNames: ["p"]))
    }
    expectEqual(closed?.code, .tlsFailed)
    expectEqual(closed?.message.contains("address of the proxy"), true)
    expectEqual(proxy.tunnels.count, 2)
    try await server.stop()
    try await proxy.stop()
  }

  /// NIOSSL would compare the certificate with the proxy's address, and take one of the proxy.
  @Test func anAddressInAURLIsNotCheckedThroughAProxy() async throws {
    guard let certificate = try TestCertificate() else { return }
    let server = try await RunningServer(certificate: certificate)
    let proxy = try await TestProxy(authorization: Self.authorization)
    let roots = try String(contentsOfFile: certificate.certificatePath, encoding: .utf8)
    let network = NetworkSettings(
      proxy: Self.proxy(proxy, "secret"), additionalTrustRoots: roots)
    let error = await #expect(throws: AppError.self) {
      try await Self.app(server, network).login(credentials: .anonymous)
    }
    expectEqual(error?.localizedDescription.contains("host name in the base URL"), true)
    let route = NetworkRoute(proxy: NetworkRoute.Proxy(host: "127.0.0.1", port: proxy.port))
    let closed = await #expect(throws: SocketClosed.self) {
      _ = try await ClientSockets(route).open(
        SyncEndpoint(url: "wss://127.0.0.1:9/", protocolNames: []))
    }
    expectEqual(closed?.code, .fatal)
    expectTrue(proxy.tunnels.isEmpty)
    try await server.stop()
    try await proxy.stop()
  }

  @Test func theSystemDoesNotTrustTheCertificate() async throws {
    guard let certificate = try TestCertificate() else { return }
    let server = try await RunningServer(certificate: certificate)
    await #expect(throws: AppError.self) {
      try await Self.app(server, NetworkSettings()).login(credentials: .anonymous)
    }
    try await server.stop()
  }

  @Test(arguments: ["certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
  func whatIsNoCertificateIsAnError(_ text: String) async throws {
    let server = try await RunningServer()
    let app = Self.app(server, NetworkSettings(additionalTrustRoots: text))
    let error = await #expect(throws: AppError.self) {
      try await app.login(credentials: .anonymous)
    }
    expectEqual(error?.localizedDescription.contains("additionalTrustRoots"), true)
    try await server.stop()
  }

  @Test func aProxyThatRefusesIsAnError() async throws {
    let server = try await RunningServer()
    let proxy = try await TestProxy(authorization: Self.authorization)
    await #expect(throws: AppError.self) {
      try await Self.app(server, NetworkSettings(proxy: Self.proxy(proxy, "wrong")))
        .login(credentials: .anonymous)
    }
    let endpoint = try await server.user().authority.endpoint(.partition)
    let route = NetworkRoute(proxy: NetworkRoute.Proxy(host: "127.0.0.1", port: proxy.port))
    let sockets = try ClientSockets(route)
    await #expect(
      throws: SocketClosed(.connectFailed, "The proxy answered with HTTP status 407")
    ) { _ = try await sockets.open(endpoint) }
    try await proxy.stop()
    let closed = await #expect(throws: SocketClosed.self) { _ = try await sockets.open(endpoint) }
    expectEqual(closed?.code, .connectFailed)
    try await server.stop()
  }

  @Test func somethingElseThanAProxyIsAnError() async throws {
    let server = try await PlainSocketServer(.status(200))
    let port = try #require(URL(string: server.address)?.port)
    let endpoint = SyncEndpoint(url: "ws://127.0.0.1:1/x", protocolNames: ["test"])
    let route = NetworkRoute(proxy: NetworkRoute.Proxy(host: "127.0.0.1", port: port))
    // It answers CONNECT with 200, closes nothing, and then does not speak the protocol.
    let closed = await #expect(throws: SocketClosed.self) {
      _ = try await ClientSockets(route, timeoutSeconds: 1).open(endpoint)
    }
    expectTrue(closed != nil)
    try await server.stop()
  }

  @Test func headersOfTheAppAreInRequestsAndHandshakes() async throws {
    let server = try await RunningServer(mode: .flexible)
    let proxy = try await TestProxy()
    let app = Self.app(
      server, NetworkSettings(proxy: .init(host: "127.0.0.1", port: proxy.port)))
    app.syncManager.customRequestHeaders = [
      "X-Team": "red", "Authorization": "none", "Host": "elsewhere", "Sec-WebSocket-Protocol": "x",
    ]
    try await Self.sync(app)
    let lines = proxy.lines
    // Location, login, profile and the handshake of the socket.
    #expect(lines.filter { $0 == "X-Team: red" }.count >= 4)
    #expect(!lines.contains { $0.contains("none") || $0.contains("elsewhere") })
    let handshake = try #require(lines.firstIndex { $0.contains("/realm-sync?baas_at=") })
    expectTrue(lines[handshake...].prefix(12).contains("X-Team: red"))
    try await server.stop()
    try await proxy.stop()
  }
}
#endif
