// SPDX-License-Identifier: Apache-2.0

// One edit as the page sends it.

#if Tools
import RealmQuery
import RealmFormats
import RealmTables

/// An edit of a transaction: made again from the same version, it has the same result.
struct EditCommand: Sendable {
  /// The kind of an edit, by the page's name for it.
  enum Kind: String, Sendable {
    /// Assigns a property, an element or the value of a key.
    case set
    /// Inserts an element before a position of a list.
    case insert
    /// Removes an element or a key.
    case erase
    /// Moves an element of a list.
    case move
    /// Inserts a value in a set.
    case add
    /// Removes a value from a set.
    case discard
    /// Creates an embedded object: as a property, as the value of a key, or before an element.
    case embed
    /// Removes all elements of a collection.
    case clear
    case create
    case delete
    /// Creates a class, with a primary key if the edit names a property.
    case createClass
    /// Creates a property of a class; existing objects get its default value.
    case addProperty
    /// Gives a class or a property the name `to`.
    case renameClass, renameProperty
    /// Removes a class with its objects, or a property with its values.
    case removeClass, removeProperty

    /// Whether the edit changes classes or properties, and no objects by themselves.
    var changesSchema: Bool {
      switch self {
      case .createClass, .addProperty, .renameClass, .renameProperty, .removeClass,
        .removeProperty:
        true
      case .set, .insert, .erase, .move, .add, .discard, .embed, .clear, .create, .delete: false
      }
    }
  }

  /// The most objects of one deletion.
  static let keyCountMax = 10_000

  let kind: Kind
  let className: String
  private let key: ObjectKey
  private let keys: [ObjectKey]
  private let property: String
  private let path: [PathStep]
  private let value: JSONValue
  private let target: Int
  private let schemaEdit: SchemaEdit?

  init(_ json: JSONValue) throws(StudioFailure) {
    guard let kind = json["kind"]?.string.flatMap(Kind.init) else {
      throw .malformed(
        "kind",
        "set, insert, erase, move, add, discard, embed, clear, create, delete, "
          + "createClass, addProperty, renameClass, renameProperty, removeClass, removeProperty")
    }
    guard let className = json["class"]?.string else {
      throw .malformed("class", "the name of a class")
    }
    self.kind = kind
    self.className = className
    key = ObjectKey(json["key"]?.string.flatMap { Int64($0) } ?? -1)
    property = json["property"]?.string ?? ""
    value = json["value"] ?? .null
    target = json["to"]?.integer.flatMap { Int(exactly: $0) } ?? -1
    path = try Self.path(json["path"]?.array ?? [])
    keys = try Self.keys(json["keys"]?.array ?? [])
    schemaEdit = kind.changesSchema ? try SchemaEdit(json, of: className) : nil
  }

  private static func path(_ steps: [JSONValue]) throws(StudioFailure) -> [PathStep] {
    guard steps.count <= 100 else { throw .malformed("path", "at most 100 steps") }
    return try steps.map { (step) throws(StudioFailure) in
      switch step {
      case .integer(let index) where index >= 0 && index <= Int32.max: .index(Int(index))
      case .string(let key): .key(key)
      default: throw .malformed("path", "positions and keys")
      }
    }
  }

  private static func keys(_ texts: [JSONValue]) throws(StudioFailure) -> [ObjectKey] {
    guard texts.count <= keyCountMax else {
      throw .malformed("keys", "at most \(keyCountMax) keys")
    }
    return try texts.map { (text) throws(StudioFailure) in
      guard let number = text.string.flatMap({ Int64($0) }) else {
        throw .malformed("keys", "the keys of objects as texts")
      }
      return ObjectKey(number)
    }
  }

  // MARK: - Making it

