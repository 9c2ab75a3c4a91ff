// SPDX-License-Identifier: Apache-2.0

// An app as the API sees it.

#if Server
import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol

/// The services of one app for its routes.
package struct APIApp: Sendable {
  package let id: String
  package let accounts: AccountService
  package let functions: FunctionService
  /// The collections; nil if there are none.
  package var documents: DocumentService?
  private let allowedOrigins: Locked<AllowedOrigins>
  private let attempts: AddressLimit
  private let logins: Locked<RateLimit>
  private let registrations: AddressLimit
  private let anonymousLogins: AddressLimit
  private let delays = Locked(LoginDelays())
  private let now: @Sendable () -> Milliseconds

  /// - Parameter now: A monotonic clock.
  package init(
    id: String, accounts: AccountService, functions: FunctionService,
    origins: AllowedOrigins = AllowedOrigins(), limits: RequestLimits = RequestLimits(),
    now: @escaping @Sendable () -> Milliseconds
  ) {
    self.id = id
    self.accounts = accounts
    self.functions = functions
    allowedOrigins = Locked(origins)
    attempts = AddressLimit(limits.attempts)
    logins = Locked(RateLimit(limits.logins, period: 3_600_000))
    registrations = AddressLimit(limits.registrations)
    anonymousLogins = AddressLimit(limits.anonymousLogins)
    self.now = now
  }

  /// The pages that may call the app.
  package var origins: AllowedOrigins { allowedOrigins.withLock { $0 } }

  /// Lets other pages call the app from now on.
  package func set(_ origins: AllowedOrigins) { allowedOrigins.withLock { $0 = origins } }

  /// Runs an attempt within the limits of failures of an address, and of an account.
  ///
  /// - Parameter name: The account's name; nil if the attempt names none.
  func limited<R: Sendable>(
    _ origin: RequestOrigin, as name: String? = nil,
    _ call: @autoclosure () async throws(AccountError) -> R
  ) async throws(APIError) -> R {
    let (time, address) = (now(), origin.limitKey)
    guard attempts.begin(origin, now: time) else {
      throw APIError(.tooManyAttempts)
    }
    if let name, !delays.withLock({ $0.begin(name, from: address, now: time) }) {
      throw APIError(.tooManyAttempts)
    }
    // Each login leaves a session that is stored until it expires.
    if let name, !logins.withLock({ $0.begin(name, now: time) }) {
      attempts.withdraw(origin)
      delays.withLock { $0.withdraw(name, from: address) }
      throw APIError(.tooManyAttempts)
    }
    do throws(AccountError) {
      let result = try await call()
      attempts.withdraw(origin)
      if let name { delays.withLock { $0.succeed(name, from: address) } }
      return result
    } catch {
      if let name { logins.withLock { $0.withdraw(name) } }
      if !error.isFailedAttempt {
        attempts.withdraw(origin)
        if let name { delays.withLock { $0.withdraw(name, from: address) } }
      }
      throw APIError(error)
    }
  }

  /// Logs the user of a proof in, within the limit of logins of an account.
  func logIn(
    _ proof: LoginProof, linkedTo access: UserAccess?, device: String?
  ) async throws(APIError) -> LoginResult {
    let time = now()
    guard logins.withLock({ $0.begin(proof.name, now: time) }) else {
      throw APIError(.tooManyAttempts)
    }
    do throws(AccountError) {
      return try await accounts.logIn(proof, linkedTo: access, device: device)
    } catch {
      logins.withLock { $0.withdraw(proof.name) }
      throw APIError(error)
    }
  }

  /// Counts a registration or a request for a mail; throws if it is one too many.
  func countRegistration(_ origin: RequestOrigin) throws(APIError) {
    try count(origin, registrations)
  }

  /// Counts a new anonymous user of an address; throws if it is one too many.
  func countAnonymousLogin(_ origin: RequestOrigin) throws(APIError) {
    // Programs of the server's own machine may make as many as they like.
    if !origin.isLocal { try count(origin, anonymousLogins) }
  }

  private func count(_ origin: RequestOrigin, _ limit: AddressLimit) throws(APIError) {
    guard limit.begin(origin, now: now()) else { throw APIError(.tooManyAttempts) }
  }

  /// The user whose access token a request has, with its session.
  func access(of request: APIRequest) async throws(APIError) -> UserAccess {
    guard let token = request.bearerToken else { throw .noToken }
    return try await access(token)
  }

  /// The user of an access token, with its session.
  func access(_ token: String) async throws(APIError) -> UserAccess {
    try await APIError.mapping(await accounts.access(accessToken: token))
  }

  /// The user whose access token a request has.
  func account(of request: APIRequest) async throws(APIError) -> Account {
    try await access(of: request).account
  }
}

extension APIError {
  /// The result of a call of the accounts, with its error as one of the API.
  static func mapping<R: Sendable>(
    _ call: @autoclosure () async throws(AccountError) -> R
  ) async throws(APIError) -> R {
    do throws(AccountError) { return try await call() } catch { throw APIError(error) }
  }
}

/// A limit of an address, and of the network of one of version 6: a network has as much as some
/// addresses, whatever the number of its own.
struct AddressLimit: Sendable {
  /// The addresses that a network counts as.
  static let networkFactor = 8

  private let addresses: Locked<RateLimit>
  private let networks: Locked<RateLimit>

  init(_ limit: Int) {
    addresses = Locked(RateLimit(limit))
    networks = Locked(RateLimit(limit * Self.networkFactor))
  }

  /// Counts an attempt. Returns false if it is one too many.
  func begin(_ origin: RequestOrigin, now: Milliseconds) -> Bool {
    guard addresses.withLock({ $0.begin(origin.limitKey, now: now) }) else { return false }
    guard let network = origin.networkKey else { return true }
    if networks.withLock({ $0.begin(network, now: now) }) { return true }
    addresses.withLock { $0.withdraw(origin.limitKey) }
    return false
  }

  /// Takes an attempt back; it does not count.
  func withdraw(_ origin: RequestOrigin) {
    addresses.withLock { $0.withdraw(origin.limitKey) }
    if let network = origin.networkKey { networks.withLock { $0.withdraw(network) } }
  }
}

/// The requests of an address in a minute.
package struct RequestLimits: Hashable, Sendable {
  /// Attempts in vain with passwords, keys and tokens.
  package var attempts = 10
  /// Successful logins with one password, key or name at a provider, in an hour.
  package var logins = 300
  /// Registrations, requests for mails and calls of the app's code, successful ones too.
  package var registrations = 30
  /// New anonymous users, without those of the server's own machine.
  package var anonymousLogins = 100

  package init() {}
}
#endif
