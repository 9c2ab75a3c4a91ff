// SPDX-License-Identifier: Apache-2.0

// The folder of an export of the former service.
//
// Its files have been arranged in several ways over the years. What a newer way has in a place of
// its own is looked for where an older one had it, too.

#if Server
import RealmFormats

/// An app as its export has it.
struct AppExport {
  /// A collection with a schema or with rules.
  struct Collection {
    let service: String
    let namespace: DumpNamespace
    var schema: JSONValue?
    var roles: JSONValue?
    var filters: JSONValue?
    var relationships: JSONValue?
  }

  /// A linked cluster.
  struct DataSource {
    let name: String
    var config: JSONValue
    var defaultRoles: JSONValue?
  }

  /// A part of the app without a counterpart here.
  struct Part: Hashable {
    enum Kind: String, CaseIterable {
      case function, trigger, endpoint, service, resolver, hosting, forwarder
    }

    let kind: Kind
    let name: String
  }

  var id = ""
  var name = ""
  /// The names of the ways to log in, and their settings.
  var providers: [JSONMember] = []
  var customUserData: JSONValue?
  /// The origins of the pages that may call the app.
  var origins: [String] = []
  var sync: JSONValue?
  var sources: [DataSource] = []
  var collections: [Collection] = []
  var values: [JSONMember] = []
  /// The names of secret values.
  var secretValues: [String] = []
  var parts: [Part] = []

  /// Reads the export in a folder.
  init(_ folder: String, in files: any ImportFiles) throws(ImportError) {
    let reader = ExportReader(folder: folder, files: files)
    let roots = [
      "root_config.json", "realm_config.json", "app_config.json", "config.json", "stitch.json",
    ]
    guard let root = try reader.first(of: roots) else {
      throw ImportError(
        "\(folder) is no export of App Services: none of \(roots.joined(separator: ", ")) is "
          + "there. Name the folder of the app, which `appservices pull` or the page \"Export\" "
          + "has made.")
    }
    id = root.json["app_id"]?.string ?? root.json["client_app_id"]?.string ?? ""
    name = root.json["name"]?.string ?? id
    if id.isEmpty { id = name }
    guard !id.isEmpty else {
      throw ImportError("\(folder)/\(root.path) has no \"app_id\". Export the app again.")
    }
    try readLogins(reader, root.json)
    try readSources(reader)
    sync = try reader.json("sync/config.json")
    try readValues(reader, environment: root.json["environment"]?.string ?? "")
    try readParts(reader)
  }

  // MARK: Log-in

  private mutating func readLogins(
    _ reader: ExportReader, _ root: JSONValue
  ) throws(ImportError) {
    if case .object(let members)? = try reader.json("auth/providers.json") {
      providers = members
    }
    for file in reader.names(in: "auth_providers") {
      guard let json = try reader.json("auth_providers/\(file)") else { continue }
      providers.append(JSONMember(json["name"]?.string ?? String(file.dropLast(5)), json))
    }
    let named = root["allowed_request_origins"] ?? root["security"]?["allowed_request_origins"]
    origins = (named?.array ?? []).compactMap(\.string)
    customUserData =
      try reader.json("auth/custom_user_data.json") ?? root["custom_user_data_config"]
  }

  // MARK: Data

  private mutating func readSources(_ reader: ExportReader) throws(ImportError) {
    for top in ["data_sources", "services"] {
      for name in reader.folders(in: top) {
        let path = "\(top)/\(name)"
        let config = try reader.json("\(path)/config.json") ?? .object([])
        let type = config["type"]?.string ?? ""
        guard type.hasPrefix("mongodb") || type.isEmpty && top == "data_sources" else {
          parts.append(Part(kind: .service, name: name))
          for hook in reader.folders(in: "\(path)/incoming_webhooks") {
            parts.append(Part(kind: .endpoint, name: "\(name)/\(hook)"))
          }
          continue
        }
        var source = DataSource(name: name, config: config)
        source.defaultRoles = try reader.json("\(path)/default_rule.json")?["roles"]
        sources.append(source)
        try readRules(reader, "\(path)/rules", of: name)
        for database in reader.folders(in: path) where !["rules"].contains(database) {
          for collection in reader.folders(in: "\(path)/\(database)") {
            try readCollection(reader, path, name, DumpNamespace(database, collection))
          }
        }
      }
    }
    try readRules(reader, "rules", of: sources.first?.name ?? "mongodb-atlas")
  }

