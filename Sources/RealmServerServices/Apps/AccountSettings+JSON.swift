// SPDX-License-Identifier: Apache-2.0

// The members "providers" and "mail" as `app.json` has them.

#if Server
import RealmFormats

extension AccountSettings {
  /// The member "providers".
  var providers: JSONValue {
    var providers: [JSONMember] = []
    if allowsAnonymous {
      providers.append(JSONMember(AccountService.anonymousProvider, .object([])))
    }
    if let confirmation {
      var members = [JSONMember("confirm", .string(confirmation.rawValue))]
      if let hook = confirmationHook { members.append(JSONMember("confirm_function", hook.json)) }
      if let hook = resetHook {
        members += [JSONMember("reset", "function"), JSONMember("reset_function", hook.json)]
      }
      providers.append(JSONMember(AccountService.passwordProvider, .object(members)))
    }
    if allowsKeys { providers.append(JSONMember(AccountService.keyProvider, .object([]))) }
    for (name, provider) in tokenProviders.sorted(by: { $0.key < $1.key }) {
      var json = provider.json(as: name)
      if name == AccountService.googleProvider, let codes = googleCodes,
        case .object(let members) = json
      {
        json = .object(members + [JSONMember("codes", codes.json)])
      }
      providers.append(JSONMember(name, json))
    }
    if let facebook {
      providers.append(JSONMember(AccountService.facebookProvider, facebook.json))
    }
    if let hook = loginHook {
      providers.append(
        JSONMember(AccountService.functionProvider, .object([JSONMember("function", hook.json)])))
    }
    return .object(providers)
  }
}

extension GoogleCodes {
  fileprivate var json: JSONValue {
    var members = [
      JSONMember("client_id", .string(client)), JSONMember("client_secret", secret.json),
    ]
    if !redirect.isEmpty { members.append(JSONMember("redirect_uri", .string(redirect))) }
    if url != Self.googleURL { members.append(JSONMember("token_url", .string(url))) }
    return .object(members)
  }
}

extension FacebookProvider {
  fileprivate var json: JSONValue {
    var members = [JSONMember("app_id", .string(app)), JSONMember("app_secret", secret.json)]
    if url != Self.facebookURL { members.append(JSONMember("graph_url", .string(url))) }
    return .object(members)
  }
}

extension Secret {
  var json: JSONValue {
    file.map { .object([JSONMember("file", .string($0))]) } ?? .string(text)
  }
}

extension LoginHook {
  var json: JSONValue {
    switch self {
    case .function(let name): .string(name)
    case .webhook(let hook): .object(hook.members)
    }
  }
}

extension Webhook {
  var members: [JSONMember] {
    [JSONMember("webhook", .string(url)), JSONMember("secret", secret.json)]
  }
}

extension TokenProvider {
  fileprivate func json(as name: String) -> JSONValue {
    var members: [JSONMember] = []
    if name != AccountService.tokenProvider {
      members.append(JSONMember("client_ids", .array(audiences.map { .string($0) })))
      let usual = name == AccountService.appleProvider ? Self.appleKeys : Self.googleKeys
      if case .published(let url) = keys, url != usual {
        members.append(JSONMember("jwks_url", .string(url)))
      }
      return .object(members)
    }
    members.append(JSONMember("algorithm", .string(algorithm.rawValue)))
    switch keys {
    case .published(let url): members.append(JSONMember("jwks_url", .string(url)))
    case .given(let keys):
      let member = algorithm == .hs256 ? "secret" : "public_key"
      members.append(
        JSONMember(
          "keys",
          .array(
            keys.map { key in
              .object(
                (key.id.map { [JSONMember("id", .string($0))] } ?? [])
                  + [JSONMember(member, key.key.json)])
            })))
    }
    if !issuers.isEmpty {
      members.append(JSONMember("issuer", .array(issuers.map { .string($0) })))
    }
    members.append(JSONMember("audience", .array(audiences.map { .string($0) })))
    if !acceptsAnyAudience { members.append(JSONMember("require_any_audience", .bool(false))) }
    if !fields.isEmpty {
      members.append(JSONMember("metadata_fields", .array(fields.map(\.json))))
    }
    return .object(members)
  }
}

extension MetadataField {
  fileprivate var json: JSONValue {
    [
      "name": .string(path), "field_name": .string(name), "required": .bool(isRequired),
    ]
  }
}

extension MailSettings {
  /// The member "mail".
  var json: JSONValue {
    var members = sender.map { [JSONMember("from", .string($0))] } ?? []
    for (purpose, name) in MailedToken.Purpose.names {
      if let link = links[purpose] { members.append(JSONMember(name + "_url", .string(link))) }
      if let subject = subjects[purpose] {
        members.append(JSONMember(name + "_subject", .string(subject)))
      }
    }
    switch delivery {
    case .folder: break
    case .webhook(let hook): members += hook.members
    case .smtp(let server): members.append(JSONMember("smtp", server.json))
    }
    return .object(members)
  }
}

extension MailServer {
  fileprivate var json: JSONValue {
    var members = [
      JSONMember("host", .string(host)), JSONMember("port", .integer(Int64(port))),
      JSONMember("security", .string(security.rawValue)),
    ]
    if let user, let password {
      members += [JSONMember("user", .string(user)), JSONMember("password", password.json)]
    }
    return .object(members)
  }
}
#endif
