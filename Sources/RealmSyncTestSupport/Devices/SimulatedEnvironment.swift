// SPDX-License-Identifier: Apache-2.0

// The world of a simulated device's driver. Nothing happens by itself: the driver's wishes wait
// until a `SyncNetwork` fulfils them.

import RealmStorage
import RealmSync
import RealmSyncProtocol

/// The environment of the driver of one life of a simulated device.
final class SimulatedEnvironment: ClientEnvironment {
  /// A request to an agent, and later its answer.
  struct Work: Sendable {
    let request: StoreRequest
    let agent: SyncAgent
    let end: @Sendable (StoreReply) -> Void
    var reply: StoreReply?
  }

  struct State: Sendable {
    /// Whether `ClientDriver.carryOut()` is to be called.
    var isScheduled = false
    var opening: UInt64?
    /// The open socket, until it is closed.
    var socket: UInt64?
    /// Messages not taken by the socket yet.
    var outgoing: [[UInt8]] = []
    /// The close code of the socket, to be used after its last message.
    var closing: CloseCode?
    var isReadingPaused = false
    var timers: [ClientTimer: Milliseconds] = [:]
    var needsToken = false
    var needsLocation = false
    var needsLogOut = false
    var works: [Work] = []
    /// Claims of messages about the file, not checked yet.
    var said: [StoredState] = []
  }

  let state = Locked(State())
  private let clock: SimulatedTime
  private let news: SimulatedNews

  init(_ clock: SimulatedTime, _ news: SimulatedNews) {
    self.clock = clock
    self.news = news
  }

  var now: Milliseconds { clock.now }

  func schedule(_ driver: ClientDriver) { state.withLock { $0.isScheduled = true } }

  func open(_ socket: UInt64, for driver: ClientDriver) {
    news.meet(.open)
    state.withLock { $0.opening = socket }
  }

  func send(_ message: [UInt8], after stored: StoredState?) {
    news.meet(.send)
    state.withLock { state in
      // Messages to a closed socket are lost.
      guard state.socket != nil, state.closing == nil else { return }
      state.outgoing.append(message)
      if let stored { state.said.append(stored) }
    }
  }

  func close(_ code: CloseCode) {
    news.meet(.close)
    state.withLock { state in
      if state.socket != nil { state.closing = code }
      state.opening = nil
    }
  }

  func pauseReading() {
    news.meet(.pauseReading)
    state.withLock { $0.isReadingPaused = true }
  }

  func resumeReading() {
    news.meet(.resumeReading)
    state.withLock { $0.isReadingPaused = false }
  }

  func set(_ timer: ClientTimer, at time: Milliseconds, for driver: ClientDriver) {
    news.meet(.setTimer)
    state.withLock { $0.timers[timer] = time }
  }

  func cancel(_ timer: ClientTimer) {
    news.meet(.cancelTimer)
    state.withLock { $0.timers[timer] = nil }
  }

  func refreshToken(for driver: ClientDriver) {
    news.meet(.needsToken)
    state.withLock { $0.needsToken = true }
  }

  func refreshLocation(for driver: ClientDriver) {
    news.meet(.needsLocation)
    state.withLock { $0.needsLocation = true }
  }

  func logOut() {
    news.meet(.needsLogOut)
    state.withLock { $0.needsLogOut = true }
  }

  func perform(
    _ request: StoreRequest, by agent: SyncAgent, _ end: @escaping @Sendable (StoreReply) -> Void
  ) {
    news.meet(.store)
    state.withLock { $0.works.append(Work(request: request, agent: agent, end: end)) }
  }

  func stop() {}

  /// Ends all requests: the program is gone.
  func abandon() {
    let works = state.withLock { state in
      defer { state.works = [] }
      return state.works
    }
    for work in works { work.end(.failed(StoreFailure(code: nil, message: "killed"))) }
  }
}
