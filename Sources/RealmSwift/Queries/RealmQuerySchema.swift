// SPDX-License-Identifier: Apache-2.0

// The classes and the values of the program as queries see them.

import Foundation
import RealmQuery
import RealmSession
import RealmTables

/// The classes of one realm, and its values.
struct RealmQuerySchema: QuerySchema {
  let core: RealmCore
  /// Whether queries may name objects by their primary keys.
  var hasObjects = true

  func queryClass(named name: String) -> (any QueryClass)? { core.schema(named: name) }

  func decimal(_ digits: String) -> TableValue? {
    Decimal128(digits).map { Decimal128._encode($0, _RealmContext(core)).value }
  }

  func object(ofClass name: String, primaryKey: TableValue) throws(QueryError) -> QueryConstant {
    guard hasObjects else { throw .invalid("Invalid predicate: 'obj(\(name), …)' needs a realm") }
    guard let schema = core.schema(named: name) else {
      throw .invalid("Invalid predicate: there is no class '\(name)'")
    }
    guard let property = schema.primaryKey else {
      throw .invalid("'\(name)' does not have a primary key defined")
    }
    let key = primaryKey.any
    guard property.wrapperType.accepts(key as Any) else {
      throw .invalid(
        "Invalid value '\(key ?? "(null)")' for the primary key '\(name).\(property.name)'")
    }
    let realm = Realm(core: core)
    guard let object = realm.dynamicObject(ofType: name, forPrimaryKey: key as Any) else {
      return .object(className: nil, nil)
    }
    return try constant(of: object)
  }

  // MARK: - Values

  func argument(_ value: Any) throws(QueryError) -> QueryConstant? {
    guard let value = unwrapped(value) else { return .value(.null) }
    if let range = QueryRange(value) { return .range(range) }
    if let elements = enumerable(value) {
      return .list { [Any](erasing: elements).map(QueryArguments.plain) }
    }
    return try constant(value)
  }

  func constant(_ value: Any) throws(QueryError) -> QueryConstant? {
    if let plain = TableValue(plain: value) { return .value(plain) }
    guard let value = unwrapped(value) else { return .value(.null) }
    if let any = value as? AnyRealmValue { return try constant(of: any) }
    if let object = modelObject(value) { return try constant(of: object) }
    if let type = type(of: value) as? any _Storable.Type, let stored = type._storedScalar(value) {
      return .value(stored.value)
    }
    switch value {
    case let shape as any GeoShape: return .region(shape.geoRegion)
    case let custom as any _CustomPersistable where type(of: custom)._wrapsObject:
      guard let object = modelObject(custom.persistableValue) else { return nil }
      return .members(try RealmQuerySchema.members(of: object))
    case is List<AnyRealmValue>, is Map<String, AnyRealmValue>, is [Any], is [String: Any]:
      return AnyRealmValue._convert(value).flatMap { contents(of: $0, stored: nil) }
    default: return nil
    }
  }

  private func constant(of any: AnyRealmValue) throws(QueryError) -> QueryConstant {
    if case .object(let object) = any { return .object(className: nil, try link(to: object)) }
    let stored = AnyRealmValue._encode(any, _RealmContext(core)).value
    return contents(of: any, stored: stored) ?? .value(stored)
  }

  private func constant(of object: ObjectBase) throws(QueryError) -> QueryConstant {
    let isNone = type(of: object) == Object.self
    return .object(
      className: isNone ? nil : object._schema.className, try link(to: object))
  }

  /// The link to an object; nil for one that this realm does not have.
  private func link(to object: ObjectBase) throws(QueryError) -> TableValue? {
    guard let owner = unsafe object._owner, let info = object._info, object._locate(info) else {
      return nil
    }
    // Frozen and live objects of one file have the same keys.
    guard unsafe owner === core || info.core.file === core.file else {
      throw .invalid("Object must be from the Realm being queried")
    }
    return unsafe .typedLink(info.tableKey, object._key)
  }

  /// A list or dictionary by its elements; nil for other values.
  private func contents(of any: AnyRealmValue, stored: TableValue?) -> QueryConstant? {
    switch any {
    case .list(let list):
      .collection(
        type: "list", elements: list.enumerated().map { (.index($0.offset), $0.element) },
        stored: stored)
    case .dictionary(let map):
      .collection(
        type: "dictionary", elements: map.map { (.value(of: $0.key), $0.value) }, stored: stored)
    default: nil
    }
  }

  /// The properties of an embedded object and their values.
  private static func members(
    of object: ObjectBase
  ) throws(QueryError) -> [(name: String, value: Any)] {
    let schema = object._schema
    var members: [(name: String, value: Any)] = []
    for property in schema.properties where property.shape.type != .linkingObjects {
      let start =
        "Unsupported property '\(schema.className).\(property.name)' for memberwise equality query:"
      if property.shape.collection != .none {
        throw .invalid("\(start) equality on collections is not implemented.")
      }
      if property.shape.type == .object {
        throw .invalid("\(start) object links are not implemented.")
      }
      members.append((property.name, object._value(of: property)))
    }
    return members
  }
}

/// The arguments of query strings.
enum QueryArguments {
  /// An argument as a type that properties have: that of Swift for objects of Foundation, `Int` for
  /// other integers.
  static func plain(_ argument: Any) -> Any {
    switch swiftValue(argument) {
    case let text as Substring: String(text)
    case let number as any FixedWidthInteger & UnsignedInteger:
      Int(exactly: number) ?? Double(number)
    case let number as CGFloat: Double(number)
    case let number as Decimal: Decimal128(value: number)
    case let value: value
    }
  }
}

// MARK: - Classes

extension ModelSchema: QueryClass {
  var queryPropertyNames: [String] { properties.map(\.name) }

  func queryProperty(named name: String) -> QueryProperty? {
    guard let property = property(named: name) else { return nil }
    let target = property.linkedSchema
    var columnName = property.columnName
    if let origin = property.originProperty, let target {
      // A property without a column: the other end of links.
      let link = target.property(named: origin)?.columnName ?? origin
      columnName = "@links.\(target.className).\(link)"
    }
    return QueryProperty(
      columnName: columnName, type: property.shape.columnType ?? .backlink,
      collection: property.shape.collectionKind, target: target)
  }
}

extension RealmCore {
  /// The class of this realm that is called `name`. Others of that name may be in the program.
  func schema(named name: some StringProtocol) -> ModelSchema? {
    classes.all.first { $0.schema.className == name }?.schema
  }
}

extension ClassInfo {
  /// The path of a key path to sort by: `a.b`, `list.@avg.price`, `map[key]`.
  func sortPath(_ keyPath: String) -> ColumnPath {
    var names: [String] = []
    var parts: [Int: [CollectionPart]] = [:]
    var function: CollectionFunction?
    for component in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
      if component.hasPrefix("@") {
        guard function == nil,
          let found = CollectionFunction(rawValue: String(component.dropFirst()))
        else {
          throwRealmException(
            "Cannot sort on key path '\(keyPath)': the operator '\(component)' is not supported.")
        }
        function = found
        continue
      }
      guard let bracket = component.firstIndex(of: "["), component.hasSuffix("]") else {
        names.append(String(component))
        continue
      }
      let inside = component[component.index(after: bracket)...].dropLast()
      names.append(String(component[..<bracket]))
      parts[names.count - 1] = [
        .value(of: inside.trimmingCharacters(in: CharacterSet(charactersIn: "'\"")))
      ]
    }
    let columns = unsafe schema.columnNames(names, in: RealmQuerySchema(core: core))
    return ColumnPath(columns, function: function, parts: parts)
  }
}
