// SPDX-License-Identifier: Apache-2.0

// A client with one session, its connection at the server, and the messages between them.

import RealmSyncProtocol

/// One client of a `SessionWorld`.
struct SessionPeer {
  let version: ProtocolVersion
  var machine: ClientMachine
  var file: FakeFile
  var request: (number: UInt64, request: StoreRequest)?
  /// An answer of the file that is on its way.
  var reply: (number: UInt64, reply: StoreReply)?
  /// The socket that is to be opened.
  var opening: UInt64?
  /// The socket that is open.
  var socket: UInt64?
  /// The timers of delays.
  var timers: [ClientTimer: Milliseconds] = [:]

  var server: ServerConnectionMachine?
  /// The name of the session at the server.
  var serverSession: UInt64?
  var serverRequest: (number: UInt64, request: ServerStoreRequest)?
  var view = FakeRealm.View()
  var toServer: [[UInt8]] = []
  var toClient: [[UInt8]] = []

  var waits: [UInt64: Int] = [:]
  var problems: [String] = []
  var log: [ClientEffect] = []
  var serverLog: [ServerConnectionEffect] = []

  init(_ version: ProtocolVersion) {
    self.version = version
    machine = ClientMachine(mode: version.mode)
    file = FakeFile(version.mode)
    let partition = version.mode == .partition ? "\"p\"" : nil
    handle(.begin(session: 1, SessionSettings(partition: partition)), now: 0)
  }

  mutating func handle(_ input: ClientInput, now: Milliseconds) {
    let effects = machine.handle(input, now: now)
    log += effects
    for effect in effects {
      switch effect {
      case .open(let socket): opening = socket
      case .send(let bytes, let stored):
        toServer.append(bytes)
        check(stored)
      case .store(_, let number, let request): self.request = (number, request)
      case .setTimer(let timer, let time):
        switch timer {
        case .retry, .session: timers[timer] = time
        case .connect, .linger, .ping, .pong: break
        }
      case .cancelTimer(let timer): timers[timer] = nil
      case .finish(let id, let failure):
        waits[id, default: 0] += 1
        if let failure { problems.append("\(failure)") }
      case .sessionReport(_, .downloadProgress), .sessionReport(_, .delayed),
        .sessionReport(_, .log), .report(.changed), .report(.interrupted), .pauseReading,
        .resumeReading:
        break
      case .close, .report, .sessionReport, .needsToken, .needsLocation, .needsLogOut, .ended:
        problems.append("\(effect)")
      }
    }
  }

  /// What a message says of the file must be in it.
  private mutating func check(_ stored: StoredState?) {
    guard let stored else { return }
    if stored.file != file.ident || stored.version > file.version
      || stored.serverVersion > file.cursors.download.serverVersion
    {
      problems.append("\(stored) was said of \(file.state)")
    }
  }

  mutating func connect(now: Milliseconds) {
    guard let opening else { return }
    socket = opening
    self.opening = nil
    server = ServerConnectionMachine(version: version, served: version.mode, now: now)
    handle(
      .opened(socket: opening, protocolName: version.description, jitter: 0), now: now)
  }

  mutating func disconnect(now: Milliseconds) {
    guard let socket else { return }
    self.socket = nil
    server = nil
    serverSession = nil
    serverRequest = nil
    toServer = []
    toClient = []
    handle(.closed(socket: socket, .readFailed, message: "", jitter: 0), now: now)
  }

  mutating func handleAtServer(_ input: ServerConnectionInput, now: Milliseconds) {
    let effects = server?.handle(input, now: now) ?? []
    serverLog += effects
    for effect in effects {
      switch effect {
      case .send(let message, _): toClient.append(message)
      case .notice: break
      case .began(let session):
        serverSession = session
        view = FakeRealm.View()
      case .store(let session, let number, let request):
        if session == serverSession { serverRequest = (number, request) }
      case .ended(let session):
        guard session == serverSession else { continue }
        serverSession = nil
        serverRequest = nil
      case .close(_, let reason): problems.append("closed: \(reason)")
      case .takeRoom(let session, _): handleAtServer(.session(session, .hasRoom), now: now)
      case .setTimer, .giveRoomBack: break
      }
    }
  }

  mutating func handleAtSession(_ input: ServerSessionInput, now: Milliseconds) {
    guard let serverSession else { return }
    handleAtServer(.session(serverSession, input), now: now)
  }

  mutating func deliverToServer(now: Milliseconds) {
    handleAtServer(.message(toServer.removeFirst()), now: now)
  }

  mutating func deliverToClient(now: Milliseconds) {
    guard let socket else { return }
    let bytes = toClient.removeFirst()
    handleAtServer(.written(byteCount: bytes.count), now: now)
    handle(.message(socket: socket, bytes, jitter: 0), now: now)
  }
}
