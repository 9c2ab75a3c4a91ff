// SPDX-License-Identifier: Apache-2.0

// A session of a `ClientMachine`: its phase, its requests to the file, and its waits.

/// Decides what a session sends, requests from its file, and reports to the app.
///
/// Invariants:
/// 1. One request to the file is under way at a time. Messages that arrive meanwhile wait.
/// 2. The cursors of DOWNLOAD messages that are accepted never go back.
/// 3. Each wait is finished exactly once.
/// 4. After UNBIND, or an error that the client reported, nothing else is sent on the session's
///    number.
struct ClientSession: Hashable, Sendable {
  /// How far the session is. What exists only in a phase is in its case.
  enum Phase: Hashable, Sendable {
    case resting(SessionRest)
    /// A number on an open connection is awaited.
    case unbound
    case bound(Binding)
    /// The session is over, except for a request that is under way.
    case ended
  }

  struct Request: Hashable, Sendable {
    var number: UInt64
    var request: StoreRequest
  }

  struct Wait: Hashable, Sendable {
    enum Goal: Hashable, Sendable {
      /// A version of the file is at the server.
      case upload(version: UInt64)
      /// The server has answered a MARK; nil before its number is known.
      case download(mark: UInt64?)
    }

    var id: UInt64
    var goal: Goal
  }

  /// What a session wants of its connection, in order.
  enum Output: Hashable, Sendable {
    case message(ClientMessage, after: StoredState?)
    case effect(ClientEffect)
    /// The session's number is used up, and the session rests.
    case rested(SessionRest)
    /// The server broke the protocol so that the connection is of no more use.
    case violation(ConnectionErrorCode, message: String)
  }

  let name: UInt64
  private(set) var settings: SessionSettings
  var phase = Phase.unbound
  /// The state of the last answer, and the newest version that is known.
  var file = SessionFile()
  /// The version of the last answer, which has the subscription sets.
  private(set) var readVersion: UInt64 = 0
  private(set) var request: Request?
  private var lastRequest: UInt64 = 0
  /// The number of the last MARK that is sent or to be sent.
  var lastMark: UInt64 = 0
  private(set) var waits: [Wait] = []
  var retries = RetrySchedule()
  /// When the session lost its last connection.
  private var lostAt: Milliseconds?
  var outputs: [Output] = []

  init(name: UInt64, settings: SessionSettings) {
    self.name = name
    self.settings = settings
  }

  /// The session's number on the connection.
  var number: UInt64? { if case .bound(let binding) = phase { binding.number } else { nil } }

  /// Why the session rests; nil if it does not.
  var rest: SessionRest? { if case .resting(let rest) = phase { rest } else { nil } }

  /// The bytes of messages that wait for the file.
  var waitingByteCount: Int {
    if case .bound(let binding) = phase { binding.waitingByteCount } else { 0 }
  }

  /// What exists between IDENT and the end of the binding. It can be set in a binding alone.
  var exchange: Binding.Exchange? {
    get {
      if case .bound(let binding) = phase, case .running(let exchange) = binding.step {
        exchange
      } else {
        nil
      }
    }
    set {
      guard case .bound(var binding) = phase, let newValue else { return }
      binding.step = .running(newValue)
      phase = .bound(binding)
    }
  }

  /// Whether subscription sets are to be read of a newer version.
  var isFileNewer: Bool { readVersion < file.version }

  // MARK: Phases

  /// Takes a number on an open connection.
  mutating func connect(_ number: UInt64, _ version: ProtocolVersion, now: Milliseconds) {
    guard phase == .unbound else { return }
    let isShortLoss = lostAt.map { now &- $0 < settings.timeouts.fastReconnect } ?? false
    phase = .bound(
      Binding(
        number: number, version: version,
        skipsFirstMark: isShortLoss || settings.purpose == .afterReset))
  }

