// SPDX-License-Identifier: Apache-2.0

// A client that makes objects and counts them, at any node.
//
// Invariants:
// 1. What it writes stays in its file until a DOWNLOAD acknowledges it, and is sent again in each
//    session.
// 2. The cursors of its file never go back, whichever nodes it gets DOWNLOADs from.

#if Postgres
import RealmSyncProtocol

/// A client of a simulation, with its file and its connection.
final class CountingClient {
  /// A change that is not acknowledged.
  struct Write {
    let version: UInt64
    /// The server version that the client had.
    let base: UInt64
    let key: String
  }

  private enum Phase {
    case offline
    /// BIND was sent, and IDENT is awaited.
    case binding
    case running
  }

  /// The object whose number all clients add to.
  static let counter = "all"
  private static let session: UInt64 = 1
  static let version = ProtocolVersion(mode: .partition)
  private static let encoder = MessageEncoder(version: version)
  private static let parser = MessageParser(version: version)

  let number: Int
  // The file.
  private(set) var file: FileIdentifier?
  private var salt: UInt64 = 0
  private(set) var cursors = SyncCursors()
  private(set) var pending: [Write] = []
  private(set) var lastVersion: UInt64 = 0
  private(set) var keys: Set<String> = []
  private(set) var count: Int64 = 0
  /// Whether the first download is complete.
  private(set) var isReady = false
  // The session.
  private(set) var channel: SimulatedChannel?
  private var phase = Phase.offline
  private var sentVersion: UInt64 = 0
  private var sentProgress = UploadCursor()
  private(set) var lastMark: UInt64 = 0
  private(set) var answeredMark: UInt64 = 0
  /// What must not happen.
  private(set) var problems: [String] = []
  /// Whether the database has a change that is acknowledged.
  private let isStored: (FileIdentifier, UInt64) -> Bool

  init(number: Int, isStored: @escaping (FileIdentifier, UInt64) -> Bool) {
    self.number = number
    self.isStored = isStored
  }

  var name: String { "client \(number)" }

  var isOnline: Bool { channel != nil }

  /// Whether it has no change that is not acknowledged.
  var isAcknowledged: Bool { phase == .running && isReady && pending.isEmpty }

  /// Whether it is so, and the last MARK is answered.
  var isSettled: Bool { isAcknowledged && lastMark > 0 && answeredMark == lastMark }

  private func fail(_ problem: String) { problems.append("\(name): \(problem)") }

  // MARK: The connection

  /// Begins a session on a new connection.
  func begin(on channel: SimulatedChannel) {
    self.channel = channel
    (sentVersion, sentProgress) = (0, UploadCursor())
    (lastMark, answeredMark) = (0, 0)
    channel.setTaker(of: .caller) { [unowned self, unowned channel] in take($0, on: channel) }
    send(
      .bind(
        .init(session: Self.session, target: .partition("\"home\""), needsIdent: file == nil)))
    phase = .binding
    if file != nil { sendIdent() }
  }

  private func sendIdent() {
    guard let file else { return }
    send(
      .ident(
        .init(
          session: Self.session, file: file, salt: salt, download: cursors.download,
          latest: cursors.latest)))
    phase = .running
    upload()
  }

  /// Ends the connection.
  func disconnect() {
    guard let channel else { return }
    channel.send(.end(SocketClosed(.normal)), to: .called)
    channel.close(.caller)
    leave()
  }

  private func leave() {
    channel = nil
    phase = .offline
    (lastMark, answeredMark) = (0, 0)
  }

  private func send(_ message: ClientMessage) {
    channel?.send(.message(Self.encoder.bytes(message)), to: .called)
  }

  // MARK: Writing

  /// Makes an object, and counts it.
  func write() {
    guard isReady else { return }
    lastVersion += 1
    let key = "\(number)-\(lastVersion)"
    pending.append(
      Write(version: lastVersion, base: cursors.download.serverVersion, key: key))
    keys.insert(key)
    count += 1
    if phase == .running { upload() }
  }

