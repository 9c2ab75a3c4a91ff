// SPDX-License-Identifier: Apache-2.0

// A client that makes objects and counts them, at any node, moves them from group to group and
// erases them. In flexible mode it asks for the objects of some groups.
//
// Invariants:
// 1. What it writes stays in its file until a DOWNLOAD acknowledges it, and is sent again in each
//    session.
// 2. The cursors of its file never go back, whichever nodes it gets DOWNLOADs from.
// 3. A bootstrap takes effect with its last message, or not at all.
// 4. The counter is there before anything is added to it: one that comes whole, while a client
//    adds, wins over what was added earlier (P2 V2).

#if Postgres
import RealmSyncProtocol

/// A client of a simulation, with its file and its connection.
final class CountingClient {
  /// A change that is not acknowledged.
  struct Write {
    let version: UInt64
    /// The server version that the client had.
    let base: UInt64
    let bytes: [UInt8]
  }

  /// What the client asks for in flexible mode: the counter, and the things of some groups.
  struct Query: Hashable {
    var version: UInt64 = 0
    var groups: Set<Int64> = []

    var message: VersionedQuery {
      let counter = "_id == \"\(CountingClient.counter)\""
      let text = ([counter] + groups.sorted().map { "group == \($0)" }).joined(separator: " or ")
      return VersionedQuery(
        version: version, document: QueryDocument(queries: version == 0 ? [:] : ["Thing": text]))
    }
  }

  private enum Phase {
    case offline
    /// BIND was sent, and IDENT is awaited.
    case binding
    case running
  }

  /// The object whose number all clients add to.
  static let counter = "all"
  /// The groups of things.
  static let groups: Range<Int64> = 0..<3
  private static let session: UInt64 = 1

  let number: Int
  let version: ProtocolVersion
  private let encoder: MessageEncoder
  private let parser: MessageParser
  // The file.
  private(set) var file: FileIdentifier?
  private var salt: UInt64 = 0
  private(set) var cursors = SyncCursors()
  private(set) var pending: [Write] = []
  private(set) var lastVersion: UInt64 = 0
  /// The things that it made.
  private(set) var made: Set<String> = []
  /// The keys of the objects that it erased.
  private(set) var erased: Set<String> = []
  private var content = ClientContent()
  /// Whether the first download is complete.
  private(set) var isReady = false
  private(set) var query = Query()
  /// The query that it asks for; nil while it has what it asked for.
  private(set) var nextQuery: Query?
  // The session.
  private(set) var channel: SimulatedChannel?
  private var phase = Phase.offline
  private var sentVersion: UInt64 = 0
  private var sentProgress = UploadCursor()
  /// The messages of a bootstrap that is not complete.
  private var bootstrap: [DownloadEntry] = []
  private(set) var lastMark: UInt64 = 0
  private(set) var answeredMark: UInt64 = 0
  private var ownProblems: [String] = []
  /// Whether the database has a change that is acknowledged.
  private let isStored: (FileIdentifier, UInt64) -> Bool

  init(
    number: Int, mode: SyncMode, isStored: @escaping (FileIdentifier, UInt64) -> Bool
  ) {
    self.number = number
    version = ProtocolVersion(mode: mode)
    encoder = MessageEncoder(version: version)
    parser = MessageParser(version: version)
    self.isStored = isStored
    if mode == .flexible { nextQuery = Query(version: 1, groups: [Int64(number) % 3]) }
  }

  var name: String { "client \(number)" }

  private var isFlexible: Bool { version.mode == .flexible }

  /// What must not happen.
  var problems: [String] { ownProblems + content.problems.map { "\(name): \($0)" } }

  var things: [String: ClientContent.Thing] { content.things }

  /// The objects that it may move and erase now, in order.
  var changeable: [String] {
    guard mayWrite, lastVersion > 0 else { return [] }
    return things.keys.filter { $0 != Self.counter }.sorted()
  }

  /// What the client is to have of all objects.
  func view(of things: [String: ClientContent.Thing]) -> [String: ClientContent.Thing] {
    guard isFlexible else { return things }
    return things.filter { $0.key == Self.counter || query.groups.contains($0.value.group) }
  }

  var isOnline: Bool { channel != nil }

  /// Whether it has no change that is not acknowledged.
  var isAcknowledged: Bool {
    phase == .running && isReady && pending.isEmpty && nextQuery == nil
  }

  /// Whether it is so, and the last MARK is answered.
  var isSettled: Bool { isAcknowledged && lastMark > 0 && answeredMark == lastMark }

  /// What it waits for.
  var state: String {
    """
    \(name) at \(cursors.download.serverVersion), \(phase), \(pending.count) not acknowledged, \
    \(nextQuery.map { "query \($0.version), " } ?? "")mark \(answeredMark) of \(lastMark)
    """
  }

  private func fail(_ problem: String) { ownProblems.append("\(name): \(problem)") }

  // MARK: The connection

  /// Begins a session on a new connection.
  func begin(on channel: SimulatedChannel) {
    self.channel = channel
    (sentVersion, sentProgress) = (0, UploadCursor())
    (lastMark, answeredMark) = (0, 0)
    bootstrap = []
    channel.setTaker(of: .caller) { [unowned self, unowned channel] in take($0, on: channel) }
    let target: ClientMessage.Bind.Target =
      isFlexible ? .flexible(ClientMessage.FlexibleTarget()) : .partition("\"home\"")
    send(.bind(.init(session: Self.session, target: target, needsIdent: file == nil)))
    phase = .binding
    if file != nil { sendIdent() }
  }

  private func sendIdent() {
    guard let file else { return }
    send(
      .ident(
        .init(
          session: Self.session, file: file, salt: salt, download: cursors.download,
          latest: cursors.latest, query: isFlexible ? query.message : nil)))
    phase = .running
    upload()
    sendQuery()
  }

