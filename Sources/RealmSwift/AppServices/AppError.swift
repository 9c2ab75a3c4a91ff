// SPDX-License-Identifier: Apache-2.0

// The errors of app services.

#if Sync
public import Foundation
package import RealmSyncProtocol

/// An error of a call of an app's server.
///
/// ```swift
/// do {
///   try await app.login(credentials: .emailPassword(email: email, password: password))
/// } catch AppError.invalidPassword {
///   // ask again
/// }
/// ```
public struct AppError: Error, Sendable, Equatable {
  /// The kinds of errors.
  public enum Code: Int, Sendable, CaseIterable {
    /// An error without a code of its own.
    case unknown = -1
    /// There was no answer, or one without an explanation.
    case httpRequestFailed = 1
    /// The session of the user has ended.
    case invalidSession
    /// The call is not one that the server understands.
    case badRequest
    /// There is no such user, or it is logged out.
    case userNotFound
    /// The user is of another app.
    case userAppDomainMismatch
    /// The app may not be used from this domain.
    case domainNotAllowed
    /// The result is larger than the server allows.
    case readSizeLimitExceeded
    /// An argument is not valid.
    case invalidParameter
    /// An argument is missing.
    case missingParameter
    /// The function failed.
    case functionExecutionError
    /// The server failed.
    case internalServerError
    /// The app has no login of this kind.
    case authProviderNotFound
    /// There is no such value.
    case valueNotFound
    /// There is such a value.
    case valueAlreadyExists
    /// The name of the value is used already.
    case valueDuplicateName
    /// There is no such function.
    case functionNotFound
    /// The function cannot be read.
    case functionSyntaxError
    /// The function is not valid.
    case functionInvalid
    /// There is such an API key.
    case apiKeyAlreadyExists
    /// The call took longer than the server allows.
    case executionTimeLimitExceeded
    /// The function or service cannot be called.
    case notCallable
    /// The address of the user is confirmed already.
    case userAlreadyConfirmed
    /// The user may not log in.
    case userDisabled
    /// The login failed.
    case authError
    /// There is a user of this name.
    case accountNameInUse
    /// The name or the password is wrong.
    case invalidPassword
    /// The server is being maintained.
    case maintenanceInProgress
    /// The database of the server failed.
    case mongoDBError
  }

  /// The kind of the error.
  public let code: Code
  /// The server's explanation, or ours.
  public let message: String
  /// The status of the server's answer; nil if there was none.
  public let httpStatusCode: Int?
  /// Where the server's log of the call can be read; nil if it did not say.
  public let logURL: URL?

  init(_ code: Code, _ message: String, status: Int? = nil, logURL: URL? = nil) {
    self.code = code
    self.message = message
    httpStatusCode = status
    self.logURL = logURL
  }

