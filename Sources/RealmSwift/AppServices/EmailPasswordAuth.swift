// SPDX-License-Identifier: Apache-2.0

// The accounts of users with e-mail addresses and passwords.

#if Sync
import RealmSync

/// Registers users with e-mail addresses and passwords, confirms addresses and resets passwords.
///
/// All calls throw `AppError`.
public struct EmailPasswordAuth: ProviderClient {
  private let core: AppCore

  init(_ app: AppCore) { core = app }

  /// The app whose server has the accounts.
  public var app: App { App(core) }

  /// Registers a user, who may have to confirm the address before the first login.
  public func registerUser(email: String, password: String) async throws {
    try await calling(await core.client.register(email: email, password: password))
  }

  /// Confirms the address of a user with what was sent to it.
  public func confirmUser(_ token: String, tokenId: String) async throws {
    try await calling(await core.client.confirm(token: token, tokenID: tokenId))
  }

  /// Sends the message with which an address is confirmed again.
  public func resendConfirmationEmail(_ email: String) async throws {
    try await calling(await core.client.sendConfirmation(to: email))
  }

  /// Calls the app's own confirmation function again.
  public func retryCustomConfirmation(_ email: String) async throws {
    try await calling(await core.client.repeatCustomConfirmation(of: email))
  }

  /// Sends the message with which a password is reset.
  public func sendResetPasswordEmail(_ email: String) async throws {
    try await calling(await core.client.sendPasswordReset(to: email))
  }

  /// Sets another password with what was sent to the user.
  public func resetPassword(to password: String, token: String, tokenId: String) async throws {
    try await calling(await core.client.resetPassword(to: password, token: token, tokenID: tokenId))
  }

  /// Calls the app's own function that sets another password.
  public func callResetPasswordFunction(
    email: String, password: String, args: [AnyBSON]
  ) async throws {
    try await calling(
      await core.client.callPasswordReset(of: email, to: password, arguments: args.map(\.bson)))
  }

  // MARK: Completion blocks, which are called once, on any thread

  /// See `registerUser(email:password:)`.
  public func registerUser(
    email: String, password: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.registerUser(email: email, password: password) }
  }

  /// See `confirmUser(_:tokenId:)`.
  public func confirmUser(
    _ token: String, tokenId: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.confirmUser(token, tokenId: tokenId) }
  }

  /// See `resendConfirmationEmail(_:)`.
  public func resendConfirmationEmail(
    _ email: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.resendConfirmationEmail(email) }
  }

  /// See `retryCustomConfirmation(_:)`.
  public func retryCustomConfirmation(
    _ email: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.retryCustomConfirmation(email) }
  }

  /// See `sendResetPasswordEmail(_:)`.
  public func sendResetPasswordEmail(
    _ email: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.sendResetPasswordEmail(email) }
  }

  /// See `resetPassword(to:token:tokenId:)`.
  public func resetPassword(
    to password: String, token: String, tokenId: String,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) {
      try await self.resetPassword(to: password, token: token, tokenId: tokenId)
    }
  }

  /// See `callResetPasswordFunction(email:password:args:)`.
  public func callResetPasswordFunction(
    email: String, password: String, args: [AnyBSON],
    _ completion: @escaping EmailPasswordAuthOptionalErrorBlock
  ) {
    complete(completion) {
      try await self.callResetPasswordFunction(email: email, password: password, args: args)
    }
  }
}
#endif
