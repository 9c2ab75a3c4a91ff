// SPDX-License-Identifier: Apache-2.0

// The errors of the API (P1 A.4).

#if Server
import RealmFormats
import RealmServerEngine
import RealmSyncProtocol

/// An error as clients get it.
package struct APIError: Error, Hashable, Sendable {
  package var status: Int
  /// The clients' name, like `InvalidPassword`.
  package var name: String
  package var message: String
  /// What the operator gets to know of it, and clients do not; nil if there is no more.
  package var detail: String?

  package init(_ status: Int, _ name: String, _ message: String, detail: String? = nil) {
    self.status = status
    self.name = name
    self.message = message
    self.detail = detail
  }

  /// The answer. Its content type is exactly the one under which clients read errors.
  ///
  /// - Parameter link: Where the log of the request is.
  package func response(link: String = "") -> APIResponse {
    APIResponse(
      [
        "error": .string(message.cut(toByteCount: MessageEncoder.textByteCountMax)),
        "error_code": .string(name), "link": .string(link),
      ], status: status)
  }

  static let notFound = APIError(404, "BadRequest", "there is no such path")
  static let unauthorized = APIError(401, "InvalidSession", "invalid session")
  /// For a request without the token that it needs, as one of a user who is logged out.
  static let noToken = APIError(401, "InvalidSession", "must authenticate first")

  static let unknownAppText = "cannot find app"

  static func unknownApp(_ id: String) -> APIError {
    APIError(404, "BadRequest", "\(unknownAppText) using Client App ID '\(id)'")
  }

  static func missing(_ parameter: String) -> APIError {
    APIError(400, "MissingParameter", "missing parameter: '\(parameter)'")
  }

  /// - Parameter what: What was to be read, with its verb.
  static func noExtendedJSON(_ what: String, _ error: BSONError) -> APIError {
    let problem = error.valueProblem.map { ": \($0)" } ?? ""
    return APIError(400, "BadBsonParse", "\(what) no extended JSON\(problem)")
  }

  package init(_ error: AccountError) {
    switch error {
    case .nameInUse: self.init(409, "AccountNameInUse", "name already in use")
    case .invalidPassword: self.init(401, "InvalidPassword", "invalid username/password")
    case .userNotFound: self.init(404, "UserNotFound", "user not found")
    case .userDisabled: self.init(401, "UserDisabled", "user disabled")
    case .alreadyConfirmed: self.init(400, "UserAlreadyConfirmed", "already confirmed")
    case .invalidToken: self.init(400, "BadRequest", "invalid token data")
    case .invalidSession: self = .unauthorized
    case .linkedElsewhere:
      self.init(400, "BadRequest", "a user already exists with the specified provider")
    case .unknownProvider(let name):
      self.init(404, "AuthProviderNotFound", "authentication provider not found: '\(name)'")
    case .badPassword(let message): self.init(400, "BadRequest", message)
    case .badName: self.init(400, "BadRequest", "invalid email address")
    case .refused(let message): self.init(401, "AuthError", message)
    case .notLinkable: self.init(400, "BadRequest", "a user cannot be linked with an API key")
    case .functionRefused(let message): self.init(400, "AppUnknownError", message)
    case .hookFailed(let detail):
      self.init(
        500, "InternalServerError", "the app's own code could not be asked", detail: detail)
    case .providerFailed(let detail):
      self.init(
        500, "InternalServerError", "the provider of the token does not answer", detail: detail)
    case .badParameter(let message): self.init(400, "InvalidParameter", message)
    case .keyNotFound: self.init(404, "APIKeyNotFound", "API key not found")
    case .keyNameInUse:
      self.init(409, "APIKeyAlreadyExists", "an API key with this name already exists")
    case .tooManyKeys:
      self.init(400, "BadRequest", "there are \(APIKey.countMax) API keys already")
    case .tooManyAttempts: self.init(429, "AuthError", "too many attempts; try again in a minute")
    case .busy: self.init(503, "InternalServerError", "the server is busy; try again later")
    case .mailFailed(let detail):
      self.init(500, "InternalServerError", "the mail could not be sent", detail: detail)
    case .store(let error) where error.isDiskFull:
      self.init(500, "InternalServerError", "the server's disk is full")
    case .store: self.init(500, "InternalServerError", "the server failed")
    }
  }
}
#endif
