// SPDX-License-Identifier: Apache-2.0

// A socket in memory, with both of its ends.

import RealmStorage
import RealmSyncProtocol

/// One end of a socket in memory.
final class MemorySocket: MessageSocket {
  let protocolName: String
  private let incoming: AsyncStream<[UInt8]>
  /// To this end, and to the other one.
  private let continuations: (AsyncStream<[UInt8]>.Continuation, AsyncStream<[UInt8]>.Continuation)
  private let closed: Locked<SocketClosed?>

  private init(
    _ protocolName: String, _ incoming: AsyncStream<[UInt8]>,
    _ own: AsyncStream<[UInt8]>.Continuation, _ other: AsyncStream<[UInt8]>.Continuation,
    _ closed: Locked<SocketClosed?>
  ) {
    self.protocolName = protocolName
    self.incoming = incoming
    continuations = (own, other)
    self.closed = closed
  }

  /// Both ends of a new socket.
  static func pair(_ protocolName: String) -> (client: MemorySocket, server: MemorySocket) {
    let (toServer, toClient) = (
      AsyncStream.makeStream(of: [UInt8].self), AsyncStream.makeStream(of: [UInt8].self)
    )
    let closed = Locked<SocketClosed?>(nil)
    return (
      MemorySocket(
        protocolName, toClient.stream, toClient.continuation, toServer.continuation, closed),
      MemorySocket(
        protocolName, toServer.stream, toServer.continuation, toClient.continuation, closed)
    )
  }

  func receive() async throws(SocketClosed) -> [UInt8] {
    for await message in incoming { return message }
    throw closed.withLock { $0 } ?? SocketClosed(.abnormal)
  }

  func send(_ message: consuming [UInt8]) async throws(SocketClosed) {
    if let closed = closed.withLock({ $0 }) { throw closed }
    continuations.1.yield(message)
  }

  func close(_ code: CloseCode, reason: String) async { end(code, reason) }

  /// Cuts the connection.
  func end(_ code: CloseCode, _ reason: String) {
    closed.withLock { $0 = $0 ?? SocketClosed(code, reason) }
    continuations.0.finish()
    continuations.1.finish()
  }
}
