// SPDX-License-Identifier: Apache-2.0

// The networking of apps.

#if Sync
import RealmNetworking
import RealmSyncProtocol

/// What apps use unless their configuration brings something of its own.
struct Networking {
  let transport: any HTTPTransport
  let sockets: any SyncSocketProvider

  /// The networking of an app, which stays as long as the process.
  init(_ settings: NetworkSettings) {
    guard settings != NetworkSettings() else {
      (transport, sockets) = (ClientTransport.shared, ClientSockets.shared)
      return
    }
    do throws(AppFailure) {
      (transport, sockets) = (
        try ClientTransport(settings.route), try ClientSockets(settings.route)
      )
    } catch {
      (transport, sockets) = (NoNetworking(failure: error), NoNetworking(failure: error))
    }
  }

  /// Calls a block whenever the machine's network has changed, as long as the process runs.
  static func onChange(_ observer: @escaping @Sendable () -> Void) {
    NetworkWatcher.shared.observe(observer)
  }

  static var platform: String {
    #if os(macOS)
    "macOS"
    #elseif os(iOS)
    "iOS"
    #elseif os(Linux)
    "Linux"
    #else
    "other"
    #endif
  }
}

/// The networking of an app whose settings cannot be used.
struct NoNetworking: HTTPTransport, SyncSocketProvider {
  let failure: AppFailure

  func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    throw failure
  }

  nonisolated(nonsending)
    func stream(
      _ request: HTTPRequest, head: (HTTPResponse) async -> Bool, part: ([UInt8]) async -> Bool
    ) async throws(AppFailure)
  {
    throw failure
  }

  func open(_ endpoint: SyncEndpoint) async throws(SocketClosed) -> any MessageSocket {
    throw SocketClosed(.connectFailed, "\(failure)")
  }
}
#endif
