// SPDX-License-Identifier: Apache-2.0

// New classes and properties.

#if Tools
import RealmQuery
import RealmFormats
import RealmTables

/// A class or a property to be created, as the page names it.
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
  }

  /// Creates the class or the property. If it throws, a part may have been made.
  func apply(to group: WriteGroup, creatingClass isNewClass: Bool) throws {
    if isNewClass { try createClass(in: group) } else { try addProperty(to: group) }
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
