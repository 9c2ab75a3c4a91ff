// SPDX-License-Identifier: Apache-2.0

// The schemas of collections as classes.

#if Server
import RealmDeclarations
import RealmFormats
import RealmQuery
import RealmServerEngine
import RealmTables

/// Makes classes of schemas.
struct SchemaTranslation {
  typealias Property = DeclaredSchema.Property
  typealias Class = DeclaredSchema.Class

  /// The deepest nesting of embedded objects.
  private static let depthMax = 50
  /// The longest name of a property, and of a class, whose table has a prefix.
  private static let nameByteCountMax = 63
  private static let classNameByteCountMax = nameByteCountMax - "class_".utf8.count

  /// In the order of their collections; embedded ones follow the first class with them.
  private(set) var classes: [Class] = []
  /// The classes of collections.
  private(set) var classNames: [DumpNamespace: String] = [:]
  private(set) var notes: [ImportNote] = []
  private let asymmetric: Set<String>
  /// The relationships of the current class, by the paths of their fields.
  private var relationships: [String: JSONValue] = [:]

  /// - Parameter asymmetric: The names of classes, or of their collections, for writing alone.
  init(_ collections: [AppExport.Collection], asymmetric: Set<String> = []) {
    self.asymmetric = asymmetric
    var owners: [String: DumpNamespace] = [:]
    var kept: [AppExport.Collection] = []
    for collection in collections {
      guard let schema = collection.schema, case .object(let members) = schema, !members.isEmpty
      else { continue }
      let title = schema["title"]?.string ?? ""
      let name = title.isEmpty ? collection.namespace.collection : title
      guard owners[name] == nil else {
        notes.append(
          ImportNote(
            .left,
            "The collection \(collection.namespace) has the title \"\(name)\" of "
              + "\(owners[name].map { "\($0)" } ?? ""): a class has one collection. Its documents "
              + "are left out."))
        continue
      }
      guard name.utf8.count <= Self.classNameByteCountMax else {
        notes.append(
          ImportNote(
            .left,
            "The title \"\(name)\" of \(collection.namespace) is longer than "
              + "\(Self.classNameByteCountMax) bytes. Its documents are left out."))
        continue
      }
      owners[name] = collection.namespace
      classNames[collection.namespace] = name
      kept.append(collection)
    }
    for collection in kept { add(collection) }
    checkTargets()
  }

  private mutating func add(_ collection: AppExport.Collection) {
    guard let schema = collection.schema, let name = classNames[collection.namespace] else {
      return
    }
    relationships = [:]
    if case .object(let members)? = collection.relationships {
      for member in members { relationships[Self.plainPath(member.key)] = member.value }
    }
    let isAsymmetric =
      asymmetric.contains(name) || asymmetric.contains(collection.namespace.collection)
    let index = classes.count
    classes.append(Class(name: name, kind: .topLevel, primaryKey: "_id"))
    var properties = self.properties(schema, of: name, path: "", depth: 0)
    if let position = properties.firstIndex(where: { $0.name == "_id" }) {
      let key = properties.remove(at: position)
      properties.insert(key, at: 0)
      if !key.type.canBePrimaryKey || key.collection != .none {
        left("\(name)._id", "is no primary key: its type has to be string, int, objectId or uuid")
        properties[0] = Property(name: "_id", type: .objectId)
      }
    } else {
      properties.insert(Property(name: "_id", type: .objectId), at: 0)
    }
    classes[index] = Class(
      name: name, kind: isAsymmetric ? .asymmetric : .topLevel, primaryKey: "_id",
      properties: properties)
  }

  /// The path of a relationship without marks of arrays.
  private static func plainPath(_ path: String) -> String {
    path.split(separator: ".").map { step in
      step.hasSuffix("[]") ? step.dropLast(2) : step
    }.filter { !$0.isEmpty && $0 != "[]" }.joined(separator: ".")
  }

  // MARK: Properties

  private mutating func properties(
    _ schema: JSONValue, of owner: String, path: String, depth: Int
  ) -> [Property] {
    guard case .object(let members)? = schema["properties"] else { return [] }
    let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
    var properties: [Property] = []
    for member in members where !properties.contains(where: { $0.name == member.key }) {
      let property = property(
        member.key, member.value, isRequired: required.contains(member.key), of: owner,
        path: path + member.key, depth: depth)
      if let property { properties.append(property) }
    }
    return properties
  }

  private mutating func property(
    _ name: String, _ json: JSONValue, isRequired: Bool, of owner: String, path: String,
    depth: Int
  ) -> Property? {
    let place = "\(owner).\(name)"
    guard !name.isEmpty, !name.contains("."), !name.hasPrefix("$"),
      name.utf8.count <= Self.nameByteCountMax
    else {
      left(place, "has a name that no property can have")
      return nil
    }
    let (types, hasNull) = Self.types(json)
    let link = relationships[path]
    if types == ["array"] {
      let kind: CollectionKind = json["uniqueItems"]?.bool == true ? .set : .list
      return collection(name, json["items"], kind, link, place, path, depth)
    }
    if types == ["object"], json["properties"] == nil {
      let values = json["additionalProperties"]
      if values == nil || values?.bool != nil {
        changed(place, "names no properties, and becomes a dictionary of values of any type")
      }
      return collection(name, values, .dictionary, link, place, path, depth)
    }
    guard let element = element(json, types, link, place, path, depth) else { return nil }
    let isLink = element.type == .link
    return Property(
      name: name, type: element.type,
      isNullable: isLink || !isRequired || hasNull || element.type == .mixed,
      target: element.target)
  }

