// SPDX-License-Identifier: Apache-2.0

// The classes of an app, for all of its realms (P4 D).
//
// Invariants:
// 1. A class or property never changes and never goes: later additions fit the present ones.

package import RealmDeclarations
import RealmFormats
import RealmQuery
import RealmTables

/// The schema of an app.
package struct AppSchema: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    let kind: TableKind
    let primaryKey: String?
    /// In the order of their declarations.
    var names: [String] = []
    var properties: [String: DeclaredSchema.Property] = [:]

    mutating func append(_ property: DeclaredSchema.Property) {
      names.append(property.name)
      properties[property.name] = property
    }
  }

  /// The relation of a declaration to a schema.
  package enum Finding: Hashable, Sendable {
    /// The schema has it.
    case known
    case new
    /// The schema has another definition of it.
    case conflict
  }

  private var names: [String] = []
  private var entries: [String: Entry] = [:]

  package init() {}

  package var isEmpty: Bool { names.isEmpty }

  /// Whether a class is in the schema.
  package func hasClass(_ name: String) -> Bool { entries[name] != nil }

  /// The classes in the order of their declarations.
  package var declared: DeclaredSchema {
    DeclaredSchema(
      names.compactMap { name in
        entries[name].map { entry in
          DeclaredSchema.Class(
            name: name, kind: entry.kind, primaryKey: entry.primaryKey,
            properties: entry.names.compactMap { entry.properties[$0] })
        }
      })
  }

  // MARK: Declarations

  /// Compares a declaration with the schema.
  package func finding(_ declaration: SchemaDeclaration) -> Finding {
    switch declaration {
    case .type(let declared):
      guard let entry = entries[declared.name] else { return .new }
      guard entry.kind == declared.kind, entry.primaryKey == declared.primaryKey else {
        return .conflict
      }
      let isFit = declared.properties.allSatisfy { property in
        entry.properties[property.name].map(property.fits) ?? false
      }
      return isFit ? .known : .conflict
    case .property(let property, let owner):
      guard let known = entries[owner]?.properties[property.name] else { return .new }
      return property.fits(known) ? .known : .conflict
    }
  }

  /// Adds a new declaration.
  ///
  /// - Returns: The relation before; with a conflict nothing is changed.
  @discardableResult
  package mutating func add(_ declaration: SchemaDeclaration) -> Finding {
    let finding = finding(declaration)
    guard finding == .new else { return finding }
    switch declaration {
    case .type(let declared):
      var entry = Entry(kind: declared.kind, primaryKey: declared.primaryKey)
      for property in declared.properties { entry.append(property) }
      names.append(declared.name)
      entries[declared.name] = entry
    case .property(let property, let owner):
      // Devices cannot use a class of a realm without one of the schema.
      guard entries[owner] != nil else { return .conflict }
      entries[owner]?.append(property)
    }
    assert(names.count == entries.count, "`AppSchema` 1: each class has one entry")
    return .new
  }

  /// Adds the classes of a realm.
  ///
  /// - Returns: The names of classes and properties with another definition in the schema.
  package mutating func add(_ schema: DeclaredSchema) -> [String] {
    var conflicts: [String] = []
    for declared in schema.classes {
      let key = declared.properties.filter { $0.name == declared.primaryKey }
      let type = DeclaredSchema.Class(
        name: declared.name, kind: declared.kind, primaryKey: declared.primaryKey, properties: key)
      guard add(.type(type)) != .conflict else {
        conflicts.append(declared.name)
        continue
      }
      for property in declared.properties {
        let declaration = SchemaDeclaration.property(property, of: declared.name)
        if add(declaration) == .conflict { conflicts.append(declaration.name) }
      }
    }
    return conflicts
  }
}

// MARK: - The file

extension AppSchema {
  /// Reads `schema.json`, strictly.
  package init(_ bytes: [UInt8]) throws(AppFileError) {
    self.init()
    let json = try AppFileError.reading(bytes) { (json) throws(AppFileError) in
      try Self.checkKeys(json)
      return json
    }
    do throws(DeclaredSchema.Problem) {
      let conflicts = add(try DeclaredSchema(json))
      assert(conflicts.isEmpty, "names are unique")
    } catch {
      throw AppFileError("has a mistake: \(error.reason)")
    }
  }

  /// Unknown keys might ask for something.
  private static func checkKeys(_ json: JSONValue) throws(AppFileError) {
    try check(json, ["classes"], at: [])
    for (index, type) in (json["classes"]?.array ?? []).enumerated() {
      let path = [JSONStep.key("classes"), .index(index)]
      try check(type, ["name", "kind", "primaryKey", "properties"], at: path)
      for (index, property) in (type["properties"]?.array ?? []).enumerated() {
        try check(
          property, ["name", "type", "collection", "optional", "target"],
          at: path + [.key("properties"), .index(index)])
      }
    }
  }

  private static func check(
    _ json: JSONValue, _ keys: Set<String>, at path: [JSONStep]
  ) throws(AppFileError) {
    guard case .object(let members) = json else {
      throw AppFileError("needs an object here", at: path)
    }
    for member in members where !keys.contains(member.key) {
      throw AppFileError(
        "has the unknown key \"\(member.key)\": there are \(keys.sorted().joined(separator: ", "))",
        at: path + [.key(member.key)])
    }
  }

  /// The text of `schema.json`, a line for each property, as people compare versions of it.
  package var text: String {
    let classes = declared.classes.map { declared -> String in
      let head = JSONWriter.text(
        .object([
          JSONMember("name", .string(declared.name)),
          JSONMember("kind", .string("\(declared.kind)")),
          JSONMember("primaryKey", declared.primaryKey.map { .string($0) } ?? .null),
        ]))
      let lines = declared.properties.map { "    " + JSONWriter.text(Self.json($0)) }
      return "  \(head.dropLast()),\"properties\":[\n\(lines.joined(separator: ",\n"))\n  ]}"
    }
    return "{\"classes\":[\n\(classes.joined(separator: ",\n"))\n]}\n"
  }

  private static func json(_ property: DeclaredSchema.Property) -> JSONValue {
    var members = [
      JSONMember("name", .string(property.name)),
      JSONMember("type", .string(SchemaJSON.typeName(property.type))),
    ]
    if let collection = property.collection.name {
      members.append(JSONMember("collection", .string(collection)))
    }
    if property.isNullable { members.append(JSONMember("optional", .bool(true))) }
    if let target = property.target { members.append(JSONMember("target", .string(target))) }
    return .object(members)
  }
}