  /// Makes the edit. If it throws, a part may have been made.
  ///
  /// - Returns: The key of a created object; null for other edits.
  func apply(to group: WriteGroup) throws -> JSONValue {
    if let schemaEdit {
      try schemaEdit.apply(kind, to: group)
      return .null
    }
    let classes = try StoredSchema(group)
    let schema = try classes.required(className)
    guard let table = try group.table(schema.key) else {
      throw StudioFailure(404, "The file has no class '\(className)'.")
    }
    switch kind {
    case .create: return try create(in: table, schema, classes)
    case .delete: try delete(in: group, schema)
    default: try change(table, schema, classes)
    }
    return .null
  }

  private func create(
    in table: WritableTable, _ schema: TableSchema, _ classes: StoredSchema
  ) throws -> JSONValue {
    guard schema.kind == .topLevel else {
      throw StudioFailure(
        400, "Objects of '\(className)' are not created by themselves.",
        remedy: "Embedded objects are created in the inspector of their owner.")
    }
    var primaryKey: TableValue?
    if let column = schema.primaryKey {
      let given = try CellInput(classes: classes).value(value, for: column)
      guard try table.findRow(primaryKey: given) == nil else {
        throw StudioFailure(
          409, "'\(className)' has an object with the primary key \(given.literal) already.",
          remedy: "Give another \(column.name).")
      }
      primaryKey = given
    }
    let created = try table.createObject(primaryKey: primaryKey).key
    return .string(String(created.rawValue))
  }

  private func delete(in group: WriteGroup, _ schema: TableSchema) throws {
    guard schema.kind != .embedded else {
      throw StudioFailure(
        400, "Embedded objects are removed from their owner.",
        remedy: "Open the owner, which is listed as a backlink, and remove it there.")
    }
    _ = try group.delete(keys.map { StoredLink(table: schema.key, key: $0) })
  }

  private func change(
    _ table: WritableTable, _ schema: TableSchema, _ classes: StoredSchema
  ) throws {
    if let column = schema.column(named: property), column.isPrimaryKey {
      throw StudioFailure(
        400, "'\(className).\(property)' is the primary key, which objects keep.",
        remedy: "Create another object, and delete this one.")
    }
    let place = try table.place(of: key, property, path)
    switch value["t"]?.string {
    case "list"? where kind == .set || kind == .insert: try make(.list, at: place)
    case "dictionary"? where kind == .set || kind == .insert: try make(.dictionary, at: place)
    default:
      let needsValue = [.set, .insert, .add, .discard].contains(kind)
      let input = CellInput(classes: classes)
      let given = needsValue ? try input.value(value, for: place.column) : .null
      try change(place, given)
    }
  }

  private func change(_ place: ValuePlace, _ given: TableValue) throws {
    switch kind {
    case .set: try place.set(given)
    case .insert: try place.insert(given, priorSize: try place.listSize)
    case .move: try place.move(to: target, priorSize: try place.listSize)
    case .add: try place.insertMember(given)
    case .discard: try place.eraseMember(given)
    case .embed:
      if case .element = place.end {
        try place.insertEmbedded(priorSize: try place.listSize)
      } else {
        try place.createEmbedded()
      }
    case .erase:
      if case .entry = place.end {
        try place.eraseEntry()
      } else {
        try place.erase(priorSize: try place.listSize)
      }
    case .clear: try place.clear(nestedKind)
    case .create, .delete, .createClass, .addProperty, .renameClass, .renameProperty,
      .removeClass, .removeProperty:
      preconditionFailure("objects and schemas change in functions of their own")
    }
  }

  /// The kind of the mixed value to be emptied; none for a property with a collection.
  private var nestedKind: CollectionKind {
    switch value["t"]?.string {
    case "list"?: .list
    case "dictionary"?: .dictionary
    default: .none
    }
  }

  /// Makes a mixed value an empty collection.
  private func make(_ collection: CollectionKind, at place: ValuePlace) throws {
    if kind == .insert {
      try place.insertCollection(collection, priorSize: try place.listSize)
    } else {
      try place.makeCollection(collection)
    }
  }
}
#endif