  private mutating func collection(
    _ name: String, _ items: JSONValue?, _ kind: CollectionKind, _ link: JSONValue?,
    _ place: String, _ path: String, _ depth: Int
  ) -> Property? {
    let json = items?.array?.first ?? items ?? .object([])
    let (types, hasNull) = Self.types(json)
    guard let element = element(json, types, link, place, path, depth) else { return nil }
    if kind == .set, element.type == .link, isEmbedded(element.target) {
      left(place, "is a set of embedded objects, which there is not")
      return nil
    }
    let isNullable =
      hasNull || element.type == .mixed || element.type == .link && kind == .dictionary
    return Property(
      name: name, type: element.type, collection: kind, isNullable: isNullable,
      target: element.target)
  }

  private func isEmbedded(_ name: String?) -> Bool {
    classes.contains { $0.name == name && $0.kind == .embedded }
  }

  /// The type of a value, or of the elements of a collection.
  private mutating func element(
    _ json: JSONValue, _ types: [String], _ link: JSONValue?, _ place: String, _ path: String,
    _ depth: Int
  ) -> (type: ColumnType, target: String?)? {
    if let link, let target = target(of: link, place) { return (.link, target) }
    guard types.count == 1, let type = types.first else { return (.mixed, nil) }
    switch type {
    case "int", "long": return (.int, nil)
    case "double", "number": return (.double, nil)
    case "float": return (.float, nil)
    case "decimal": return (.decimal, nil)
    case "bool", "boolean": return (.bool, nil)
    case "string": return (.string, nil)
    case "date", "timestamp": return (.timestamp, nil)
    case "objectId": return (.objectId, nil)
    case "uuid": return (.uuid, nil)
    case "binData": return (.binary, nil)
    case "mixed": return (.mixed, nil)
    case "object" where json["properties"] != nil:
      guard depth < Self.depthMax else {
        left(place, "has too many embedded objects inside of each other")
        return nil
      }
      return embedded(json, place, path, depth).map { (.link, $0) }
    case "object", "array":
      changed(place, "has collections in a collection, and becomes values of any type")
      return (.mixed, nil)
    default:
      left(place, "has the type \"\(type)\", which no property can have")
      return nil
    }
  }

  /// The names of types, without the one of missing values.
  private static func types(_ json: JSONValue) -> (types: [String], hasNull: Bool) {
    let value = json["bsonType"] ?? json["type"]
    var names = value?.string.map { [$0] } ?? (value?.array ?? []).compactMap(\.string)
    if names.isEmpty, json["properties"] != nil || json["additionalProperties"] != nil {
      names = ["object"]
    }
    let types = names.filter { $0 != "null" }
    // Both are the same type of properties.
    if Set(types) == ["int", "long"] { return (["long"], types.count < names.count) }
    return (types, types.count < names.count)
  }

  // MARK: Classes of other classes

  /// The class of embedded objects.
  private mutating func embedded(
    _ json: JSONValue, _ place: String, _ path: String, _ depth: Int
  ) -> String? {
    let title = json["title"]?.string ?? ""
    let name = title.isEmpty ? String(place.map { $0 == "." ? "_" : $0 }) : title
    guard name.utf8.count <= Self.classNameByteCountMax else {
      left(place, "has embedded objects whose title is too long")
      return nil
    }
    let known = classes.firstIndex { $0.name == name }
    let index = known ?? classes.count
    if let known, classes[known].kind != .embedded {
      left(place, "has embedded objects with the title \"\(name)\", which a collection has")
      return nil
    }
    if known == nil { classes.append(Class(name: name, kind: .embedded, primaryKey: nil)) }
    let properties = self.properties(json, of: name, path: path + ".", depth: depth + 1)
    for property in properties {
      let present = classes[index].properties.first { $0.name == property.name }
      guard let present else {
        classes[index].properties.append(property)
        continue
      }
      if !present.fits(property) {
        left("\(name).\(property.name)", "has two definitions, of which the first counts")
      }
    }
    return name
  }

  /// The class at the end of a relationship; nil for a value.
  private mutating func target(of link: JSONValue, _ place: String) -> String? {
    let key = link["foreign_key"]?.string ?? link["foreignKey"]?.string ?? "_id"
    let steps = (link["ref"]?.string ?? "").split(separator: "/").map(String.init)
    guard steps.count >= 3 else {
      changed(place, "has a relationship without a collection, and stays a value")
      return nil
    }
    let namespace = DumpNamespace(steps[steps.count - 2], steps[steps.count - 1])
    guard key == "_id" else {
      changed(
        place, "has a relationship by \"\(key)\", and stays a value: links are by \"_id\"")
      return nil
    }
    guard let name = classNames[namespace] else {
      changed(
        place, "has a relationship with \(namespace), which has no class, and stays a value")
      return nil
    }
    return name
  }

  /// Links lead to top-level and embedded classes alone: properties with others are left out.
  private mutating func checkTargets() {
    let kinds = Dictionary(classes.map { ($0.name, $0.kind) }) { first, _ in first }
    for index in classes.indices {
      classes[index].properties.removeAll { property in
        guard property.type == .link, let target = property.target else { return false }
        return kinds[target] == .asymmetric || kinds[target] == nil
      }
    }
  }

  private mutating func left(_ place: String, _ reason: String) {
    notes.append(ImportNote(.left, "The property \(place) \(reason)."))
  }

  private mutating func changed(_ place: String, _ reason: String) {
    notes.append(ImportNote(.changed, "The property \(place) \(reason)."))
  }
}
#endif
