// SPDX-License-Identifier: Apache-2.0

// A connection of a client whose inputs a test writes.

import RealmSyncProtocol

/// Drives a `ClientMachine` and keeps what it wants done.
struct ScriptedConnection {
  var machine: ClientMachine
  var now: Milliseconds = 1_000_000
  var inputs: [(ClientInput, Milliseconds)] = []
  private var effects: [ClientEffect] = []
  private var timers: [ClientTimer: Milliseconds] = [:]
  /// The socket that was opened last.
  private(set) var socket: UInt64 = 0
  let mode: SyncMode

  init(_ mode: SyncMode = .partition, limits: ClientMachine.Limits = .init()) {
    self.mode = mode
    machine = ClientMachine(mode: mode, limits: limits)
  }

  mutating func handle(_ input: ClientInput) {
    inputs.append((input, now))
    for effect in machine.handle(input, now: now) {
      switch effect {
      case .setTimer(let timer, let time): timers[timer] = time
      case .cancelTimer(let timer): timers[timer] = nil
      case .open(let number):
        socket = number
        effects.append(effect)
      default: effects.append(effect)
      }
    }
  }

  /// Adds a session of a file that has an identifier.
  mutating func add(_ name: UInt64) {
    handle(.begin(session: name, SessionSettings(partition: "\"p\"")))
  }

  mutating func open(jitter: UInt32 = 0) {
    handle(
      .opened(
        socket: socket, protocolName: ProtocolVersion(mode: mode).description, jitter: jitter))
  }

  /// Answers the request of a session, so that it binds.
  mutating func prepare(_ name: UInt64, request: UInt64 = 1) {
    handle(
      .stored(
        session: name, request: request,
        .done(SessionFile(version: 1, ident: FileIdentifier(2), salt: 7))))
  }

  mutating func receive(_ text: String, jitter: UInt32 = 0) {
    handle(.message(socket: socket, Array(text.utf8), jitter: jitter))
  }

  mutating func close(_ code: CloseCode, jitter: UInt32 = 0) {
    handle(.closed(socket: socket, code, message: "", jitter: jitter))
  }

  func time(of timer: ClientTimer) -> Milliseconds? { timers[timer].map { $0 - now } }

  /// Lets time pass up to a timer, which fires.
  mutating func fire(_ timer: ClientTimer, jitter: UInt32 = 0) {
    guard let time = timers.removeValue(forKey: timer) else { return }
    now = max(now, time)
    handle(.timer(timer, jitter: jitter))
  }

  /// Whether a scan for uploads was asked for and not taken.
  var scans: Bool {
    effects.contains { if case .store(_, _, .scanUploads) = $0 { true } else { false } }
  }

  /// Whether the end of a session was reported and not taken.
  func hasEnded(_ name: UInt64) -> Bool { effects.contains(.ended(session: name)) }

  /// The effects since the last call, without timers, requests and ends of sessions, and
  /// interruptions.
  mutating func take() -> [ClientEffect] {
    defer { effects = [] }
    return effects.filter {
      switch $0 {
      case .store, .ended, .report(.interrupted): false
      default: true
      }
    }
  }

  /// The messages since the last call.
  mutating func takeSent() -> [String] {
    take().compactMap {
      if case .send(let bytes, _) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
  }
}
