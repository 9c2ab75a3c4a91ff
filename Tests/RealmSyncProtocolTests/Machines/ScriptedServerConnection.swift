// SPDX-License-Identifier: Apache-2.0

// A server's connection that a test drives step by step.

import RealmSyncProtocol

/// A `ServerConnectionMachine` with the effects that it has given, messages as their texts.
struct ScriptedServerConnection {
  var machine: ServerConnectionMachine
  var now: Milliseconds = 0
  /// The lines for the operator.
  private(set) var notices: [String] = []
  private(set) var requests: [(session: UInt64, number: UInt64, request: ServerStoreRequest)] = []
  private(set) var others: [ServerConnectionEffect] = []
  private(set) var log: [ServerConnectionEffect] = []
  private(set) var sent: [String] = []
  private var sentByteCount = 0

  init(
    _ version: ProtocolVersion = ProtocolVersion(mode: .flexible), served: SyncMode? = nil,
    limits: ServerConnectionMachine.Limits = .init()
  ) {
    machine = ServerConnectionMachine(
      version: version, served: served ?? version.mode, limits: limits, now: 0)
    note(machine.begin())
  }

  mutating func handle(_ input: ServerConnectionInput) {
    note(machine.handle(input, now: now))
  }

  private mutating func note(_ effects: [ServerConnectionEffect]) {
    log += effects
    for effect in effects {
      switch effect {
      case .send(let bytes, _):
        sent.append(String(decoding: bytes, as: UTF8.self))
        sentByteCount += bytes.count
      case .store(let session, let number, let request):
        requests.append((session, number, request))
      case .notice(let text): notices.append(text)
      default: others.append(effect)
      }
    }
  }

  mutating func receive(_ text: String) { handle(.message(Array(text.utf8))) }

  /// Answers the last request of a session.
  mutating func reply(_ session: UInt64, _ reply: ServerStoreReply) {
    guard let last = requests.last(where: { $0.session == session }) else { return }
    handle(.session(session, .stored(request: last.number, reply)))
  }

  /// What was sent since the last call, all of it written.
  mutating func takeSent() -> [String] {
    let (texts, count) = (sent, sentByteCount)
    (sent, sentByteCount) = ([], 0)
    handle(.written(byteCount: count))
    return texts
  }

  mutating func takeOthers() -> [ServerConnectionEffect] {
    defer { others = [] }
    return others
  }

  mutating func takeRequests() -> [ServerStoreRequest] { takeOpenRequests().map(\.request) }

  /// The requests since the last call, with what answers name.
  mutating func takeOpenRequests()
    -> [(session: UInt64, number: UInt64, request: ServerStoreRequest)]
  {
    defer { requests = [] }
    return requests
  }

  /// Binds a session of a partition's file and takes it to its first DOWNLOAD.
  mutating func run(_ number: UInt64, name: UInt64, head: UInt64 = 4) {
    receive("bind \(number) 5 0 0 0\n\"foo\"")
    reply(name, .done)
    receive("ident \(number) \(number + 1) 1002 4 18 4 7777\n")
    var file = ServerFile(ident: FileIdentifier(number + 1), salt: 1002)
    (file.clientVersion, file.reciprocalBase) = (18, 3)
    let salted = SaltedVersion(version: head, salt: 7777)
    reply(name, .file(ServerFileLookup(file: file, head: salted, latestSalt: 7777)))
    reply(name, .claimed(file, rejected: []))
  }

  /// - Parameter batch: The part of a bootstrap; nil for none.
  static func download(
    _ version: UInt64, _ body: [UInt8] = [], batch: ServerMessage.BatchState? = nil
  ) -> ServerStoreReply {
    .download(
      ServerMessage.Download(
        cursors: SyncCursors(
          download: DownloadCursor(serverVersion: version, clientVersion: 18),
          upload: UploadCursor(clientVersion: 18, serverVersion: 3),
          latest: SaltedVersion(version: version, salt: 7777)),
        progress: batch.map { .flexible(queryVersion: 1, batch: $0, done: .estimate(0)) }
          ?? .partition(byteCountLeft: 0),
        body: MessageBody(plain: body)))
  }
}
