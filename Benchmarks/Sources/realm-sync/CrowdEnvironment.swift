// SPDX-License-Identifier: Apache-2.0

// The world of a device in a crowd.

#if Server
import RealmNetworking
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// Real sockets, tokens and times of a `ClientDriver`, and a file that keeps positions alone.
///
/// So a device takes a hundredth of the memory and processor time of a whole one, and behaves on
/// its connection as that does: machine, back-off and signs of life are those of programs.
final class CrowdEnvironment: ClientEnvironment {
  private struct State {
    var file: CrowdFile
    /// Whether no DOWNLOAD has come on the connection.
    var isNew = true
  }

  private let sockets: SocketEnvironment
  private let state: Locked<State>
  private let times: CrowdTimes

  init(_ mode: SyncMode, _ authority: UserAuthority, _ query: QueryDocument?, _ times: CrowdTimes) {
    sockets = SocketEnvironment(
      mode: mode, provider: ClientSockets.shared, authority: authority)
    state = Locked(State(file: CrowdFile(query)))
    self.times = times
  }

  func open(_ socket: UInt64, for driver: ClientDriver) {
    times.add(.attempt)
    state.withLock { $0.isNew = true }
    sockets.open(socket, for: driver)
  }

  func perform(
    _ request: StoreRequest, by agent: SyncAgent, _ end: @escaping @Sendable (StoreReply) -> Void
  ) {
    let (reply, isFirst) = state.withLock { state in
      let isFirst = state.isNew && Self.isDownload(request)
      if isFirst { state.isNew = false }
      return (state.file.reply(to: request), isFirst)
    }
    if isFirst { times.add(.back) }
    if case .integrate(let received) = request, !received.download.body.isEmpty {
      times.add(.seen)
    }
    Task { end(reply) }
  }

  private static func isDownload(_ request: StoreRequest) -> Bool {
    switch request {
    case .integrate, .integrateBootstrap, .processBootstrap: true
    default: false
    }
  }

  // MARK: What the sockets do

  var now: Milliseconds { sockets.now }
  func schedule(_ driver: ClientDriver) { sockets.schedule(driver) }
  func send(_ message: [UInt8], after stored: StoredState?) { sockets.send(message, after: stored) }
  func close(_ code: CloseCode) { sockets.close(code) }
  func pauseReading() { sockets.pauseReading() }
  func resumeReading() { sockets.resumeReading() }
  func set(_ timer: ClientTimer, at time: Milliseconds, for driver: ClientDriver) {
    sockets.set(timer, at: time, for: driver)
  }
  func cancel(_ timer: ClientTimer) { sockets.cancel(timer) }
  func refreshToken(for driver: ClientDriver) { sockets.refreshToken(for: driver) }
  func refreshLocation(for driver: ClientDriver) { sockets.refreshLocation(for: driver) }
  func logOut() { sockets.logOut() }
  func stop() { sockets.stop() }
}
#endif
