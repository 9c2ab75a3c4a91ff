// SPDX-License-Identifier: Apache-2.0

// Reading `app.json`, strictly: an unknown key is an error with its name.

#if Server
import RealmFormats
package import RealmServerEngine
import RealmSyncProtocol

extension AppFile {
  /// The keys of a file.
  private static let keys: Set<String> = [
    "id", "name", "mode", "sync", "values", "permissions", "roles", "custom_user_data",
    "documents", "providers", "mail", "tokens", "functions", "triggers", "push", "allowed_origins",
  ]

  /// The keys without support in this version.
  private static let laterKeys: Set<String> = [
    "schema", "queryableFields",
  ]

  /// Reads the file of an app.
  ///
  /// - Parameter support: Reads files of secrets, and checks keys and names of functions.
  package init(
    _ bytes: [UInt8], _ support: AppFileSupport = AppFileSupport()
  ) throws(AppFileError) {
    self = try AppFileError.reading(bytes) { (json) throws(AppFileError) in
      try AppFile(json, support)
    }
  }

  private init(_ json: JSONValue, _ support: AppFileSupport) throws(AppFileError) {
    let members = try Self.members(json, "the file", at: [])
    guard let id = json["id"]?.string, Self.isID(id) else {
      throw AppFileError(
        "needs an \"id\" of lower-case letters, digits, \"-\" and \"_\"", at: [.key("id")])
    }
    self.init(id: id, name: id)
    accounts.allowsAnonymous = false
    accounts.confirmation = nil
    values = try Self.values(of: json)
    let rules = RuleReader(values: values)
    let providers = ProviderReader(app: id, support: support)
    let code = CodeReader(rules: rules, support: support)
    // Triggers, which may precede them, name them.
    if let json = json["functions"] {
      functions = try code.functions(json, at: [.key("functions")])
    }
    for member in members {
      let path = [JSONStep.key(member.key)]
      switch member.key {
      case "id", "values", "functions": break
      case "name": name = try Self.text(member, among: nil, at: path)
      case "mode":
        stage = AppStage(
          rawValue: try Self.text(member, among: AppStage.allCases.map(\.rawValue), at: path))
      case "sync":
        let text = try Self.text(member, among: ["flexible", "partition"], at: path)
        mode = text == "flexible" ? .flexible : .partition
      case "permissions":
        permissions = try PartitionPermissions(member.value, at: path, rules)
      case "roles": roles = try RoleReader(rules: rules).roles(member.value, at: path)
      case "custom_user_data":
        customUserData = try CustomUserData(member.value, at: path)
      case "documents": documents = try DocumentSettings(member.value, at: path)
      case "providers":
        for provider in try Self.members(member.value, "\"providers\"", at: path) {
          try providers.read(provider, at: path + [.key(provider.key)], into: &accounts)
        }
      case "mail": accounts.mail = try providers.mail(member.value, at: path)
      case "tokens":
        try read(
          tokens: ObjectReader(
            member.value, "tokens", at: path, keys: ["accessMinutes", "refreshDays"], support))
      case "triggers":
        triggers = try code.triggers(member.value, at: path, functions)
        accounts.recordedEvents = triggers.recordedEvents
      case "allowed_origins":
        allowedOrigins = try Self.origins(member.value, at: path)
      case "push": push = try code.push(member.value, at: path)
      case let key where Self.laterKeys.contains(key):
        throw AppFileError(
          "has the key \"\(key)\", which this version does not support yet", at: path)
      case let key:
        throw AppFileError(
          "has the unknown key \"\(key)\"" + ObjectReader.known(Self.keys), at: path)
      }
    }
    try checkPartitions(json)
    try checkRules(of: json)
  }

  private mutating func read(tokens: ObjectReader) throws(AppFileError) {
    if let count = try tokens.integer("accessMinutes", in: 1...24 * 60) {
      accounts.accessMinutes = count
    }
    if let count = try tokens.integer("refreshDays", in: 1...3_650) {
      accounts.refreshDays = count
    }
  }

  /// The file with other rules: those that a string has as "roles" or "permissions",
  /// with "values". A mistake has its position there.
  package func replacingRules(by bytes: [UInt8]) throws(AppFileError) -> AppFile {
    try AppFileError.reading(bytes) { (json) throws(AppFileError) in
      var file = self
      (file.permissions, file.roles) = (PartitionPermissions(), AppRoles())
      let members = try Self.members(json, "the rules", at: [])
      file.values = try Self.values(of: json)
      let rules = RuleReader(values: file.values)
      for member in members {
        let path = [JSONStep.key(member.key)]
        switch member.key {
        case "values": break
        case "permissions":
          file.permissions = try PartitionPermissions(member.value, at: path, rules)
        case "roles": file.roles = try RoleReader(rules: rules).roles(member.value, at: path)
        case let key:
          throw AppFileError(
            "has the unknown key \"\(key)\": rules are \"roles\" or \"permissions\", and "
              + "\"values\"", at: path)
        }
      }
      try file.checkRules(of: json)
      return file
    }
  }

