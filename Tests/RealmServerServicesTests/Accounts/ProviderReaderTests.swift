// SPDX-License-Identifier: Apache-2.0

// The members "providers" and "mail" of `app.json` are read strictly.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
import TestExtensions
import Testing

struct ProviderReaderTests {
  private static let long = String(repeating: "s", count: 32)
  private static let support = AppFileSupport(
    contents: { $0 == "hook.secret" ? Array((long + "\n").utf8) : $0 == "empty" ? [] : nil },
    isUsable: { key, _ in if case .pem(let text) = key { text.hasPrefix("PEM") } else { true } },
    hasFunction: { $0 == "known" })

  private static func file(_ members: String) throws -> AppFile {
    try AppFile(Array(#"{"id":"a",\#(members)}"#.utf8), support)
  }

  private static func providers(_ text: String) throws -> AccountSettings {
    try file(#""providers":{\#(text)}"#).accounts
  }

  @Test func allProvidersAreReadAsTheyWereWritten() throws {
    var file = AppFile(id: "a", name: "a")
    file.accounts.confirmation = .function
    file.accounts.confirmationHook = .function("known")
    file.accounts.resetHook = .webhook(
      Webhook(url: "https://x.org/reset", secret: Secret(Self.long, file: "hook.secret")))
    file.accounts.allowsKeys = true
    file.accounts.loginHook = .webhook(
      Webhook(url: "http://127.0.0.1:80/login", secret: Secret(Self.long)))
    file.accounts.tokenProviders = [
      "custom-token": TokenProvider(
        .rs256,
        keys: .given([SigningKey(id: "k", Secret("PEM 1")), SigningKey(Secret("PEM 2"))]),
        issuers: ["https://id.x.org"], audiences: ["a", "b"], acceptsAnyAudience: false,
        fields: [MetadataField("a.b", as: "c", isRequired: true)]),
      "oauth2-apple": .apple(["org.x.app"]),
      "oauth2-google": .google(["client"], keys: "https://mirror.x.org/certs"),
    ]
    file.accounts.googleCodes = GoogleCodes(
      client: "server", secret: Secret("s"), redirect: "https://x.org",
      url: "https://mirror.x.org/t")
    file.accounts.facebook = FacebookProvider(
      app: "77", secret: Secret(Self.long, file: "hook.secret"), url: "https://mirror.x.org/fb")
    file.accounts.mail.sender = "app@x.org"
    file.accounts.mail.links = [
      .confirmation: "https://x.org/c", .passwordReset: "app://reset",
    ]
    file.accounts.mail.subjects = [.passwordReset: "Neues Passwort für Sie"]
    file.accounts.mail.delivery = .smtp(
      MailServer(
        host: "mail.x.org", port: 2525, security: .tls, user: "u", password: Secret("p")))
    try expectEqual(AppFile(JSONWriter.bytes(file.json), Self.support), file)
    file.accounts.mail.delivery = .webhook(
      Webhook(url: "https://x.org/mail", secret: Secret(Self.long)))
    try expectEqual(AppFile(JSONWriter.bytes(file.json), Self.support), file)
    // A secret of a file is not written into the app's.
    let text = JSONWriter.text(file.json)
    #expect(text.contains(#""secret":{"file":"hook.secret"}"#))
  }

  @Test func whatIsNotNamedHasItsDefault() throws {
    let token = try Self.providers(
      #""custom-token":{"algorithm":"ES256","jwks_url":"https://x.org/k"}"#
    ).tokenProviders["custom-token"]
    expectEqual(
      token, TokenProvider(.es256, keys: .published("https://x.org/k"), audiences: ["a"]))
    let mail = try Self.file(
      #""mail":{"from":"a@x.org","confirm_url":"https://x","reset_url":"https://x","#
        + #""smtp":{"host":"mail.x.org"}}"#
    ).accounts.mail
    expectEqual(
      mail.delivery,
      .smtp(MailServer(host: "mail.x.org", port: 587, security: .startTLS)))
    try expectEqual(Self.file(#""mail":{}"#).accounts.mail, MailSettings())
  }

  @Test(arguments: [
    (#""api-key":{"x":1}"#, #"unknown key "x" in "api-key", which has none (line 1, column 35)"#),
    (#""api-key":[]"#, #"needs "api-key" as an object"#),
    (#""oauth2-facebook":{}"#, #"needs a "app_id" in "oauth2-facebook""#),
    (#""oauth2-facebook":{"app_id":"1"}"#, #"needs a "app_secret" in "oauth2-facebook""#),
    (
      #""oauth2-facebook":{"app_id":"1","app_secret":"s","graph_url":"http://x.org"}"#,
      "does not begin with https://"
    ),
    (#""oauth2-google":{"client_ids":"a","codes":{}}"#, #"needs a "client_id" in "codes""#),
    (
      #""oauth2-google":{"client_ids":"a","codes":{"client_id":"b"}}"#,
      #"needs a "client_secret" in "codes""#
    ),
    (#""oauth2-apple":{"client_ids":"a","codes":{}}"#, #"unknown key "codes" in "oauth2-apple""#),
    (#""oauth2-twitter":{}"#, #"unknown provider "oauth2-twitter""#),
    (#""local-userpass":{"confirm":"function"}"#, #"needs a "confirm_function""#),
    (
      #""local-userpass":{"confirm_function":"known"}"#,
      #"which needs "confirm": "function" (line 1, column 42)"#
    ),
    (#""local-userpass":{"reset":"function"}"#, #"needs a "reset_function""#),
    (#""local-userpass":{"reset_function":"known"}"#, #"which needs "reset": "function""#),
    (#""local-userpass":{"reset":"never"}"#, #"not one of mail, function"#),
    (
      #""custom-function":{"function":"other"}"#,
      #"names the function "other", which this server does not have"#
    ),
    (#""custom-function":{}"#, #"needs a "function" in "custom-function""#),
    (#""custom-function":{"function":{}}"#, #"needs a "webhook" in "function""#),
    (
      #""custom-function":{"function":{"webhook":"http://x.org","secret":"s"}}"#,
      "does not begin with https://"
    ),
    (
      #""custom-function":{"function":{"webhook":"https://x.org","secret":"s"}}"#,
      #"has a "secret" that is shorter than 32 bytes (line 1, column 81)"#
    ),
    (
      #""custom-function":{"function":{"webhook":"https://x.org","secret":{"file":"none"}}}"#,
      "in the file none, which cannot be read or is empty"
    ),
    (
      #""custom-function":{"function":{"webhook":"https://x.org","secret":{"file":"empty"}}}"#,
      "in the file empty, which cannot be read or is empty"
    ),
    (
      #""custom-function":{"function":{"webhook":"https://x.org","secret":{"env":"X"}}}"#,
      #"neither a text nor {"file":…}"#
    ),
    (#""custom-token":{}"#, #"needs a "algorithm" in "custom-token""#),
    (#""custom-token":{"algorithm":"none"}"#, "not one of HS256, RS256, ES256"),
    (#""custom-token":{"algorithm":"RS256"}"#, #"needs either "keys" or a "jwks_url""#),
    (
      #""custom-token":{"algorithm":"RS256","keys":[],"jwks_url":"https://x.org"}"#,
      #"needs either "keys" or a "jwks_url""#
    ),
    (
      #""custom-token":{"algorithm":"HS256","jwks_url":"https://x.org"}"#,
      "for HS256, whose keys are secret"
    ),
    (#""custom-token":{"algorithm":"HS256","keys":[]}"#, "no array of 1 to 8 keys"),
    (
      #""custom-token":{"algorithm":"HS256","keys":[{"secret":"short"}]}"#,
      "shorter than 32 bytes (line 1, column 69)"
    ),
    (
      #""custom-token":{"algorithm":"HS256","keys":[{"public_key":"PEM"}]}"#,
      #"unknown key "public_key""#
    ),
    (
      #""custom-token":{"algorithm":"ES256","keys":[{"public_key":"x"}]}"#,
      "no public key for ES256 in PEM form"
    ),
    (
      #""custom-token":{"algorithm":"ES256","jwks_url":"https://x.org","audience":[]}"#,
      #"has a "audience" that is neither a text nor an array of texts"#
    ),
    (
      #""custom-token":{"algorithm":"ES256","jwks_url":"https://x.org","audience":[3]}"#,
      #"has a "audience" that is neither a text nor an array of texts"#
    ),
    (
      #""custom-token":{"algorithm":"ES256","jwks_url":"https://x.org","#
        + #""metadata_fields":[{"field_name":"a"}]}"#, #"needs a "name" in "metadata_fields""#
    ),
    (#""oauth2-apple":{}"#, #"needs a "client_ids" in "oauth2-apple""#),
    (
      #""oauth2-google":{"client_ids":"c","jwks_url":"http://127.0.0.1.x.org"}"#,
      "does not begin with https://"
    ),
    (
      #""oauth2-google":{"client_ids":"c","jwks_url":"http://127.0.0.1@x.org"}"#,
      "does not begin with https://"
    ),
    (#""oauth2-google":{"client_ids":"c","jwks_url":"https://"}"#, "does not begin with https://"),
    (#""anon-user":{},"anon-user":{}"#, "has the key \"anon-user\" twice"),
  ])
  func mistakesInProvidersAreNamed(_ text: String, _ expected: String) throws {
    let error = try #require(throws: AppFileError.self) { try Self.providers(text) }
    expectTrue(error.description.contains(expected), "\(error)")
    expectEqual(error.line, 1)
  }

  /// `SMTPClient` 2
  @Test(arguments: [
    (#"{"x":1}"#, #"unknown key "x" in "mail": there are confirm_subject, confirm_url, from, "#),
    (#"{"x":1}"#, "smtp and webhook (line 1, column 19)"),
    (#"{"from":"a"}"#, "no address of e-mail"),
    (#"{"from":"a@x.org\r\nBcc: b@x.org"}"#, "no address of e-mail"),
    (#"{"confirm_url":"page"}"#, "no address of a page"),
    (#"{"confirm_subject":"a\nb"}"#, "more than one line"),
    (#"{"secret":"s"}"#, #"without a "webhook""#),
    (#"{"webhook":"https://x.org"}"#, #"needs a "secret" in "mail""#),
    (#"{"smtp":{"host":"h"}}"#, #"needs a "from" in "mail""#),
    (#"{"from":"a@x.org","smtp":{"host":"h"}}"#, #"needs a "confirm_url" in "mail""#),
    (#"{"smtp":{}}"#, #"needs a "host" in "smtp""#),
    (#"{"smtp":{"host":"h","port":0}}"#, "\"port\" from 1 to 65535"),
    (#"{"smtp":{"host":"h","security":"ssl"}}"#, "not one of tls, starttls, none"),
    (
      #"{"smtp":{"host":"h","security":"none"}}"#,
      "tokens would go in the clear (line 1, column 38)"
    ),
    (#"{"smtp":{"host":"h","user":"u"}}"#, #"needs a "password" in "smtp""#),
    (#"{"smtp":{"host":"h","password":"p"}}"#, #"needs a "user" in "smtp""#),
    (#"{"webhook":"https://x.org","secret":"s","smtp":{}}"#, #"both "smtp" and a "webhook""#),
  ])
  func mistakesInMailsAreNamed(_ text: String, _ expected: String) throws {
    let error = try #require(throws: AppFileError.self) { try Self.file(#""mail":\#(text)"#) }
    expectTrue(error.description.contains(expected), "\(error)")
    expectEqual(error.line, 1)
  }
}
#endif
