// SPDX-License-Identifier: Apache-2.0

// Bytes become the parts of messages between servers.

#if Server
import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

extension PackedReader {
  private static func unknown(_ kind: String, _ number: UInt64) -> PackedBytesError {
    PackedBytesError("there is no \(kind) \(number)")
  }

  mutating func session() throws(PackedBytesError) -> NodeSession {
    NodeSession(
      app: try text(), user: try text(),
      version: ProtocolVersion(mode: try flag() ? .flexible : .partition, number: try integer()),
      connection: try number())
  }

  mutating func call() throws(PackedBytesError) -> NodeCall {
    NodeCall(
      app: try text(), name: try text(), arguments: try content(), user: try optionalText(),
      depth: try integer())
  }

  // MARK: Requests

  mutating func request() throws(PackedBytesError) -> ServerStoreRequest {
    let kind = try number()
    switch kind {
    case 0: return .bind(try bind())
    case 1: return .lookUp(try ident())
    case 2: return .claim(try ident())
    case 3: return .nextDownload(after: try downloadCursor())
    case 4:
      let (cursor, lockedServerVersion) = (try uploadCursor(), try number())
      var entries: [UploadEntry] = []
      for _ in 0..<(try count()) { entries.append(try entry()) }
      return .integrate(cursor, lockedServerVersion: lockedServerVersion, entries: entries)
    case 5: return .currentHead
    case 6: return .setQuery(try query())
    default: throw Self.unknown("request", kind)
    }
  }

  private mutating func bind() throws(PackedBytesError) -> ClientMessage.Bind {
    let (session, needsIdent) = (try number(), try flag())
    let target: ClientMessage.Bind.Target
    if try flag() {
      target = .flexible(
        ClientMessage.FlexibleTarget(
          schemaVersion: try number(), isClientReset: try flag(),
          migratedPartition: try optionalText()))
    } else {
      target = .partition(try text())
    }
    return ClientMessage.Bind(session: session, target: target, needsIdent: needsIdent)
  }

  private mutating func ident() throws(PackedBytesError) -> ClientMessage.Ident {
    var ident = ClientMessage.Ident(
      session: try number(), file: FileIdentifier(try number()), salt: try number(),
      download: try downloadCursor(), latest: try version())
    if try flag() { ident.query = try query() }
    return ident
  }

  private mutating func query() throws(PackedBytesError) -> VersionedQuery {
    VersionedQuery(version: try number(), text: try text())
  }

  private mutating func downloadCursor() throws(PackedBytesError) -> DownloadCursor {
    DownloadCursor(serverVersion: try number(), clientVersion: try number())
  }

  private mutating func uploadCursor() throws(PackedBytesError) -> UploadCursor {
    UploadCursor(clientVersion: try number(), serverVersion: try number())
  }

  private mutating func version() throws(PackedBytesError) -> SaltedVersion {
    SaltedVersion(version: try number(), salt: try number())
  }

  private mutating func entry() throws(PackedBytesError) -> UploadEntry {
    UploadEntry(
      clientVersion: try number(), serverVersion: try number(),
      timestamp: OriginTimestamp(milliseconds: try number()), file: FileIdentifier(try number()),
      changeset: try content())
  }

  // MARK: Replies

  mutating func reply() throws(PackedBytesError) -> ServerStoreReply {
    let kind = try number()
    switch kind {
    case 0: return .bound(ident: FileIdentifier(try number()), salt: try number())
    case 1: return .done
    case 2:
      return .file(
        ServerFileLookup(
          file: try flag() ? try file() : nil, head: try version(),
          latestSalt: try optionalNumber(), isBoundOnConnection: try flag()))
    case 3:
      return .claimed(try file(), rejected: try reports(), isViewChanged: try flag())
    case 4: return .head(try version())
    case 5: return .download(try download())
    case 6: return .integrated(head: try version(), rejected: try reports())
    case 7: return .queryRefused(message: try text())
    case 8: return .refused(try refusal())
    default: throw Self.unknown("reply", kind)
    }
  }

  private mutating func file() throws(PackedBytesError) -> ServerFile {
    ServerFile(
      ident: FileIdentifier(try number()), salt: try number(), isOfUser: try flag(),
      isExpired: try flag(), clientVersion: try number(), reciprocalBase: try number(),
      lockedServerVersion: try number())
  }

