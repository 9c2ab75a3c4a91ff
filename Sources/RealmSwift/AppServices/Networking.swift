// SPDX-License-Identifier: Apache-2.0

// The networking of this build, if it has any.

import RealmSync
import RealmSyncProtocol

#if Sync
import RealmNetworking
#endif

/// What apps use unless their configuration brings something of its own.
enum Networking {
  #if Sync
  static func transport() -> any HTTPTransport { ClientTransport.shared }
  static func sockets() -> any SyncSocketProvider { ClientSockets.shared }
  #else
  static func transport() -> any HTTPTransport { NoNetworking() }
  static func sockets() -> any SyncSocketProvider { NoNetworking() }
  #endif

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

/// What builds without networking have in its place.
struct NoNetworking: HTTPTransport, SyncSocketProvider {
  func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    throw .noNetworking
  }

  func open(_ endpoint: SyncEndpoint) async throws(SocketClosed) -> any SyncSocket {
    throw SocketClosed(.connectFailed, "\(AppFailure.noNetworking)")
  }
}