  /// Creates an error; the message is under `NSLocalizedDescriptionKey`, the status and the address
  /// of the log under the keys of `userInfo`.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.init(
      code, userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)",
      status: userInfo["HTTP Status Code"] as? Int,
      logURL: (userInfo["Server Log URL"] as? String).flatMap { URL(string: $0) })
  }

  /// The message under `NSLocalizedDescriptionKey`, the status under `HTTP Status Code`, and the
  /// address of the log under `Server Log URL`.
  public var userInfo: [String: Any] { errorUserInfo }

  /// See `Code.unknown`.
  public static let unknown = Code.unknown
  /// See `Code.httpRequestFailed`.
  public static let httpRequestFailed = Code.httpRequestFailed
  /// See `Code.invalidSession`.
  public static let invalidSession = Code.invalidSession
  /// See `Code.badRequest`.
  public static let badRequest = Code.badRequest
  /// See `Code.userNotFound`.
  public static let userNotFound = Code.userNotFound
  /// See `Code.userAppDomainMismatch`.
  public static let userAppDomainMismatch = Code.userAppDomainMismatch
  /// See `Code.domainNotAllowed`.
  public static let domainNotAllowed = Code.domainNotAllowed
  /// See `Code.readSizeLimitExceeded`.
  public static let readSizeLimitExceeded = Code.readSizeLimitExceeded
  /// See `Code.invalidParameter`.
  public static let invalidParameter = Code.invalidParameter
  /// See `Code.missingParameter`.
  public static let missingParameter = Code.missingParameter
  /// See `Code.functionExecutionError`.
  public static let functionExecutionError = Code.functionExecutionError
  /// See `Code.internalServerError`.
  public static let internalServerError = Code.internalServerError
  /// See `Code.authProviderNotFound`.
  public static let authProviderNotFound = Code.authProviderNotFound
  /// See `Code.valueNotFound`.
  public static let valueNotFound = Code.valueNotFound
  /// See `Code.valueAlreadyExists`.
  public static let valueAlreadyExists = Code.valueAlreadyExists
  /// See `Code.valueDuplicateName`.
  public static let valueDuplicateName = Code.valueDuplicateName
  /// See `Code.functionNotFound`.
  public static let functionNotFound = Code.functionNotFound
  /// See `Code.functionSyntaxError`.
  public static let functionSyntaxError = Code.functionSyntaxError
  /// See `Code.functionInvalid`.
  public static let functionInvalid = Code.functionInvalid
  /// See `Code.apiKeyAlreadyExists`.
  public static let apiKeyAlreadyExists = Code.apiKeyAlreadyExists
  /// See `Code.executionTimeLimitExceeded`.
  public static let executionTimeLimitExceeded = Code.executionTimeLimitExceeded
  /// See `Code.notCallable`.
  public static let notCallable = Code.notCallable
  /// See `Code.userAlreadyConfirmed`.
  public static let userAlreadyConfirmed = Code.userAlreadyConfirmed
  /// See `Code.userDisabled`.
  public static let userDisabled = Code.userDisabled
  /// See `Code.authError`.
  public static let authError = Code.authError
  /// See `Code.accountNameInUse`.
  public static let accountNameInUse = Code.accountNameInUse
  /// See `Code.invalidPassword`.
  public static let invalidPassword = Code.invalidPassword
  /// See `Code.maintenanceInProgress`.
  public static let maintenanceInProgress = Code.maintenanceInProgress
  /// See `Code.mongoDBError`.
  public static let mongoDBError = Code.mongoDBError
}

extension AppError: CustomNSError, LocalizedError {
  /// `io.realm.app`.
  public static var errorDomain: String { "io.realm.app" }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// What `userInfo` has.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: message]
    information["HTTP Status Code"] = httpStatusCode
    information["Server Log URL"] = logURL?.absoluteString
    return information
  }
  /// The message.
  public var errorDescription: String? { message }
}

extension AppError.Code {
  /// Makes `catch AppError.…` work.
  public static func ~= (pattern: AppError.Code, error: any Error) -> Bool {
    (error as? AppError)?.code == pattern
  }
}

extension AppError {
  /// The error of a failure; `CancellationError` for a call that was cancelled.
  package static func of(_ failure: AppFailure) -> any Error {
    switch failure {
    case .cancelled: CancellationError()
    case .service(let name, let message, let status, let logURL):
      AppError(
        name.map { code(of: $0) } ?? .unknown, message, status: status,
        logURL: logURL.flatMap { URL(string: $0) })
    case .status(let status): AppError(.httpRequestFailed, "\(failure)", status: status)
    case .transport: AppError(.httpRequestFailed, "\(failure)")
    case .badAnswer: AppError(.unknown, "\(failure)")
    case .invalidUser: AppError(.userNotFound, "\(failure)")
    case .invalidCall: AppError(.invalidParameter, "\(failure)")
    case .storage: AppError(.unknown, "\(failure)")
    }
  }

  /// The code of the server's name of an error: `APIKeyAlreadyExists`, `InvalidPassword` …
  private static func code(of name: String) -> Code {
    switch name {
    case "MongoDBError": .mongoDBError
    case "APIKeyAlreadyExists": .apiKeyAlreadyExists
    default:
      Code.allCases.first { "\($0)".lowercased() == name.lowercased() } ?? .unknown
    }
  }
}

/// Runs a call of an app's client, with the errors of the public API.
func calling<R>(_ body: @autoclosure () async throws(AppFailure) -> R) async throws -> R {
  do throws(AppFailure) {
    return try await body()
  } catch {
    throw AppError.of(error)
  }
}
#endif
