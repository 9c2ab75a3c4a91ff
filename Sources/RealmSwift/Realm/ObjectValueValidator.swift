// SPDX-License-Identifier: Apache-2.0

// Checks values before objects are created from them.
//
// `create(_:value:update:)` traps for a value that does not fit, as it is a mistake of the program.
// Values from outside are traversed here first, with the same conversions, and nothing is changed.

import RealmTables

/// Traverses the value of an object and the values of the objects that it contains.
struct ObjectValueValidator {
  /// The primary key of a new object that the value contains.
  private struct NewKey: Hashable {
    let table: TableKey
    let value: TableValue
  }

  private let className: String
  private let policy: Realm.UpdatePolicy
  private var newKeys: Set<NewKey> = []

  /// - Throws: `ObjectValueError` if creating an object from `value` would trap.
  static func check(_ value: Any, _ info: ClassInfo, _ policy: Realm.UpdatePolicy) throws {
    var validator = ObjectValueValidator(className: info.schema.className, policy: policy)
    if policy != .error, info.schema.primaryKey == nil {
      throw validator.error("", "it does not have a primary key and can not be updated")
    }
    try validator.check(value, info, at: "", depth: 0)
  }

  private func error(_ keyPath: String, _ reason: String) -> ObjectValueError {
    let place = keyPath.isEmpty ? "" : " at '\(keyPath)'"
    return ObjectValueError(
      className: className, keyPath: keyPath,
      localizedDescription: "Invalid value for an object of type '\(className)'\(place): \(reason)."
    )
  }

  // MARK: Objects

  private mutating func check(_ value: Any, _ info: ClassInfo, at path: String, depth: Int) throws {
    let schema = info.schema
    guard depth < Self.depthLimit else {
      throw error(path, "objects lie more than \(Self.depthLimit) deep in each other")
    }
    if let object = modelObject(value) {
      guard object._schema.className == schema.className else {
        throw error(path, "expected a '\(schema.className)', not a '\(object._schema.className)'")
      }
      return
    }
    let values = try values(value, schema, at: path)
    for property in schema.properties where property.shape.type != .linkingObjects {
      let path = path.isEmpty ? property.name : "\(path).\(property.name)"
      guard let value = values(property) else { continue }
      try check(value, property, info, at: path, depth: depth)
    }
  }

  /// The deepest nesting that is followed, far below what the stack of a thread holds.
  private static let depthLimit = 100

  /// The values by property, of a dictionary or an array.
  private func values(
    _ value: Any, _ schema: ModelSchema, at path: String
  ) throws -> (ModelProperty) -> Any? {
    if let dictionary = value as? [String: Any] {
      reportUnknownKeys(of: dictionary, schema)
      return { dictionary[$0.name] }
    }
    guard let array = value as? [Any] else {
      throw error(
        path,
        "expected a dictionary with the properties of '\(schema.className)', not "
          + Self.text(of: value))
    }
    let properties = schema.properties.filter { $0.shape.type != .linkingObjects }
    guard array.count <= properties.count else {
      throw error(path, "more values (\(array.count)) than properties (\(properties.count))")
    }
    let byIndex = Dictionary(
      zip(properties.map(\.index), array), uniquingKeysWith: { first, _ in first })
    return { byIndex[$0.index] }
  }

  /// The classes for which ignored keys were reported already.
  private static let reported = OnceLogged()

  /// Logs the keys that no property of the class has, once for each class.
  private func reportUnknownKeys(of dictionary: [String: Any], _ schema: ModelSchema) {
    // Each property that takes a value uses up one key.
    guard dictionary.count > 0,
      schema.properties.count(where: { dictionary[$0.name] != nil })
        != dictionary.count
    else { return }
    Self.reported.log(.warn, about: schema.modelClass) {
      let known = Set(schema.properties.map(\.name) + schema.modelClass.ignoredProperties())
      let unknown = dictionary.keys.filter { !known.contains($0) }.sorted()
      if unknown.isEmpty { return nil }
      let list = unknown.map { "'\($0)'" }.joined(separator: ", ")
      return "Values were ignored that '\(schema.className)' has no property for: \(list)."
    }
  }

  // MARK: Properties

  private mutating func check(
    _ value: Any, _ property: ModelProperty, _ info: ClassInfo, at path: String, depth: Int
  ) throws {
    if property.isPrimaryKey { return try checkPrimaryKey(value, property, info, at: path) }
    if property.shape.collection == .map, let map = UntypedMap(value) {
      for (key, _) in map.entries where key.hasPrefix("$") || key.contains(".") {
        throw error("\(path)[\"\(key)\"]", "a key must not start with '$' or contain '.'")
      }
    }
    let wrapsObject = property.wrapperType.valueType._wrapsObject
    if property.shape.linkedClass != nil, !wrapsObject {
      return try checkLinks(value, property, info, at: path, depth: depth)
    }
    guard property.wrapperType.accepts(value) else {
      let optional = property.shape.isOptional ? "?" : ""
      let expected = property.casesText ?? "'\(property.shape)\(optional)'"
      throw error(path, "expected \(expected), not \(Self.text(of: value))")
    }
    if property.shape.isOptional, property.shape.linkedClass == nil,
      property.wrapperType.wouldLose(value)
    {
      let expected = property.casesText ?? "a case of the enumeration"
      throw error(path, "expected \(expected), not \(Self.text(of: value))")
    }
  }

  private mutating func checkPrimaryKey(
    _ value: Any, _ property: ModelProperty, _ info: ClassInfo, at path: String
  ) throws {
    guard let stored = property.wrapperType.storedScalar(value)?.value else {
      throw error(path, "expected '\(property.shape)', not \(Self.text(of: value))")
    }
    guard policy == .error else { return }
    guard newKeys.insert(NewKey(table: info.tableKey, value: stored)).inserted,
      try info.table.find(primaryKey: stored) == nil
    else { throw error(path, "an object with the primary key '\(stored.primaryKeyText)' exists") }
  }

  private mutating func checkLinks(
    _ value: Any, _ property: ModelProperty, _ info: ClassInfo, at path: String, depth: Int
  ) throws {
    guard let value = unwrapped(value) else { return }
    let target = info.linkedClass(info.slot(property))
    switch property.shape.collection {
    case .none: try check(value, target, at: path, depth: depth + 1)
    case .list, .set:
      guard let elements = enumerable(value) else {
        throw error(path, "expected an array, not \(Self.text(of: value))")
      }
      for (index, element) in Array(erasing: elements).enumerated() {
        let path = "\(path)[\(index)]"
        guard let element = unwrapped(element) else {
          throw error(path, "expected a '\(target.schema.className)', not null")
        }
        try check(element, target, at: path, depth: depth + 1)
      }
    case .map:
      guard let map = UntypedMap(value) else {
        throw error(path, "expected a dictionary, not \(Self.text(of: value))")
      }
      for (key, value) in map.entries {
        guard let value = unwrapped(value) else { continue }
        try check(value, target, at: "\(path)[\"\(key)\"]", depth: depth + 1)
      }
    }
  }

  /// A value in a message, shortened to a useful length.
  private static func text(of value: Any) -> String {
    guard let value = unwrapped(value) else { return "null" }
    let text = "\(value)"
    let shown = text.count > 80 ? text.prefix(80) + "…" : text[...]
    return "'\(shown)' of type '\(Swift.type(of: value))'"
  }
}
