// SPDX-License-Identifier: Apache-2.0

// A client's session that a test drives step by step.

import RealmSyncProtocol

/// A `ClientMachine` with one session, and what it wants done, messages as their texts.
///
/// Requests to read the file are answered at once.
struct ScriptedClient {
  var machine: ClientMachine
  var time: Milliseconds = 0
  private(set) var requests: [(number: UInt64, request: StoreRequest)] = []
  /// Effects that are no message, request, timer or state of the connection.
  private(set) var others: [ClientEffect] = []
  private(set) var log: [ClientEffect] = []
  private(set) var sent: [String] = []
  private var socket: UInt64 = 0
  private var state = SessionFile()
  private var newestVersion: UInt64 = 0
  private var sets: [QuerySet]?
  private let version: ProtocolVersion

  init(
    _ mode: SyncMode = .flexible, settings: SessionSettings = SessionSettings(), number: Int = 14,
    limits: ClientMachine.Limits = ClientMachine.Limits()
  ) {
    var settings = settings
    if mode == .partition { settings.partition = "\"foo\"" }
    machine = ClientMachine(mode: mode, limits: limits)
    version = ProtocolVersion(mode: mode, number: number)
    handle(.begin(session: 1, settings))
  }

  mutating func handle(_ input: ClientInput) {
    let effects = machine.handle(input, now: time)
    log += effects
    for effect in effects {
      switch effect {
      case .open(let number): socket = number
      case .send(let bytes, _): sent.append(String(decoding: bytes, as: UTF8.self))
      case .store(_, let number, .read):
        handle(.stored(session: 1, request: number, .done(readFile())))
      case .store(_, let number, let request): requests.append((number, request))
      case .close, .setTimer, .cancelTimer, .report(.changed), .report(.interrupted): break
      default: others.append(effect)
      }
    }
  }

  mutating func connect() {
    handle(.opened(socket: socket, protocolName: version.description, jitter: 0))
  }

  /// Loses the connection, and asks for another one.
  mutating func lose(for pause: Milliseconds = 0) {
    handle(.closed(socket: socket, .readFailed, message: "", jitter: 0))
    time += pause
    handle(.reconnect)
  }

  mutating func receive(_ text: String) {
    handle(.message(socket: socket, Array(text.utf8), jitter: 0))
  }

  /// Answers the last request.
  mutating func reply(_ reply: StoreReply) {
    guard let number = requests.last?.number else { return }
    if case .done(let file) = reply { state = file }
    handle(.stored(session: 1, request: number, reply))
  }

  /// Answers a scan.
  mutating func reply(_ batch: UploadBatch) { reply(.uploads(batch, readFile())) }

  /// The newest state of the file.
  private mutating func readFile() -> SessionFile {
    newestVersion = max(newestVersion, state.version)
    state.version = newestVersion
    state.sets = sets ?? state.sets
    return state
  }

  /// Tells of a version of the file.
  mutating func announce(_ version: UInt64) {
    newestVersion = max(newestVersion, version)
    handle(.version(session: 1, version))
  }

  /// Tells of a version with other subscription sets.
  mutating func subscribe(_ sets: [QuerySet], version: UInt64) {
    self.sets = sets
    announce(version)
  }

  mutating func wait(_ kind: SessionWait, id: UInt64) {
    handle(.wait(session: 1, kind, id: id))
  }

  /// Why the session rests.
  var rest: SessionRest? { machine.rest(of: 1) }

  /// What was sent since the last call.
  mutating func takeSent() -> [String] {
    defer { sent = [] }
    return sent
  }

  /// Other effects since the last call.
  mutating func takeOthers() -> [ClientEffect] {
    defer { others = [] }
    return others
  }

  /// The requests to the file since the last call.
  mutating func takeRequests() -> [StoreRequest] {
    defer { requests = requests.suffix(1) }
    return requests.map(\.request)
  }
}
