// SPDX-License-Identifier: Apache-2.0

// Opening the WebSockets of connections (P1 B.1).

#if Sync
import NIOCore
import NIOHTTP1
import NIOPosix
package import NIOSSL
import NIOWebSocket
package import RealmSyncProtocol

/// Opens WebSockets with SwiftNIO.
package struct ClientSockets: SyncSocketProvider {
  /// The sockets of apps, with the trusted certificates of the system.
  package static let shared = ClientSockets()

  /// A DOWNLOAD may have so many bytes, and a header.
  private static let messageByteCountMax = (256 << 20) + (64 << 10)

  private let tls: TLSConfiguration
  private let proxy: NetworkRoute.Proxy?
  /// The time for name, connection, certificate and handshake together (P1 B.4).
  private let timeout: TimeAmount

  package init(tls: TLSConfiguration = .makeClientConfiguration(), timeoutSeconds: Int64 = 120) {
    self.tls = tls
    proxy = nil
    timeout = .seconds(timeoutSeconds)
  }

  /// Sockets of a route of their own.
  package init(_ route: NetworkRoute, timeoutSeconds: Int64 = 120) throws(AppFailure) {
    tls = try route.tls()
    proxy = route.proxy
    timeout = .seconds(timeoutSeconds)
  }

  /// The end of a handshake.
  private enum Handshake: Sendable {
    case done(WebSocket)
    /// The status of the answer follows.
    case refused(EventLoopFuture<Int>)
  }

  package func open(_ endpoint: SyncEndpoint) async throws(SocketClosed) -> any MessageSocket {
    guard let url = SocketURL(endpoint.url) else {
      throw SocketClosed(.fatal, "The server's address is no address of a WebSocket")
    }
    if proxy != nil, url.isUncheckedByProxies {
      throw SocketClosed(.fatal, SocketURL.uncheckedByProxies)
    }
    let attempt = ConnectionAttempt()
    do {
      return try await withTaskCancellationHandler {
        switch try await connect(url, endpoint, attempt) {
        case .done(let socket):
          guard attempt.finish() else {
            await socket.close(.goingAway)
            throw SocketClosed(.connectFailed, "The connection was cancelled")
          }
          return socket
        case .refused(let status):
          let code = try await status.get()
          attempt.cancel()
          throw SocketClosed(
            CloseCode(handshakeStatus: code), "The server answered with HTTP status \(code)")
        }
      } onCancel: {
        attempt.cancel()
      }
    } catch let error as SocketClosed {
      throw error
    } catch {
      attempt.cancel()
      throw attempt.failure ?? Self.failure(error, url.authority)
    }
  }

  private func connect(
    _ url: SocketURL, _ endpoint: SyncEndpoint, _ attempt: ConnectionAttempt
  ) async throws -> Handshake {
    let context = url.isSecure ? try NIOSSLContext(configuration: tls) : nil
    let head = Self.requestHead(url, endpoint)
    let result = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(timeout)
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .connect(host: proxy?.host ?? url.host, port: proxy?.port ?? url.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          attempt.add(channel, timeout: timeout)
          let pipeline = channel.pipeline.syncOperations
          if let proxy {
            try pipeline.addHandler(ProxyTunnelHandler(to: url, through: proxy, attempt))
          }
          if let context {
            try pipeline.addHandler(tlsHandler(context, url, attempt))
          }
          var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: Self.upgrade(head))
          // The first frames of the server may come with its answer.
          configuration.leftOverBytesStrategy = .forwardBytes
          return try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
        }
      }
    return try await result.get()
  }

  private func tlsHandler(
    _ context: NIOSSLContext, _ url: SocketURL, _ attempt: ConnectionAttempt
  ) throws -> NIOSSLClientHandler {
    let host = url.isAddress ? nil : url.host
    guard proxy != nil else {
      return try NIOSSLClientHandler(context: context, serverHostname: host)
    }
    return try NIOSSLClientHandler._makeSSLClientHandler(context: context, serverHostname: host) {
      certificate, channel in
      channel.eventLoop.makeCompletedFuture {
        do {
          try ProxyCertificateError.check(certificate, of: channel)
        } catch {
          attempt.fail(Self.failure(error, url.authority))
          throw error
        }
      }
    }
  }

  private static func requestHead(_ url: SocketURL, _ endpoint: SyncEndpoint) -> HTTPRequestHead {
    var headers = HTTPHeaders([
      ("Host", url.authority),
      ("Sec-WebSocket-Protocol", endpoint.protocolNames.joined(separator: ", ")),
    ])
    for header in endpoint.headers { headers.replaceOrAdd(name: header.name, value: header.value) }
    if !headers.contains(name: "User-Agent") {
      let library = "\(DeviceDescription.libraryName)/\(DeviceDescription.libraryVersion)"
      headers.add(name: "User-Agent", value: library)
    }
    return HTTPRequestHead(version: .http1_1, method: .GET, uri: url.path, headers: headers)
  }

  private static func upgrade(
    _ head: HTTPRequestHead
  ) -> NIOTypedHTTPClientUpgradeConfiguration<Handshake> {
    let upgrader = NIOTypedWebSocketClientUpgrader<Handshake>(
      maxFrameSize: messageByteCountMax,
      upgradePipelineHandler: { channel, answer in
        let name = answer.headers["Sec-WebSocket-Protocol"].joined(separator: ",")
        return WebSocket.adopt(
          channel, isClient: true, protocolName: name, messageByteCountMax: messageByteCountMax
        ).map { .done($0) }
      })
    return NIOTypedHTTPClientUpgradeConfiguration(
      upgradeRequestHead: head, upgraders: [upgrader],
      notUpgradingCompletionHandler: { channel in
        channel.eventLoop.makeCompletedFuture {
          let promise = channel.eventLoop.makePromise(of: Int.self)
          try channel.pipeline.syncOperations.addHandler(HandshakeStatusHandler(promise))
          return .refused(promise.futureResult)
        }
      })
  }

  // MARK: Errors

  /// The close code of an error (P1 B.3).
  ///
  /// - Parameter place: The host and port of the server.
  static func failure(_ error: any Error, _ place: String) -> SocketClosed {
    let cause = ErrorText.cause(of: error)
    switch error {
    case let error as NIOConnectionError:
      return SocketClosed(
        error.connectionErrors.isEmpty ? .resolveFailed : .connectFailed,
        "The server at \(place) could not be reached: \(cause).")
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError, is ProxyCertificateError:
      return SocketClosed(.tlsFailed, "The connection to \(place) could not be secured: \(cause)")
    case is NIOWebSocketUpgradeError, is HTTPParserError:
      return SocketClosed(.fatal, "The answer of \(place) is no handshake: \(cause)")
    default: return SocketClosed(.connectFailed, "The connection to \(place) failed: \(cause)")
    }
  }
}
#endif
