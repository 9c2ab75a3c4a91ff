// SPDX-License-Identifier: Apache-2.0

// A socket in memory that keeps nothing: the server's messages wait until the client takes them.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// The client's end of a socket, which takes as many messages as the test allows.
final class SlowSocket: MessageSocket {
  /// The server's end.
  struct Peer: MessageSocket {
    fileprivate let socket: SlowSocket

    var protocolName: String { socket.protocolName }

    func receive() async throws(SocketClosed) -> [UInt8] {
      for await message in socket.messages { return message }
      throw socket.state.withLock { $0.end } ?? SocketClosed(.abnormal)
    }

    func send(_ message: consuming [UInt8]) async { await socket.take(message) }

    func close(_ code: CloseCode, reason: String) async { socket.end(code, reason) }
  }

  private struct State {
    var allowance: Int
    /// The server's message that waits, with the server.
    var message: (bytes: [UInt8], sender: CheckedContinuation<Void, Never>)?
    /// The client, which waits for a message.
    var receiver: CheckedContinuation<[UInt8]?, Never>?
    var end: SocketClosed?
  }

  let protocolName: String
  /// What the client sends.
  let messages: AsyncStream<[UInt8]>
  private let outgoing: AsyncStream<[UInt8]>.Continuation
  private let state: Locked<State>

  /// - Parameter allowance: The messages that the client takes for the present.
  init(_ protocolName: String, allowance: Int) {
    self.protocolName = protocolName
    (messages, outgoing) = AsyncStream.makeStream(of: [UInt8].self)
    state = Locked(State(allowance: allowance))
  }

  /// Lets the client take all messages.
  func open() {
    state.withLock { $0.allowance = .max }
    meet()
  }

  func receive() async throws(SocketClosed) -> [UInt8] {
    let message = await withCheckedContinuation { receiver in
      state.withLock { $0.receiver = receiver }
      meet()
    }
    guard let message else { throw state.withLock { $0.end } ?? SocketClosed(.abnormal) }
    return message
  }

  private func take(_ message: consuming [UInt8]) async {
    let message = message
    await withCheckedContinuation { sender in
      state.withLock { $0.message = (message, sender) }
      meet()
    }
  }

  /// Hands a message over if both ends and the test agree.
  private func meet() {
    typealias Ends = (CheckedContinuation<Void, Never>?, CheckedContinuation<[UInt8]?, Never>?)
    let (ends, bytes) = state.withLock { state -> (Ends, [UInt8]?) in
      let ready = state.message != nil && state.receiver != nil && state.allowance > 0
      guard ready || state.end != nil else { return ((nil, nil), nil) }
      let ends = (state.message?.sender, state.receiver)
      let bytes = state.end == nil ? state.message?.bytes : nil
      state.allowance -= 1
      (state.message, state.receiver) = (nil, nil)
      return (ends, bytes)
    }
    ends.0?.resume()
    ends.1?.resume(returning: bytes)
  }

  func send(_ message: consuming [UInt8]) async throws(SocketClosed) { outgoing.yield(message) }

  func close(_ code: CloseCode, reason: String) async { end(code, reason) }

  fileprivate func end(_ code: CloseCode, _ reason: String) {
    state.withLock { $0.end = $0.end ?? SocketClosed(code, reason) }
    outgoing.finish()
    meet()
  }
}

extension ServerHost {
  /// Connects a client whose socket keeps nothing.
  func connect(
    _ user: String, allowance: Int = .max, memory: any ConnectionMemory
  ) async -> SlowSocket {
    let version = ProtocolVersion(mode: .flexible, number: ProtocolVersion.newest)
    let socket = SlowSocket("\(version)", allowance: allowance)
    let peer = SlowSocket.Peer(socket: socket)
    let connection = await accept(
      peer, version: version, user: user, memory: memory)
    Task { await connection.serve(peer) }
    return socket
  }
}
#endif
