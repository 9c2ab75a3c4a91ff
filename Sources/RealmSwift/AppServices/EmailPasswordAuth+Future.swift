// SPDX-License-Identifier: Apache-2.0

// The calls about accounts as publishers. Each begins at once, and its end is published on a thread
// of the library.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension EmailPasswordAuth {
  /// See `registerUser(email:password:)`.
  public func registerUser(email: String, password: String) -> Future<Void, any Error> {
    future { try await self.registerUser(email: email, password: password) }
  }

  /// See `confirmUser(_:tokenId:)`.
  public func confirmUser(_ token: String, tokenId: String) -> Future<Void, any Error> {
    future { try await self.confirmUser(token, tokenId: tokenId) }
  }

  /// See `resendConfirmationEmail(_:)`.
  public func resendConfirmationEmail(email: String) -> Future<Void, any Error> {
    future { try await self.resendConfirmationEmail(email) }
  }

  /// See `retryCustomConfirmation(_:)`.
  public func retryCustomConfirmation(email: String) -> Future<Void, any Error> {
    future { try await self.retryCustomConfirmation(email) }
  }

  /// See `sendResetPasswordEmail(_:)`.
  public func sendResetPasswordEmail(email: String) -> Future<Void, any Error> {
    future { try await self.sendResetPasswordEmail(email) }
  }

  /// See `resetPassword(to:token:tokenId:)`.
  public func resetPassword(
    to password: String, token: String, tokenId: String
  ) -> Future<Void, any Error> {
    future { try await self.resetPassword(to: password, token: token, tokenId: tokenId) }
  }

  /// See `callResetPasswordFunction(email:password:args:)`.
  public func callResetPasswordFunction(
    email: String, password: String, args: [AnyBSON]
  ) -> Future<Void, any Error> {
    future {
      try await self.callResetPasswordFunction(email: email, password: password, args: args)
    }
  }
}
#endif
#endif
