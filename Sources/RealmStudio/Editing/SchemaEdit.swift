// SPDX-License-Identifier: Apache-2.0

// New, renamed and removed classes and properties.

#if Tools
import RealmQuery
import RealmFormats
import RealmTables

/// A class or a property to be created, renamed or removed, as the page names it.
struct SchemaEdit: Sendable {
  private static let types = ColumnType.valueTypes + [.link]
  /// The name of a table is `class_` and the name of the class.
  private static let classNameByteCountMax = 57
  private static let propertyNameByteCountMax = 63

  private let className: String
  private let isEmbedded: Bool
  /// The new property; the primary key for a class, nil if it has none.
  private let property: String?
  private let type: ColumnType
  private let collection: CollectionKind
  private let isOptional: Bool
  private let isIndexed: Bool
  private let target: String?
  /// The name that the class or the property gets.
  private let newName: String

  init(_ json: JSONValue, of className: String) throws(StudioFailure) {
    self.className = className
    isEmbedded = json["isEmbedded"] == .bool(true)
    property = json["property"]?.string
    let typeName = json["type"]?.string ?? ColumnType.int.name
    guard let type = Self.types.first(where: { $0.name == typeName }) else {
      throw .malformed("type", Self.types.map(\.name).sorted().joined(separator: ", "))
    }
    self.type = type
    if let name = json["collection"]?.string {
      guard let collection = CollectionKind(name: name) else {
        throw .malformed("collection", "list, set, dictionary or null")
      }
      self.collection = collection
    } else {
      collection = .none
    }
    isOptional = json["isOptional"] == .bool(true)
    isIndexed = json["isIndexed"] == .bool(true)
    target = json["target"]?.string
    newName = json["to"]?.string ?? ""
  }

  /// Makes the edit. If it throws, a part may have been made.
  func apply(_ kind: EditCommand.Kind, to group: WriteGroup) throws {
    switch kind {
    case .createClass: try createClass(in: group)
    case .addProperty: try addProperty(to: group)
    case .renameClass: try renameClass(in: group)
    case .renameProperty: try renameProperty(in: group)
    case .removeClass: try removeClass(from: group)
    case .removeProperty: try removeProperty(from: group)
    case .set, .insert, .erase, .move, .add, .discard, .embed, .clear, .create, .delete:
      throw StudioFailure.malformed("kind", "an edit of a class or a property")
    }
  }

  private func createClass(in group: WriteGroup) throws {
    try Self.check(className, of: "a class", byteCountMax: Self.classNameByteCountMax)
    let classes = try StoredSchema(group)
    guard classes[className] == nil else {
      throw StudioFailure(409, "There is a class '\(className)' already.")
    }
    if let property {
      try Self.check(property, of: "a property", byteCountMax: Self.propertyNameByteCountMax)
      guard type.canBePrimaryKey, !isEmbedded else {
        throw StudioFailure(
          400, "'\(className).\(property)' cannot be a primary key.",
          remedy: "Primary keys are int, string, objectId or uuid, and not of embedded objects.")
      }
    }
    let table = try group.createTable(
      named: "class_" + className, kind: isEmbedded ? .embedded : .topLevel)
    guard let property else { return }
    try table.setPrimaryKey(try table.addColumn(named: property, type: type).key)
  }

  private func addProperty(to group: WriteGroup) throws {
    let name = property ?? ""
    try Self.check(name, of: "a property", byteCountMax: Self.propertyNameByteCountMax)
    let classes = try StoredSchema(group)
    let schema = try classes.required(className)
    guard schema.column(named: name) == nil else {
      throw StudioFailure(409, "'\(className)' has a property '\(name)' already.")
    }
    let targetSchema = type == .link ? try linked(name, classes) : nil
    guard !isIndexed || collection == .none && type.canBeIndexed else {
      throw StudioFailure(
        400, "'\(className).\(name)' cannot be indexed.",
        remedy: "Single values of int, bool, string, date, objectId, uuid and mixed can be.")
    }
    _ = try group.table(schema.key)?.addColumn(
      named: name, type: type, collection: collection, isNullable: isOptional,
      target: targetSchema?.key, isIndexed: isIndexed)
  }

  /// The class of a new link's targets.
  private func linked(
    _ name: String, _ classes: StoredSchema
  ) throws(StudioFailure) -> TableSchema {
    guard let target else { throw .malformed("target", "the name of a class") }
    let schema = try classes.required(target)
    guard schema.kind != .asymmetric else {
      throw StudioFailure(400, "Objects of '\(target)' cannot be linked to.")
    }
    guard schema.kind != .embedded || collection != .set else {
      throw StudioFailure(
        400, "'\(className).\(name)' cannot be a set of embedded objects.",
        remedy: "Use a list or a dictionary.")
    }
    return schema
  }

  // MARK: Renaming and removing

  private func renameClass(in group: WriteGroup) throws {
    try Self.check(newName, of: "a class", byteCountMax: Self.classNameByteCountMax)
    let classes = try StoredSchema(group)
    let schema = try classes.required(className)
    guard classes[newName] == nil else {
      throw StudioFailure(409, "There is a class '\(newName)' already.")
    }
    try group.renameTable(schema.key, to: "class_" + newName)
  }

  private func removeClass(from group: WriteGroup) throws {
    let classes = try StoredSchema(group)
    let schema = try classes.required(className)
    for other in classes.inFileOrder where other.key != schema.key {
      for column in other.columns where column.targetTable == schema.key {
        throw StudioFailure(
          409,
          "'\(className)' cannot be removed: '\(other.displayName).\(column.name)' leads to it.",
          remedy: "Remove that property first.")
      }
    }
    try group.removeTable(schema.key)
  }

  private func renameProperty(in group: WriteGroup) throws {
    try Self.check(newName, of: "a property", byteCountMax: Self.propertyNameByteCountMax)
    let (schema, column) = try present(in: group)
    guard schema.column(named: newName) == nil else {
      throw StudioFailure(409, "'\(className)' has a property '\(newName)' already.")
    }
    try group.table(schema.key)?.columns.rename(column.key, to: newName)
  }

  private func removeProperty(from group: WriteGroup) throws {
    let (schema, column) = try present(in: group)
    guard !column.isPrimaryKey else {
      throw StudioFailure(
        400, "'\(className).\(column.name)' is the primary key, which a class keeps.",
        remedy: "Remove the class, or take the primary key away in a migration of the app.")
    }
    try group.table(schema.key)?.columns.remove(column.key)
  }

  /// The property that the edit names.
  private func present(in group: WriteGroup) throws -> (TableSchema, Column) {
    let schema = try StoredSchema(group).required(className)
    return (schema, try schema.required(property ?? ""))
  }

  private static func check(
    _ name: String, of what: String, byteCountMax: Int
  ) throws(StudioFailure) {
    let rest = name.dropFirst().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    guard let first = name.first, first.isLetter, rest, name.utf8.count <= byteCountMax else {
      throw StudioFailure(
        400, "'\(name.prefix(100))' is no name of \(what).",
        remedy: "Begin with a letter, go on with letters, digits and _, in at most "
          + "\(byteCountMax) bytes.")
    }
  }
}
#endif
