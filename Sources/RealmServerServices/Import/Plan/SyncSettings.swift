// SPDX-License-Identifier: Apache-2.0

// The settings of sync in an export, in the forms of several years.

#if Server
import RealmFormats
import RealmSyncProtocol

/// The settings of sync.
struct SyncSettings {
  private(set) var mode = SyncMode.flexible
  private(set) var notes: [ImportNote] = []
  /// The name of the cluster in calls of collections; nil if there is none.
  private(set) var service: String?
  /// The names of classes, or of collections, for writing alone.
  private(set) var asymmetric: Set<String> = []
  private(set) var partitionKey = "_partition"
  private(set) var isPartitionRequired = false
  /// The permissions of partitions.
  private(set) var permissions: JSONValue?
  /// The roles of classes without roles of their own.
  private(set) var defaultRoles: JSONValue?
  /// The older roles of classes.
  private var rules: JSONValue?

  init(_ export: AppExport) {
    let config = Self.config(export)
    service = config?["service_name"]?.string ?? export.sources.first?.name
    if let service, service.contains(".") || service.isEmpty { self.service = nil }
    let source = export.sources.first { $0.name == service } ?? export.sources.first
    defaultRoles = source?.defaultRoles
    guard let config else {
      notes.append(
        ImportNote(.changed, "The app had no sync: it gets flexible sync, with its roles."))
      return
    }
    asymmetric = Set((config["asymmetric_tables"]?.array ?? []).compactMap(\.string))
    if let partition = config["partition"] {
      mode = .partition
      partitionKey = partition["key"]?.string ?? partitionKey
      isPartitionRequired = partition["required"]?.bool ?? false
      permissions = partition["permissions"]
    } else {
      let old = config["permissions"]
      rules = old?["rules"]
      if defaultRoles?.array?.isEmpty != false { defaultRoles = old?["defaultRoles"] }
    }
    addNotes(config)
  }

  /// The settings, wherever the export has them; nil if the app has no sync.
  private static func config(_ export: AppExport) -> JSONValue? {
    if let sync = export.sync, sync["partition"] != nil || sync["type"] != nil {
      return sync["type"]?.string?.isEmpty == true ? nil : sync
    }
    for source in export.sources {
      let config = source.config["config"] ?? source.config
      for key in ["flexible_sync", "sync"] {
        if let sync = config[key], case .object(let members) = sync, !members.isEmpty {
          return sync["service_name"] == nil
            ? .object(members + [JSONMember("service_name", .string(source.name))]) : sync
        }
      }
    }
    return nil
  }

  private mutating func addNotes(_ config: JSONValue) {
    let lists = [config["queryable_fields_names"]?.array ?? []]
    let names = lists.joined().compactMap(\.string)
    if !names.isEmpty {
      notes.append(
        ImportNote(
          .changed,
          "The queryable fields (\(names.joined(separator: ", "))) need no list: subscriptions may "
            + "ask for any property."))
    }
    if config["development_mode_enabled"]?.bool == true || config["is_dev"]?.bool == true {
      notes.append(
        ImportNote(
          .changed, "Development mode was on, and is off: devices add nothing to the schema."))
    }
    if let days = config["client_max_offline_days"]?.integer {
      notes.append(
        ImportNote(
          .changed,
          "Devices had to reset after \(days) days: start the server with --offline-days \(days)."))
    }
    if config["is_recovery_mode_disabled"]?.bool == true {
      notes.append(
        ImportNote(
          .left, "Recovery in client resets was off; here each device decides for itself."))
    }
    if config["state"]?.string == "disabled" {
      notes.append(ImportNote(.changed, "Sync was disabled, and is on."))
    }
  }

  /// The older roles of a class; nil if there are none.
  func roles(ofClass name: String, _ namespace: DumpNamespace) -> JSONValue? {
    rules?[name] ?? rules?[namespace.collection]
  }
}
#endif