  private mutating func reports() throws(PackedBytesError) -> [CompensatingWriteReport] {
    var reports: [CompensatingWriteReport] = []
    for _ in 0..<(try count()) {
      var report = CompensatingWriteReport(
        serverVersion: try number(), rejectedClientVersion: try number(), updates: try updates())
      report.refused = try updates()
      reports.append(report)
    }
    return reports
  }

  private mutating func updates() throws(PackedBytesError) -> [RejectedUpdate] {
    var updates: [RejectedUpdate] = []
    for _ in 0..<(try count()) {
      updates.append(RejectedUpdate(reason: try text(), table: try text(), key: try key()))
    }
    return updates
  }

  private mutating func key() throws(PackedBytesError) -> RejectedKey {
    let bytes = try content()
    do throws(ChangesetError) {
      return try RejectedKey(bytes: bytes)
    } catch {
      throw PackedBytesError("a primary key: \(error)")
    }
  }

  private mutating func download() throws(PackedBytesError) -> ServerMessage.Download {
    let kind = try number()
    let progress: ServerMessage.Progress
    switch kind {
    case 0: progress = .partition(byteCountLeft: try number())
    case 1:
      let (queryVersion, state) = (try number(), try number())
      guard let batch = ServerMessage.BatchState(rawValue: state) else {
        throw Self.unknown("batch state", state)
      }
      let isByteCount = try flag()
      let value = try number()
      progress = .flexible(
        queryVersion: queryVersion, batch: batch,
        done: isByteCount ? .byteCountLeft(value) : .estimate(Double(bitPattern: value)))
    default: throw Self.unknown("mode", kind)
    }
    let parser = MessageParser(version: ProtocolVersion(mode: .partition))
    do throws(MessageError) {
      guard case .download(1, var download) = try parser.serverMessage(rest()) else {
        throw MessageError.badSyntax
      }
      download.progress = progress
      return download
    } catch {
      throw PackedBytesError("a download: \(error)")
    }
  }

  private mutating func refusal() throws(PackedBytesError) -> SessionRefusal {
    let number = try number()
    guard let code = Int(exactly: number).flatMap({ SessionErrorCode(rawValue: $0) }) else {
      throw Self.unknown("error of sessions", number)
    }
    let bytes = try content()
    guard let json = try? JSONParser.parse(bytes), let document = try? ErrorDocument(json: json)
    else { throw PackedBytesError("the document of an error cannot be read") }
    var refusal = SessionRefusal(code, "")
    refusal.document = document
    return refusal
  }

  // MARK: Events

  mutating func event() throws(PackedBytesError) -> ServerSessionEvent {
    let kind = try number()
    switch kind {
    case 0: return .head(try version())
    case 1: return .refused(try refusal())
    case 2: return .evicted
    default: throw Self.unknown("event", kind)
    }
  }

  // MARK: Answers

  /// The most versions of one call: a declaration and a change.
  private static let versionCountMax: UInt64 = 1_000

  mutating func answer() throws(PackedBytesError) -> Result<NodeAnswer, DocumentError> {
    guard try flag() else { return .failure(try documentError()) }
    var answer = NodeAnswer(value: try content(), realm: RealmID(try text()), versions: nil)
    let (first, last) = (try optionalNumber(), try optionalNumber())
    if let first, let last {
      guard first <= last, last - first < Self.versionCountMax else {
        throw PackedBytesError("versions \(first) to \(last)")
      }
      answer.versions = first...last
    } else if first != nil || last != nil {
      throw PackedBytesError("versions have one end")
    }
    return .success(answer)
  }

  private mutating func documentError() throws(PackedBytesError) -> DocumentError {
    let kind = try number()
    switch kind {
    case 0: return .unsupported(try text())
    case 1: return .missing(try text())
    case 2: return .badArgument(try text())
    case 3: return .failed(try text())
    case 4: return .schema(try text())
    case 5: return .notPermitted(try text())
    case 6:
      let text = try text()
      return .duplicate(id: (try? ExtendedJSONReader.parse(text)) ?? .null)
    case 7: return .tooLarge(try text())
    case 8: return .tooLong
    case 9: return .unknownCollection(try text())
    case 10: return .busy
    case 11: return .resumeLost
    case 12: return .store(.owned(by: try text()))
    case 13: return .store(.tooManyOpenRealms)
    case 14: return .store(.tooManyNewRealms)
    case 15: return .store(.unavailable(try text()))
    default: throw Self.unknown("error of calls", kind)
    }
  }
}
#endif
