// SPDX-License-Identifier: Apache-2.0

// A connection of a client whose inputs a test writes.

import RealmSyncProtocol

/// Drives a `ConnectionMachine` and keeps what it wants done.
struct ScriptedConnection {
  var machine: ConnectionMachine
  var now: Milliseconds = 1_000_000
  var inputs: [(ConnectionInput, Milliseconds)] = []
  private var effects: [ConnectionEffect] = []
  private var timers: [ConnectionTimer: Milliseconds] = [:]
  let mode: SyncMode

  init(_ mode: SyncMode = .partition) {
    self.mode = mode
    machine = ConnectionMachine(mode: mode)
  }

  mutating func handle(_ input: ConnectionInput) {
    inputs.append((input, now))
    for effect in machine.handle(input, now: now) {
      switch effect {
      case .setTimer(let timer, let time): timers[timer] = time
      case .cancelTimer(let timer): timers[timer] = nil
      default: effects.append(effect)
      }
    }
  }

  /// Adds a session of a file that has an identifier, and answers its first request.
  mutating func add(_ name: UInt64) {
    handle(.add(session: name, SessionSettings(partition: "\"p\"")))
  }

  mutating func open(jitter: UInt32 = 0) {
    handle(.opened(protocolName: ProtocolVersion(mode: mode).description, jitter: jitter))
  }

  /// Answers the request of a session, so that it binds.
  mutating func prepare(_ name: UInt64, request: UInt64 = 1) {
    handle(
      .session(
        name,
        .stored(
          request: request, .done(SessionFile(version: 1, ident: FileIdentifier(2), salt: 7)))))
  }

  mutating func receive(_ text: String, jitter: UInt32 = 0) {
    handle(.message(Array(text.utf8), jitter: jitter))
  }

  mutating func close(_ code: CloseCode, jitter: UInt32 = 0) {
    handle(.closed(code, message: "", jitter: jitter))
  }

  func time(of timer: ConnectionTimer) -> Milliseconds? { timers[timer].map { $0 - now } }

  /// Lets time pass up to a timer, which fires.
  mutating func fire(_ timer: ConnectionTimer, jitter: UInt32 = 0) {
    guard let time = timers.removeValue(forKey: timer) else { return }
    now = max(now, time)
    handle(.timer(timer, jitter: jitter))
  }

  /// The effects since the last call, without timers and requests of sessions.
  mutating func take() -> [ConnectionEffect] {
    defer { effects = [] }
    return effects.filter {
      if case .session(_, .store) = $0 { false } else { true }
    }
  }

  /// The messages since the last call.
  mutating func takeSent() -> [String] {
    take().compactMap {
      if case .send(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
  }
}