  /// Notes that the connection is gone.
  mutating func disconnect(now: Milliseconds) {
    guard case .bound = phase else { return }
    lostAt = now
    phase = .unbound
  }

  /// Gives up the session's number, until `resume()`.
  mutating func rest(for rest: SessionRest) {
    guard phase != .ended else { return }
    unbind()
    phase = .resting(rest)
    outputs.append(.rested(rest))
  }

  /// Ends a rest.
  mutating func resume() { if rest != nil { phase = .unbound } }

  /// Notes that the file was reset: the server has no changes that uploads would have to wait for.
  mutating func noteReset() { settings.purpose = .afterReset }

  /// Notes that the server has answered the first MARK: the session is one as any other.
  mutating func noteFirstMark() {
    if settings.purpose == .afterReset { settings.purpose = .sync }
  }

  mutating func end() {
    unbind()
    phase = .ended
    for wait in waits { finish(wait.id, .terminated) }
  }

  private mutating func unbind() {
    guard case .bound(let binding) = phase else { return }
    phase = .unbound
    if binding.step != .preparing { send(.unbind(session: binding.number)) }
  }

  mutating func send(_ message: ClientMessage, after stored: StoredState? = nil) {
    outputs.append(.message(message, after: stored))
  }

  mutating func report(_ event: SyncSessionEvent) {
    outputs.append(.effect(.sessionReport(session: name, event)))
  }

  // MARK: Progress

  /// Adds a message, which is taken when the file has answered.
  mutating func receive(_ message: ServerMessage, byteCount: Int, jitter: UInt32) {
    guard case .bound(var binding) = phase else { return }
    // Without the other reference the messages are not copied.
    phase = .unbound
    binding.inbox.append(.init(message: message, byteCount: byteCount, jitter: jitter))
    binding.waitingByteCount += byteCount
    phase = .bound(binding)
  }

  private mutating func nextMessage() -> Binding.WaitingMessage? {
    guard case .bound(var binding) = phase, !binding.inbox.isEmpty else { return nil }
    phase = .unbound
    let message = binding.inbox.removeFirst()
    binding.waitingByteCount -= message.byteCount
    phase = .bound(binding)
    return message
  }

  /// Does what can be done: messages first, then what is to be sent.
  ///
  /// - Parameter mayUpload: Whether the socket takes what is sent.
  mutating func proceed(mayUpload: Bool, now: Milliseconds) {
    while request == nil {
      if let message = nextMessage() {
        receive(message, now: now)
      } else if !sendNext(mayUpload: mayUpload) {
        break
      }
    }
    finishWaits()
  }

  // MARK: The file

  /// Notes a new version of the file.
  mutating func noteVersion(_ version: UInt64) { file.version = max(file.version, version) }

  mutating func store(_ request: StoreRequest) {
    assert(self.request == nil, "ClientSession 1")
    assert(phase != .ended, "a request of a session that is over")
    lastRequest += 1
    self.request = Request(number: lastRequest, request: request)
    outputs.append(.effect(.store(session: name, request: lastRequest, request)))
  }

  /// Takes the answer to a request.
  mutating func stored(_ number: UInt64, _ reply: StoreReply) {
    guard let request, request.number == number else { return }
    self.request = nil
    guard phase != .ended else { return }
    switch reply {
    case .done(let state), .uploads(_, let state):
      readVersion = state.version
      // A version that was announced may be newer.
      let newest = max(state.version, file.version)
      file = state
      file.version = newest
    case .failed: break
    }
    stored(request.request, reply)
  }

  // MARK: Waits

  mutating func wait(for kind: SessionWait, id: UInt64) {
    guard phase != .ended else { return outputs.append(.effect(.finish(wait: id, .terminated))) }
    switch kind {
    case .upload: waits.append(Wait(id: id, goal: .upload(version: file.version)))
    case .download:
      if let exchange, lastMark == exchange.markSent { lastMark += 1 }
      waits.append(Wait(id: id, goal: .download(mark: exchange == nil ? nil : lastMark)))
    }
  }

