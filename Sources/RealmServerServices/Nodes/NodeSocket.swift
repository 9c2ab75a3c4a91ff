// SPDX-License-Identifier: Apache-2.0

// A connection between two servers: messages over a socket, and signs of life.
//
// Invariants:
// 1. One task receives, and one sends.
// 2. A side that is silent for too long, or takes nothing, is gone: the socket is closed.

#if Server
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// Takes the messages of a connection between servers.
protocol NodeReceiver: Sendable {
  /// Takes a message, and returns when the next one may be read. An error ends the connection.
  func receive(_ message: NodeMessage, byteCount: Int) async throws(PackedBytesError)
  /// Is called before each sign of life; returns whether the connection is not needed any more.
  func check(at now: Milliseconds) -> Bool
  /// Takes the bytes of the messages whose last part has not come.
  func holdParts(byteCount: Int)
}

/// The messages of a connection between two servers.
final class NodeSocket: Sendable {
  private struct State {
    var outbox: NodeOutbox
    var isClosed = false
    var lastReceived: Milliseconds
    /// Whether a message is being taken, and none is read.
    var isTaking = false
    /// When the frame began that the socket has not taken yet.
    var writing: Milliseconds?
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let socket: any MessageSocket
  private let timer: SyncClock
  private let meter: NodeMeter
  let limits: NodeLimits
  private let state: Locked<State>
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(
    _ socket: any MessageSocket, limits: NodeLimits, timer: SyncClock, meter: NodeMeter
  ) {
    self.socket = socket
    self.timer = timer
    self.meter = meter
    self.limits = limits
    state = Locked(State(outbox: NodeOutbox(limits), lastReceived: timer.now()))
    (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  // MARK: Sending

  /// Sends a message some time from now; nothing if the connection has ended.
  ///
  /// - Returns: Whether the message is short enough.
  @discardableResult
  func send(_ message: NodeMessage) -> Bool {
    let bytes = message.bytes
    guard bytes.count <= limits.messageByteCount else { return false }
    state.withLock { if !$0.isClosed { $0.outbox.add(bytes) } }
    wake.yield()
    return true
  }

  /// Sends the newest version of a session's realm, in place of older ones that wait.
  func send(_ head: SaltedVersion, of session: UInt64) {
    state.withLock { if !$0.isClosed { $0.outbox.add(head, of: session) } }
    wake.yield()
  }

  /// Waits until few bytes wait to be sent, or the connection has ended.
  func waitForRoom() async {
    while state.withLock({ isFull($0) }) {
      await withCheckedContinuation { continuation in
        let hasRoom = state.withLock { state in
          guard isFull(state) else { return true }
          state.waiters.append(continuation)
          return false
        }
        if hasRoom { continuation.resume() }
      }
    }
  }

  private func isFull(_ state: State) -> Bool {
    !state.isClosed && state.outbox.byteCount > limits.outgoingByteCount
  }

  private func write() async {
    for await _ in wakes {
      while let frame = takeFrame() {
        let byteCount = frame.count
        do throws(SocketClosed) { try await socket.send(frame) } catch { return }
        meter.sent(byteCount)
        state.withLock { $0.writing = nil }
      }
    }
  }

  private func takeFrame() -> [UInt8]? {
    let now = timer.now()
    let (frame, waiters) = state.withLock { state in
      let frame = state.isClosed ? nil : state.outbox.next()
      if frame != nil { state.writing = now }
      guard !isFull(state) else { return (frame, [] as [CheckedContinuation<Void, Never>]) }
      defer { state.waiters = [] }
      return (frame, state.waiters)
    }
    for waiter in waiters { waiter.resume() }
    return frame
  }

  // MARK: The connection

  /// Sends the first message, and waits for that of the other side.
  func greet(as hello: NodeHello) async throws(SocketClosed) -> NodeHello {
    let limit = Task { [socket, timer, limits] in
      guard (try? await timer.sleep(timer.now() + limits.greeting)) != nil, !Task.isCancelled
      else { return }
      await socket.close(.policyViolation, reason: "The other server says nothing")
    }
    defer { limit.cancel() }
    try await socket.send(hello.bytes)
    let bytes = try await socket.receive()
    do throws(PackedBytesError) {
      return try NodeHello(bytes)
    } catch {
      await socket.close(.protocolError, reason: error.description)
      throw SocketClosed(.protocolError, error.description)
    }
  }

  /// Takes messages until the socket is closed. Returns the reason.
  func run(_ receiver: any NodeReceiver) async -> SocketClosed {
    state.withLock { $0.lastReceived = timer.now() }
    let writer = Task { await write() }
    let heart = Task { await beat(receiver) }
    defer {
      heart.cancel()
      writer.cancel()
      finish()
    }
    var assembler = NodeAssembler(limits)
    var partByteCount = 0
    while true {
      let frame: [UInt8]
      do throws(SocketClosed) { frame = try await socket.receive() } catch { return error }
      meter.received(frame.count)
      state.withLock { $0.lastReceived = timer.now() }
      do throws(PackedBytesError) {
        let bytes = try assembler.add(frame)
        if assembler.byteCount != partByteCount {
          partByteCount = assembler.byteCount
          receiver.holdParts(byteCount: partByteCount)
        }
        guard let bytes else { continue }
        let message = try NodeMessage(bytes)
        guard message != .ping else { continue }
        state.withLock { $0.isTaking = true }
        try await receiver.receive(message, byteCount: bytes.count)
        state.withLock { ($0.isTaking, $0.lastReceived) = (false, timer.now()) }
      } catch {
        await socket.close(.protocolError, reason: error.description)
        return SocketClosed(.protocolError, error.description)
      }
    }
  }

  /// Closes the connection.
  func close(_ code: CloseCode, reason: String) async { await socket.close(code, reason: reason) }

  private func finish() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.waiters = [] }
      return state.waiters
    }
    wake.finish()
    for waiter in waiters { waiter.resume() }
  }

  /// Sends signs of life, and looks for those of the other side.
  private func beat(_ receiver: any NodeReceiver) async {
    while true {
      guard (try? await timer.sleep(timer.now() + limits.pause)) != nil, !Task.isCancelled
      else { return }
      let now = timer.now()
      let (silence, stall) = state.withLock { state in
        (
          state.isTaking ? 0 : now - min(now, state.lastReceived),
          state.writing.map { now - min(now, $0) } ?? 0
        )
      }
      if silence > limits.silence {
        return await socket.close(.goingAway, reason: "The other server is silent")
      }
      if stall > limits.stall {
        return await socket.close(.goingAway, reason: "The other server takes nothing")
      }
      if receiver.check(at: now) {
        return await socket.close(.normal, reason: "The connection is not used")
      }
      send(.ping)
    }
  }
}
#endif
