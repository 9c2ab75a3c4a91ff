// SPDX-License-Identifier: Apache-2.0

// The file `app.json` of an app.

#if Server
package import RealmFormats
package import RealmServerEngine
package import RealmSyncProtocol

/// The configuration of an app, as its file has it.
package struct AppFile: Hashable, Sendable {
  /// The app as clients name it.
  package var id: String
  package var name: String
  package var mode: SyncMode
  /// The member "mode"; nil if the file leaves it to the server's start.
  package var stage: AppStage?
  /// Who may read and write partitions; checked in production mode alone.
  package var permissions = PartitionPermissions()
  /// Who may read and write which objects in flexible mode; checked in production mode alone.
  package var roles = AppRoles()
  package var accounts = AccountSettings()
  /// The named values of rules.
  package var values: [String: BSONValue] = [:]
  /// The class with the custom data of users; nil if the operator gives it.
  package var customUserData: CustomUserData?
  /// How clients call the documents.
  package var documents = DocumentSettings()
  package var functions: [FunctionSettings] = []
  package var triggers: [TriggerSettings] = [] {
    didSet { accounts.recordedEvents = triggers.recordedEvents }
  }
  package var push: [PushProvider] = []
  /// The origins of the pages that may call the app, or "*" for all.
  package var allowedOrigins: [String] = []

  package init(id: String, name: String, mode: SyncMode = .flexible) {
    self.id = id
    self.name = name
    self.mode = mode
  }

  /// Whether a text can be the id of an app: it is the name of a folder on all systems.
  package static func isID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.first != "-"
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Whether a rule lets a user read anything.
  package var hasRules: Bool {
    mode == .flexible ? !roles.isEmpty : permissions != PartitionPermissions()
  }

  // MARK: Writing

  /// The text of the file, as its author would have written it: read strictly, and correct.
  ///
  /// - Throws: The mistake in it, as for a file of the same text.
  package func text() throws(AppFileError) -> String {
    let bytes = JSONWriter.bytes(json)
    _ = try AppFile(bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The members of the file that say what users may do, with the values that they name.
  package var rules: JSONValue {
    guard case .object(let members) = json else { return .object([]) }
    return .object(members.filter { ["values", "permissions", "roles"].contains($0.key) })
  }

  /// The file of an app.
  package var json: JSONValue {
    var members = [JSONMember("id", .string(id)), JSONMember("name", .string(name))]
    if let stage { members.append(JSONMember("mode", .string(stage.rawValue))) }
    members += [
      JSONMember("sync", .string(mode == .flexible ? "flexible" : "partition")),
      JSONMember("providers", accounts.providers),
      JSONMember(
        "tokens",
        .object([
          JSONMember("accessMinutes", .integer(Int64(accounts.accessMinutes))),
          JSONMember("refreshDays", .integer(Int64(accounts.refreshDays))),
        ])),
    ]
    if accounts.mail != MailSettings() { members.append(JSONMember("mail", accounts.mail.json)) }
    if let customUserData { members.append(JSONMember("custom_user_data", customUserData.json)) }
    if documents != DocumentSettings() {
      members.append(JSONMember("documents", documents.json(mode)))
    }
    var rules = RuleWriter(values: values)
    if permissions != PartitionPermissions() {
      members.append(JSONMember("permissions", rules.json(permissions)))
    }
    if roles != AppRoles() { members.append(JSONMember("roles", rules.json(roles))) }
    if !functions.isEmpty {
      members.append(JSONMember("functions", .array(functions.map { $0.json(&rules) })))
    }
    if !triggers.isEmpty { members.append(JSONMember("triggers", .array(triggers.map(\.json)))) }
    if !push.isEmpty { members.append(JSONMember("push", .array(push.map(\.json)))) }
    if !allowedOrigins.isEmpty {
      members.append(
        JSONMember("allowed_origins", .array(allowedOrigins.map { .string($0) })))
    }
    if !rules.values.isEmpty {
      let values = rules.values.sorted { $0.key < $1.key }
        .map { JSONMember($0.key, ExtendedJSONWriter.json($0.value)) }
      members.append(JSONMember("values", .object(values)))
    }
    return .object(members)
  }
}
#endif
