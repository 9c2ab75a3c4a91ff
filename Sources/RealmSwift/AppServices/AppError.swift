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
    case unknown = -1
    case httpRequestFailed = 1
    case invalidSession
    case badRequest
    case userNotFound
    case userAppDomainMismatch
    case domainNotAllowed
    case readSizeLimitExceeded
    case invalidParameter
    case missingParameter
    case functionExecutionError
    case internalServerError
    case authProviderNotFound
    case valueNotFound
    case valueAlreadyExists
    case valueDuplicateName
    case functionNotFound
    case functionSyntaxError
    case functionInvalid
    case apiKeyAlreadyExists
    case executionTimeLimitExceeded
    case notCallable
    case userAlreadyConfirmed
    case userDisabled
    case authError
    case accountNameInUse
    case invalidPassword
    case maintenanceInProgress
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

  public var errorDescription: String? { message }

  public static let unknown = Code.unknown
  public static let httpRequestFailed = Code.httpRequestFailed
  public static let invalidSession = Code.invalidSession
  public static let badRequest = Code.badRequest
  public static let userNotFound = Code.userNotFound
  public static let userAppDomainMismatch = Code.userAppDomainMismatch
  public static let domainNotAllowed = Code.domainNotAllowed
  public static let readSizeLimitExceeded = Code.readSizeLimitExceeded
  public static let invalidParameter = Code.invalidParameter
  public static let missingParameter = Code.missingParameter
  public static let functionExecutionError = Code.functionExecutionError
  public static let internalServerError = Code.internalServerError
  public static let authProviderNotFound = Code.authProviderNotFound
  public static let valueNotFound = Code.valueNotFound
  public static let valueAlreadyExists = Code.valueAlreadyExists
  public static let valueDuplicateName = Code.valueDuplicateName
  public static let functionNotFound = Code.functionNotFound
  public static let functionSyntaxError = Code.functionSyntaxError
  public static let functionInvalid = Code.functionInvalid
  public static let apiKeyAlreadyExists = Code.apiKeyAlreadyExists
  public static let executionTimeLimitExceeded = Code.executionTimeLimitExceeded
  public static let notCallable = Code.notCallable
  public static let userAlreadyConfirmed = Code.userAlreadyConfirmed
  public static let userDisabled = Code.userDisabled
  public static let authError = Code.authError
  public static let accountNameInUse = Code.accountNameInUse
  public static let invalidPassword = Code.invalidPassword
  public static let maintenanceInProgress = Code.maintenanceInProgress
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
