// SPDX-License-Identifier: Apache-2.0

// A socket in memory, with both of its ends.

import RealmServerEngine
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// The client's end of a socket in memory.
final class MemorySocket: SyncSocket {
  /// The server's end.
  final class Peer: ServerSocket {
    fileprivate let toServer = AsyncStream.makeStream(of: [UInt8].self)
    fileprivate let toClient = AsyncStream.makeStream(of: [UInt8].self)
    fileprivate let closed = Locked<SocketClosed?>(nil)

    /// What the client sends.
    var messages: AsyncStream<[UInt8]> { toServer.stream }

    func send(_ message: [UInt8]) async { toClient.continuation.yield(message) }

    func close(_ code: CloseCode, reason: String) async { end(code, reason) }

    fileprivate func end(_ code: CloseCode, _ reason: String) {
      closed.withLock { $0 = $0 ?? SocketClosed(code, reason) }
      toClient.continuation.finish()
      toServer.continuation.finish()
    }
  }

  let protocolName: String
  let peer = Peer()

  init(_ protocolName: String) { self.protocolName = protocolName }

  func receive() async throws(SocketClosed) -> [UInt8] {
    for await message in peer.toClient.stream { return message }
    throw peer.closed.withLock { $0 } ?? SocketClosed(.abnormal)
  }

  func send(_ message: [UInt8]) async throws(SocketClosed) {
    if let closed = peer.closed.withLock({ $0 }) { throw closed }
    peer.toServer.continuation.yield(message)
  }

  func close(_ code: CloseCode) async { peer.end(code, "") }

  /// Cuts the connection.
  func end(_ code: CloseCode, _ reason: String) { peer.end(code, reason) }
}
