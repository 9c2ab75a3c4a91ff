// SPDX-License-Identifier: Apache-2.0

// Checks that the classes of a configuration are a valid schema, independent of any file.

import RealmTables

/// Checks model classes for mistakes in their declarations.
struct SchemaValidator {
  let schemas: [ModelSchema]
  /// Whether the program listed the classes: a missing class then is a mistake of the list.
  private let isListed: Bool
  /// Whether the realm has a server that asymmetric objects go to.
  private let takesAsymmetric: Bool

  init(_ schemas: [ModelSchema], isListed: Bool = false, takesAsymmetric: Bool = false) {
    self.schemas = schemas
    self.isListed = isListed
    self.takesAsymmetric = takesAsymmetric
  }

  /// - Throws: `Realm.Error.fail` with all mistakes.
  func validate() throws(Realm.Error) {
    if isListed { try requireLinkedClasses() }
    var mistakes: [String] = []
    var names: [String: ModelSchema] = [:]
    var sharing: [String: [ModelSchema]] = [:]
    for schema in schemas {
      for other in sharing[schema.className, default: []] {
        mistakes += SchemaValidator.mistakes(ofSharing: other, schema)
      }
      sharing[schema.className, default: []].append(schema)
      names[schema.className] = schema
    }
    let classes = Set(schemas.map { ObjectIdentifier($0.modelClass) })
    for schema in schemas { mistakes += self.mistakes(of: schema, among: classes) }
    mistakes += embeddedMistakes(among: names)
    guard mistakes.isEmpty else {
      let lines = mistakes.map { "- \($0)" }.joined(separator: "\n")
      throw Realm.Error(
        .fail, message: "Schema validation failed due to the following errors:\n\(lines)")
    }
  }

  /// - Throws: `Realm.Error.fail` with the links to classes that the list of classes lacks.
  private func requireLinkedClasses() throws(Realm.Error) {
    let listed = Set(schemas.map { ObjectIdentifier($0.modelClass) })
    let lines = schemas.flatMap { schema in
      schema.properties.compactMap { property -> String? in
        guard let linked = property.shape.linkedClass, !listed.contains(ObjectIdentifier(linked))
        else { return nil }
        return "\n- '\(schema.className).\(property.name)' links to '\(linked.className())', which "
          + "is not in objectTypes."
      }
    }
    guard lines.isEmpty else {
      throw Realm.Error(
        .fail, message: "Invalid class subset list:" + lines.sorted().joined())
    }
  }

  /// The mistakes of two classes of one name: they show one table, whose columns are those of both.
  private static func mistakes(ofSharing first: ModelSchema, _ second: ModelSchema) -> [String] {
    let name = second.className
    if first.modelClass == second.modelClass { return [] }
    let names = [first, second].map { String(reflecting: $0.modelClass) }
    if first.modelClass._realmObjectName() == nil, second.modelClass._realmObjectName() == nil {
      return ["Two classes are called '\(name)': \(names[0]) and \(names[1])."]
    }
    let start = "The classes \(names[0]) and \(names[1]), which both are called '\(name)',"
    var mistakes: [String] = []
    if first.tableKind != second.tableKind {
      mistakes.append("\(start) are not both \(first.tableKind.name).")
    }
    if first.primaryKey?.columnName != second.primaryKey?.columnName {
      mistakes.append("\(start) have different primary keys.")
    }
    for property in second.properties where property.shape.type != .linkingObjects {
      let other = first.properties.first { $0.columnName == property.columnName }
      guard let other, !other.isSameColumn(as: property) else { continue }
      mistakes.append("\(start) declare the property '\(property.name)' differently.")
    }
    return mistakes
  }

  private func mistakes(of schema: ModelSchema, among classes: Set<ObjectIdentifier>) -> [String] {
    let name = schema.className
    var mistakes: [String] = []
    if schema.properties.isEmpty {
      mistakes.append(
        "No properties are defined for '\(name)'. Did you remember to mark them with '@Persisted' "
          + "in your model?")
    }
    mistakes += schema.plainFieldMistakes
    var seen: Set<String> = []
    for property in schema.properties where !seen.insert(property.name).inserted {
      mistakes.append(
        "Property '\(property.name)' is declared multiple times in the class hierarchy of '\(name)'"
      )
    }
    if !schema.isDynamic,
      schema.properties.allSatisfy({ $0.wrapperType.isLegacy })
    {
      mistakes += ModelSchema.lazyFields(of: schema.modelClass).map {
        "Lazy managed property '\($0)' is not allowed on a Realm Swift object class. Either add "
          + "the property to the ignored properties list or make it non-lazy."
      }
    }
    if schema.properties.filter(\.isPrimaryKey).count > 1 {
      mistakes.append("Properties of '\(name)' are marked as primary keys more than once.")
    }
    if let key = schema.modelClass.primaryKey(), !schema.isDynamic,
      schema.property(named: key) == nil, !schema.plainFields.contains(where: { $0.name == key })
    {
      mistakes.append("Primary key property '\(key)' does not exist on object '\(name)'")
    }
    if schema.tableKind == .asymmetric, !takesAsymmetric {
      mistakes.append("Asymmetric table '\(name)' not allowed in a local Realm")
    }
    for property in schema.properties {
      mistakes += SchemaValidator.mistakes(of: property, in: schema, among: classes)
    }
    return mistakes
  }

