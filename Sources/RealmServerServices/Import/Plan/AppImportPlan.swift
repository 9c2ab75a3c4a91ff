// SPDX-License-Identifier: Apache-2.0

// The app and the destinations of documents, by an export and a dump.

#if Server
import RealmDeclarations
import RealmFormats
package import RealmServerEngine
import RealmSyncProtocol
import RealmTables

/// The app of an import, and the destinations of its documents.
package struct AppImportPlan: Sendable {
  package private(set) var app: AppFile
  package private(set) var schema = AppSchema()
  package private(set) var notes: [ImportNote] = []
  /// The files with documents.
  package let sources: [DumpSource]
  private var routes: [DumpNamespace: AppImportRoute] = [:]
  /// Whether each document needs the field with its partition.
  private(set) var needsPartition = false

  /// Reads an export, and finds the documents of a dump.
  ///
  /// - Parameters:
  ///   - folder: The folder of the export.
  ///   - data: The path of the dump; nil for settings, rules and users alone.
  package init(
    _ folder: String, data: String?, in files: any ImportFiles
  ) throws(ImportError) {
    let export = try AppExport(folder, in: files)
    app = AppFile(id: Self.id(export.id), name: export.name)
    sources =
      try data.map { (data) throws(ImportError) in
        try DumpSource.all(at: data, in: files)
      } ?? []
    app.stage = .production
    if data == nil {
      notes.append(
        ImportNote(.left, "No documents are imported, as --data is not given: the app is empty."))
    }
    if app.id != export.id {
      notes.append(
        ImportNote(
          .changed, "The id \"\(export.id)\" becomes \"\(app.id)\": name that one in your apps."))
    }
    let providers = ProviderTranslation(export.providers)
    app.accounts = providers.accounts
    notes += providers.notes
    let sync = SyncSettings(export)
    app.mode = sync.mode
    notes += sync.notes
    addSchema(export, sync)
    addValues(export)
    if sync.mode == .flexible {
      addRoles(export, sync)
    } else {
      addPermissions(export, sync)
    }
    addCustomUserData(export, sync)
    addOrigins(export)
    needsPartition = sync.isPartitionRequired
    if let service = sync.service { app.documents.service = service }
    if sync.mode == .partition { app.documents.partitionKey = sync.partitionKey }
    addParts(export)
    try addSources(in: files)
    try check()
  }

  private static func id(_ text: String) -> String {
    if AppFile.isID(text) { return text }
    let plain = text.lowercased().utf8.map { byte -> UInt8 in
      AppFile.isID(String(decoding: [UInt8(ascii: "a"), byte], as: UTF8.self))
        ? byte : UInt8(ascii: "-")
    }
    let id = String(decoding: plain.drop { $0 == UInt8(ascii: "-") }.prefix(64), as: UTF8.self)
    return id.isEmpty ? "app" : id
  }

  /// Reads the file of the app as a server does: it has to be correct.
  private func check() throws(ImportError) {
    do throws(AppFileError) {
      _ = try AppFile(JSONWriter.bytes(app.json))
    } catch {
      throw ImportError("The settings of the app do not fit together: app.json \(error).")
    }
  }

  // MARK: Schema

  private mutating func addSchema(_ export: AppExport, _ sync: SyncSettings) {
    let translation = SchemaTranslation(export.collections, asymmetric: sync.asymmetric)
    for name in schema.add(DeclaredSchema(translation.classes)) {
      notes.append(ImportNote(.left, "\(name) has two definitions, of which the first counts."))
    }
    for (namespace, name) in translation.classNames.sorted(by: { $0.key < $1.key }) {
      let isAsymmetric = translation.classes.contains { $0.name == name && $0.kind == .asymmetric }
      routes[namespace] = AppImportRoute(className: isAsymmetric ? nil : name)
      var text = "The collection \(namespace) becomes the class \(name)."
      if namespace.collection != name {
        text += " Calls of collections name the class, too."
      }
      if isAsymmetric { text += " Devices only write it: its documents are left out." }
      notes.append(ImportNote(isAsymmetric ? .changed : .carried, text))
    }
    notes += translation.notes
    for collection in export.collections where routes[collection.namespace] == nil {
      notes.append(
        ImportNote(
          .left,
          "The collection \(collection.namespace) has no schema, and so no class. Give it one in "
            + "the export (\"title\", \"properties\"), if its documents are wanted."))
    }
  }

  // MARK: Rules

  private mutating func addValues(_ export: AppExport) {
    for member in export.values {
      guard !member.key.isEmpty, !member.key.contains("."),
        let value = try? ExtendedJSONReader.value(member.value)
      else { continue }
      app.values[member.key] = value
    }
    for name in export.secretValues {
      notes.append(
        ImportNote(.left, "The value \(name) is secret, and not exported: no rule can name it."))
    }
    if !app.values.isEmpty {
      let names = app.values.keys.sorted().joined(separator: ", ")
      notes.append(
        ImportNote(
          .changed,
          "The values \(names) are for rules (%%values.…); functions are not carried over."))
    }
  }

  private mutating func addRoles(_ export: AppExport, _ sync: SyncSettings) {
    var translation = RoleTranslation(values: app.values)
    if let roles = sync.defaultRoles {
      app.roles.fallback = translation.roles(roles, of: "all other classes")
    }
    for (namespace, route) in routes.sorted(by: { $0.key < $1.key }) {
      guard let name = route.className else { continue }
      let own = export.collections.first { $0.namespace == namespace }
      guard let roles = sync.roles(ofClass: name, namespace) ?? own?.roles,
        roles.array?.isEmpty == false
      else { continue }
      app.roles.classes[name] = translation.roles(roles, of: name)
    }
    for collection in export.collections where collection.filters?.array?.isEmpty == false {
      notes.append(
        ImportNote(
          .left,
          "The filters of \(collection.namespace) are not carried over: put their conditions into "
            + "the \"document_filters\" of its roles."))
    }
    notes += translation.notes
    let count = app.roles.fallback.count + app.roles.classes.values.reduce(0) { $0 + $1.count }
    notes.append(
      count == 0
        ? ImportNote(.left, "There are no roles: no user reads anything until app.json has some.")
        : ImportNote(.carried, "The roles of the app: \(count)."))
    confirmAddresses(app.roles.readsEmail)
  }

  private mutating func addPermissions(_ export: AppExport, _ sync: SyncSettings) {
    var translation = RoleTranslation(values: app.values)
    app.permissions.read = translation.condition(sync.permissions?["read"], named: "read")
    app.permissions.write = translation.condition(sync.permissions?["write"], named: "write")
    notes += translation.notes
    notes.append(
      ImportNote(
        .carried, "The permissions of partitions (\(sync.partitionKey)) are carried over."))
    if export.collections.contains(where: { $0.roles?.array?.isEmpty == false }) {
      notes.append(
        ImportNote(
          .left,
          "Roles of collections are for flexible sync here: with partitions, their permissions "
            + "decide on documents, too."))
    }
    confirmAddresses(app.permissions.readsEmail)
  }

  /// Rules about addresses need confirmed ones.
  private mutating func confirmAddresses(_ areRead: Bool) {
    guard areRead, app.accounts.confirmation != .mail else { return }
    app.accounts.confirmation = .mail
    notes.append(
      ImportNote(
        .changed,
        "Rules ask for addresses (%%user.data.email), so new addresses are confirmed by mail."))
  }

  // MARK: Custom user data

  private mutating func addCustomUserData(_ export: AppExport, _ sync: SyncSettings) {
    guard let json = export.customUserData, json["enabled"]?.bool == true,
      let name = json["collection_name"]?.string, let field = json["user_id_field"]?.string
    else { return }
    let namespace = DumpNamespace(json["database_name"]?.string, name)
    if let function = json["on_user_creation_function_name"]?.string, !function.isEmpty {
      notes.append(
        ImportNote(.left, "The function \(function), for new users, is not carried over."))
    }
    if sync.mode == .flexible, let className = routes[namespace]?.className {
      let data = CustomUserData(className: className, userField: field)
      if data.misfits(in: schema).isEmpty {
        app.customUserData = data
        return notes.append(
          ImportNote(.carried, "The custom data of users are the objects of \(className)."))
      }
    }
    routes[namespace, default: AppImportRoute()].userField = field
    notes.append(
      ImportNote(
        .changed,
        "The documents of \(namespace) become the custom data of the users whose ids they have in "
          + "\(field). From then on `realm-server users custom-data` changes it."))
  }

  // MARK: Pages

  private mutating func addOrigins(_ export: AppExport) {
    for text in export.origins {
      let origin = text == AllowedOrigins.all ? text : WebOrigin(text)?.text
      guard let origin, !app.allowedOrigins.contains(origin) else {
        notes.append(
          ImportNote(
            .left, "The origin \(text) of pages is none that browsers name, or twice there."))
        continue
      }
      app.allowedOrigins.append(origin)
      notes.append(ImportNote(.carried, "Pages of \(origin) may call the app."))
    }
  }

  // MARK: The rest

  private mutating func addParts(_ export: AppExport) {
    for part in export.parts {
      let (noun, advice) =
        switch part.kind {
        case .function:
          ("function", "write it in Swift in a program with the server, or as a webhook")
        case .trigger: ("trigger", "name it in app.json, with a function in Swift or a webhook")
        case .endpoint: ("endpoint", "serve it by a program of yours")
        case .service: ("service", "call it from a program of yours")
        case .resolver: ("custom resolver", "there is no GraphQL; use collections or functions")
        case .hosting: ("hosting of", "serve them by a web server")
        case .forwarder: ("log forwarder", "collect the log of the server")
        }
      notes.append(
        ImportNote(.left, "The \(noun) \(part.name) is not carried over: \(advice)."))
    }
  }

  // MARK: Data

  /// The destinations of the documents of a collection; nil if they are left out.
  func route(of namespace: DumpNamespace) -> AppImportRoute? {
    if let known = routes[namespace] { return known }
    if let database = namespace.database,
      routes.keys.contains(where: { $0.database == database })
    {
      return nil
    }
    // A file without a database, or in a folder with a name of its own.
    let found = routes.filter { key, _ in
      key.collection == namespace.collection || key.description == namespace.collection
    }
    return found.count == 1 ? found.first?.value : nil
  }

  private mutating func addSources(in files: any ImportFiles) throws(ImportError) {
    var found: [DumpNamespace] = []
    for source in sources {
      switch source.kind {
      case .bson(let namespace), .json(let namespace): found.append(namespace)
      case .archive:
        found += try ArchiveDump(DumpBytes(source.path, in: files)).begin()
      }
    }
    for namespace in found where route(of: namespace) == nil {
      notes.append(
        ImportNote(.left, "The documents of \(namespace) in the dump are left out: no class."))
    }
    for (namespace, route) in routes.sorted(by: { $0.key < $1.key }) where route.className != nil {
      let isThere = found.contains { $0 == namespace || self.route(of: $0) == route }
      if !isThere {
        notes.append(ImportNote(.left, "The dump has no documents of \(namespace)."))
      }
    }
  }

  /// The plan in lines for people.
  package var text: String {
    var lines = [
      "The app \"\(app.name)\" (\(app.id)), "
        + (app.mode == .flexible ? "flexible sync" : "partitions by \(app.documents.partitionKey)")
        + ", production mode:"
    ]
    let groups: [(ImportNote.Kind, String)] = [
      (.carried, "Carried over:"), (.changed, "Carried over in another form:"),
      (.left, "Not carried over:"),
    ]
    for (kind, title) in groups {
      let texts = notes.filter { $0.kind == kind }.map { "  - \($0.text)" }
      if !texts.isEmpty { lines += ["", title] + texts }
    }
    let byteCount = sources.reduce(0) { $0 + $1.byteCount }
    lines += ["", "Files of the dump: \(sources.count), with \(byteCount) bytes"]
    return lines.joined(separator: "\n")
  }
}
#endif