  /// Checks what the rules of a file need of the rest of it.
  private func checkRules(of json: JSONValue) throws(AppFileError) {
    for (key, needed) in [("permissions", SyncMode.partition), ("roles", .flexible)]
    where json[key] != nil {
      try checkRules(key, of: needed)
    }
  }

  /// Checks what the mode needs of members about partitions.
  private func checkPartitions(_ json: JSONValue) throws(AppFileError) {
    if let customUserData, (customUserData.partition == nil) == (mode == .partition) {
      throw AppFileError(
        mode == .partition
          ? "needs a \"partition\" in \"custom_user_data\": that of the class"
          : "has a \"partition\" in \"custom_user_data\", which flexible sync has not",
        at: [.key("custom_user_data")])
    }
    if mode == .flexible, json["documents"]?["partition_key"] != nil {
      throw AppFileError(
        "has a \"partition_key\" in \"documents\", which flexible sync has not",
        at: [.key("documents"), .key("partition_key")])
    }
  }

  /// Checks what the mode and the rules need of each other: no file looks protected that is not.
  private func checkRules(_ key: String, of needed: SyncMode) throws(AppFileError) {
    let path = [JSONStep.key(key)]
    guard mode == needed else {
      throw AppFileError(
        needed == .partition
          ? "has \"permissions\", which are of partitions: they need \"sync\": \"partition\", and "
            + "flexible sync has \"roles\""
          : "has \"roles\", which are of flexible sync: partitions have \"permissions\"", at: path)
    }
    guard stage == .production else {
      throw AppFileError(
        "has \"\(key)\", which development mode does not check: they need \"mode\": "
          + "\"production\"", at: path)
    }
    let readsEmail = needed == .partition ? permissions.readsEmail : roles.readsEmail
    if readsEmail, accounts.confirmation != .mail {
      throw AppFileError(
        "has rules about %%user.data.email, which need \"confirm\": \"mail\" of "
          + "\"local-userpass\": otherwise anybody may register any address", at: path)
    }
  }

  /// The named values of the file. Rules may precede them.
  private static func values(of json: JSONValue) throws(AppFileError) -> [String: BSONValue] {
    guard let json = json["values"] else { return [:] }
    var values: [String: BSONValue] = [:]
    for member in try members(json, "\"values\"", at: [.key("values")]) {
      let path = [JSONStep.key("values"), .key(member.key)]
      guard !member.key.isEmpty, !member.key.contains(".") else {
        throw AppFileError(
          "has the value \"\(member.key)\", whose name is empty or has a \".\"", at: path)
      }
      do throws(BSONError) {
        values[member.key] = try ExtendedJSONReader.value(member.value)
      } catch {
        let problem = error.valueProblem.map { ": \($0)" } ?? ""
        throw AppFileError(
          "has the value \"\(member.key)\", which is none\(problem)", at: path)
      }
    }
    return values
  }

  private static func origins(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> [String] {
    guard let values = json.array else {
      throw AppFileError("needs \"allowed_origins\" as an array", at: path)
    }
    var origins: [String] = []
    for (index, value) in values.enumerated() {
      guard let text = value.string,
        text == AllowedOrigins.all || WebOrigin(text)?.text == text.lowercased()
      else {
        throw AppFileError(
          "has something in \"allowed_origins\" that is no origin: each is a scheme, a host and, "
            + "if it is not the usual one, a port, like \"https://app.example.org\" or "
            + "\"http://localhost:8080\", or \"*\" for all", at: path + [.index(index)])
      }
      origins.append(text)
    }
    return origins
  }

  private static func members(
    _ json: JSONValue, _ name: String, at path: [JSONStep]
  ) throws(AppFileError) -> [JSONMember] {
    guard case .object(let members) = json else {
      throw AppFileError("needs \(name) as an object", at: path)
    }
    var keys: Set<String> = []
    for member in members where !keys.insert(member.key).inserted {
      throw AppFileError("has the key \"\(member.key)\" twice", at: path + [.key(member.key)])
    }
    return members
  }

  private static func text(
    _ member: JSONMember, among texts: [String]?, at path: [JSONStep]
  ) throws(AppFileError) -> String {
    guard let text = member.value.string, texts?.contains(text) != false else {
      let expected = texts.map { "one of " + $0.joined(separator: ", ") } ?? "a string"
      throw AppFileError("has a \"\(member.key)\" that is not \(expected)", at: path)
    }
    return text
  }
}
#endif
