// SPDX-License-Identifier: Apache-2.0

// Random messages between servers.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import RealmText

@testable import RealmServerEngine
@testable import RealmServerServices

/// Makes messages of every kind.
struct RandomNodeMessages {
  static let kindCount = 40
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A number that messages and JSON can have.
  private mutating func number() -> UInt64 {
    random.next() >> UInt64.random(in: 1...63, using: &random)
  }

  private mutating func flag() -> Bool { random.chance(0.5) }

  private mutating func bytes() -> [UInt8] {
    (0..<Int.random(in: 0...40, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
  }

  private mutating func text() -> String {
    String(
      (0..<Int.random(in: 0...8, using: &random)).map { _ in
        ["a", "é", "漢", "\"", "😀", "\n", "\0"].randomElement(using: &random) ?? "a"
      } as [Character])
  }

  private mutating func optional<T>(_ value: T) -> T? { flag() ? value : nil }

  private mutating func session() -> NodeSession {
    NodeSession(
      app: text(), user: text(),
      version: ProtocolVersion(
        mode: flag() ? .flexible : .partition, number: Int.random(in: 2...14, using: &random)),
      connection: number())
  }

  private mutating func cursor() -> DownloadCursor {
    DownloadCursor(serverVersion: number(), clientVersion: number())
  }

  private mutating func uploadCursor() -> UploadCursor {
    UploadCursor(clientVersion: number(), serverVersion: number())
  }

  private mutating func version() -> SaltedVersion {
    SaltedVersion(version: number(), salt: random.next() >> 1)
  }

  private mutating func query() -> VersionedQuery {
    VersionedQuery(version: number(), text: text())
  }

  private mutating func bind() -> ClientMessage.Bind {
    let target: ClientMessage.Bind.Target =
      flag()
      ? .partition(text())
      : .flexible(
        ClientMessage.FlexibleTarget(
          schemaVersion: number(), isClientReset: flag(), migratedPartition: optional(text())))
    return ClientMessage.Bind(session: number(), target: target, needsIdent: flag())
  }

  private mutating func ident() -> ClientMessage.Ident {
    ClientMessage.Ident(
      session: number(), file: FileIdentifier(number()), salt: random.next(), download: cursor(),
      latest: version(), query: optional(query()))
  }

  private mutating func entry() -> UploadEntry {
    UploadEntry(
      clientVersion: number(), serverVersion: number(),
      timestamp: OriginTimestamp(milliseconds: number()), file: FileIdentifier(number()),
      changeset: bytes())
  }

  private mutating func file() -> ServerFile {
    ServerFile(
      ident: FileIdentifier(number()), salt: random.next(), isOfUser: flag(), isExpired: flag(),
      clientVersion: number(), reciprocalBase: number(), lockedServerVersion: number())
  }

  private mutating func key() -> RejectedKey {
    switch Int.random(in: 0...4, using: &random) {
    case 0: .null
    case 1: .int(Int64(bitPattern: random.next() >> 1))
    case 2: .string(text())
    case 3: .objectID(ObjectIDBits(high: random.next(), low: UInt32(truncatingIfNeeded: number())))
    default: .uuid(UUIDBits(high: random.next(), low: random.next() >> 1))
    }
  }

  private mutating func report() -> CompensatingWriteReport {
    var report = CompensatingWriteReport(
      serverVersion: number(), rejectedClientVersion: number(), updates: updates())
    report.refused = updates()
    return report
  }

  private mutating func updates() -> [RejectedUpdate] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in
      RejectedUpdate(reason: text(), table: text(), key: key())
    }
  }

