// SPDX-License-Identifier: Apache-2.0

// The edge's side of a connection to the owner of realms.
//
// Invariants:
// 1. Each request and each call gets one answer: the owner's, or an error once the connection has
//    ended.
// 2. After the end of the connection no session is there: each has got its last error.

import RealmStorage
import RealmSyncProtocol

/// Forwards sessions and calls to one server.
final class NodeClient: NodeReceiver {
  private struct Session {
    let events: ServerSessionLink
    /// The request under way.
    var waiter: CheckedContinuation<ServerStoreReply, Never>?
  }

  private typealias CallWaiter = CheckedContinuation<Result<NodeAnswer, DocumentError>, Never>

  private struct State {
    var sessions: [UInt64: Session] = [:]
    var calls: [UInt64: CallWaiter] = [:]
    var lastNumber: UInt64 = 0
    var lastUse: Milliseconds
    var isClosed = false
  }

  static let broken = SessionRefusal(.sessionClosed, "The way to the realm is interrupted")
  private static let tooLarge = SessionRefusal(
    .sessionClosed, "The message is too large for the way to the realm")
  private static let unknownOutcome = DocumentError.store(
    .unavailable("the way to the realm's owner broke, and the call may have been carried out"))

  private let socket: NodeSocket
  private let timer: SyncClock
  private let meter: NodeMeter
  private let state: Locked<State>

  init(_ socket: NodeSocket, timer: SyncClock, meter: NodeMeter) {
    self.socket = socket
    self.timer = timer
    self.meter = meter
    state = Locked(State(lastUse: timer.now()))
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Takes the owner's messages until the connection ends.
  func run() async -> SocketClosed {
    let end = await socket.run(self)
    let (sessions, calls) = state.withLock { state in
      state.isClosed = true
      defer { (state.sessions, state.calls) = ([:], [:]) }
      return (state.sessions, state.calls)
    }
    meter.sessions(-sessions.count)
    for (_, session) in sessions.sorted(by: { $0.key < $1.key }) {
      if let waiter = session.waiter {
        waiter.resume(returning: .refused(Self.broken))
      } else {
        session.events.refuse(Self.broken)
      }
    }
    for (_, waiter) in calls.sorted(by: { $0.key < $1.key }) {
      waiter.resume(returning: .failure(Self.unknownOutcome))
    }
    return end
  }

  func close() async { await socket.close(.goingAway, reason: "The server shuts down") }

  func isIdle(at now: Milliseconds) -> Bool {
    state.withLock { state in
      guard state.sessions.isEmpty, state.calls.isEmpty, !state.isClosed,
        now > state.lastUse + socket.limits.idle
      else { return false }
      // Nothing begins on a connection that is about to be closed.
      state.isClosed = true
      return true
    }
  }

  // MARK: Sessions

  /// Begins a session. Returns its number; nil if the connection has ended.
  func begin(_ session: NodeSession, events: ServerSessionLink) -> UInt64? {
    let number = state.withLock { state -> UInt64? in
      guard !state.isClosed else { return nil }
      state.lastNumber += 1
      state.sessions[state.lastNumber] = Session(events: events)
      return state.lastNumber
    }
    guard let number else { return nil }
    meter.sessions(1)
    socket.send(.begin(session: number, session))
    return number
  }

  func perform(_ request: ServerStoreRequest, of number: UInt64) async -> ServerStoreReply {
    await withCheckedContinuation { waiter in
      let isThere = state.withLock { state in
        guard state.sessions[number] != nil else { return false }
        state.sessions[number]?.waiter = waiter
        return true
      }
      guard isThere else { return waiter.resume(returning: .refused(Self.broken)) }
      guard !socket.send(.request(session: number, request)) else { return }
      takeWaiter(of: number)?.resume(returning: .refused(Self.tooLarge))
    }
  }

  private func takeWaiter(
    of number: UInt64
  ) -> CheckedContinuation<ServerStoreReply, Never>? {
    state.withLock { state in
      defer { state.sessions[number]?.waiter = nil }
      return state.sessions[number]?.waiter
    }
  }

  func end(_ number: UInt64) { socket.send(.end(session: number)) }

  /// Gives a session up. No request of it is under way.
  func close(_ number: UInt64) {
    let now = timer.now()
    let wasThere = state.withLock { state in
      state.lastUse = now
      return state.sessions.removeValue(forKey: number) != nil
    }
    guard wasThere else { return }
    meter.sessions(-1)
    socket.send(.close(session: number))
  }

  // MARK: Calls

  /// Carries a call out; nil if the connection has ended before.
  func answer(to call: NodeCall) async -> Result<NodeAnswer, DocumentError>? {
    let now = timer.now()
    let isOpen = Locked(true)
    let answer = await withCheckedContinuation { (waiter: CallWaiter) in
      let number = state.withLock { state -> UInt64? in
        guard !state.isClosed else { return nil }
        state.lastNumber += 1
        state.lastUse = now
        state.calls[state.lastNumber] = waiter
        return state.lastNumber
      }
      guard let number else {
        isOpen.withLock { $0 = false }
        return waiter.resume(returning: .failure(Self.unknownOutcome))
      }
      guard !socket.send(.call(number: number, call)) else { return }
      state.withLock { $0.calls.removeValue(forKey: number) }?.resume(
        returning: .failure(.tooLarge("the call is too large for the way to the realm's owner")))
    }
    return isOpen.withLock { $0 } ? answer : nil
  }

  // MARK: Answers

  func receive(_ message: NodeMessage, byteCount: Int) throws(PackedBytesError) {
    switch message {
    case .reply(let number, let reply):
      guard let waiter = takeWaiter(of: number) else {
        throw PackedBytesError("a reply without a request")
      }
      waiter.resume(returning: reply)
    case .event(let number, let event):
      // It may have crossed the end of its session.
      state.withLock { $0.sessions[number]?.events }?.send(event)
    case .answer(let number, let answer):
      guard let waiter = state.withLock({ $0.calls.removeValue(forKey: number) }) else {
        throw PackedBytesError("an answer without a call")
      }
      waiter.resume(returning: answer)
    case .ping: break
    case .begin, .request, .end, .close, .call:
      throw PackedBytesError("the owner of realms begins nothing")
    }
  }
}
