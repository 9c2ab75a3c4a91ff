// SPDX-License-Identifier: Apache-2.0

// The members "providers" and "mail" of `app.json`.

#if Server
import RealmFormats
import RealmServerEngine

/// Reads the ways to log in.
struct ProviderReader {
  /// The id of the app: the audience of custom tokens, unless the file names others.
  let app: String
  let support: AppFileSupport
  private static let keyCountMax = 8
  private static let names: Set<String> = [
    AccountService.anonymousProvider, AccountService.passwordProvider, AccountService.keyProvider,
    AccountService.functionProvider, AccountService.tokenProvider, AccountService.appleProvider,
    AccountService.googleProvider, AccountService.facebookProvider,
  ]

  /// Reads a provider into the settings.
  func read(
    _ member: JSONMember, at path: [JSONStep], into accounts: inout AccountSettings
  ) throws(AppFileError) {
    func members(_ keys: Set<String>) throws(AppFileError) -> ObjectReader {
      try ObjectReader(member.value, member.key, at: path, keys: keys, support)
    }
    switch member.key {
    case AccountService.anonymousProvider:
      _ = try members([])
      accounts.allowsAnonymous = true
    case AccountService.passwordProvider:
      try readPasswords(
        members(["confirm", "confirm_function", "reset", "reset_function"]), into: &accounts)
    case AccountService.keyProvider:
      _ = try members([])
      accounts.allowsKeys = true
    case AccountService.functionProvider:
      let object = try members(["function"])
      guard let found = try hook("function", in: object) else { throw object.missing("function") }
      accounts.loginHook = found
    case AccountService.tokenProvider:
      accounts.tokenProviders[member.key] = try tokens(
        members([
          "algorithm", "keys", "jwks_url", "issuer", "audience", "require_any_audience",
          "metadata_fields",
        ]))
    case AccountService.appleProvider, AccountService.googleProvider:
      let isApple = member.key == AccountService.appleProvider
      let object = try members(
        Set(["client_ids", "jwks_url"]).union(isApple ? [] : ["codes"]))
      guard let clients = try object.texts("client_ids") else { throw object.missing("client_ids") }
      let keys = try object.address("jwks_url")
      accounts.tokenProviders[member.key] =
        isApple
        ? .apple(clients, keys: keys ?? TokenProvider.appleKeys)
        : .google(clients, keys: keys ?? TokenProvider.googleKeys)
      if let codes = object["codes"] {
        accounts.googleCodes = try self.codes(codes, at: path + [.key("codes")])
      }
    case AccountService.facebookProvider:
      let object = try members(["app_id", "app_secret", "graph_url"])
      guard let app = try object.text("app_id") else { throw object.missing("app_id") }
      guard let secret = try object.secret("app_secret") else {
        throw object.missing("app_secret")
      }
      accounts.facebook = FacebookProvider(
        app: app, secret: secret,
        url: try object.address("graph_url") ?? FacebookProvider.facebookURL)
    case let key:
      throw AppFileError(
        "has the unknown provider \"\(key)\"" + ObjectReader.known(Self.names), at: path)
    }
  }