  /// Lets the waits for downloads wait for the first MARK of an exchange.
  mutating func awaitFirstMark(_ mark: UInt64) {
    for index in waits.indices {
      if case .download = waits[index].goal { waits[index].goal = .download(mark: mark) }
    }
  }

  mutating func cancelWait(_ id: UInt64) {
    if waits.contains(where: { $0.id == id }) { finish(id, .canceled) }
  }

  mutating func failWaits(_ failure: SessionFailure) {
    for wait in waits { finish(wait.id, failure) }
  }

  private mutating func finish(_ id: UInt64, _ failure: SessionFailure?) {
    waits.removeAll { $0.id == id }
    outputs.append(.effect(.finish(wait: id, failure)))
  }

  private mutating func finishWaits() {
    guard !waits.isEmpty, let exchange else { return }
    let uploaded = file.cursors.upload.clientVersion
    for wait in waits {
      let isDone =
        switch wait.goal {
        case .download(let mark): mark.map { $0 <= exchange.markReceived } ?? false
        case .upload(let version):
          uploaded >= version
            || exchange.scannedThrough >= version && uploaded >= exchange.lastEntrySent
        }
      if isDone { finish(wait.id, nil) }
    }
  }
}

extension ClientSession {
  /// A number of a session, and what belongs to it.
  struct Binding: Hashable, Sendable {
    /// How far the session is on its number.
    enum Step: Hashable, Sendable {
      /// The file is prepared before BIND is sent.
      case preparing
      /// BIND is sent, and IDENT is awaited from the server, or its storing.
      case identifying
      /// IDENT is sent.
      case running(Exchange)
      /// An error was reported to the server, and its answer is awaited.
      case reportedError
    }

    struct WaitingMessage: Hashable, Sendable {
      var message: ServerMessage
      var byteCount: Int
      var jitter: UInt32
    }

    struct PartialBootstrap: Hashable, Sendable {
      var cursors: SyncCursors
      var queryVersion: UInt64
    }

    struct HeldReport: Hashable, Sendable {
      var report: CompensatingWriteReport
      var document: ErrorDocument
    }

    /// What exists from IDENT on.
    struct Exchange: Hashable, Sendable {
      /// The cursors of the last DOWNLOAD that was accepted.
      var received: SyncCursors
      /// The bootstrap that is not integrated yet.
      var bootstrap: PartialBootstrap?
      let firstMark: UInt64
      var markSent: UInt64
      var markReceived: UInt64
      /// The highest version of a subscription set that IDENT or QUERY has named.
      var lastQuerySent: UInt64
      /// What has been uploaded or passed.
      var scanned: UploadCursor
      /// The client version up to which scans have found everything.
      var scannedThrough: UInt64
      var lastEntrySent: UInt64 = 0
      /// Errors of compensating writes whose changes have not come yet.
      var heldReports: [HeldReport] = []

      /// - Parameter mark: The number of the first MARK.
      init(_ file: SessionFile, queryVersion: UInt64, mark: UInt64) {
        received = file.cursors
        scanned = file.cursors.upload
        scannedThrough = scanned.clientVersion
        lastQuerySent = queryVersion
        firstMark = mark
        markSent = mark - 1
        markReceived = mark - 1
      }

      /// Leaves out of later scans what an earlier binding has uploaded.
      mutating func skip(_ uploaded: UploadCursor) {
        guard uploaded.clientVersion > scanned.clientVersion else { return }
        scanned = uploaded
        scannedThrough = max(scannedThrough, uploaded.clientVersion)
      }
    }

    let number: UInt64
    let version: ProtocolVersion
    /// Whether uploads need not wait for the first download.
    let skipsFirstMark: Bool
    var step = Step.preparing
    var inbox: [WaitingMessage] = []
    var waitingByteCount = 0
  }
}
