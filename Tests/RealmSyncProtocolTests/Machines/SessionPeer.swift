// SPDX-License-Identifier: Apache-2.0

// A client's session, its server's session, and the messages between them.

import RealmSyncProtocol

/// One client of a `SessionWorld`.
struct SessionPeer {
  let version: ProtocolVersion
  var machine: SessionMachine
  var file: FakeFile
  var request: (number: UInt64, request: StoreRequest)?
  /// An answer of the file that is on its way.
  var reply: (number: UInt64, reply: StoreReply)?
  /// The session's number on the connection, while it has one.
  var session: UInt64?
  var nextSession: UInt64 = 1
  var isConnected = false
  var wantsSession = false
  var isSuspended = false

  var server: ServerSessionMachine?
  var serverRequest: (number: UInt64, request: ServerStoreRequest)?
  var view = FakeRealm.View()
  var toServer: [[UInt8]] = []
  var toClient: [[UInt8]] = []

  var waits: [UInt64: Int] = [:]
  var problems: [String] = []
  var log: [SessionEffect] = []
  var serverLog: [ServerSessionEffect] = []
  private let parser: MessageParser
  private let encoder: MessageEncoder

  init(_ version: ProtocolVersion) {
    self.version = version
    machine = SessionMachine(
      settings: SessionSettings(partition: version.mode == .partition ? "\"p\"" : nil))
    file = FakeFile(version.mode)
    parser = MessageParser(version: version)
    encoder = MessageEncoder(version: version)
    handle(.activate, now: 0)
  }

  mutating func handle(_ input: SessionInput, now: Milliseconds) {
    let effects = machine.handle(input, now: now)
    log += effects
    for effect in effects {
      switch effect {
      case .send(let message):
        if case .error = message { problems.append("\(message)") }
        toServer.append(encoder.bytes(message))
        if case .unbind = message { session = nil }
      case .store(let number, let request): self.request = (number, request)
      case .suspended: isSuspended = true
      case .needsSession: wantsSession = true
      case .finish(let id, let failure):
        waits[id, default: 0] += 1
        if let failure { problems.append("\(failure)") }
      case .report(.downloadProgress), .report(.delayed), .report(.log), .pauseReading,
        .resumeReading:
        break
      case .report, .needsToken, .needsLocation, .needsReset, .dropConnection:
        problems.append("\(effect)")
      }
    }
  }

  mutating func connect(now: Milliseconds) {
    isConnected = true
    wantsSession = false
    session = nextSession
    nextSession += 1
    handle(.connectionReady(version, session: nextSession - 1), now: now)
  }

  mutating func disconnect(now: Milliseconds) {
    isConnected = false
    session = nil
    server = nil
    serverRequest = nil
    toServer = []
    toClient = []
    handle(.connectionLost, now: now)
  }

  mutating func handleAtServer(_ input: ServerSessionInput) {
    let effects = server?.handle(input, now: 0) ?? []
    serverLog += effects
    for effect in effects {
      switch effect {
      case .send(let message): toClient.append(encoder.bytes(message))
      case .store(let number, let request): serverRequest = (number, request)
      case .ended:
        server = nil
        serverRequest = nil
      case .failConnection(let code, let message): problems.append("\(code) \(message)")
      case .pauseReading, .resumeReading: break
      }
    }
  }

  mutating func deliverToServer() throws {
    let bytes = toServer.removeFirst()
    let message = try parser.clientMessage(bytes)
    if case .bind(let bind) = message {
      server = ServerSessionMachine(version: version, session: bind.session)
      view = FakeRealm.View()
    }
    guard message.session == server?.session else { return }
    handleAtServer(.message(message, byteCount: bytes.count))
  }

  mutating func deliverToClient(now: Milliseconds) throws {
    let bytes = toClient.removeFirst()
    let message = try parser.serverMessage(bytes)
    guard let session, message.session == session else { return }
    handle(.message(message, byteCount: bytes.count, jitter: 0), now: now)
  }
}