  private static func mistakes(
    of property: ModelProperty, in schema: ModelSchema, among classes: Set<ObjectIdentifier>
  ) -> [String] {
    var mistakes: [String] = []
    let shape = property.shape
    let allowedKeys: [PropertyType] = [.string, .int, .objectId, .UUID]
    if property.isPrimaryKey, !allowedKeys.contains(shape.type) || shape.collection != .none {
      mistakes.append(
        "Property '\(property.name)' cannot be made the primary key of '\(schema.className)' "
          + "because it is not a 'string', 'int', 'objectId', or 'uuid' property.")
    }
    if property.isPrimaryKey, schema.tableKind == .embedded {
      mistakes.append("Embedded object type '\(schema.className)' cannot have a primary key.")
    }
    let alias = property.columnName
    if schema.properties.contains(where: {
      $0 !== property && ($0.name == alias || $0.columnName == alias)
    }), alias != property.name {
      mistakes.append(
        "Property '\(schema.className).\(property.name)' has an alias '\(alias)' that conflicts "
          + "with a property of the same name.")
    }
    if let linked = shape.linkedClass, linked is AsymmetricObject.Type {
      mistakes.append(
        "Property '\(schema.className).\(property.name)' of type '\(shape.description)' cannot be "
          + "a link to an asymmetric object.")
    }
    mistakes += collectionMistakes(of: property, in: schema)
    if let linked = shape.linkedClass, !classes.contains(ObjectIdentifier(linked)) {
      mistakes.append(
        "Property '\(schema.className).\(property.name)' of type '\(shape.description)' has "
          + "unknown object type '\(linked.className())'")
    }
    if shape.type == .linkingObjects, let linked = shape.linkedClass {
      mistakes += originMistakes(of: property, in: schema, linked)
    }
    return mistakes
  }

  private static func collectionMistakes(
    of property: ModelProperty, in schema: ModelSchema
  ) -> [String] {
    let shape = property.shape
    guard let linked = shape.linkedClass, shape.type == .object else { return [] }
    let name = "\(schema.className).\(property.name)"
    switch shape.collection {
    case .set where linked is EmbeddedObject.Type:
      return [
        "Set property '\(name)' cannot contain embedded object type '\(linked.className())'. Set "
          + "semantics are not supported for embedded objects."
      ]
    case .list where shape.isOptional, .set where shape.isOptional:
      return ["Property '\(name)' of type '\(shape.description)' cannot be nullable."]
    case .map where !shape.isOptional:
      return ["Property '\(name)' of type '\(shape.description)' must be nullable."]
    default: return []
    }
  }

  private static func originMistakes(
    of property: ModelProperty, in schema: ModelSchema, _ linked: ObjectBase.Type
  ) -> [String] {
    let origin = property.originProperty ?? ""
    guard !origin.isEmpty else {
      return [
        "LinkingObjects<\(linked.className())> property '\(property.name)' must set the origin "
          + "property name with @Persisted(originProperty: \"name\")."
      ]
    }
    let target = ModelSchema.of(linked).property(named: origin)
    guard let target else {
      return [
        "Property '\(linked.className()).\(origin)' declared as origin of linking objects property "
          + "'\(schema.className).\(property.name)' does not exist"
      ]
    }
    guard target.shape.linkedClass == schema.modelClass, target.shape.type == .object else {
      return [
        "Property '\(linked.className()).\(origin)' declared as origin of linking objects property "
          + "'\(schema.className).\(property.name)' is not a link to '\(schema.className)'"
      ]
    }
    return []
  }
}

extension ModelProperty {
  /// Whether both can be stored in one column.
  fileprivate func isSameColumn(as other: ModelProperty) -> Bool {
    shape.description == other.shape.description && indexKind == other.indexKind
      && shape.isColumnNullable == other.shape.isColumnNullable
  }
}
