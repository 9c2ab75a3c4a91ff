// SPDX-License-Identifier: Apache-2.0

// Logins, registrations and new passwords about which the app's own code decides.

#if Server
package import RealmFormats
import RealmSyncProtocol

extension AccountService {
  package static let functionProvider = "custom-function"

  /// The answer of the app's code to a registration or a new password.
  private enum Decision: String {
    case success
    /// The user gets a token from the app, and sends it.
    case pending
    case fail
  }

  /// Asks the app's code who a document belongs to.
  ///
  /// It answers with an id of its own, or with a document of `id` and fields of the profile.
  ///
  /// - Throws: `AccountError.refused` if it answers with another value.
  package func prove(document: BSONValue) async throws(AccountError) -> LoginProof {
    guard let hook = settings.loginHook else { throw .unknownProvider(Self.functionProvider) }
    let answer = try await services.call(hook, .login, of: app, [document], now: unixSeconds)
    var id: String?
    var profile: [BSONElement] = []
    switch answer {
    case .string(let text): id = text
    case .document(let elements):
      if case .string(let text)? = answer["id"] { id = text }
      profile = elements.filter { $0.key != "id" }
    default: break
    }
    guard let id, (1...256).contains(id.utf8.count) else {
      throw .refused("the app does not know the user")
    }
    return .identity(IdentityName(provider: Self.functionProvider, name: id), profile: profile)
  }

  // MARK: Registrations

  /// Asks the app's code about the registration of an address, whose token is stored.
  func askForConfirmation(_ mail: AccountMail) async throws(AccountError) {
    guard let hook = settings.confirmationHook else {
      throw .unknownProvider(Self.passwordProvider)
    }
    let decision = try await decide(hook, .confirm, mail, [])
    switch decision {
    case .success: try await confirm(token: mail.token, id: mail.tokenID)
    case .pending: break
    case .fail: throw .functionRefused("failed to confirm user \"\(mail.address)\"")
    }
  }

  /// Asks the app's code again about an address that waits for its confirmation.
  package func repeatConfirmation(_ address: String) async throws(AccountError) {
    let name = try userName(address)
    try await checkIsWaiting(name)
    guard settings.confirmation == .function, try await identity(name)?.isConfirmed == false else {
      throw .functionRefused("failed to confirm user \"\(address)\"")
    }
    try await askForConfirmation(try await newToken(.confirmation, name))
  }

  // MARK: Passwords

  /// Asks the app's code about another password.
  ///
  /// - Parameters:
  ///   - arguments: The app's own ones for the code.
  ///   - requester: Who asks, as limits count it.
  package func reset(
    _ address: String, to password: String, _ arguments: [BSONValue], for requester: String
  ) async throws(AccountError) {
    let name = try userName(address)
    let refusal = AccountError.functionRefused(
      "failed to reset password for user \"\(address)\"")
    guard let hook = settings.resetHook else { throw refusal }
    try check(password)
    let identity = try await identity(name)
    // The hash takes as long for an address that is not registered.
    let isPresent = try await passwords.matches(password, identity?.password, for: requester)
    guard let identity, identity.isConfirmed else { throw refusal }
    let mail = try await newToken(.passwordReset, name)
    let details = [
      BSONElement("password", .string(password)),
      BSONElement("currentPasswordValid", .bool(isPresent)),
    ]
    switch try await decide(hook, .reset, mail, details, arguments) {
    case .success:
      try await reset(to: password, token: mail.token, id: mail.tokenID, for: requester)
    case .pending: break
    case .fail: throw refusal
    }
  }

  /// Asks a hook about an address. Unless it waits, the token is void afterwards.
  private func decide(
    _ hook: LoginHook, _ event: LoginEvent, _ mail: AccountMail, _ details: [BSONElement],
    _ arguments: [BSONValue] = []
  ) async throws(AccountError) -> Decision {
    let document = BSONValue.document(
      [
        BSONElement("token", .string(mail.token)), BSONElement("tokenId", .string(mail.tokenID)),
        BSONElement("username", .string(mail.address)),
      ] + details)
    do throws(AccountError) {
      let answer = try await services.call(
        hook, event, of: app, [document] + arguments, now: unixSeconds)
      guard case .string(let text)? = answer["status"], let decision = Decision(rawValue: text)
      else {
        throw .hookFailed(
          "the app's code for \(event.rawValue) answered with no status: it has to be success, "
            + "pending or fail")
      }
      if decision == .fail { try await forgetToken(mail.tokenID) }
      return decision
    } catch {
      try? await forgetToken(mail.tokenID)
      throw error
    }
  }
}
#endif