  private func codes(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> GoogleCodes {
    let object = try ObjectReader(
      json, "codes", at: path, keys: ["client_id", "client_secret", "redirect_uri", "token_url"],
      support)
    guard let client = try object.text("client_id") else { throw object.missing("client_id") }
    guard let secret = try object.secret("client_secret") else {
      throw object.missing("client_secret")
    }
    return GoogleCodes(
      client: client, secret: secret, redirect: try object.text("redirect_uri") ?? "",
      url: try object.address("token_url") ?? GoogleCodes.googleURL)
  }

  // MARK: Passwords

  private func readPasswords(
    _ object: ObjectReader, into accounts: inout AccountSettings
  ) throws(AppFileError) {
    let confirmation =
      try object.choice("confirm", AccountSettings.Confirmation.self) ?? .auto
    accounts.confirmation = confirmation
    accounts.confirmationHook = try hook("confirm_function", in: object)
    guard (confirmation == .function) == (accounts.confirmationHook != nil) else {
      throw confirmation == .function
        ? object.missing("confirm_function")
        : object.error(
          "confirm_function",
          "has a \"confirm_function\", which needs \"confirm\": \"function\"")
    }
    let reset = try object.choice("reset", Reset.self) ?? .mail
    accounts.resetHook = try hook("reset_function", in: object)
    guard (reset == .function) == (accounts.resetHook != nil) else {
      throw reset == .function
        ? object.missing("reset_function")
        : object.error(
          "reset_function", "has a \"reset_function\", which needs \"reset\": \"function\"")
    }
  }

  private enum Reset: String, CaseIterable {
    case mail
    case function
  }

  // MARK: The app's own code

  /// The name of a function of the program, or a webhook.
  private func hook(_ key: String, in object: ObjectReader) throws(AppFileError) -> LoginHook? {
    guard let value = object[key] else { return nil }
    if case .object = value {
      let webhook = try ObjectReader(
        value, key, at: object.path + [.key(key)], keys: ["webhook", "secret"], support)
      return .webhook(try webhook.webhook())
    }
    guard let name = try object.text(key) else { return nil }
    guard support.hasFunction(name) else {
      throw object.error(
        key,
        "names the function \"\(name)\", which this server does not have: give {\"webhook\":…}")
    }
    return .function(name)
  }

  // MARK: Tokens

  private func tokens(_ object: ObjectReader) throws(AppFileError) -> TokenProvider {
    guard let algorithm = try object.choice("algorithm", SigningAlgorithm.self) else {
      throw object.missing("algorithm")
    }
    let address = try object.address("jwks_url")
    guard (address == nil) != (object["keys"] == nil) else {
      throw AppFileError(
        "needs either \"keys\" or a \"jwks_url\" in \"\(object.name)\"", at: object.path)
    }
    if address != nil, algorithm == .hs256 {
      throw object.error(
        "jwks_url", "has a \"jwks_url\" for HS256, whose keys are secret: give \"keys\"")
    }
    var provider = TokenProvider(
      algorithm, keys: .published(address ?? ""),
      issuers: try object.texts("issuer") ?? [], audiences: try object.texts("audience") ?? [app],
      acceptsAnyAudience: try object.flag("require_any_audience") ?? true,
      fields: try fields(object))
    if address == nil { provider.keys = .given(try keys(object, algorithm)) }
    return provider
  }

  private func keys(
    _ object: ObjectReader, _ algorithm: SigningAlgorithm
  ) throws(AppFileError) -> [SigningKey] {
    guard let values = object["keys"]?.array, (1...Self.keyCountMax).contains(values.count) else {
      throw object.error(
        "keys", "has \"keys\" that are no array of 1 to \(Self.keyCountMax) keys")
    }
    let member = algorithm == .hs256 ? "secret" : "public_key"
    var keys: [SigningKey] = []
    for (index, value) in values.enumerated() {
      let key = try ObjectReader(
        value, "keys", at: object.path + [.key("keys"), .index(index)], keys: ["id", member],
        support)
      guard let secret = try key.secret(member) else { throw key.missing(member) }
      let signing = SigningKey(id: try key.text("id"), secret)
      if algorithm == .hs256 { try key.checkLength(secret, member) }
      guard support.isUsable(signing.verification(algorithm), algorithm) else {
        throw key.error(
          member,
          "has a \"\(member)\" that is no public key for \(algorithm.rawValue) in PEM form "
            + "(RSA keys need 2048 bits)")
      }
      keys.append(signing)
    }
    return keys
  }

  private func fields(_ object: ObjectReader) throws(AppFileError) -> [MetadataField] {
    guard let value = object["metadata_fields"] else { return [] }
    guard let values = value.array else {
      throw object.error("metadata_fields", "has \"metadata_fields\" that are no array")
    }
    var fields: [MetadataField] = []
    for (index, value) in values.enumerated() {
      let field = try ObjectReader(
        value, "metadata_fields", at: object.path + [.key("metadata_fields"), .index(index)],
        keys: ["name", "field_name", "required"], support)
      guard let path = try field.text("name") else { throw field.missing("name") }
      let name = try field.text("field_name") ?? path
      fields.append(
        MetadataField(path, as: name, isRequired: try field.flag("required") ?? false))
    }
    return fields
  }

  // MARK: Mails

  /// The settings of the member "mail".
  func mail(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) -> MailSettings {
    let object = try ObjectReader(
      json, "mail", at: path,
      keys: [
        "from", "confirm_url", "reset_url", "confirm_subject", "reset_subject", "smtp", "webhook",
        "secret",
      ], support)
    var mail = MailSettings()
    mail.sender = try object.text("from")
    if let sender = mail.sender, !MailAddress.isValid(sender) {
      throw object.error("from", "has a \"from\" that is no address of e-mail")
    }
    for (purpose, name) in MailedToken.Purpose.names {
      if let link = try object.text(name + "_url") {
        guard link.contains("://"),
          link.unicodeScalars.allSatisfy({ ("!"..."~").contains($0) })
        else {
          throw object.error(name + "_url", "has a \"\(name)_url\" that is no address of a page")
        }
        mail.links[purpose] = link
      }
      if let subject = try object.text(name + "_subject") {
        guard subject.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
          throw object.error(
            name + "_subject", "has a \"\(name)_subject\" of more than one line")
        }
        mail.subjects[purpose] = subject
      }
    }
    if object["webhook"] != nil {
      guard object["smtp"] == nil else {
        throw object.error("smtp", "has both \"smtp\" and a \"webhook\" in \"mail\"")
      }
      mail.delivery = .webhook(try object.webhook())
    } else if let json = object["smtp"] {
      mail.delivery = .smtp(try server(json, at: path + [.key("smtp")]))
      guard mail.sender != nil else { throw object.missing("from") }
      for (purpose, name) in MailedToken.Purpose.names where mail.links[purpose] == nil {
        throw object.missing(name + "_url")
      }
    } else if object["secret"] != nil {
      throw object.error("secret", "has a \"secret\" in \"mail\" without a \"webhook\"")
    }
    return mail
  }

  private func server(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) -> MailServer {
    let object = try ObjectReader(
      json, "smtp", at: path, keys: ["host", "port", "security", "user", "password"], support)
    guard let host = try object.text("host") else { throw object.missing("host") }
    let security = try object.choice("security", MailServer.Security.self) ?? .startTLS
    let port = try object.integer("port", in: 1...65_535) ?? (security == .tls ? 465 : 587)
    let (user, password) = (try object.text("user"), try object.secret("password"))
    guard (user == nil) == (password == nil) else {
      throw object.missing(user == nil ? "user" : "password")
    }
    if security == .none, !["localhost", "127.0.0.1", "::1"].contains(host) {
      throw object.error(
        object["security"] == nil ? "host" : "security",
        "has \"security\": \"none\" for another machine: tokens would go in the clear")
    }
    return MailServer(
      host: host, port: port, security: security, user: user, password: password)
  }
}

extension MailedToken.Purpose {
  /// The beginnings of the keys of `app.json`.
  static let names: [(purpose: Self, name: String)] = [
    (.confirmation, "confirm"), (.passwordReset, "reset"),
  ]
}
#endif
