// SPDX-License-Identifier: Apache-2.0

// The errors of app services.

public import Foundation
import RealmSync

/// An error of a call of an app's server.
///
/// ```swift
/// do {
///   try await app.login(credentials: .emailPassword(email: email, password: password))
/// } catch AppError.invalidPassword {
///   // ask again
/// }
/// ```
public struct AppError: Error, Sendable, Equatable, LocalizedError {
  /// The kinds of errors.
  public enum Code: Int, Sendable, CaseIterable {
    /// An error that has no other code.
    case unknown = -1
    /// There was no answer, or one of HTTP without an explanation.
    case httpRequestFailed = 1
    /// The token is not valid, or no longer.
    case invalidSession
    /// The server cannot read the request.
    case badRequest
    /// There is no such user, or the user is logged out.
    case userNotFound
    /// The user is one of another app.
    case userAppDomainMismatch
    /// The app does not take requests from this origin.
    case domainNotAllowed
    /// The request or its answer is too large.
    case readSizeLimitExceeded
    /// An argument has a value that the call does not take.
    case invalidParameter
    /// An argument is missing.
    case missingParameter
    /// A function of the server failed.
    case functionExecutionError
    /// The server failed.
    case internalServerError
    /// The app has no such way to log in.
    case authProviderNotFound
    /// There is no such value.
    case valueNotFound
    /// The value exists already.
    case valueAlreadyExists
    /// The name of a value is taken.
    case valueDuplicateName
    /// The app has no function of the name.
    case functionNotFound
    /// A function of the server cannot be compiled.
    case functionSyntaxError
    /// A function of the server is not valid.
    case functionInvalid
    /// There is an API key of the name.
    case apiKeyAlreadyExists
    /// A function of the server took too long.
    case executionTimeLimitExceeded
    /// The call is not available.
    case notCallable
    /// The user's address is confirmed already.
    case userAlreadyConfirmed
    /// The user is disabled.
    case userDisabled
    /// The login failed.
    case authError
    /// There is an account of the name.
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
  /// Where the server's log of the call can be read, if it told.
  public let logURL: URL?

  init(_ code: Code, _ message: String, status: Int? = nil, logURL: URL? = nil) {
    self.code = code
    self.message = message
    httpStatusCode = status
    self.logURL = logURL
  }

  /// The message.
  public var errorDescription: String? { message }

  /// An error that has no other code.
  public static let unknown = Code.unknown
  /// There was no answer, or one of HTTP without an explanation.
  public static let httpRequestFailed = Code.httpRequestFailed
  /// The token is not valid, or no longer.
  public static let invalidSession = Code.invalidSession
  /// The server cannot read the request.
  public static let badRequest = Code.badRequest
  /// There is no such user, or the user is logged out.
  public static let userNotFound = Code.userNotFound
  /// The user is one of another app.
  public static let userAppDomainMismatch = Code.userAppDomainMismatch
  /// The app does not take requests from this origin.
  public static let domainNotAllowed = Code.domainNotAllowed
  /// The request or its answer is too large.
  public static let readSizeLimitExceeded = Code.readSizeLimitExceeded
  /// An argument has a value that the call does not take.
  public static let invalidParameter = Code.invalidParameter
  /// An argument is missing.
  public static let missingParameter = Code.missingParameter
  /// A function of the server failed.
  public static let functionExecutionError = Code.functionExecutionError
  /// The server failed.
  public static let internalServerError = Code.internalServerError
  /// The app has no such way to log in.
  public static let authProviderNotFound = Code.authProviderNotFound
  /// There is no such value.
  public static let valueNotFound = Code.valueNotFound
  /// The value exists already.
  public static let valueAlreadyExists = Code.valueAlreadyExists
  /// The name of a value is taken.
  public static let valueDuplicateName = Code.valueDuplicateName
  /// The app has no function of the name.
  public static let functionNotFound = Code.functionNotFound
  /// A function of the server cannot be compiled.
  public static let functionSyntaxError = Code.functionSyntaxError
  /// A function of the server is not valid.
  public static let functionInvalid = Code.functionInvalid
  /// There is an API key of the name.
  public static let apiKeyAlreadyExists = Code.apiKeyAlreadyExists
  /// A function of the server took too long.
  public static let executionTimeLimitExceeded = Code.executionTimeLimitExceeded
  /// The call is not available.
  public static let notCallable = Code.notCallable
  /// The user's address is confirmed already.
  public static let userAlreadyConfirmed = Code.userAlreadyConfirmed
  /// The user is disabled.
  public static let userDisabled = Code.userDisabled
  /// The login failed.
  public static let authError = Code.authError
  /// There is an account of the name.
  public static let accountNameInUse = Code.accountNameInUse
  /// The name or the password is wrong.
  public static let invalidPassword = Code.invalidPassword
  /// The server is being maintained.
  public static let maintenanceInProgress = Code.maintenanceInProgress
  /// The database of the server failed.
  public static let mongoDBError = Code.mongoDBError
}

extension AppError.Code {
  /// Makes `catch AppError.…` work.
  public static func ~= (pattern: AppError.Code, error: any Error) -> Bool {
    (error as? AppError)?.code == pattern
  }
}

extension AppError {
  /// The error of a failure; `CancellationError` for a call that was cancelled.
  static func of(_ failure: AppFailure) -> any Error {
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
    case .storage, .noNetworking: AppError(.unknown, "\(failure)")
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
func calling<R>(_ body: () async throws(AppFailure) -> R) async throws -> R {
  do throws(AppFailure) {
    return try await body()
  } catch {
    throw AppError.of(error)
  }
}
