// SPDX-License-Identifier: Apache-2.0

// The world of a driver of a simulated server. Nothing happens by itself: the driver's wishes wait
// until a `SyncNetwork` fulfils them.

import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// The environment of the driver of one connection of a `SimulatedServer`.
final class SimulatedServerEnvironment: ServerEnvironment {
  /// A request of a session, and later its answer.
  struct Work: Sendable {
    let session: UInt64
    let number: UInt64
    let request: ServerStoreRequest?
    var reply: ServerStoreReply?
  }

  struct State: Sendable {
    /// Messages not taken by the socket yet, with what they say of the device's file.
    var output: [(bytes: [UInt8], said: StoredProgress?)] = []
    /// The close code of the socket, to be used after its last message.
    var closing: CloseCode?
    var timer: Milliseconds?
    /// The sessions whose handlers are not closed, by their names.
    var sessions: [UInt64: ServerSession] = [:]
    /// The sessions whose handlers are to be closed.
    var ended: [UInt64] = []
    var works: [Work] = []
    var problems: [String] = []
    /// What sessions get without having asked, in the order of the decisions.
    var events: [(session: UInt64, event: ServerSessionEvent)] = []

    /// Whether a newer session has taken a session's file.
    var isEvicted: Bool { events.contains { $0.event == .evicted } }

    /// Whether nothing is left of the connection at the server.
    var isOver: Bool { closing != nil && output.isEmpty && works.isEmpty && ended.isEmpty }
  }

  let state = Locked(State())
  private let connection: UInt64
  private let version: ProtocolVersion
  private let app: ServerApp
  private let rooms: SimulatedRooms
  private let clock: SimulatedTime

  init(
    _ connection: UInt64, _ version: ProtocolVersion, _ app: ServerApp, _ rooms: SimulatedRooms,
    _ clock: SimulatedTime
  ) {
    self.connection = connection
    self.version = version
    self.app = app
    self.rooms = rooms
    self.clock = clock
  }

  var now: Milliseconds { clock.now }

  func send(_ message: [UInt8], after stored: StoredProgress?, for driver: ServerDriver) {
    state.withLock { $0.output.append((message, stored)) }
  }

  func close(_ code: CloseCode, reason: String, for driver: ServerDriver) {
    state.withLock { $0.closing = code }
  }

  func setTimer(at time: Milliseconds, for driver: ServerDriver) {
    state.withLock { $0.timer = time }
  }

  // MARK: Sessions

  func begin(_ session: UInt64, for driver: ServerDriver) -> any ServerRequestHandler {
    let link = ServerSessionLink { [weak self] event in
      self?.state.withLock { $0.events.append((session, event)) }
    }
    let handler = ServerSession(app: app, version: version, connection: connection, link: link)
    state.withLock { $0.sessions[session] = handler }
    return handler
  }

  func perform(
    _ request: ServerStoreRequest, number: UInt64, of session: UInt64,
    by handler: any ServerRequestHandler, for driver: ServerDriver
  ) {
    state.withLock {
      $0.works.append(Work(session: session, number: number, request: request))
    }
  }

  func refuse(
    _ number: UInt64, of session: UInt64, _ refusal: SessionRefusal, for driver: ServerDriver
  ) {
    state.withLock {
      $0.works.append(
        Work(session: session, number: number, request: nil, reply: .refused(refusal)))
    }
  }

  func close(_ handler: any ServerRequestHandler, of session: UInt64) {
    state.withLock { $0.ended.append(session) }
  }

  // MARK: Memory

  func hold(_ byteCount: Int) -> Bool { false }
  func reserve(_ byteCount: Int) -> Bool { true }
  func release(_ byteCount: Int) {}

  func takeRoom(_ byteCount: Int, for session: UInt64, of driver: ServerDriver) {
    rooms.ask(SimulatedRooms.Holder(connection: connection, session: session))
  }

  func giveRoomBack(of session: UInt64) {
    rooms.takeBack(SimulatedRooms.Holder(connection: connection, session: session))
  }

  func notice(_ line: String) {
    if line == ServerSessionMachine.lossNotice { state.withLock { $0.problems.append(line) } }
  }

  func stop() { state.withLock { $0.output = [] } }
}
