// SPDX-License-Identifier: Apache-2.0

// An app's API in memory: requests of a test, a clock that it sets, mails that it reads.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

/// A plain stand-in for HMAC: tests need no secrecy.
struct PlainSigner: MessageSigner {
  var key: UInt8 = 7

  func signature(of message: [UInt8]) -> [UInt8] {
    var sums = [UInt8](repeating: key, count: 32)
    for (index, byte) in message.enumerated() {
      sums[index % 32] = sums[index % 32] &* 31 &+ byte &+ key
    }
    return sums
  }
}

/// A plain stand-in for scrypt.
struct PlainHasher: PasswordHasher {
  func hash(_ password: [UInt8], salt: [UInt8]) -> [UInt8] { salt + password.reversed() }
}

/// Keeps mails.
final class TestMailer: AccountMailer {
  let mails = Locked<[AccountMail]>([])

  func deliver(_ mail: AccountMail, by settings: MailSettings) async throws {
    mails.withLock { $0.append(mail) }
  }
}

/// The API of one app.
final class APIBench: Sendable {
  let system: SimulatedFileSystem
  let api: ServerAPI
  let app: APIApp
  let accounts: AccountService
  let store: AccountStore
  let mailer = TestMailer()
  let functions: FunctionService
  /// The keys of tokens.
  let keys = SigningKeys(PlainSigner())
  private let time: Locked<UInt64>

  /// The time at the beginning, in milliseconds since 2015.
  static let start: UInt64 = 300_000_000_000

  init(
    _ system: SimulatedFileSystem? = nil, confirmation: AccountSettings.Confirmation? = .auto,
    allowsAnonymous: Bool = true, publicURL: String? = nil,
    functions: FunctionTable = FunctionTable(), seed: UInt64 = 1, time: UInt64 = start,
    hasher: any PasswordHasher = PlainHasher(), limits: RequestLimits = RequestLimits(),
    settings change: (inout AccountSettings) -> Void = { _ in },
    transport: TestServices = TestServices(), logins: LoginFunctions = LoginFunctions(),
    functionSettings: [FunctionSettings] = [], functionLimits: FunctionLimits = FunctionLimits(),
    push: [PushProvider] = [], timer: SyncClock? = nil
  ) throws {
    self.system = try system ?? SimulatedFileSystem()
    let clock = Locked(time)
    self.time = clock
    var settings = AccountSettings()
    settings.confirmation = confirmation
    settings.allowsAnonymous = allowsAnonymous
    change(&settings)
    let now = OriginTimestamp(milliseconds: time)
    store = try AccountStore(self.system.openDatabase(), now: now)
    accounts = AccountService(
      app: "todos", settings: settings, store: store, passwords: PasswordChecker(hasher),
      issuer: TokenIssuer(keys), random: RandomBytes(SeededGenerator(seed: seed)),
      clock: ServerClock { OriginTimestamp(milliseconds: clock.withLock { $0 }) }, mailer: mailer,
      services: LoginServices(
        cryptography: PlainCryptography(), transport: transport, functions: logins))
    self.functions = FunctionService(
      functions, settings: functionSettings, accounts: accounts,
      push: PushService(push, accounts: accounts), limits: functionLimits,
      timer: timer ?? .continuous)
    app = APIApp(
      id: "todos", accounts: accounts, functions: self.functions, limits: limits,
      now: { clock.withLock { $0 } })
    api = ServerAPI(apps: [app], publicURL: publicURL)
  }

  /// The same files for another process.
  func restarted() throws -> APIBench {
    try APIBench(
      SimulatedFileSystem(contents: system.file.contents()), seed: 2,
      time: time.withLock { $0 })
  }

  func advance(seconds: UInt64) { time.withLock { $0 += seconds * 1_000 } }

  func advance(minutes: UInt64) { time.withLock { $0 += minutes * 60_000 } }

  static let app = "/api/client/v2.0/app/todos"

  /// Sends a request.
  func send(
    _ method: String, _ path: String, _ body: String = "", token: String? = nil,
    query: String = "", address: String = "10.0.0.1"
  ) async -> APIResponse {
    let headers = token.map { [(name: "authorization", value: "Bearer " + $0)] } ?? []
    return await api.respond(
      to: APIRequest(
        method, path, query: query, headers: headers, body: Array(body.utf8),
        origin: RequestOrigin(address: ClientAddress(address))))
  }

  /// Calls the provider of passwords.
  func password(
    _ path: String, _ body: String, from address: String = "10.0.0.1"
  ) async -> APIResponse {
    await send(
      "POST", Self.app + "/auth/providers/local-userpass/" + path, body, address: address)
  }

  func register(
    _ email: String = "ann@x.org", _ password: String = "secret1",
    from address: String = "10.0.0.1"
  ) async -> APIResponse {
    await self.password(
      "register", #"{"email":"\#(email)","password":"\#(password)"}"#, from: address)
  }

  func logIn(
    _ email: String = "ann@x.org", _ password: String = "secret1",
    from address: String = "10.0.0.1"
  ) async -> APIResponse {
    await self.password(
      "login", #"{"username":"\#(email)","password":"\#(password)"}"#, from: address)
  }

  /// The tokens of a new anonymous user.
  func anonymous() async throws -> TestLogin {
    try TestLogin(
      await send(
        "POST", Self.app + "/auth/providers/anon-user/login", #"{"provider":"anon-user"}"#))
  }
}

/// The answer to a login.
struct TestLogin {
  let access: String
  let refresh: String
  let user: String
  let device: String

  init(_ response: APIResponse) throws {
    try #require(response.status == 200, "\(response.text)")
    let json = try JSONParser.parse(response.body)
    access = try #require(json["access_token"]?.string)
    refresh = try #require(json["refresh_token"]?.string)
    user = try #require(json["user_id"]?.string)
    device = try #require(json["device_id"]?.string)
  }
}

extension APIResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  /// Status and name of an error.
  var error: String { "\(status) " + ((try? JSONParser.parse(body))?["error_code"]?.string ?? "") }
}
#endif
