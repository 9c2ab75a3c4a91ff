// SPDX-License-Identifier: Apache-2.0

// A client whose inputs and effects are lines of text.

import RealmSyncProtocol

/// Runs a `ClientMachine` by the words of a trace.
///
/// `Traces/README.md` says what the words mean.
struct TraceClient {
  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  private let mode: SyncMode
  private var machine: ClientMachine
  private var now: Milliseconds = 0
  /// The last state of the file.
  private var file = SessionFile()

  /// - Parameter text: `flexible` or `partition`.
  init(_ text: Substring) {
    mode = text == "flexible" ? .flexible : .partition
    machine = ClientMachine(mode: mode)
  }

  /// The effects of an input, whose details are the lines below it.
  mutating func effects(of line: Substring, _ details: [Substring]) throws -> [String] {
    let words = line.split(separator: " ")
    if words[0] == "pass" {
      now += try Self.number(words, 1)
      return []
    }
    return machine.handle(try input(line, words, details), now: now).map(Self.text)
  }

  // MARK: Inputs

  private mutating func input(
    _ line: Substring, _ words: [Substring], _ details: [Substring]
  ) throws -> ClientInput {
    let number: UInt64 = words.count > 1 ? UInt64(words[1]) ?? 0 : 0
    switch words[0] {
    case "begin":
      return .begin(
        session: number,
        SessionSettings(
          purpose: words.last == "fresh-copy" ? .freshCopy : .sync,
          partition: mode == .partition ? String(words[2]) : nil))
    case "end": return .end(session: number)
    case "suspend": return .suspend(session: number)
    case "resume": return .resume(session: number)
    case "wait":
      return .wait(
        session: number, words[2] == "upload" ? .upload : .download,
        id: try Self.number(words, 3))
    case "cancel": return .cancelWait(session: number, id: try Self.number(words, 2))
    case "reconnect": return .reconnect
    case "version": return .version(session: number, try Self.number(words, 2))
    case "stored": return try stored(words, details)
    case "opened":
      let version = ProtocolVersion(mode: mode, number: Int(try Self.number(words, 3)))
      return .opened(socket: number, protocolName: version.description, jitter: 0)
    case "closed":
      return .closed(
        socket: number, CloseCode(Int(try Self.number(words, 2))), message: "", jitter: 0)
    case "receive":
      let text = line.split(separator: " ", maxSplits: 2)[2]
      return .message(
        socket: number, Array(text.replacing("\\n", with: "\n").utf8), jitter: 0)
    case "sent": return .sent(socket: number, byteCount: Int(try Self.number(words, 2)))
    case "timer":
      let timers: [Substring: ClientTimer] = [
        "connect": .connect, "linger": .linger, "ping": .ping, "pong": .pong, "retry": .retry,
        "session": .session(words.count > 2 ? try Self.number(words, 2) : 0),
      ]
      guard let timer = timers[words[1]] else { throw Self.mistake(line) }
      return .timer(timer, jitter: 0)
    case "token": return .tokenRefreshed
    case "no-token": return .tokenUnavailable(jitter: 0)
    case "location": return .locationRefreshed
    case "no-location": return .locationUnavailable(jitter: 0)
    default: throw Self.mistake(line)
    }
  }

  private static func mistake(_ line: Substring) -> Mistake {
    Mistake(description: "cannot read '\(line)'")
  }

  private static func number(_ words: [Substring], _ index: Int) throws -> UInt64 {
    guard index < words.count, let number = UInt64(words[index]) else {
      throw Mistake(description: "no number in '\(words.joined(separator: " "))'")
    }
    return number
  }

  /// The number after a word; 0 if there is no such word.
  private static func number(after word: Substring, in words: [Substring]) throws -> UInt64 {
    guard let index = words.firstIndex(of: word) else { return 0 }
    return try number(words, index + 1)
  }

  private mutating func stored(_ words: [Substring], _ details: [Substring]) throws -> ClientInput {
    let name = words[1].split(separator: ".")
    let (session, request) = (try Self.number(name, 0), try Self.number(name, 1))
    return .stored(session: session, request: request, try reply(words, details))
  }

