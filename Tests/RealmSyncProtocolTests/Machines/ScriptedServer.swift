// SPDX-License-Identifier: Apache-2.0

// A server's session that a test drives step by step.

import RealmSyncProtocol
import Testing

/// A `ServerSessionMachine` with the effects that it has given, messages as their texts.
struct ScriptedServer {
  var machine: ServerSessionMachine
  private(set) var requests: [(number: UInt64, request: ServerStoreRequest)] = []
  private(set) var others: [ServerSessionEffect] = []
  private(set) var log: [ServerSessionEffect] = []
  private(set) var sent: [String] = []
  /// The lines for the operator.
  private(set) var notices: [String] = []
  /// The request that is under way.
  private var openRequest: UInt64?
  private let parser: MessageParser
  private let encoder: MessageEncoder

  init(_ mode: SyncMode = .flexible, plainByteCountMax: Int = 64 << 10) {
    let version = ProtocolVersion(mode: mode)
    machine = ServerSessionMachine(
      version: version, session: 1, plainByteCountMax: plainByteCountMax)
    parser = MessageParser(version: version)
    encoder = MessageEncoder(version: version)
  }

  mutating func handle(_ input: ServerSessionInput) {
    if case .stored(openRequest, _) = input { openRequest = nil }
    let effects = machine.handle(input, now: 0)
    log += effects
    for effect in effects {
      switch effect {
      case .send(let message, _):
        sent.append(String(decoding: encoder.bytes(message), as: UTF8.self))
      case .store(let number, let request):
        if openRequest != nil { Issue.record("two requests at a time: \(requests), \(request)") }
        openRequest = number
        requests.append((number, request))
      case .notice(let text): notices.append(text)
      default: others.append(effect)
      }
    }
  }

  mutating func receive(_ text: String) throws {
    let bytes = Array(text.utf8)
    handle(.message(try parser.clientMessage(bytes), byteCount: bytes.count))
  }

  mutating func reply(_ reply: ServerStoreReply) {
    guard let number = requests.last?.number else { return }
    handle(.stored(request: number, reply))
  }

  var request: ServerStoreRequest? { requests.last?.request }

  /// What was sent since the last call.
  mutating func takeSent() -> [String] {
    defer { sent = [] }
    return sent
  }
}
