// SPDX-License-Identifier: Apache-2.0

// The parts of messages between servers become bytes.

#if Server
import RealmFormats
import RealmServerEngine
import RealmSyncProtocol

extension PackedWriter {
  mutating func write(_ session: NodeSession) {
    write(session.app)
    write(session.user)
    write(session.version.mode == .flexible)
    write(session.version.number)
    write(session.connection)
  }

  mutating func write(_ call: NodeCall) {
    write(call.app)
    write(call.name)
    write(call.arguments)
    write(call.user)
    write(call.depth)
  }

  // MARK: Requests

  /// Writes a request. The token of a BIND stays here.
  mutating func write(_ request: ServerStoreRequest) {
    switch request {
    case .bind(let bind):
      write(0)
      write(bind)
    case .lookUp(let ident):
      write(1)
      write(ident)
    case .claim(let ident):
      write(2)
      write(ident)
    case .nextDownload(let cursor):
      write(3)
      write(cursor)
    case .integrate(let cursor, let lockedServerVersion, let entries):
      write(4)
      write(cursor)
      write(lockedServerVersion)
      write(entries.count)
      for entry in entries { write(entry) }
    case .currentHead: write(5)
    case .setQuery(let query):
      write(6)
      write(query)
    }
  }

  private mutating func write(_ bind: ClientMessage.Bind) {
    write(bind.session)
    write(bind.needsIdent)
    switch bind.target {
    case .partition(let text):
      write(false)
      write(text)
    case .flexible(let target):
      write(true)
      write(target.schemaVersion)
      write(target.isClientReset)
      write(target.migratedPartition)
    }
  }

  private mutating func write(_ ident: ClientMessage.Ident) {
    write(ident.session)
    write(ident.file.rawValue)
    write(ident.salt)
    write(ident.download)
    write(ident.latest)
    write(ident.query != nil)
    if let query = ident.query { write(query) }
  }

  private mutating func write(_ query: VersionedQuery) {
    write(query.version)
    write(query.text)
  }

  private mutating func write(_ cursor: DownloadCursor) {
    write(cursor.serverVersion)
    write(cursor.clientVersion)
  }

  private mutating func write(_ cursor: UploadCursor) {
    write(cursor.clientVersion)
    write(cursor.serverVersion)
  }

  private mutating func write(_ version: SaltedVersion) {
    write(version.version)
    write(version.salt)
  }

  private mutating func write(_ entry: UploadEntry) {
    write(entry.clientVersion)
    write(entry.serverVersion)
    write(entry.timestamp.milliseconds)
    write(entry.file.rawValue)
    write(entry.changeset)
  }

  // MARK: Replies

  mutating func write(_ reply: ServerStoreReply) {
    switch reply {
    case .bound(let ident, let salt):
      write(0)
      write(ident.rawValue)
      write(salt)
    case .done: write(1)
    case .file(let lookup):
      write(2)
      write(lookup.file != nil)
      if let file = lookup.file { write(file) }
      write(lookup.head)
      write(lookup.latestSalt)
      write(lookup.isBoundOnConnection)
    case .claimed(let file, let reports, let isViewChanged):
      write(3)
      write(file)
      write(reports)
      write(isViewChanged)
    case .head(let head):
      write(4)
      write(head)
    case .download(let download):
      write(5)
      write(download)
    case .integrated(let head, let reports):
      write(6)
      write(head)
      write(reports)
    case .queryRefused(let message):
      write(7)
      write(message)
    case .refused(let refusal):
      write(8)
      write(refusal)
    }
  }

  private mutating func write(_ file: ServerFile) {
    write(file.ident.rawValue)
    write(file.salt)
    write(file.isOfUser)
    write(file.isExpired)
    write(file.clientVersion)
    write(file.reciprocalBase)
    write(file.lockedServerVersion)
  }

  private mutating func write(_ reports: [CompensatingWriteReport]) {
    write(reports.count)
    for report in reports {
      write(report.serverVersion)
      write(report.rejectedClientVersion)
      write(report.updates)
      write(report.refused)
    }
  }

  private mutating func write(_ updates: [RejectedUpdate]) {
    write(updates.count)
    for update in updates {
      write(update.reason)
      write(update.table)
      write(update.key.bytes)
    }
  }

  /// Writes a download. Its cursors and its body are those of a message in partition mode.
  private mutating func write(_ download: ServerMessage.Download) {
    var plain = download
    switch download.progress {
    case .partition(let count):
      write(0)
      write(count)
    case .flexible(let queryVersion, let batch, let done):
      write(1)
      write(queryVersion)
      write(batch.rawValue)
      switch done {
      case .estimate(let value):
        write(false)
        write(value.bitPattern)
      case .byteCountLeft(let count):
        write(true)
        write(count)
      }
    }
    plain.progress = .partition(byteCountLeft: 0)
    let encoder = MessageEncoder(version: ProtocolVersion(mode: .partition))
    append(encoder.bytes(.download(session: 1, plain)))
  }

  private mutating func write(_ refusal: SessionRefusal) {
    write(refusal.code.rawValue)
    write(JSONWriter.bytes(refusal.document.json))
  }

  // MARK: Events

  mutating func write(_ event: ServerSessionEvent) {
    switch event {
    case .head(let head):
      write(0)
      write(head)
    case .refused(let refusal):
      write(1)
      write(refusal)
    case .evicted: write(2)
    }
  }

  // MARK: Answers

  mutating func write(_ answer: Result<NodeAnswer, DocumentError>) {
    switch answer {
    case .success(let answer):
      write(true)
      write(answer.value)
      write(answer.realm.rawValue)
      write(answer.versions?.lowerBound)
      write(answer.versions?.upperBound)
    case .failure(let error):
      write(false)
      write(error)
    }
  }

  private mutating func write(_ error: DocumentError) {
    switch error {
    case .unsupported(let text): write(0, then: text)
    case .missing(let name): write(1, then: name)
    case .badArgument(let text): write(2, then: text)
    case .failed(let text): write(3, then: text)
    case .schema(let text): write(4, then: text)
    case .notPermitted(let text): write(5, then: text)
    case .duplicate(let id): write(6, then: ExtendedJSONWriter.text(id))
    case .tooLarge(let text): write(7, then: text)
    case .tooLong: write(8)
    case .unknownCollection(let name): write(9, then: name)
    case .busy: write(10)
    case .resumeLost: write(11)
    case .store(.owned(let node)): write(12, then: node)
    case .store(.tooManyOpenRealms): write(13)
    case .store(.tooManyNewRealms): write(14)
    case .store(.unavailable(let reason)): write(15, then: reason)
    case .store(let error): write(15, then: "\(error)")
    }
  }

  private mutating func write(_ number: Int, then text: String) {
    write(number)
    write(text)
  }
}
#endif