  private func changeset(_ write: Write) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (thing, id) = (encoder.intern("Thing"), encoder.intern("id"))
    let (field, counter) = (encoder.intern("count"), encoder.intern(Self.counter))
    if write.version == 1 {
      encoder.append(
        .addTable(
          .init(
            table: thing, kind: .topLevel,
            key: .init(field: id, type: .string, isNullable: false))))
      encoder.append(
        .addColumn(
          .init(table: thing, field: field, type: .int, isNullable: false, collection: .single)))
      encoder.append(.createObject(ObjectReference(table: thing, key: .string(counter))))
    }
    let key = PrimaryKey.string(encoder.intern(write.key))
    encoder.append(.createObject(ObjectReference(table: thing, key: key)))
    let path = InstructionPath(table: thing, key: .string(counter), field: field)
    encoder.append(.addInteger(.init(path: path, amount: 1)))
    return encoder.bytes
  }

  /// Sends the changes that were not sent in this session, or else says which server version the
  /// client has.
  func upload() {
    guard phase == .running, isReady else { return }
    let entries = pending.filter { $0.version > sentVersion }
    let progress = UploadCursor(
      clientVersion: lastVersion,
      serverVersion: entries.last?.base ?? cursors.download.serverVersion)
    guard progress != sentProgress, lastVersion > 0 else { return }
    (sentVersion, sentProgress) = (lastVersion, progress)
    let body = MessageBody(
      uploads: entries.map { write in
        UploadEntry(
          clientVersion: write.version, serverVersion: write.base,
          timestamp: OriginTimestamp(milliseconds: 1_000_000 + write.version),
          changeset: changeset(write))
      })
    send(
      .upload(
        .init(
          session: Self.session, progress: progress,
          lockedServerVersion: cursors.download.serverVersion, body: body)))
  }

  /// Asks for everything that the realm has now.
  func mark() {
    guard phase == .running else { return }
    lastMark += 1
    send(.mark(session: Self.session, request: lastMark))
  }

  // MARK: Messages

  private func take(_ item: SimulatedChannel.Item, on channel: SimulatedChannel) {
    guard channel === self.channel else { return }
    switch item {
    case .end: leave()
    case .message(let bytes):
      do throws(MessageError) {
        receive(try Self.parser.serverMessage(bytes))
      } catch {
        fail("unreadable: \(error)")
      }
    }
  }

  private func receive(_ message: ServerMessage) {
    switch message {
    case .ident(_, let file, let salt):
      guard self.file == nil else { return fail("a second file \(file.rawValue)") }
      (self.file, self.salt) = (file, salt)
      sendIdent()
    case .download(_, let download): take(download)
    case .mark(_, let request): answeredMark = request
    case .error(_, let code, let document):
      let isExpected = code.session == .sessionClosed || code.connection == .connectionClosed
      if !isExpected || document.shouldClientReset {
        fail("error \(code.rawValue): \(document.message)")
      }
      disconnect()
    case .pong, .log, .unbound: break
    case .plainError, .queryError, .testCommand: fail("\(message)")
    }
  }

  private func take(_ download: ServerMessage.Download) {
    let new = download.cursors
    if new.goesBack(from: cursors) { fail("the cursors go back from \(cursors) to \(new)") }
    if new.upload.clientVersion > lastVersion { fail("what it never wrote is acknowledged") }
    do {
      for entry in try download.body.downloadEntries() { try apply(entry) }
    } catch {
      fail("a DOWNLOAD: \(error)")
    }
    cursors = new
    if case .partition(byteCountLeft: 0) = download.progress { isReady = true }
    for write in pending where write.version <= new.upload.clientVersion {
      if let file, !isStored(file, write.version) {
        fail("\(write.key) is acknowledged, and the database lacks it")
      }
    }
    pending.removeAll { $0.version <= new.upload.clientVersion }
    sentVersion = max(sentVersion, new.upload.clientVersion)
  }

  private func apply(_ entry: DownloadEntry) throws {
    if entry.file == file { fail("its own version \(entry.serverVersion) comes back") }
    let changeset = try ChangesetParser.parse(entry.changeset)
    for instruction in changeset.instructions {
      switch instruction {
      case .createObject(let object):
        guard case .string(let string) = object.key else { break }
        let key = changeset.text(of: string)
        if key != Self.counter, !keys.insert(key).inserted { fail("\(key) comes twice") }
      case .addInteger(let step): count += step.amount
      case .update(let step):
        // The state of the realm, in place of a trimmed history.
        if case .int(let value) = step.value, case .string(let key) = step.path.key,
          changeset.text(of: key) == Self.counter
        {
          count = value
        }
      default: break
      }
    }
  }
}
#endif
