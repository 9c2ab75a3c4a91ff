// SPDX-License-Identifier: Apache-2.0

// The edge's side of a connection to the owner of realms.
//
// Invariants:
// 1. Each request and each call gets one answer: the owner's, or an error once the connection has
//    ended.
// 2. After the end of the connection no session is there: each has got its last error.
// 3. No request and no call waits longer than its limit, whatever signs of life the owner gives.
//    What comes after the limit is dropped.

#if Server
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// Forwards sessions and calls to one server.
final class NodeClient: NodeReceiver {
  private struct Session {
    let events: ServerSessionLink
    /// The request under way, and when it began.
    var waiter: ReplyWaiter?
    var start: Milliseconds = 0
  }

  private typealias ReplyWaiter = CheckedContinuation<ServerStoreReply, Never>
  private typealias CallWaiter = CheckedContinuation<Result<NodeAnswer, DocumentError>, Never>

  private struct Call {
    let waiter: CallWaiter
    let start: Milliseconds
  }

  private struct State {
    var sessions: [UInt64: Session] = [:]
    var calls: [UInt64: Call] = [:]
    /// The sessions and calls whose answer comes too late, if it comes.
    var overdue: Set<UInt64> = []
    var lastNumber: UInt64 = 0
    var lastUse: Milliseconds
    var isClosed = false
  }

  static let broken = SessionRefusal(.sessionClosed, "The way to the realm is interrupted")
  private static let tooLarge = SessionRefusal(
    .sessionClosed, "The message is too large for the way to the realm")
  private static let unanswered = SessionRefusal(
    .sessionClosed, "The server with the realm does not answer")
  private static let unknownOutcome = DocumentError.store(
    .unavailable("the way to the realm's owner broke, and the call may have been carried out"))
  private static let unansweredCall = DocumentError.store(
    .unavailable("the realm's owner does not answer, and the call may have been carried out"))

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
    for (_, call) in calls.sorted(by: { $0.key < $1.key }) {
      call.waiter.resume(returning: .failure(Self.unknownOutcome))
    }
    return end
  }

  func close() async { await socket.close(.goingAway, reason: "The server shuts down") }

  func check(at now: Milliseconds) -> Bool {
    endOverdue(at: now)
    return state.withLock { state in
      guard state.sessions.isEmpty, state.calls.isEmpty, !state.isClosed,
        now > state.lastUse + socket.limits.idle
      else { return false }
      // Nothing begins on a connection that is about to be closed.
      state.isClosed = true
      return true
    }
  }

  /// Downloads have room at the connections that have asked for them.
  func holdParts(byteCount: Int) {}

  /// Ends the sessions and calls that have waited for the owner for too long.
  private func endOverdue(at now: Milliseconds) {
    func isOver(_ start: Milliseconds, _ limit: Milliseconds) -> Bool {
      now - min(now, start) > limit
    }
    let limits = socket.limits
    let (sessions, calls) = state.withLock { state -> ([UInt64: ReplyWaiter], [CallWaiter]) in
      let sessions = state.sessions.compactMapValues { session in
        isOver(session.start, limits.reply) ? session.waiter : nil
      }
      let calls = state.calls.filter { isOver($0.value.start, limits.answer) }
      for number in sessions.keys { state.sessions[number] = nil }
      for number in calls.keys { state.calls[number] = nil }
      state.overdue.formUnion(sessions.keys)
      state.overdue.formUnion(calls.keys)
      return (sessions, calls.sorted { $0.key < $1.key }.map(\.value.waiter))
    }
    for (number, waiter) in sessions.sorted(by: { $0.key < $1.key }) {
      meter.sessions(-1)
      waiter.resume(returning: .refused(Self.unanswered))
      socket.send(.end(session: number))
      socket.send(.close(session: number))
    }
    for waiter in calls { waiter.resume(returning: .failure(Self.unansweredCall)) }
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
    let now = timer.now()
    return await withCheckedContinuation { waiter in
      let isThere = state.withLock { state in
        guard var session = state.sessions[number] else { return false }
        (session.waiter, session.start) = (waiter, now)
        state.sessions[number] = session
        return true
      }
      guard isThere else { return waiter.resume(returning: .refused(Self.broken)) }
      guard !socket.send(.request(session: number, request)) else { return }
      takeWaiter(of: number)?.resume(returning: .refused(Self.tooLarge))
    }
  }

  private func takeWaiter(of number: UInt64) -> ReplyWaiter? {
    state.withLock { state in
      defer { state.sessions[number]?.waiter = nil }
      return state.sessions[number]?.waiter
    }
  }

  func end(_ number: UInt64) {
    // The owner may have its end already (invariant 3).
    guard state.withLock({ $0.sessions[number] != nil }) else { return }
    socket.send(.end(session: number))
  }

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
        state.calls[state.lastNumber] = Call(waiter: waiter, start: now)
        return state.lastNumber
      }
      guard let number else {
        isOpen.withLock { $0 = false }
        return waiter.resume(returning: .failure(Self.unknownOutcome))
      }
      guard !socket.send(.call(number: number, call)) else { return }
      state.withLock { $0.calls.removeValue(forKey: number) }?.waiter.resume(
        returning: .failure(.tooLarge("the call is too large for the way to the realm's owner")))
    }
    return isOpen.withLock { $0 } ? answer : nil
  }

  // MARK: Answers

  func receive(_ message: NodeMessage, byteCount: Int) throws(PackedBytesError) {
    switch message {
    case .reply(let number, let reply):
      guard let waiter = takeWaiter(of: number) else {
        guard isOverdue(number) else { throw PackedBytesError("a reply without a request") }
        return
      }
      waiter.resume(returning: reply)
    case .event(let number, let event):
      // It may have crossed the end of its session.
      state.withLock { $0.sessions[number]?.events }?.send(event)
    case .answer(let number, let answer):
      guard let call = state.withLock({ $0.calls.removeValue(forKey: number) }) else {
        guard isOverdue(number) else { throw PackedBytesError("an answer without a call") }
        return
      }
      call.waiter.resume(returning: answer)
    case .ping: break
    case .begin, .request, .end, .close, .call:
      throw PackedBytesError("the owner of realms begins nothing")
    }
  }

  /// Whether an answer is one that came too late, of which there is one.
  private func isOverdue(_ number: UInt64) -> Bool {
    state.withLock { $0.overdue.remove(number) != nil }
  }
}
#endif
