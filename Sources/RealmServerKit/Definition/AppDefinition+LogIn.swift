// SPDX-License-Identifier: Apache-2.0

// The functions for logins of an app.

#if Server
import Logging
import RealmFormats
import RealmServerEngine
import RealmServerServices
public import RealmSwift
import Tracing

/// The user whom a function for logins has found.
public struct LogInProof: Hashable, Sendable {
  /// The user's id in the app's own system, of 256 bytes at most. Equal ids are one user.
  public var id: String
  /// What becomes the profile of the user: `email`, `name` …
  public var data: Document

  /// A user of the app's own system.
  public init(id: String, data: Document = [:]) {
    self.id = id
    self.data = data
  }
}

/// A registration, or a new password, about which the app's code decides.
public struct AddressRequest: Hashable, Sendable {
  /// The address of the user.
  public let email: String
  /// The token that the user sends back to confirm.
  public let token: String
  /// The id of the token, which is sent with it.
  public let tokenID: String
  /// Whether the request for a new password had the present one; nil for registrations.
  public let hasPassword: Bool?
  /// The arguments of the app, for new passwords.
  public let arguments: [AnyBSON]

  init(_ values: [BSONValue]) {
    let document = values.first ?? .null
    func text(_ key: String) -> String {
      if case .string(let text)? = document[key] { text } else { "" }
    }
    email = text("username")
    token = text("token")
    tokenID = text("tokenId")
    if case .bool(let isValid)? = document["currentPasswordValid"] {
      hasPassword = isValid
    } else {
      hasPassword = nil
    }
    arguments = values.dropFirst().map { AnyBSON($0) }
  }
}

/// The decision about a registration or a new password.
public enum AddressDecision: String, Hashable, Sendable {
  /// It is done now.
  case success
  /// It is done when the user sends the token, which the app's code passes on.
  case pending
  /// It is refused.
  case fail
}

extension AppDefinition {
  /// Logs users in whom the app's own system knows: `app.login(credentials: .function(payload:))`.
  ///
  /// ```swift
  /// app.logIn { (payload: Ticket) in
  ///   guard let person = try await tickets.person(of: payload.code) else { return nil }
  ///   return LogInProof(id: person.id, data: ["name": .string(person.name)])
  /// }
  /// ```
  ///
  /// An app whose settings are those of its folder names the function in its `app.json`:
  /// `"custom-function": {"function": "logIn"}`.
  ///
  /// - Parameter body: Finds the user of a payload; nil if there is none, and the login is refused,
  ///   as it is for payloads of another type. If it throws, clients get an internal error, and the
  ///   log the reason.
  public mutating func logIn<Payload: Decodable & SendableMetatype>(
    _ body: @escaping @Sendable (Payload) async throws -> LogInProof?
  ) {
    hook(LogInHooks.logIn) { arguments in
      let value = AnyBSON(arguments.first ?? .null)
      guard let payload = try? ValueDecoder.decode(Payload.self, from: value),
        let proof = try await body(payload)
      else { return .null }
      return .document(
        [BSONElement("id", .string(proof.id))] + proof.data.elements.filter { $0.key != "id" })
    }
  }

  /// Decides about registrations of addresses with passwords.
  ///
  /// In an `app.json`: `"confirm": "function", "confirm_function": "confirm"`.
  public mutating func confirm(
    _ body: @escaping @Sendable (AddressRequest) async throws -> AddressDecision
  ) {
    decide(LogInHooks.confirm, body)
  }

  /// Decides about new passwords: `emailPasswordAuth.callResetPasswordFunction`.
  ///
  /// In an `app.json`: `"reset": "function", "reset_function": "resetPassword"`.
  public mutating func resetPassword(
    _ body: @escaping @Sendable (AddressRequest) async throws -> AddressDecision
  ) {
    decide(LogInHooks.resetPassword, body)
  }

  private mutating func decide(
    _ name: String, _ body: @escaping @Sendable (AddressRequest) async throws -> AddressDecision
  ) {
    hook(name) { arguments in
      let decision = try await body(AddressRequest(arguments))
      return .document([BSONElement("status", .string(decision.rawValue))])
    }
  }

  private mutating func hook(_ name: String, _ body: @escaping LoginFunctions.Function) {
    hooks.names.insert(name)
    let app = id
    @Sendable func part(_ code: inout AppCode, _ reports: Reports) throws(ServerFailure) {
      code.logins[name] = Self.hook(name, body, of: app, reports)
    }
    parts.append(part)
  }

  /// A closure as the engine calls it, in a span.
  private static func hook(
    _ name: String, _ body: @escaping LoginFunctions.Function, of app: String, _ reports: Reports
  ) -> LoginFunctions.Function {
    { arguments in
      try await reports.tracing.span("realm.login") { span in
        span.attributes["realm.app"] = app
        span.attributes["realm.function"] = name
        do {
          return try await body(arguments)
        } catch {
          reports.logger.error("The function '\(name)' of the app \(app) failed: \(error)")
          throw error
        }
      }
    }
  }
}
#endif
