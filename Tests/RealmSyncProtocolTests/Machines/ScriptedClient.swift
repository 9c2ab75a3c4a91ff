// SPDX-License-Identifier: Apache-2.0

// A client's session that a test drives step by step.

import RealmSyncProtocol

/// A `SessionMachine` with the effects that it has given, messages as their texts.
struct ScriptedClient {
  var machine: SessionMachine
  var time: Milliseconds = 0
  private(set) var requests: [(number: UInt64, request: StoreRequest)] = []
  private(set) var others: [SessionEffect] = []
  private(set) var log: [SessionEffect] = []
  private(set) var sent: [String] = []
  private let parser: MessageParser
  private let encoder: MessageEncoder

  init(
    _ mode: SyncMode = .flexible, settings: SessionSettings = SessionSettings(), number: Int = 14
  ) {
    var settings = settings
    if mode == .partition { settings.partition = "\"foo\"" }
    machine = SessionMachine(settings: settings)
    let version = ProtocolVersion(mode: mode, number: number)
    parser = MessageParser(version: version)
    encoder = MessageEncoder(version: version)
    handle(.activate)
  }

  mutating func handle(_ input: SessionInput) {
    let effects = machine.handle(input, now: time)
    log += effects
    for effect in effects {
      switch effect {
      case .send(let message): sent.append(String(decoding: encoder.bytes(message), as: UTF8.self))
      case .store(let number, let request): requests.append((number, request))
      default: others.append(effect)
      }
    }
  }

  mutating func connect(session: UInt64 = 1) {
    handle(.connectionReady(parser.version, session: session))
  }

  mutating func receive(_ text: String) throws {
    let bytes = Array(text.utf8)
    handle(.message(try parser.serverMessage(bytes), byteCount: bytes.count, jitter: 0))
  }

  mutating func reply(_ reply: StoreReply) {
    guard let number = requests.last?.number else { return }
    handle(.stored(request: number, reply))
  }

  /// What was sent since the last call.
  mutating func takeSent() -> [String] {
    defer { sent = [] }
    return sent
  }

  /// Other effects since the last call.
  mutating func takeOthers() -> [SessionEffect] {
    defer { others = [] }
    return others
  }

  /// The requests to the file since the last call.
  mutating func takeRequests() -> [StoreRequest] {
    defer { requests = requests.suffix(1) }
    return requests.map(\.request)
  }
}
