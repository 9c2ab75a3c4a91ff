// SPDX-License-Identifier: Apache-2.0

// The settings of all sessions of an app.

#if Sync
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// The settings of all sessions of an app, and the handler of their errors.
///
/// Thread-safe.
public final class SyncManager: Sendable {
  private struct State {
    var errorHandler: (@Sendable (any Error, SyncSession?) -> Void)?
    var userAgent: String?
    var authorizationHeaderName: String?
    var customRequestHeaders: [String: String]?
    var logLevel = LogLevel.info
    var logger: (@Sendable (LogLevel, String) -> Void)?
    var timeouts: SyncTimeouts
  }

  private let id: String
  private let state: Locked<State>

  init(_ id: String, _ timeouts: SyncTimeouts) {
    self.id = id
    state = Locked(State(timeouts: timeouts))
  }

  /// The id of the app.
  public var appID: String { id }

  /// Is called with each error of a session, on a thread of the library. Without a handler errors
  /// are logged. Set it before the first realm is opened: reports of refused writes that an earlier
  /// process has not handed over come when their realm is.
  public var errorHandler: (@Sendable (_ error: any Error, _ session: SyncSession?) -> Void)? {
    get { state.withLock { $0.errorHandler } }
    set { state.withLock { $0.errorHandler = newValue } }
  }

  /// What the app adds to the name of this library in handshakes.
  public var userAgent: String? {
    get { state.withLock { $0.userAgent } }
    set { state.withLock { $0.userAgent = newValue } }
  }

  /// Kept for programs that set it: the access token is part of a handshake's address, as the
  /// protocol says, and in no header.
  public var authorizationHeaderName: String? {
    get { state.withLock { $0.authorizationHeaderName } }
    set { state.withLock { $0.authorizationHeaderName = newValue } }
  }

  /// Headers that are added to all requests and handshakes that follow. Those that the protocol
  /// itself has, like `Authorization` and `Host`, stay as they are.
  public var customRequestHeaders: [String: String]? {
    get { state.withLock { $0.customRequestHeaders } }
    set { state.withLock { $0.customRequestHeaders = newValue } }
  }

  /// The times that connections wait, which those have that are made later.
  public var timeoutOptions: SyncTimeoutOptions {
    get { SyncTimeoutOptions(timeouts) }
    set {
      let timeouts = newValue.timeouts
      state.withLock { $0.timeouts = timeouts }
    }
  }

  /// The level of messages up to which `logger` gets them; `info` at first.
  @available(*, deprecated, message: "Set the level of Logger.shared.")
  public var logLevel: LogLevel {
    get { state.withLock { $0.logLevel } }
    set { state.withLock { $0.logLevel = newValue } }
  }

  /// Gets the messages about the app's sessions and connections, in place of `Logger.shared`, on
  /// the thread that logs them; nil at first.
  @available(*, deprecated, message: "Set Logger.shared.")
  public var logger: (@Sendable (LogLevel, String) -> Void)? {
    get { state.withLock { $0.logger } }
    set { state.withLock { $0.logger = newValue } }
  }

  var timeouts: SyncTimeouts { state.withLock { $0.timeouts } }

  /// The app's own headers, in a fixed order.
  var customHeaders: [HTTPHeader] {
    (customRequestHeaders ?? [:]).sorted { $0.key < $1.key }
      .map { HTTPHeader($0.key, $0.value) }.filter { !$0.isReserved }
  }

  /// The headers of handshakes.
  var headers: [HTTPHeader] {
    let agent = userAgent
    let name = "RealmSync/\(DeviceDescription.libraryVersion) (\(Networking.platform))"
    return [HTTPHeader("User-Agent", agent.map { "\(name) \($0)" } ?? name)]
      + customHeaders
  }