  /// The files of a collection in their own folder.
  private mutating func readCollection(
    _ reader: ExportReader, _ path: String, _ service: String, _ namespace: DumpNamespace
  ) throws(ImportError) {
    let folder = "\(path)/\(namespace.database ?? "")/\(namespace.collection)"
    var collection = Collection(service: service, namespace: namespace)
    collection.schema = try reader.json("\(folder)/schema.json")
    let rules = try reader.json("\(folder)/rules.json")
    collection.roles = rules?["roles"]
    collection.filters = rules?["filters"]
    collection.relationships = try reader.json("\(folder)/relationships.json")
    add(collection)
  }

  /// The older files with everything about a collection.
  private mutating func readRules(
    _ reader: ExportReader, _ folder: String, of service: String
  ) throws(ImportError) {
    for file in reader.names(in: folder) {
      guard let json = try reader.json("\(folder)/\(file)"),
        let database = json["database"]?.string, let name = json["collection"]?.string
      else { continue }
      var collection = Collection(service: service, namespace: DumpNamespace(database, name))
      collection.schema = json["schema"]
      collection.roles = json["roles"]
      collection.filters = json["filters"]
      collection.relationships = json["relationships"]
      add(collection)
    }
  }

  private mutating func add(_ new: Collection) {
    let known = collections.firstIndex {
      $0.namespace == new.namespace && $0.service == new.service
    }
    guard let known else { return collections.append(new) }
    collections[known].schema = collections[known].schema ?? new.schema
    collections[known].roles = collections[known].roles ?? new.roles
    collections[known].filters = collections[known].filters ?? new.filters
    collections[known].relationships = collections[known].relationships ?? new.relationships
  }

  // MARK: Values

  private mutating func readValues(
    _ reader: ExportReader, environment: String
  ) throws(ImportError) {
    for file in reader.names(in: "values") {
      guard let json = try reader.json("values/\(file)"),
        let name = json["name"]?.string, let value = json["value"]
      else { continue }
      if json["from_secret"]?.bool == true {
        secretValues.append(name)
      } else {
        values.append(JSONMember(name, value))
      }
    }
    let file = environment.isEmpty ? "no-environment" : environment
    guard case .object(let members)? = try reader.json("environments/\(file).json")?["values"]
    else { return }
    for member in members where !values.contains(where: { $0.key == member.key }) {
      values.append(member)
    }
  }

  // MARK: The rest

  private mutating func readParts(_ reader: ExportReader) throws(ImportError) {
    var functions: Set<String> = []
    for config in try reader.json("functions/config.json")?.array ?? [] {
      if let name = config["name"]?.string { functions.insert(name) }
    }
    for folder in reader.folders(in: "functions") where folder != "node_modules" {
      functions.insert(folder)
    }
    for file in reader.names(in: "functions", suffix: ".js") {
      functions.insert(String(file.dropLast(3)))
    }
    add(.function, functions)
    var triggers: Set<String> = []
    for file in reader.names(in: "triggers") {
      triggers.insert(
        try reader.json("triggers/\(file)")?["name"]?.string ?? String(file.dropLast(5)))
    }
    add(.trigger, triggers)
    for folder in ["https_endpoints", "http_endpoints"] {
      var routes: Set<String> = []
      for endpoint in try reader.json("\(folder)/config.json")?.array ?? [] {
        let method = endpoint["http_method"]?.string ?? "POST"
        routes.insert("\(method) \(endpoint["route"]?.string ?? "")")
      }
      add(.endpoint, routes)
    }
    add(
      .resolver,
      Set(reader.names(in: "graphql/custom_resolvers").map { String($0.dropLast(5)) }))
    add(.forwarder, Set(reader.names(in: "log_forwarders").map { String($0.dropLast(5)) }))
    if try reader.json("hosting/config.json")?["enabled"]?.bool == true {
      parts.append(Part(kind: .hosting, name: "files"))
    }
  }

  private mutating func add(_ kind: Part.Kind, _ names: Set<String>) {
    parts += names.sorted().map { Part(kind: kind, name: $0) }
  }
}
#endif
