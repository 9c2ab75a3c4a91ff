// SPDX-License-Identifier: Apache-2.0

// Logins with tokens of others, by requests.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerServices

struct TokenLoginTests {
  private static let secret = String(repeating: "s", count: 32)
  private static let given = VerificationKey.secret(Array(secret.utf8))
  private static let url = "https://keys.example.org/jwks"
  private static let now = Int64(APIBench.start / 1_000) + 1_420_070_400

  /// The claims of a token, of which a test replaces some.
  private static func claims(_ changes: [String: JSONValue?] = [:]) -> String {
    var claims: [String: JSONValue?] = [
      "sub": "ann", "aud": "todos", "exp": .integer(now + 600), "iat": .integer(now),
    ]
    claims.merge(changes) { $1 }
    let members = claims.sorted { $0.key < $1.key }
      .compactMap { key, value in value.map { JSONMember(key, $0) } }
    return JSONWriter.text(.object(members))
  }

  private static func bench(
    _ provider: TokenProvider = TokenProvider(
      .hs256, keys: .given([SigningKey(Secret(secret))]), audiences: ["todos"]),
    _ name: String = "custom-token", limits: RequestLimits = RequestLimits(),
    transport: TestServices = TestServices()
  ) throws -> APIBench {
    try APIBench(
      limits: limits, settings: { $0.tokenProviders[name] = provider }, transport: transport)
  }

  private static func logIn(
    _ bench: APIBench, _ token: String, _ provider: String = "custom-token",
    _ member: String = "token", link: String? = nil, address: String = "10.0.0.1"
  ) async -> APIResponse {
    await bench.send(
      "POST", APIBench.app + "/auth/providers/\(provider)/login", #"{"\#(member)":"\#(token)"}"#,
      token: link, query: link == nil ? "" : "link=true", address: address)
  }

  private static func profile(_ bench: APIBench, _ login: TestLogin) async throws -> JSONValue {
    let answer = await bench.send("GET", "/api/client/v2.0/auth/profile", token: login.access)
    return try JSONParser.parse(answer.body)
  }

  // MARK: Custom tokens

