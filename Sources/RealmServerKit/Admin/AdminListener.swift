// SPDX-License-Identifier: Apache-2.0

// The server's page with its sockets, on a port of the loopback address alone.

#if Server
import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import RealmPages
import RealmStorage
import ServiceLifecycle

/// Serves the page, and keeps its address in a file for the operator.
struct AdminListener: Service {
  /// The most connections at a time; others wait.
  static let connectionCountMax = 64
  private static let idleTimeout = TimeAmount.seconds(60)
  /// The time between two looks at the state of the server.
  private static let interval = Duration.seconds(1)
  /// The looks between two pings.
  private static let pingPeriod = 20

  let service: AdminService
  let port: Int
  let logger: Logger

  /// The listener and what keeps its pages up to date: the second ends first.
  var services: [any Service] { [listener, self] }

  private var listener: any Service {
    let (service, logger) = (service, logger)
    let responder = PageResponder(service)
    return HTTP1Channel(
      responder: { request, writer, channel in
        try await responder.respond(request, writer, channel)
      }, configuration: .init(idleTimeout: Self.idleTimeout)
    ).server(
      configuration: ServerConfiguration(
        address: .hostname("127.0.0.1", port: port), serverName: nil,
        availableConnectionsDelegate: MaximumAvailableConnections(
          Self.connectionCountMax, logger: logger)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? 0
        let address = "http://127.0.0.1:\(port)/?token=\(service.access.token)"
        let path = AdminAddress.path(service.status.options.directory)
        do throws(StorageError) {
          try DurableFile.write(Array(address.utf8), to: path)
          logger.notice(
            "The server's page is at port \(port); realm-server admin prints its address")
        } catch {
          logger.error("\(path), the address of the server's page, cannot be written: \(error)")
        }
      }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
  }

  /// Sends the state of the server to open pages until the shutdown.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      var count = 0
      while !Task.isCancelled {
        if service.hub.count > 0 { service.hub.publish(await service.status.overview()) }
        count += 1
        if count % Self.pingPeriod == 0 { service.hub.ping() }
        try? await Task.sleep(for: Self.interval)
      }
    }
    service.hub.finish()
    try? FileManager.default.removeItem(
      atPath: AdminAddress.path(service.status.options.directory))
  }
}
#endif
