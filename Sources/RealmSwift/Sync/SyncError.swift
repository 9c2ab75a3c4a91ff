// SPDX-License-Identifier: Apache-2.0

// The errors of sessions.

#if Sync
public import Foundation
import RealmSync

/// An error of a session.
public struct SyncError: Error, Sendable {
  /// The kinds of errors.
  public enum Code: Int, Sendable {
    /// An error of the session that the server reports.
    case clientSessionError = 4
    /// The user is not the one of the file.
    case clientUserError = 5
    /// An error of this side: the file, or what the server sent.
    case clientInternalError = 6
    /// The server cannot go on with the file.
    case clientResetError = 7
    /// The user is not accepted any more.
    case underlyingAuthError = 8
    /// The user may not do this.
    case permissionDeniedError = 9
    /// The server does not accept the subscriptions.
    case invalidFlexibleSyncSubscriptions = 10
    /// The server undid writes; see `SyncError.compensatingWriteInfo`.
    case writeRejected = 11
    /// The connection cannot be made.
    case connectionFailed = 12
    /// The server could not prove its identity.
    case tlsHandshakeFailed = 13
    /// A warning of the server; the session goes on.
    case serverWarning = 14
  }

  /// The right to carry out at once what the program decided about a file.
  public struct ActionToken: Sendable {
    let action: FileAction
    let app: AppCore?
  }

  /// The kind of the error.
  public let code: Code
  /// The explanation of the server, or ours.
  public let message: String
  /// Where the server's log can be read; nil if it did not say.
  public let serverLogURL: URL?
  /// The objects whose changes were undone, for `writeRejected`.
  public let compensatingWriteInfo: [CompensatingWriteInfo]?
  /// The number of the error in the protocol; nil for errors of this side.
  let protocolCode: Int?
  /// What is decided about the file, for errors after which it cannot be used.
  fileprivate let token: ActionToken?

  init(
    _ code: Code, _ message: String, serverLogURL: URL? = nil, protocolCode: Int? = nil,
    compensatingWriteInfo: [CompensatingWriteInfo]? = nil, token: ActionToken? = nil
  ) {
    self.code = code
    self.message = message
    self.serverLogURL = serverLogURL
    self.protocolCode = protocolCode
    self.compensatingWriteInfo = compensatingWriteInfo
    self.token = token
  }

  /// Creates an error with what `userInfo` has under the keys of `SyncError.userInfo`.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.init(
      code, userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)",
      serverLogURL: (userInfo[Key.serverLogURL] as? String).flatMap { URL(string: $0) },
      compensatingWriteInfo: userInfo[Key.compensatingWrites] as? [CompensatingWriteInfo],
      token: userInfo[Key.token] as? ActionToken)
  }

  /// The parts of the error by their names: the message under `NSLocalizedDescriptionKey`, and what
  /// there is of `Server Log URL`, `Compensating Write Info`, `error_action_token` and
  /// `recovered_realm_location_path`.
  public var userInfo: [String: Any] { errorUserInfo }

  fileprivate enum Key {
    static let serverLogURL = "Server Log URL"
    static let compensatingWrites = "Compensating Write Info"
    static let token = "error_action_token"
    static let backup = "recovered_realm_location_path"
  }

  /// The place to which the file of the realm is moved, in the folder `recovered-realms` of the
  /// app, and the right to move it now, for `clientResetError`.
  ///
  /// `SyncSession.immediatelyHandleError(_:)` moves the file when its last realm is closed;
  /// otherwise that is done when the program starts again, before the app opens a realm.
  public func clientResetInfo() -> (String, ActionToken)? {
    guard code == .clientResetError, let token, let backup = token.action.backupPath else {
      return nil
    }
    return (backup, token)
  }

  /// The right to delete the file, for `permissionDeniedError`.
  public func deleteRealmUserInfo() -> ActionToken? {
    code == .permissionDeniedError ? token : nil
  }

  /// See `Code.clientSessionError`.
  public static let clientSessionError = Code.clientSessionError
  /// See `Code.clientUserError`.
  public static let clientUserError = Code.clientUserError
  /// See `Code.clientInternalError`.
  public static let clientInternalError = Code.clientInternalError
  /// See `Code.clientResetError`.
  public static let clientResetError = Code.clientResetError
  /// See `Code.underlyingAuthError`.
  public static let underlyingAuthError = Code.underlyingAuthError
  /// See `Code.permissionDeniedError`.
  public static let permissionDeniedError = Code.permissionDeniedError
  /// See `Code.invalidFlexibleSyncSubscriptions`.
  public static let invalidFlexibleSyncSubscriptions = Code.invalidFlexibleSyncSubscriptions
  /// See `Code.writeRejected`.
  public static let writeRejected = Code.writeRejected
  /// See `Code.connectionFailed`.
  public static let connectionFailed = Code.connectionFailed
  /// See `Code.tlsHandshakeFailed`.
  public static let tlsHandshakeFailed = Code.tlsHandshakeFailed
  /// See `Code.serverWarning`.
  public static let serverWarning = Code.serverWarning
}

extension SyncError: CustomNSError, LocalizedError {
  /// `io.realm.sync`.
  public static var errorDomain: String { "io.realm.sync" }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// What `userInfo` has.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: message]
    information[Key.serverLogURL] = serverLogURL?.absoluteString
    information[Key.compensatingWrites] = compensatingWriteInfo
    information[Key.token] = token
    information[Key.backup] = clientResetInfo()?.0
    return information
  }
  /// The message.
  public var errorDescription: String? { message }
}

extension SyncError.Code {
  /// Makes `catch SyncError.…` work.
  public static func ~= (pattern: SyncError.Code, error: any Error) -> Bool {
    (error as? SyncError)?.code == pattern
  }
}
#endif
