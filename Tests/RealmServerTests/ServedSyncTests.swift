// SPDX-License-Identifier: Apache-2.0

// Devices that meet over real sockets.

#if Server
import AsyncHTTPClient
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmSync
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct ServedSyncTests {
  @Test(arguments: [SyncMode.partition, .flexible])
  func twoDevicesShareTheirData(_ mode: SyncMode) async throws {
    let server = try await RunningServer(mode: mode)
    let user = try await server.user()
    let partition = mode == .partition ? "\"home\"" : nil
    let first = try await ServedDevice(user.connection(mode), partition: partition)
    let second = try await ServedDevice(user.connection(mode), partition: partition)
    if mode == .flexible {
      try first.subscribe()
      try second.subscribe()
    }
    try first.put(1, "milk")
    try await first.wait(for: .upload)
    try await second.wait(for: [1: "milk"])
    try second.put(2, "bread")
    try second.put(1, "oat milk")
    try await first.wait(for: [1: "oat milk", 2: "bread"])
    await first.close()
    await second.close()
    try await server.stop()
  }

  /// Nothing of a session depends on the clock of a device: not its token, nor its uploads. A
  /// change of the slow one to what it has seen of the fast one counts.
  @Test(arguments: [SyncMode.partition, .flexible])
  func devicesWithClocksThatAreAYearOffShareTheirData(_ mode: SyncMode) async throws {
    let server = try await RunningServer(mode: mode)
    let user = try await server.user()
    let partition = mode == .partition ? "\"home\"" : nil
    let fast = try await ServedDevice(
      user.connection(mode), partition: partition, daysAhead: 365)
    let slow = try await ServedDevice(
      user.connection(mode), partition: partition, daysAhead: -365)
    if mode == .flexible {
      try fast.subscribe()
      try slow.subscribe()
    }
    try fast.put(1, "milk")
    try fast.put(2, "bread")
    try await slow.wait(for: [1: "milk", 2: "bread"])
    try slow.put(1, "oat milk")
    try await slow.wait(for: .upload)
    try await fast.wait(for: [1: "oat milk", 2: "bread"])
    try fast.put(2, "rye bread")
    try await slow.wait(for: [1: "oat milk", 2: "rye bread"])
    await fast.close()
    await slow.close()
    try await server.stop()
  }

  @Test func aServerThatRestartsGoesOn() async throws {
    let server = try await RunningServer()
    let user = try await server.user()
    let device = try await ServedDevice(user.connection())
    try device.put(1, "before")
    try await device.wait(for: .upload)
    let port = try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
    try await server.stop()
    try device.put(2, "offline")
    let again = try await RunningServer(server.directory, port: port)
    let other = try await ServedDevice(user.connection())
    try await other.wait(for: [1: "before", 2: "offline"])
    await device.close()
    await other.close()
    try await again.stop()
  }

  @Test func devicesMeetOverTLS() async throws {
    guard let certificate = try TestCertificate() else { return }
    let server = try await RunningServer(certificate: certificate)
    expectTrue(server.address.hasPrefix("https://127.0.0.1:"))
    let trust = try certificate.trust()
    let http = HTTPClient(configuration: ClientTransport.configuration(trust))
    do {
      let user = try await server.user(ClientTransport(http))
      expectTrue(user.client.location.socketHost.hasPrefix("wss://127.0.0.1:"))
      let sockets = ClientSockets(tls: trust)
      let first = try await ServedDevice(user.connection(.partition, sockets))
      let second = try await ServedDevice(user.connection(.partition, sockets))
      try first.put(1, "secret")
      try await second.wait(for: [1: "secret"])
      await first.close()
      await second.close()
      // The system does not trust the certificate.
      let endpoint = await user.authority.endpoint(.partition)
      let closed = await #expect(throws: SocketClosed.self) {
        _ = try await ClientSockets.shared.open(endpoint)
      }
      expectEqual(closed?.code, .tlsFailed)
    } catch {
      try await http.shutdown()
      throw error
    }
    try await http.shutdown()
    try await server.stop()
  }
}
#endif