  private mutating func reports() -> [CompensatingWriteReport] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in report() }
  }

  private mutating func refusal() -> SessionRefusal {
    var refusal = SessionRefusal(
      SessionErrorCode.allCases.randomElement(using: &random) ?? .other, text(),
      action: ErrorAction.allCases.randomElement(using: &random))
    refusal.document.tryAgain = flag()
    if flag() {
      refusal.document.retry = RetryHint(
        intervalSeconds: number(), delaySecondsMax: optional(number()),
        multiplier: optional(number()))
    }
    refusal.document.partitionQuery = optional(text())
    refusal.document.previousSchemaVersion = optional(number())
    refusal.document.compensatingWrite = optional(report())
    // It is no part of documents.
    refusal.document.compensatingWrite?.refused = []
    if refusal.document.compensatingWrite == nil, flag() {
      refusal.document.refusedWrites = RefusedWriteReport(
        rejectedClientVersion: number(), updates: updates())
    }
    return refusal
  }

  private mutating func download() -> ServerMessage.Download {
    let progress: ServerMessage.Progress
    if flag() {
      progress = .partition(byteCountLeft: number())
    } else {
      let batches: [ServerMessage.BatchState] = [.moreToCome, .last, .steady]
      progress = .flexible(
        queryVersion: number(), batch: batches.randomElement(using: &random) ?? .last,
        done: flag()
          ? .estimate(Double.random(in: 0...1, using: &random)) : .byteCountLeft(number()))
    }
    let entries = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      DownloadEntry(
        serverVersion: number(), clientVersion: number(),
        timestamp: OriginTimestamp(milliseconds: number()), file: FileIdentifier(number()),
        originalByteCount: number(),
        changeset: flag() ? bytes() : [UInt8](repeating: 7, count: 3_000))
    }
    return ServerMessage.Download(
      cursors: SyncCursors(download: cursor(), upload: uploadCursor(), latest: version()),
      progress: progress, body: MessageBody(downloads: entries))
  }

  private mutating func documentError(_ kind: Int) -> DocumentError {
    switch kind {
    case 0: .unsupported(text())
    case 1: .missing(text())
    case 2: .badArgument(text())
    case 3: .failed(text())
    case 4: .schema(text())
    case 5: .notPermitted(text())
    case 6: .duplicate(id: .document([BSONElement("a", .int64(Int64(bitPattern: number())))]))
    case 7: .tooLarge(text())
    case 8: .tooLong
    case 9: .unknownCollection(text())
    case 10: .busy
    case 11: .resumeLost
    case 12: .store(.owned(by: text()))
    case 13: .store(.tooManyOpenRealms)
    case 14: .store(.tooManyNewRealms)
    default: .store(.unavailable(text()))
    }
  }

  private mutating func reply(_ kind: Int) -> ServerStoreReply {
    switch kind {
    case 0: .bound(ident: FileIdentifier(number()), salt: random.next() >> 1)
    case 1: .done
    case 2:
      .file(
        ServerFileLookup(
          file: optional(file()), head: version(), latestSalt: optional(random.next() >> 1),
          isBoundOnConnection: flag()))
    case 3: .claimed(file(), rejected: reports(), isViewChanged: flag())
    case 4: .head(version())
    case 5: .download(download())
    case 6: .integrated(head: version(), rejected: reports())
    case 7: .queryRefused(message: text())
    default: .refused(refusal())
    }
  }

  private mutating func request(_ kind: Int) -> ServerStoreRequest {
    switch kind {
    case 0: .bind(bind())
    case 1: .lookUp(ident())
    case 2: .claim(ident())
    case 3: .nextDownload(after: cursor())
    case 4:
      .integrate(
        uploadCursor(), lockedServerVersion: number(),
        entries: (0..<Int.random(in: 0...4, using: &random)).map { _ in entry() })
    case 5: .currentHead
    default: .setQuery(query())
    }
  }

  /// A message of a kind.
  mutating func message(_ kind: Int) -> NodeMessage {
    switch kind {
    case 0..<7: .request(session: number(), request(kind))
    case 7..<16: .reply(session: number(), reply(kind - 7))
    case 16..<32: .answer(number: number(), .failure(documentError(kind - 16)))
    case 32: .begin(session: number(), session())
    case 33: .end(session: number())
    case 34: .close(session: number())
    case 35:
      .call(
        number: number(),
        NodeCall(
          app: text(), name: text(), arguments: bytes(), user: optional(text()),
          depth: Int.random(in: 0...9, using: &random)))
    case 36: .event(session: number(), .head(version()))
    case 37: .event(session: number(), flag() ? .evicted : .refused(refusal()))
    case 38:
      .answer(
        number: number(),
        .success(
          NodeAnswer(
            value: bytes(), realm: RealmID(text()),
            versions: optional(number()).map { $0...$0 + 2 })))
    default: .ping
    }
  }
}
#endif
