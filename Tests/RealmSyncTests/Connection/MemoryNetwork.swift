// SPDX-License-Identifier: Apache-2.0

// Sockets in memory, whose other end a test plays.

import RealmStorage
import RealmSync
import RealmSyncProtocol

/// Opens sockets whose other ends are taken with `accept()`.
final class MemoryNetwork: SyncSocketProvider {
  private let peers = AsyncStream.makeStream(of: MemoryPeer.self)
  /// The answer to attempts to connect, in place of a socket.
  let refusal = Locked<SocketClosed?>(nil)
  let attempts = Locked(0)

  func open(_ endpoint: SyncEndpoint) async throws(SocketClosed) -> any MessageSocket {
    attempts.withLock { $0 += 1 }
    if let refusal = refusal.withLock({ $0 }) { throw refusal }
    let peer = MemoryPeer(endpoint)
    peers.continuation.yield(peer)
    return MemorySocket(peer: peer, protocolName: endpoint.protocolNames[0])
  }

  /// The other end of the next socket.
  func accept() async -> MemoryPeer {
    for await peer in peers.stream { return peer }
    fatalError("the network is gone")
  }
}

/// Never opens a socket.
struct SilentNetwork: SyncSocketProvider {
  func open(_ endpoint: SyncEndpoint) async throws(SocketClosed) -> any MessageSocket {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
    throw SocketClosed(.connectFailed, "cancelled")
  }
}

/// The server's end of a socket.
final class MemoryPeer: Sendable {
  let endpoint: SyncEndpoint
  fileprivate let toServer = AsyncStream.makeStream(of: [UInt8].self)
  fileprivate let toClient = AsyncStream.makeStream(of: [UInt8].self)
  fileprivate let closed = Locked<SocketClosed?>(nil)

  fileprivate init(_ endpoint: SyncEndpoint) { self.endpoint = endpoint }

  /// The next message of the client; nil when it has closed.
  func receive() async -> String? {
    for await message in toServer.stream { return String(decoding: message, as: UTF8.self) }
    return nil
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ message: [UInt8]) { toClient.continuation.yield(message) }

  func close(_ code: CloseCode) {
    closed.withLock { $0 = $0 ?? SocketClosed(code) }
    toClient.continuation.finish()
    toServer.continuation.finish()
  }

  var closeCode: CloseCode? { closed.withLock { $0?.code } }
}

private struct MemorySocket: MessageSocket {
  let peer: MemoryPeer
  let protocolName: String

  func receive() async throws(SocketClosed) -> [UInt8] {
    for await message in peer.toClient.stream { return message }
    throw peer.closed.withLock { $0 } ?? SocketClosed(.abnormal)
  }

  func send(_ message: consuming [UInt8]) async throws(SocketClosed) {
    if let closed = peer.closed.withLock({ $0 }) { throw closed }
    peer.toServer.continuation.yield(message)
  }

  func close(_ code: CloseCode, reason: String) async { peer.close(code) }
}