  /// Logs a message about sessions or connections.
  func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
    let (logger, wanted) = state.withLock { ($0.logger, $0.logLevel) }
    guard let logger else { return Logger.log(level, message()) }
    if level <= wanted { logger(level, message()) }
  }

  /// Hands an error to the app.
  func report(_ error: any Error, _ session: SyncSession?) {
    guard let handler = errorHandler else {
      return log(.error, "Session of '\(session?.core?.path ?? id)': \(error)")
    }
    handler(error, session)
  }

  /// Takes news of a connection.
  func take(_ event: ClientEvent, of user: AppUser, _ mode: SyncMode) {
    switch event {
    case .changed(let state):
      for core in SyncSessionCore.all(of: user) where core.mode == mode {
        core.connection(is: state)
      }
    case .failed(let failure, let isFatal):
      log(isFatal ? .error : .info, "Connection of app '\(id)': \(failure)")
      guard let error = SyncError(failure) else {
        if let error = SyncError(timeout: failure) { hinder(user, mode, error) }
        return
      }
      // Errors of sessions that rest are not reported (P5 8).
      for core in SyncSessionCore.all(of: user) where core.mode == mode && !core.isSuspended {
        core.failed(error, isFatal: isFatal)
      }
    case .interrupted(let code, let message):
      guard let error = SyncError(code, interruptedBy: message) else { return }
      hinder(user, mode, error)
    case .log(let message):
      log(.detail, "Server of app '\(id)' (\(message.connection)): \(message.message)")
    }
  }
}

extension SyncManager {
  private func hinder(_ user: AppUser, _ mode: SyncMode, _ error: SyncError) {
    for core in SyncSessionCore.all(of: user) where core.mode == mode { core.hinder(error) }
  }

  /// Takes the reason why a user's connection has no token or location.
  func take(_ failure: AppFailure, endsSession: Bool, of user: AppUser, at address: String) {
    log(.info, "Connection of app '\(appID)': \(failure)")
    let error =
      endsSession
      ? SyncError(
        .underlyingAuthError,
        "The server at \(address) does not know the session of the user any more: the server began "
          + "with an empty folder, or the session was ended. Log in again. What was not sent stays "
          + "in the user's file.")
      : SyncError(.connectionFailed, "\(failure)")
    for core in SyncSessionCore.all(of: user) {
      if endsSession, !core.isSuspended {
        core.failed(error, isFatal: true)
      } else {
        core.hinder(error)
      }
    }
  }
}

extension SyncError {
  /// The end of a socket, as far as it says why there is no connection: what the connection tries
  /// next says it where a token or an address did not fit.
  init?(_ code: CloseCode, interruptedBy message: String) {
    switch code {
    case .normal, .abnormal, .unauthorized, .movedPermanently: return nil
    case .goingAway: self.init(.connectionFailed, "The server shuts down, or starts again.")
    default:
      self.init(
        .connectionFailed, message.isEmpty ? "The connection to the server ended." : message)
    }
  }

  /// The reason why a connection does not get on that nobody answers; nil for other failures.
  init?(timeout failure: ConnectionFailure) {
    switch failure {
    case .connectTimeout, .pongTimeout:
      self.init(.connectionFailed, "The server does not answer.")
    case .closed, .error, .violation: return nil
    }
  }

  /// The error of a connection; nil for those that are not reported to the app.
  init?(_ failure: ConnectionFailure) {
    switch failure {
    case .closed(.tlsFailed, let message):
      self.init(.tlsHandshakeFailed, message.isEmpty ? "The TLS handshake failed" : message)
    case .closed(.forbidden, let message):
      self.init(.underlyingAuthError, message.isEmpty ? "The user was refused" : message)
    case .closed(.fatal, let message): self.init(.connectionFailed, message)
    case .closed: return nil
    case .error(let code, let document):
      self.init(.clientSessionError, document.message, protocolCode: code.rawValue)
    case .violation(let code, let message):
      self.init(.clientInternalError, message, protocolCode: code.rawValue)
    case .connectTimeout, .pongTimeout: return nil
    }
  }
}
#endif
