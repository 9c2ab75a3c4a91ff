// SPDX-License-Identifier: Apache-2.0

// An app as the API sees it.

import RealmStorage
package import RealmSyncProtocol

/// What the routes of one app need.
package struct APIApp: Sendable {
  package let id: String
  package let accounts: AccountService
  package let functions: FunctionTable
  private let attempts: Locked<RateLimit>
  private let anonymousLogins: Locked<RateLimit>
  private let now: @Sendable () -> Milliseconds

  /// - Parameters:
  ///   - attempts: The limit of attempts in vain.
  ///   - anonymousLogins: The limit of new anonymous users.
  ///   - now: A clock that never goes back.
  package init(
    id: String, accounts: AccountService, functions: FunctionTable = FunctionTable(),
    attempts: RateLimit = RateLimit(), anonymousLogins: RateLimit = RateLimit(100),
    now: @escaping @Sendable () -> Milliseconds
  ) {
    self.id = id
    self.accounts = accounts
    self.functions = functions
    self.attempts = Locked(attempts)
    self.anonymousLogins = Locked(anonymousLogins)
    self.now = now
  }

  /// Runs what only so many requests of an address may try in vain.
  func limited<R: Sendable>(
    _ address: String, _ body: () async throws(AccountError) -> R
  ) async throws(APIError) -> R {
    let time = now()
    guard attempts.withLock({ $0.begin(address, now: time) }) else {
      throw APIError(.tooManyAttempts)
    }
    do throws(AccountError) {
      let result = try await body()
      attempts.withLock { $0.succeed(address) }
      return result
    } catch {
      throw APIError(error)
    }
  }

  /// Counts a new anonymous user of an address; throws if it is one too many.
  func countAnonymousLogin(_ address: String) throws(APIError) {
    // Programs of the server's own machine may make as many as they like.
    guard !APIRequest.isLocal(address) else { return }
    let time = now()
    guard anonymousLogins.withLock({ $0.begin(address, now: time) }) else {
      throw APIError(.tooManyAttempts)
    }
  }

  /// The user whose access token a request has, with its session.
  func access(of request: APIRequest) async throws(APIError) -> UserAccess {
    guard let token = request.bearerToken else { throw .unauthorized }
    return try await APIError.mapping { () async throws(AccountError) in
      try await accounts.access(accessToken: token)
    }
  }

  /// The user whose access token a request has.
  func account(of request: APIRequest) async throws(APIError) -> Account {
    try await access(of: request).account
  }
}

extension APIError {
  /// Runs `body`, whose errors are those of accounts.
  static func mapping<R: Sendable>(
    _ body: () async throws(AccountError) -> R
  ) async throws(APIError) -> R {
    do throws(AccountError) { return try await body() } catch { throw APIError(error) }
  }
}