  private func sendQuery() {
    guard let nextQuery else { return }
    send(.query(.init(session: Self.session, query: nextQuery.message)))
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
    channel?.send(.message(encoder.bytes(message)), to: .called)
  }

  // MARK: Writing

  /// Whether it may write: the counter has to be there, which one client makes in flexible mode.
  private var mayWrite: Bool {
    isReady && (!isFlexible || number == 0 || content.things[Self.counter] != nil)
  }

  /// Makes an object, and counts it.
  func write() {
    guard mayWrite else { return }
    lastVersion += 1
    let key = "\(number)-\(lastVersion)"
    made.insert(key)
    var encoder = ChangesetEncoder()
    let names = Names(&encoder)
    if lastVersion == 1 { declare(in: &encoder, names) }
    let object = ObjectReference(table: names.thing, key: .string(encoder.intern(key)))
    encoder.append(.createObject(object))
    let group = InstructionPath(table: names.thing, key: object.key, field: names.group)
    encoder.append(
      .update(.init(path: group, value: .int(Int64(lastVersion) % Int64(Self.groups.count)))))
    let counter = PrimaryKey.string(encoder.intern(Self.counter))
    let path = InstructionPath(table: names.thing, key: counter, field: names.count)
    encoder.append(.addInteger(.init(path: path, amount: 1)))
    finish(encoder.bytes)
  }

  /// Erases an object of `changeable`.
  func erase(_ key: String) {
    lastVersion += 1
    erased.insert(key)
    var encoder = ChangesetEncoder()
    let names = Names(&encoder)
    encoder.append(
      .eraseObject(ObjectReference(table: names.thing, key: .string(encoder.intern(key)))))
    finish(encoder.bytes)
  }

  /// Moves an object of `changeable` into another group.
  func move(_ key: String, to group: Int64) {
    lastVersion += 1
    var encoder = ChangesetEncoder()
    let names = Names(&encoder)
    let path = InstructionPath(
      table: names.thing, key: .string(encoder.intern(key)), field: names.group)
    encoder.append(.update(.init(path: path, value: .int(group))))
    finish(encoder.bytes)
  }

  private func time(of version: UInt64) -> OriginTimestamp {
    OriginTimestamp(milliseconds: 1_000_000 + version)
  }

  private func finish(_ bytes: [UInt8]) {
    let base = cursors.download.serverVersion
    pending.append(Write(version: lastVersion, base: base, bytes: bytes))
    do {
      try content.write(bytes, version: lastVersion, base: base, time: time(of: lastVersion))
    } catch {
      fail("\(error)")
    }
    if phase == .running { upload() }
  }

  private struct Names {
    let thing: InternedString
    let id: InternedString
    let count: InternedString
    let group: InternedString

    init(_ encoder: inout ChangesetEncoder) {
      thing = encoder.intern("Thing")
      id = encoder.intern("_id")
      count = encoder.intern("count")
      group = encoder.intern("group")
    }
  }

  private func declare(in encoder: inout ChangesetEncoder, _ names: Names) {
    encoder.append(
      .addTable(
        .init(
          table: names.thing, kind: .topLevel,
          key: .init(field: names.id, type: .string, isNullable: false))))
    for field in [names.count, names.group] {
      encoder.append(
        .addColumn(
          .init(
            table: names.thing, field: field, type: .int, isNullable: false, collection: .single)))
    }
    guard !isFlexible || number == 0 else { return }
    let counter = PrimaryKey.string(encoder.intern(Self.counter))
    encoder.append(.createObject(ObjectReference(table: names.thing, key: counter)))
  }

  /// Asks for the things of other groups.
  func ask(for groups: Set<Int64>) {
    guard isFlexible, isReady, nextQuery == nil else { return }
    nextQuery = Query(version: query.version + 1, groups: groups)
    if phase == .running {
      upload()
      sendQuery()
    }
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
          timestamp: time(of: write.version), changeset: write.bytes)
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
        receive(try parser.serverMessage(bytes))
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
    do {
      bootstrap += try download.body.downloadEntries()
    } catch {
      fail("a DOWNLOAD: \(error)")
    }
    switch download.progress {
    case .partition(let left):
      integrate(download.cursors)
      if left == 0 { isReady = true }
    case .flexible(let version, let batch, _):
      guard batch != .moreToCome else { return }
      integrate(download.cursors)
      guard batch == .last, let next = nextQuery, version == next.version else { return }
      (query, nextQuery, isReady) = (next, nil, true)
    }
  }

  /// Carries out what has come so far, which takes the file to new cursors.
  private func integrate(_ new: SyncCursors) {
    if new.goesBack(from: cursors) { fail("the cursors go back from \(cursors) to \(new)") }
    if new.upload.clientVersion > lastVersion { fail("what it never wrote is acknowledged") }
    for entry in bootstrap where entry.file == file {
      fail("its own version \(entry.serverVersion) comes back")
    }
    do {
      try content.integrate(bootstrap, through: new.download, as: file ?? .own)
    } catch {
      fail("a DOWNLOAD: \(error)")
    }
    bootstrap = []
    // Where views change an object may come again.
    if !isFlexible, content.repeated.contains(where: { $0 != Self.counter }) {
      fail("\(content.repeated) come twice")
    }
    cursors = new
    for write in pending where write.version <= new.upload.clientVersion {
      if let file, !isStored(file, write.version) {
        fail("version \(write.version) is acknowledged, and the database lacks it")
      }
    }
    pending.removeAll { $0.version <= new.upload.clientVersion }
    sentVersion = max(sentVersion, new.upload.clientVersion)
  }
}
#endif