  private mutating func reply(
    _ words: [Substring], _ details: [Substring]
  ) throws -> StoreReply {
    let details = details.map { ($0, $0.split(separator: " ")) }
    switch words[2] {
    case "file":
      var file = SessionFile(version: try Self.number(after: "version", in: words))
      file.ident = FileIdentifier(try Self.number(after: "file", in: Array(words.dropFirst(2))))
      file.salt = try Self.number(after: "salt", in: words)
      for (line, words) in details {
        switch words[0] {
        case "cursors":
          file.cursors = SyncCursors(
            download: DownloadCursor(
              serverVersion: try Self.number(words, 2), clientVersion: try Self.number(words, 3)),
            upload: UploadCursor(
              clientVersion: try Self.number(words, 5), serverVersion: try Self.number(words, 6)),
            latest: SaltedVersion(
              version: try Self.number(words, 8), salt: try Self.number(words, 9)))
        case "set":
          let states: [Substring: QuerySet.State] = [
            "pending": .pending, "bootstrapping": .bootstrapping, "awaiting-mark": .awaitingMark,
            "complete": .complete, "error": .error,
          ]
          guard let state = states[words[2]] else { throw Self.mistake(line) }
          file.sets.append(
            QuerySet(
              version: try Self.number(words, 1), state: state,
              snapshotVersion: try Self.number(words, 4),
              text: String(line.split(separator: " ", maxSplits: 5)[5])))
        default: throw Self.mistake(line)
        }
      }
      self.file = file
      return .done(file)
    case "uploads":
      let progress = UploadCursor(
        clientVersion: try Self.number(after: "through", in: words),
        serverVersion: try Self.number(after: "server", in: words))
      let entries = try details.map { _, words in
        UploadEntry(
          clientVersion: try Self.number(words, 1), serverVersion: try Self.number(words, 3),
          timestamp: OriginTimestamp(milliseconds: try Self.number(words, 5)),
          changeset: Array(words[6].utf8))
      }
      file.version = max(file.version, progress.clientVersion)
      let batch = UploadBatch(
        entries, progress: progress,
        lockedServerVersion: try Self.number(after: "locked", in: words))
      return .uploads(batch, file)
    default:
      let code = try Self.number(after: "code", in: words)
      return .failed(
        StoreFailure(
          code: SessionErrorCode(rawValue: Int(code)).map { ErrorCode($0) },
          message: details.map { String($0.0) }.joined()))
    }
  }

  // MARK: Effects

  private static func text(_ effect: ClientEffect) -> String {
    switch effect {
    case .open(let socket): "open \(socket)"
    case .send(let bytes, let stored): "send\(text(stored)) \(text(bytes))"
    case .close(let code): "close \(code.rawValue)"
    case .pauseReading: "pause reading"
    case .resumeReading: "resume reading"
    case .setTimer(let timer, let time): "timer \(text(timer)) at \(time)"
    case .cancelTimer(let timer): "no timer \(text(timer))"
    case .needsToken: "needs token"
    case .needsLocation: "needs location"
    case .needsLogOut: "needs log-out"
    case .store(let session, let number, let request):
      "store \(session).\(number) \(text(request))"
    case .finish(let id, let failure): "finish \(id)\(failure.map { " \($0)" } ?? "")"
    case .ended(let session): "ended \(session)"
    case .report(let event): "report \(text(event))"
    case .sessionReport(let session, let event): "report of \(session) \(text(event))"
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("\n", with: "\\n")
  }

  private static func text(_ stored: StoredState?) -> String {
    guard let stored else { return "" }
    return " (after file \(stored.file.rawValue), version \(stored.version), "
      + "server version \(stored.serverVersion))"
  }

  private static func text(_ timer: ClientTimer) -> String {
    if case .session(let name) = timer { "session \(name)" } else { "\(timer)" }
  }

  private static func text(_ request: StoreRequest) -> String {
    switch request {
    case .begin: "begin"
    case .read: "read"
    case .adoptIdent(let file, let salt): "file \(file.rawValue) salt \(salt)"
    case .scanUploads(let version, let query):
      "scan after \(version)\(query > 0 ? " past query \(query)" : "")"
    case .integrate(let received): "integrate \(text(received))"
    case .integrateBootstrap(let received, let version):
      "integrate bootstrap of query \(version) \(text(received))"
    case .keepBootstrapPart(let received, let version, let isLast):
      "keep \(isLast ? "last " : "")part of query \(version) \(text(received))"
    case .processBootstrap(let version): "process bootstrap of query \(version)"
    case .markComplete(let version): "mark query \(version) complete"
    case .rejectQuery(let version, let message): "reject query \(version): \(message)"
    }
  }

  private static func text(_ received: ReceivedDownload) -> String {
    let cursors = received.download.cursors
    return "up to \(cursors.download.serverVersion), "
      + "acknowledging \(cursors.upload.clientVersion)"
  }

  private static func text(_ event: ClientEvent) -> String {
    switch event {
    case .changed(let state): "\(state)"
    case .interrupted(let code, _): "interrupted \(code.rawValue)"
    case .failed(let failure, let isFatal): "\(isFatal ? "fatal " : "")failure \(failure)"
    case .log(let log): "log \(log.message)"
    }
  }

  private static func text(_ event: SyncSessionEvent) -> String {
    switch event {
    case .error(let code, let document): "error \(code.rawValue) \(document.message)"
    case .delayed(let code, let document): "delayed \(code.rawValue) \(document.message)"
    case .needsReset(let mayRecover, let code, _):
      "needs reset \(code.rawValue) \(mayRecover ? "with" : "without") recovery"
    case .compensatingWrite(let report, _): "compensating write \(report.serverVersion)"
    case .storageFailure(let failure): "storage failure \(failure.message)"
    case .queryRejected(let version, let message): "query \(version) rejected: \(message)"
    case .downloadProgress(let cursors, _): "progress \(cursors.download.serverVersion)"
    case .log(let log): "log \(log.message)"
    }
  }
}
