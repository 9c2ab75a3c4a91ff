// SPDX-License-Identifier: Apache-2.0

// The client's side of a session, without any input or output of its own.

/// Decides what a session sends, requests from its file, and reports to the app.
///
/// Each input gives effects, which are to be carried out in their order. Equal inputs give equal
/// effects.
///
/// Invariants:
/// 1. One request to the file is under way at a time. Messages that arrive meanwhile wait.
/// 2. The cursors of DOWNLOAD messages that are accepted never go back.
/// 3. Each wait is finished exactly once.
/// 4. After UNBIND, or an error that the client reported, nothing else is sent on the session's
///    number.
package struct SessionMachine: Hashable, Sendable {
  /// The bytes of waiting messages with which the socket is no more read.
  private static let waitingByteCountMax = 32 << 20

  /// How far the session is with its binding.
  enum Phase: Hashable, Sendable {
    case inactive
    /// A connection, or a number on it, is awaited.
    case unbound
    /// The file is prepared before BIND is sent.
    case preparing
    /// BIND is sent, and IDENT is awaited from the server, or its storing.
    case bound
    /// IDENT is sent.
    case running
    /// An error was reported to the server, and its answer is awaited.
    case reportedError
    /// An error or the app keeps the session from binding.
    case suspended
    case terminated
  }

  struct WaitingMessage: Hashable, Sendable {
    var message: ServerMessage
    var byteCount: Int
    var jitter: UInt32
  }

  struct Wait: Hashable, Sendable {
    var id: UInt64
    var kind: SessionWait
    /// The number of a MARK, or a client version.
    var goal: UInt64
  }

  struct PartialBootstrap: Hashable, Sendable {
    var cursors: SyncCursors
    var queryVersion: UInt64
  }

  struct HeldReport: Hashable, Sendable {
    var report: CompensatingWriteReport
    var document: ErrorDocument
  }

  let settings: SessionSettings
  var phase = Phase.inactive
  var version = ProtocolVersion(mode: .partition)
  /// The session's number on the connection; nil without connection or after UNBIND.
  var session: UInt64?
  var file = SessionFile()
  /// The version of which `file` has the subscription sets.
  private var setsVersion: UInt64 = 0
  var now: Milliseconds = 0
  var effects: [SessionEffect] = []

  private var underWay: StoreRequest?
  private var lastRequest: UInt64 = 0
  private var inbox: [WaitingMessage] = []
  private var waitingByteCount = 0
  private var isReadingPaused = false

  /// The cursors of the last DOWNLOAD that was accepted.
  var received = SyncCursors()
  /// The bootstrap that is not integrated yet.
  var bootstrap: PartialBootstrap?

  var markRequested: UInt64 = 0
  var markSent: UInt64 = 0
  var markReceived: UInt64 = 0
  /// The first MARK of this binding.
  var firstMark: UInt64 = 0
  /// The highest version of a subscription set that IDENT or QUERY has named.
  var lastQuerySent: UInt64 = 0
  /// What this binding has uploaded or passed.
  var scanned = UploadCursor()
  /// The client version up to which scans have found everything.
  var scannedThrough: UInt64 = 0
  /// The client version that the scan that is under way reaches if it is complete.
  var scanGoal: UInt64 = 0
  var lastEntrySent: UInt64 = 0
  var skipsFirstMark = false
  private var lostAt: Milliseconds?
  var waits: [Wait] = []
  /// Errors of compensating writes whose changes have not come yet.
  var heldReports: [HeldReport] = []
  var retries = RetrySchedule()

  package init(settings: SessionSettings) { self.settings = settings }

  /// The effects of an input.
  package mutating func handle(_ input: SessionInput, now: Milliseconds) -> [SessionEffect] {
    self.now = now
    effects = []
    guard phase != .terminated else {
      if case .wait(_, let id) = input { effects.append(.finish(id: id, .terminated)) }
      return effects
    }
    take(input)
    proceed()
    return effects
  }

  private mutating func take(_ input: SessionInput) {
    switch input {
    case .activate: if phase == .inactive { phase = .unbound }
    case .connectionReady(let version, let session): connect(version, session)
    case .connectionLost: disconnect()
    case .message(let message, let byteCount, let jitter):
      guard session != nil else { return }
      inbox.append(WaitingMessage(message: message, byteCount: byteCount, jitter: jitter))
      waitingByteCount += byteCount
    case .stored(let number, let reply): finishRequest(number, reply)
    case .localVersion(let version): file.version = max(file.version, version)
    case .subscriptionSets(let sets, let version):
      file.version = max(file.version, version)
      takeSets(sets, of: version)
    case .wait(let kind, let id): wait(kind, id)
    case .cancelWait(let id):
      if waits.contains(where: { $0.id == id }) { finish(id, .canceled) }
    case .retry, .tokenRefreshed, .resume:
      guard phase == .suspended else { return }
      phase = .unbound
      effects.append(.needsSession)
    case .suspend:
      unbind()
      phase = .suspended
      effects.append(.suspended(until: nil))
    case .terminate:
      unbind()
      phase = .terminated
      for wait in waits { effects.append(.finish(id: wait.id, .terminated)) }
      waits = []
    }
  }

  private mutating func connect(_ version: ProtocolVersion, _ session: UInt64) {
    guard phase == .unbound else { return }
    self.version = version
    self.session = session
    let isShortLoss = lostAt.map { now &- $0 < settings.timeouts.fastReconnect } ?? false
    skipsFirstMark = isShortLoss || settings.purpose == .afterReset
    phase = .preparing
  }

  private mutating func disconnect() {
    if session != nil { lostAt = now }
    forgetBinding()
    if phase != .inactive, phase != .suspended { phase = .unbound }
  }

  /// Everything that belongs to a number on a connection.
  mutating func forgetBinding() {
    session = nil
    inbox = []
    waitingByteCount = 0
    isReadingPaused = false
    bootstrap = nil
    heldReports = []
  }

  /// Gives up the session's number.
  mutating func unbind() {
    if let session, phase == .bound || phase == .running || phase == .reportedError {
      effects.append(.send(.unbind(session: session)))
    }
    if isReadingPaused { effects.append(.resumeReading) }
    forgetBinding()
  }

  /// Takes the subscription sets of a version, unless those of a newer one are known: the file's
  /// answers and the news of the app's changes may overtake each other.
  mutating func takeSets(_ sets: [QuerySet], of version: UInt64) {
    guard version >= setsVersion else { return }
    file.sets = sets
    setsVersion = version
  }

  // MARK: Progress

  /// Does what can be done: messages first, then what is to be sent.
  private mutating func proceed() {
    while underWay == nil {
      if let message = inbox.first, session != nil {
        inbox.removeFirst()
        waitingByteCount -= message.byteCount
        receive(message)
      } else if !sendNext() {
        break
      }
    }
    if !isReadingPaused, waitingByteCount > Self.waitingByteCountMax {
      isReadingPaused = true
      effects.append(.pauseReading)
    } else if isReadingPaused, waitingByteCount <= Self.waitingByteCountMax / 2 {
      isReadingPaused = false
      effects.append(.resumeReading)
    }
    finishWaits()
  }

  mutating func store(_ request: StoreRequest) {
    assert(underWay == nil, "SessionMachine 1")
    lastRequest += 1
    underWay = request
    effects.append(.store(request: lastRequest, request))
  }

  private mutating func finishRequest(_ number: UInt64, _ reply: StoreReply) {
    guard number == lastRequest, let request = underWay else { return }
    underWay = nil
    stored(request, reply)
  }

  // MARK: Waits

  private mutating func wait(_ kind: SessionWait, _ id: UInt64) {
    switch kind {
    case .upload: waits.append(Wait(id: id, kind: kind, goal: file.version))
    case .download:
      if markRequested == markSent { markRequested += 1 }
      waits.append(Wait(id: id, kind: kind, goal: markRequested))
    }
  }

  mutating func finish(_ id: UInt64, _ failure: SessionFailure?) {
    waits.removeAll { $0.id == id }
    effects.append(.finish(id: id, failure))
  }

  mutating func failWaits(_ failure: SessionFailure) {
    for wait in waits { effects.append(.finish(id: wait.id, failure)) }
    waits = []
  }

  private mutating func finishWaits() {
    guard phase == .running else { return }
    let uploaded = file.cursors.upload.clientVersion
    for wait in waits {
      let isDone =
        switch wait.kind {
        case .download: wait.goal <= markReceived
        case .upload:
          uploaded >= wait.goal || scannedThrough >= wait.goal && uploaded >= lastEntrySent
        }
      if isDone { finish(wait.id, nil) }
    }
  }
}