  @Test func theSubjectOfATokenIsTheUser() async throws {
    let fields = [
      MetadataField("user_data.name", as: "name"), MetadataField(#"a\.b"#, as: "age"),
      MetadataField("missing", as: "missing"),
    ]
    let bench = try Self.bench(
      TokenProvider(
        .hs256, keys: .given([SigningKey(Secret(Self.secret))]), audiences: ["todos"],
        fields: fields))
    let token = PlainCryptography.token(
      Self.claims(["user_data": ["name": "Ann"], "a.b": 3]), Self.given, .hs256)
    let first = try TestLogin(await Self.logIn(bench, token))
    let profile = try await Self.profile(bench, first)
    expectEqual(profile["data"]?["name"], "Ann")
    expectEqual(profile["data"]?["age"], ["$numberLong": "3"])
    expectEqual(profile["data"]?["missing"], nil)
    expectEqual(profile["identities"]?.array?.first?["provider_type"], "custom-token")
    // The next token has the newer data.
    let renamed = PlainCryptography.token(
      Self.claims(["user_data": ["name": "Anna"]]), Self.given, .hs256)
    let second = try TestLogin(await Self.logIn(bench, renamed))
    expectEqual(second.user, first.user)
    try await expectEqual(Self.profile(bench, second)["data"], ["name": "Anna"])
    let other = PlainCryptography.token(Self.claims(["sub": "bob"]), Self.given, .hs256)
    #expect(try TestLogin(await Self.logIn(bench, other)).user != first.user)
  }

  /// `ForeignToken` 1: the classic attacks on the algorithm of the header.
  @Test(arguments: [
    #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"rs256"}"#, #"{"alg":"RS512"}"#, #"{}"#,
    #"{"alg":"RS256","crit":["b64"],"b64":false}"#,
  ])
  func theTokenDoesNotChooseTheAlgorithm(_ header: String) async throws {
    let pem = "PEM of a public key"
    let bench = try Self.bench(
      TokenProvider(.rs256, keys: .given([SigningKey(Secret(pem))]), audiences: ["todos"]))
    let right = PlainCryptography.token(Self.claims(), .pem(pem), .rs256)
    await expectEqual(Self.logIn(bench, right).status, 200)
    // Signed with the public key as the secret of HS256, and in each other way.
    for key in [VerificationKey.secret(Array(pem.utf8)), .pem(pem)] {
      for algorithm in SigningAlgorithm.allCases {
        let token = PlainCryptography.token(Self.claims(), key, algorithm, header: header)
        await expectEqual(Self.logIn(bench, token).error, "401 AuthError")
        bench.advance(minutes: 1)
      }
    }
    let unsigned = right.prefix { $0 != "." } + "." + right.split(separator: ".")[1] + "."
    await expectEqual(Self.logIn(bench, String(unsigned)).error, "401 AuthError")
  }

  /// `ForeignToken` 2 and 3
  @Test(
    arguments: [
      ("exp", nil, "no expiry"), ("exp", .integer(now - 60), "has expired"),
      ("exp", "never", "'exp' is no time"), ("exp", .double(1e300), "'exp' is no time"),
      ("nbf", .integer(now + 61), "not valid yet"), ("iat", .integer(now + 61), "in the future"),
      ("aud", nil, "another audience"), ("aud", "other", "another audience"),
      ("aud", .array([3]), "another audience"), ("iss", nil, "another issuer"),
      ("iss", "https://evil.example.org", "another issuer"), ("sub", nil, "needs a subject"),
      ("sub", "", "needs a subject"), ("sub", 3, "needs a subject"),
      ("sub", .string(String(repeating: "s", count: 257)), "needs a subject"),
    ] as [(String, JSONValue?, String)])
  func claimsAreChecked(_ name: String, _ value: JSONValue?, _ message: String) async throws {
    let bench = try Self.bench(
      TokenProvider(
        .hs256, keys: .given([SigningKey(Secret(Self.secret))]),
        issuers: ["https://id.example.org"], audiences: ["todos"]))
    let issuer: [String: JSONValue?] = ["iss": "https://id.example.org"]
    let right = PlainCryptography.token(Self.claims(issuer), Self.given, .hs256)
    await expectEqual(Self.logIn(bench, right).status, 200)
    let changes = issuer.merging([name: value]) { $1 }
    let wrong = PlainCryptography.token(Self.claims(changes), Self.given, .hs256)
    let answer = await Self.logIn(bench, wrong)
    expectEqual(answer.error, "401 AuthError", "\(answer.text)")
    expectTrue(answer.text.contains(message), "\(answer.text)")
  }

  @Test func clocksMayBeAMinuteApart() async throws {
    let bench = try Self.bench()
    let edge: [String: JSONValue?] = [
      "exp": .double(Double(Self.now - 59)), "nbf": .integer(Self.now + 60),
      "iat": .integer(Self.now + 60),
    ]
    let token = PlainCryptography.token(Self.claims(edge), Self.given, .hs256)
    await expectEqual(Self.logIn(bench, token).status, 200)
  }

  @Test func aTokenNeedsOneAudienceOrAll() async throws {
    func provider(any: Bool) -> TokenProvider {
      TokenProvider(
        .hs256, keys: .given([SigningKey(Secret(Self.secret))]), audiences: ["a", "b"],
        acceptsAnyAudience: any)
    }
    for (audience, any, all) in [
      (["a"], 200, 401), (["a", "b", "c"], 200, 200), (["c"], 401, 401),
    ] {
      let changes: [String: JSONValue?] = ["aud": .array(audience.map { .string($0) })]
      let token = PlainCryptography.token(Self.claims(changes), Self.given, .hs256)
      await expectEqual(Self.logIn(try Self.bench(provider(any: true)), token).status, any)
      await expectEqual(Self.logIn(try Self.bench(provider(any: false)), token).status, all)
    }
  }

  @Test func theKeyIsTheOneThatTheTokenNames() async throws {
    let keys = ["one", "two"].map {
      SigningKey(id: $0, Secret(String(repeating: $0, count: 11)))
    }
    let bench = try Self.bench(
      TokenProvider(.hs256, keys: .given(keys), audiences: ["todos"]))
    let second = keys[1].verification(.hs256)
    for (id, status) in [("two", 200), (nil, 200), ("one", 401), ("three", 401)] {
      let token = PlainCryptography.token(Self.claims(), second, .hs256, id: id)
      await expectEqual(Self.logIn(bench, token).status, status)
    }
  }

  @Test func aFieldThatIsRequiredHasToBeThere() async throws {
    let bench = try Self.bench(
      TokenProvider(
        .hs256, keys: .given([SigningKey(Secret(Self.secret))]), audiences: ["todos"],
        fields: [MetadataField("name", as: "name", isRequired: true)]))
    let without = PlainCryptography.token(Self.claims(), Self.given, .hs256)
    #expect(await Self.logIn(bench, without).text.contains("lacks 'name'"))
    let with = PlainCryptography.token(Self.claims(["name": "A"]), Self.given, .hs256)
    await expectEqual(Self.logIn(bench, with).status, 200)
  }

  @Test func tokensHaveASize() async throws {
    let bench = try Self.bench()
    func token(_ count: Int) -> String {
      PlainCryptography.token(
        Self.claims(["x": .string(String(repeating: "x", count: count))]), Self.given, .hs256)
    }
    await expectEqual(Self.logIn(bench, token(11_000)).status, 200)
    let answer = await Self.logIn(bench, token(13_000))
    expectEqual(answer.error, "401 AuthError")
    expectTrue(answer.text.contains("longer than 16384 bytes"))
  }

  // MARK: Limits

  @Test func tokensInVainAreLimited() async throws {
    let bench = try Self.bench()
    let right = PlainCryptography.token(Self.claims(), Self.given, .hs256)
    for _ in 0..<10 { await expectEqual(Self.logIn(bench, "a.b.c").error, "401 AuthError") }
    await expectEqual(Self.logIn(bench, right).error, "429 AuthError")
    await expectEqual(Self.logIn(bench, right, address: "10.0.0.2").status, 200)
    bench.advance(minutes: 1)
    await expectEqual(Self.logIn(bench, right).status, 200)
  }

  @Test func loginsOfANameAreLimited() async throws {
    var limits = RequestLimits()
    limits.logins = 2
    let bench = try Self.bench(limits: limits)
    let token = PlainCryptography.token(
      Self.claims(["exp": .integer(Self.now + 7_200)]), Self.given, .hs256)
    for _ in 0..<2 { await expectEqual(Self.logIn(bench, token).status, 200) }
    await expectEqual(Self.logIn(bench, token, address: "10.0.0.2").error, "429 AuthError")
    bench.advance(minutes: 60)
    await expectEqual(Self.logIn(bench, token).status, 200)
  }

  // MARK: Identities

  @Test func identitiesOfSeveralProvidersAreOneUser() async throws {
    let bench = try Self.bench()
    let anonymous = try await bench.anonymous()
    let token = PlainCryptography.token(Self.claims(), Self.given, .hs256)
    let linked = try TestLogin(await Self.logIn(bench, token, link: anonymous.access))
    expectEqual(linked.user, anonymous.user)
    await expectEqual(bench.register().status, 201)
    let password = await bench.send(
      "POST", APIBench.app + "/auth/providers/local-userpass/login",
      #"{"username":"ann@x.org","password":"secret1"}"#, token: linked.access, query: "link=true")
    try expectEqual(TestLogin(password).user, anonymous.user)
    try expectEqual(TestLogin(await Self.logIn(bench, token)).user, anonymous.user)
    let identities = try await Self.profile(bench, linked)["identities"]?.array
    expectEqual(
      identities?.compactMap { $0["provider_type"]?.string },
      ["anon-user", "custom-token", "local-userpass"])
    // It is one of another user then.
    let other = try await bench.anonymous()
    let refused = await Self.logIn(bench, token, link: other.access)
    expectEqual(refused.error, "400 BadRequest")
    // And again nobody's after the user is gone.
    let gone = await bench.send("DELETE", "/api/client/v2.0/auth/delete", token: linked.access)
    expectEqual(gone.status, 204)
    #expect(try TestLogin(await Self.logIn(bench, token)).user != anonymous.user)
  }

  // MARK: Published keys

  private static func set(_ services: TestServices, _ keys: String...) {
    services.set(url, #"{"keys":[\#(keys.joined(separator: ","))]}"#)
  }

  private static func key(_ id: String, _ more: String = "") -> String {
    #"{"kty":"RSA","kid":"\#(id)","n":"modulus-\#(id)","e":"AQAB"\#(more)}"#
  }

  private static func published(_ services: TestServices) throws -> APIBench {
    try bench(
      TokenProvider(.rs256, keys: .published(url), audiences: ["todos"]), transport: services)
  }

  /// A token of a published key that is valid for two days.
  private static func token(_ id: String?, of key: String) -> String {
    PlainCryptography.token(
      claims(["exp": .integer(now + 200_000)]), .jwk(Self.key(key)), .rs256, id: id)
  }

  /// The address is the operator's: no answer leads to another one, in the network of the server.
  @Test func noRedirectionOfPublishedKeysIsFollowed() async throws {
    let services = TestServices()
    Self.set(services, Self.key("1"))
    let bench = try Self.published(services)
    await expectEqual(Self.logIn(bench, Self.token("1", of: "1")).status, 200)
    expectEqual(services.requests.withLock { $0.map(\.followsRedirections) }, [false])
  }

  /// `PublishedKeys` 2
  @Test func publishedKeysAreKeptAndFetchedAgainForANewOne() async throws {
    let services = TestServices()
    Self.set(services, Self.key("1"))
    let bench = try Self.published(services)
    func count() -> Int { services.requests.withLock { $0.count } }
    for _ in 0..<3 { await expectEqual(Self.logIn(bench, Self.token("1", of: "1")).status, 200) }
    expectEqual(count(), 1)
    // Names that are made up cost one request in 30 seconds.
    Self.set(services, Self.key("1"), Self.key("2"))
    await expectEqual(Self.logIn(bench, Self.token("2", of: "2")).error, "401 AuthError")
    expectEqual(count(), 1)
    bench.advance(seconds: 30)
    await expectEqual(Self.logIn(bench, Self.token("2", of: "2")).status, 200)
    expectEqual(count(), 2)
    await expectEqual(Self.logIn(bench, Self.token("made-up", of: "1")).error, "401 AuthError")
    expectEqual(count(), 2)
    // A key that is published no more is refused after an hour.
    Self.set(services, Self.key("2"))
    await expectEqual(Self.logIn(bench, Self.token("1", of: "1")).status, 200)
    bench.advance(minutes: 60)
    await expectEqual(Self.logIn(bench, Self.token("1", of: "1")).error, "401 AuthError")
    await expectEqual(Self.logIn(bench, Self.token("2", of: "2")).status, 200)
    expectEqual(count(), 3)
  }

  /// `PublishedKeys` 3
  @Test func aProviderThatIsGoneIsDoneWithoutForADay() async throws {
    let services = TestServices()
    let bench = try Self.published(services)
    // It is no failed attempt of the user.
    for _ in 0..<12 {
      let answer = await Self.logIn(bench, Self.token("1", of: "1"))
      expectEqual(answer.error, "500 InternalServerError")
      expectFalse(answer.text.contains("example.org"))
    }
    expectEqual(services.requests.withLock { $0.count }, 1)
    Self.set(services, Self.key("1"))
    bench.advance(seconds: 30)
    await expectEqual(Self.logIn(bench, Self.token("1", of: "1")).status, 200)
    services.set(Self.url, status: 503, "")
    bench.advance(minutes: 23 * 60)
    await expectEqual(Self.logIn(bench, Self.token("1", of: "1")).status, 200)
    bench.advance(minutes: 60)
    await expectEqual(Self.logIn(bench, Self.token("1", of: "1")).status, 500)
  }

  /// `PublishedKeys` 1
  @Test func waitingLoginsShareARequest() async throws {
    let services = TestServices()
    let (begun, gate) = AsyncStream.makeStream(of: Void.self)
    services.set(Self.url) { _ throws(AppFailure) in
      for await _ in begun { break }
      return HTTPResponse(status: 200, body: Array(#"{"keys":[\#(Self.key("1"))]}"#.utf8))
    }
    let bench = try Self.published(services)
    let answers = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask { await Self.logIn(bench, Self.token("1", of: "1")).status }
      }
      group.addTask {
        while services.requests.withLock({ $0.isEmpty }) { await Task.yield() }
        gate.yield()
        return 200
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    expectEqual(answers, Array(repeating: 200, count: 5))
    expectEqual(services.requests.withLock { $0.count }, 1)
  }

  @Test func setsHaveSizesAndKeysTheirKinds() throws {
    func read(_ text: String) -> [PublishedKey]? { PublishedKeys.read(Array(text.utf8)) }
    let many = { count in
      #"{"keys":[\#((0..<count).map { Self.key("\($0)") }.joined(separator: ","))]}"#
    }
    expectEqual(read(many(100))?.count, 100)
    expectTrue(read(many(101)) == nil)
    let filler = { count in #"{"keys":[],"x":"\#(String(repeating: "x", count: count))"}"# }
    expectEqual(read(filler(200_000)), [])
    expectTrue(read(filler(263_000)) == nil)
    expectTrue(read("[]") == nil)
    #expect(read("{") == nil)
    let kinds: [(String, [SigningAlgorithm])] = [
      (#"{"kty":"oct","k":"c2VjcmV0"}"#, []), (#"{"kty":"RSA","n":"a"}"#, [.rs256]),
      (#"{"kty":"RSA","n":"a","alg":"RS512"}"#, []), (#"{"kty":"EC","crv":"P-256"}"#, [.es256]),
      (#"{"kty":"EC","crv":"P-384"}"#, []), (#"{"kty":"OKP","crv":"Ed25519"}"#, []),
    ]
    for (key, algorithms) in kinds {
      let found = try #require(read(#"{"keys":[\#(key)]}"#)?.first)
      expectEqual(SigningAlgorithm.allCases.filter { found.fits($0) }, algorithms)
    }
    expectEqual(read(#"{"keys":[{"kty":"RSA","use":"enc"}]}"#), [])
    // Members of a private key go no further.
    let private1 = try #require(read(#"{"keys":[{"kty":"RSA","n":"a","e":"b","d":"c"}]}"#)?.first)
    expectEqual(private1.verification, .jwk(#"{"kty":"RSA","n":"a","e":"b","kid":"key"}"#))
  }

  /// A token without the name of its key is tried with few.
  @Test func keysWithoutNamesAreTriedUpToEight() async throws {
    let services = TestServices()
    services.set(
      Self.url, #"{"keys":[\#((1...9).map { Self.key("\($0)") }.joined(separator: ","))]}"#)
    let bench = try Self.published(services)
    await expectEqual(Self.logIn(bench, Self.token(nil, of: "8")).status, 200)
    await expectEqual(Self.logIn(bench, Self.token(nil, of: "9")).error, "401 AuthError")
  }

  // MARK: Apple and Google

  @Test func appleAndGoogleHaveTheirIssuers() async throws {
    let apple = TestServices()
    Self.set(apple, Self.key("1"))
    let apples = try Self.bench(
      .apple(["org.example.app"], keys: Self.url), "oauth2-apple", transport: apple)
    let claims: [String: JSONValue?] = [
      "aud": "org.example.app", "iss": "https://appleid.apple.com", "email": "a@x.org",
      "email_verified": "true",
    ]
    let key = VerificationKey.jwk(Self.key("1"))
    let token = PlainCryptography.token(Self.claims(claims), key, id: "1")
    let login = try TestLogin(await Self.logIn(apples, token, "oauth2-apple", "id_token"))
    try await expectEqual(Self.profile(apples, login)["data"], ["email": "a@x.org"])
    let stranger = PlainCryptography.token(
      Self.claims(claims.merging(["iss": "https://accounts.google.com"]) { $1 }), key, id: "1")
    await expectEqual(Self.logIn(apples, stranger, "oauth2-apple", "id_token").status, 401)

    let google = TestServices()
    Self.set(google, Self.key("1"))
    let googles = try Self.bench(
      .google(["client"], keys: Self.url), "oauth2-google", transport: google)
    let person: [String: JSONValue?] = [
      "aud": "client", "iss": "accounts.google.com", "given_name": "Ann", "family_name": "B",
      "name": "Ann B", "picture": "https://x.org/a.png", "email": "a@x.org",
      "email_verified": false,
    ]
    let ann = PlainCryptography.token(Self.claims(person), key, id: "1")
    let user = try TestLogin(await Self.logIn(googles, ann, "oauth2-google", "id_token"))
    // An address that Google has not verified is not the user's.
    try await expectEqual(
      Self.profile(googles, user)["data"],
      [
        "name": "Ann B", "first_name": "Ann", "last_name": "B",
        "picture_url": "https://x.org/a.png",
      ])
    let code = await Self.logIn(googles, "code", "oauth2-google", "authCode")
    expectEqual(code.error, "400 BadRequest")
    expectTrue(code.text.contains("exchanges no codes"))
    await expectEqual(
      Self.logIn(googles, ann, "oauth2-facebook", "accessToken").error,
      "404 AuthProviderNotFound")
  }

  @Test func linksOfMailsHaveTheToken() {
    var settings = MailSettings()
    settings.links = [
      .confirmation: "https://x.org/confirm", .passwordReset: "app://reset?lang=de",
    ]
    settings.subjects[.confirmation] = "Welcome"
    func mail(_ purpose: MailedToken.Purpose) -> AccountMail {
      AccountMail(
        purpose: purpose, address: "a@x.org", token: "t", tokenID: "i", minutes: 30)
    }
    expectEqual(
      mail(.confirmation).link(by: settings), "https://x.org/confirm?token=t&tokenId=i")
    expectEqual(
      mail(.passwordReset).link(by: settings), "app://reset?lang=de&token=t&tokenId=i")
    expectEqual(mail(.confirmation).subject(by: settings), "Welcome")
    expectEqual(mail(.passwordReset).subject(by: settings), "Reset your password")
    expectTrue(mail(.passwordReset).text(by: settings).contains("\napp://reset?lang=de&token=t"))
    expectEqual(mail(.confirmation).link(by: MailSettings()), nil)
  }

  @Test func secretsDoNotDescribeThemselves() {
    let secret = Secret("PASSWORD-1", file: "f")
    var text = "\(secret) \(SigningKey(secret)) \(Webhook(url: "u", secret: secret))"
    dump(secret, to: &text)
    expectFalse(text.contains("PASSWORD"))
    expectTrue(text.contains("(secret)"))
  }
}
#endif
