// SPDX-License-Identifier: Apache-2.0

// The ways to log in of the former service, as settings of this server.

#if Server
import RealmFormats

/// Makes settings of accounts from an export.
struct ProviderTranslation {
  private(set) var accounts = AccountSettings()
  private(set) var notes: [ImportNote] = []

  init(_ providers: [JSONMember]) {
    accounts.allowsAnonymous = false
    accounts.confirmation = nil
    for provider in providers {
      let name = provider.value["type"]?.string ?? provider.key
      guard provider.value["disabled"]?.bool != true else {
        notes.append(ImportNote(.carried, "The provider \(name) is off, as it was."))
        continue
      }
      add(name, provider.value)
    }
  }

  private mutating func add(_ name: String, _ json: JSONValue) {
    let config = json["config"] ?? .object([])
    switch name {
    case AccountService.anonymousProvider:
      accounts.allowsAnonymous = true
      note(.carried, "The provider \(name) is on.")
    case AccountService.keyProvider:
      accounts.allowsKeys = true
      note(
        .changed,
        "The provider \(name) is on, and the keys themselves cannot be exported: make new ones "
          + "with `realm-server keys create` and in the app.")
    case AccountService.passwordProvider: addPasswords(config)
    case AccountService.tokenProvider: addTokens(config, json)
    case AccountService.googleProvider, AccountService.appleProvider:
      addForeign(name, config, json)
    case AccountService.functionProvider:
      let function = config["authFunctionName"]?.string ?? ""
      note(
        .left,
        "The provider \(name) asks the function \(function), which is not carried over: write "
          + "it as a webhook, and name it in app.json.")
    case AccountService.facebookProvider:
      note(
        .left,
        "The provider \(name) needs the secret of the app \(config["clientId"]?.string ?? "") at "
          + "Facebook, which is not exported: add it with \"app_id\" and \"app_secret\" to "
          + "app.json.")
    default:
      note(
        .left,
        "The provider \(name) is not supported. Its tokens can be checked by \"custom-function\".")
    }
  }

  private mutating func note(_ kind: ImportNote.Kind, _ text: String) {
    notes.append(ImportNote(kind, text))
  }

  // MARK: Passwords

  private mutating func addPasswords(_ config: JSONValue) {
    let name = AccountService.passwordProvider
    let asksFunction = config["runConfirmationFunction"]?.bool == true
    let isAutomatic = config["autoConfirm"]?.bool == true && !asksFunction
    accounts.confirmation = isAutomatic ? .auto : .mail
    note(
      .carried,
      "The provider \(name) is on; addresses are confirmed "
        + (isAutomatic ? "automatically." : "by mail."))
    if asksFunction { noteFunction("confirmation", config["confirmationFunctionName"]?.string) }
    if config["runResetFunction"]?.bool == true {
      noteFunction("reset", config["resetFunctionName"]?.string)
    }
    let links: [(MailedToken.Purpose, String, String)] = [
      (.confirmation, "emailConfirmationUrl", "confirmEmailSubject"),
      (.passwordReset, "resetPasswordUrl", "resetPasswordSubject"),
    ]
    for (purpose, page, subject) in links {
      if let link = config[page]?.string, !link.isEmpty {
        if link.contains("://"), link.unicodeScalars.allSatisfy({ ("!"..."~").contains($0) }) {
          accounts.mail.links[purpose] = link
        } else {
          note(.left, "The page \"\(link)\" of mails is no address.")
        }
      }
      if let text = config[subject]?.string, !text.isEmpty,
        text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
      {
        accounts.mail.subjects[purpose] = text
      }
    }
    note(
      .changed,
      "Mails go to the folder outbox of the app, until \"mail\" in app.json names a server or a "
        + "webhook.")
  }

  private mutating func noteFunction(_ purpose: String, _ function: String?) {
    note(
      .left,
      "The \(purpose) of addresses asked the function \(function ?? ""), which is not carried "
        + "over: mails with tokens take its place, until app.json names a webhook.")
  }

  // MARK: Tokens

  private mutating func addTokens(_ config: JSONValue, _ json: JSONValue) {
    let name = AccountService.tokenProvider
    guard config["useJWKURI"]?.bool == true, let url = config["jwkURI"]?.string,
      url.hasPrefix("https://")
    else {
      return note(
        .left,
        "The provider \(name) checks tokens by keys that are secrets, which are not exported: add "
          + "the provider with its \"keys\" to app.json.")
    }
    let audience = config["audience"]
    let audiences = (audience?.string.map { [$0] } ?? audience?.array?.compactMap(\.string) ?? [])
      .filter { !$0.isEmpty }
    let algorithm =
      config["signingAlgorithm"]?.string.flatMap { SigningAlgorithm(rawValue: $0) } ?? .rs256
    accounts.tokenProviders[name] = TokenProvider(
      algorithm == .hs256 ? .rs256 : algorithm, keys: .published(url), audiences: audiences,
      acceptsAnyAudience: config["requireAnyAudience"]?.bool ?? true,
      fields: Self.fields(json["metadata_fields"]))
    note(.carried, "The provider \(name) is on, with the keys of \(url).")
  }

  private static func fields(_ json: JSONValue?) -> [MetadataField] {
    (json?.array ?? []).compactMap { field in
      guard let path = field["name"]?.string, !path.isEmpty else { return nil }
      let name = field["field_name"]?.string ?? ""
      return MetadataField(
        path, as: name.isEmpty ? path : name, isRequired: field["required"]?.bool ?? false)
    }
  }

  private mutating func addForeign(_ name: String, _ config: JSONValue, _ json: JSONValue) {
    let clients = [config["clientId"], config["clientIds"], config["client_id"]].flatMap { value in
      value?.string.map { [$0] } ?? value?.array?.compactMap(\.string) ?? []
    }.filter { !$0.isEmpty }
    guard !clients.isEmpty else {
      return note(
        .left, "The provider \(name) has no client id: add it with \"client_ids\" to app.json.")
    }
    accounts.tokenProviders[name] =
      name == AccountService.appleProvider ? .apple(clients) : .google(clients)
    note(
      .changed,
      "The provider \(name) takes ID tokens for \(clients.joined(separator: ", ")). Add the client "
        + "ids of your apps if they are others.")
    if let domains = json["domain_restrictions"]?.array, !domains.isEmpty {
      note(.left, "The provider \(name) was restricted to some domains, which it is no more.")
    }
  }
}
#endif
