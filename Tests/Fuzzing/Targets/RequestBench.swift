// SPDX-License-Identifier: Apache-2.0

// A server's app in memory, for one request.

#if Tools && Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport

/// An app with a user and documents, the same in every run.
final class RequestBench: Sendable {
  private struct Failure: Error {}

  private let api: ServerAPI
  private let documents: DocumentService
  private static let place = "/api/client/v2.0/app/todos"

  init() throws {
    let clock = ServerClock { OriginTimestamp(milliseconds: 300_000_000_000) }
    let random = RandomBytes(SeededGenerator(seed: 1))
    var settings = AccountSettings()
    settings.confirmation = .auto
    settings.allowsKeys = true
    settings.loginHook = .function("login")
    settings.tokenProviders = [
      "custom-token": TokenProvider(
        .hs256, keys: .given([SigningKey(id: "k", Secret(String(repeating: "k", count: 32)))]),
        audiences: ["todos"])
    ]
    let accounts = AccountService(
      app: "todos", settings: settings,
      store: try AccountStore(SimulatedFileSystem().openDatabase(), now: clock.now()),
      passwords: PasswordChecker(Plain()), issuer: TokenIssuer(Plain()), random: random,
      clock: clock, mailer: Plain(),
      services: LoginServices(cryptography: Plain(), transport: Plain()))
    let store = EmbeddedStore(MemoryRealms())
    var realm = ServerRealm.Settings(recordsTouches: true)
    realm.schema = SchemaKeeper(try AppSchema(Array(Self.schema.utf8)), isFixed: true) { _ in
      .success(nil)
    }
    let app = ServerApp(
      named: "todos", realms: RealmDirectory(store, settings: realm, clock: clock),
      authenticator: SessionAuthenticator { _ in "" })
    documents = DocumentService(
      app, mode: .flexible, heads: store.heads(), clock: clock, random: random)
    var table = FunctionTable()
    table["f"] = { call in .array(call.arguments) }
    let functions = FunctionService(table, accounts: accounts)
    functions.find(documents: documents)
    var served = APIApp(
      id: "todos", accounts: accounts, functions: functions, now: { 300_000_000_000 })
    served.documents = documents
    api = ServerAPI(apps: [served])
  }

  /// The status of the answer to a request.
  func status(of text: String) async throws -> Int {
    let document = try ExtendedJSONReader.parse(
      #"{"database":"db","collection":"Thing","document":{"_id":0,"n":1,"s":"a","l":[1,2,3]}}"#)
    _ = try await documents.call("insertOne", [document], user: nil)
    let mail = #"{"email":"ann@x.org","password":"secret1"}"#
    let path = Self.place + "/auth/providers/local-userpass/"
    _ = await send("POST", path + "register", body: mail)
    let login = await send(
      "POST", path + "login", body: mail.replacing("email", with: "username"))
    let tokens = try JSONParser.parse(login.body)
    let keys = ["$A": "access_token", "$R": "refresh_token", "$U": "user_id"]
    var text = text
    for (name, key) in keys {
      guard let value = tokens[key]?.string else { throw Failure() }
      text = text.replacing(name, with: value)
    }
    let request = Self.request(text)
    if let stream = await api.stream(for: request) {
      guard case .success(let events) = stream else { return 400 }
      var parts = events.makeParts()
      _ = await parts.next()
      return 200
    }
    guard request.body.count <= api.bodyByteCountMax(request) else { return 413 }
    return await api.respond(to: request).status
  }

  private func send(_ method: String, _ path: String, body: String) async -> APIResponse {
    await api.respond(to: APIRequest(method, path, body: Array(body.utf8)))
  }

  /// The request that a text says.
  private static func request(_ text: String) -> APIRequest {
    let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
    var lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)[...]
    let first = lines.removeFirst().split(separator: " ", maxSplits: 1)
    let headers = lines.map { line in
      let header = line.split(separator: ":", maxSplits: 1)
      return (
        name: String(header.first ?? ""),
        value: String((header.dropFirst().first ?? "").drop { $0 == " " })
      )
    }
    var request = APIRequest(
      String(first.first ?? ""), target: String(first.dropFirst().first ?? ""), headers: headers)
    request.body = Array((parts.dropFirst().first ?? "").utf8)
    return request
  }

  private static let schema =
    #"{"classes":[{"name":"Thing","kind":"topLevel","primaryKey":"_id","properties":["#
    + #"{"name":"_id","type":"int"},{"name":"n","type":"int"},{"name":"s","type":"string","#
    + #""optional":true},{"name":"any","type":"mixed"},{"name":"l","type":"int","#
    + #""collection":"list"},{"name":"m","type":"string","collection":"dictionary"}]}]}"#
}

/// What an app needs of a program, without secrecy and network.
private struct Plain: PasswordHasher, MessageSigner, LoginCryptography, HTTPTransport,
  AccountMailer
{
  func hash(_ password: [UInt8], salt: [UInt8]) -> [UInt8] { salt + password.reversed() }

  func signature(of message: [UInt8]) -> [UInt8] {
    var sums = [UInt8](repeating: 7, count: 32)
    for (index, byte) in message.enumerated() {
      sums[index % 32] = sums[index % 32] &* 31 &+ byte &+ 7
    }
    return sums
  }

  func digest(of message: [UInt8]) -> [UInt8] { signature(of: message) }

  func signature(of message: [UInt8], key: [UInt8]) -> [UInt8] { signature(of: key + message) }

  // Any token is signed well, so that its content is read.
  func isSigned(
    _ token: String, by key: VerificationKey, _ algorithm: SigningAlgorithm
  ) -> Bool { true }

  func isUsable(_ key: VerificationKey, _ algorithm: SigningAlgorithm) -> Bool { true }

  func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    throw .transport("nobody answers")
  }

  func deliver(_ mail: AccountMail, by settings: MailSettings) async throws {}
}

/// Files of realms in memory.
private final class MemoryRealms: RealmFiles {
  private let systems = Locked<[RealmID: SimulatedFileSystem]>([:])

  func open(_ realm: RealmID) throws(StorageError) -> DatabaseFile {
    if let known = systems.withLock({ $0[realm] }) { return try known.openDatabase() }
    let system = try SimulatedFileSystem()
    systems.withLock { $0[realm] = system }
    return try system.openDatabase()
  }

  func make(
    _ realm: RealmID, _ body: (DatabaseFile) throws(StorageError) -> Void
  ) throws(StorageError) { try body(open(realm)) }

  func hasFile(of realm: RealmID) -> Bool { systems.withLock { $0[realm] != nil } }

  func realms(ofApp app: String) -> [RealmID] {
    systems.withLock { Array($0.keys) }.filter { $0.rawValue.hasPrefix(app + "/") }
      .sorted { $0.rawValue < $1.rawValue }
  }
}
#endif
