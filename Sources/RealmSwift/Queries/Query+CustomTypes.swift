// SPDX-License-Identifier: Apache-2.0

// Conditions on properties whose types are the program's own.
//
// Comparisons, orders and aggregates need nothing from such a type but how it is stored. What is
// stored as an embedded object equals another value if all the properties of the two do.

import RealmQuery
import RealmSession

extension Query where T: _CustomPersistable {
  /// What is stored for the property.
  ///
  /// ```swift
  /// let far = realm.objects(Entry.self).where { $0.walked.persistableValue > 2_000 }
  /// ```
  public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension Query where T: OptionalProtocol, T.Wrapped: _CustomPersistable {
  /// What is stored for the property; null if the property is.
  public var persistableValue: Query<T.Wrapped.PersistedType?> {
    Query<T.Wrapped.PersistedType?>(node)
  }
}

extension AnyRealmValue {
  /// Whether this is a list or a dictionary.
  fileprivate var isCollection: Bool { listValue != nil || dictionaryValue != nil }
}

extension QueryNode {
  /// The object that is stored for a constant of the program's own type; nil for other constants.
  static func storedObject(_ constant: Any) -> ObjectBase? {
    guard let constant = unwrapped(constant), let custom = constant as? any _CustomPersistable,
      type(of: custom)._wrapsObject
    else { return nil }
    return modelObject(custom.persistableValue)
  }

  /// Whether the embedded object at the end of `path`, if there is one, has the values of `object`.
  static func memberwise(_ path: QueryPath, _ object: ObjectBase) -> QueryNode {
    .and(
      .comparison(.path(path), .notEqual, .constant(Int?.none as Any), []),
      sameMembers(path, object))
  }

  /// Whether the mixed value at the end of `path` is a collection with the contents of `constant`;
  /// nil if that is no collection.
  private static func sameContents(_ path: QueryPath, _ constant: Any) -> QueryNode? {
    guard path.collectionLength == nil, let value = collection(constant) else { return nil }
    func all(_ type: String, _ elements: [(QueryPath.Part, AnyRealmValue)]) -> QueryNode {
      let isOfType = QueryNode.comparison(
        .path(path.taking(.type)), .equal, .constant(type), [])
      let hasCount = QueryNode.comparison(
        .path(path.applying(.count)), .equal, .constant(elements.count), [])
      return elements.reduce(.and(isOfType, hasCount)) { condition, element in
        let (part, value) = element
        let isEqual = QueryNode.comparison(
          .path(path.taking(part)), .equal, .constant(value), [])
        // What is not there is null as well.
        guard case .value(let key) = part, value == .none else { return .and(condition, isEqual) }
        let isThere = QueryNode.comparison(.path(path.taking(.keys)), .equal, .constant(key), [])
        return .and(condition, .and(isThere, isEqual))
      }
    }
    switch value {
    case .list(let list):
      return all("list", list.enumerated().map { (.index($0.offset), $0.element) })
    case .dictionary(let map):
      return all("dictionary", map.map { (.value(of: $0.key), $0.value) })
    default: return nil
    }
  }

  /// A list or dictionary of mixed values, whichever way it is given; nil for everything else.
  private static func collection(_ constant: Any) -> AnyRealmValue? {
    guard let constant = unwrapped(constant) else { return nil }
    switch constant {
    case let value as AnyRealmValue: return value.isCollection ? value : nil
    case is List<AnyRealmValue>, is Map<String, AnyRealmValue>, is [Any], is [String: Any]:
      return AnyRealmValue._convert(constant)
    default: return nil
    }
  }

  /// Whether the embedded object at the end of `path` has the values of `object`.
  private static func sameMembers(_ path: QueryPath, _ object: ObjectBase) -> QueryNode {
    let schema = object._schema
    var condition = QueryNode.constant(true)
    for property in schema.properties where property.shape.type != .linkingObjects {
      let start =
        "Unsupported property '\(schema.className).\(property.name)' for memberwise equality query:"
      if property.shape.collection != .none {
        throwRealmException("\(start) equality on collections is not implemented.")
      }
      if property.shape.type == .object {
        throwRealmException("\(start) object links are not implemented.")
      }
      let member = QueryNode.path(path.appending(property.name, isCollection: false))
      let value = object._value(of: property)
      condition = .and(condition, .comparison(member, .equal, .constant(value), []))
    }
    return condition
  }

  /// The node with equalities of values that are stored as objects spelled out; nil if it is none.
  var expanded: QueryNode? {
    switch self {
    case .comparison(.path(let path), let operation, .constant(let constant), _):
      guard operation == .equal || operation == .notEqual else { return nil }
      if let equality = QueryNode.sameContents(path, constant) {
        return operation == .equal ? equality : .not(equality)
      }
      guard let object = QueryNode.storedObject(constant) else { return nil }
      if path.collectionLength != nil {
        return .someElement(of: path, object, isEqual: operation == .equal)
      }
      let equality = QueryNode.memberwise(path, object)
      return operation == .equal ? equality : .not(equality)
    case .oneOf(.path(let path), let values):
      let objects = values.compactMap { QueryNode.storedObject($0) }
      guard !objects.isEmpty else { return nil }
      let nulls: [QueryNode] =
        values.contains { isNil($0) }
        ? [.comparison(.path(path), .equal, .constant(Int?.none as Any), [])] : []
      return (nulls + objects.map { .memberwise(path, $0) }).reduced(QueryNode.or)
    case .contains(let path, let element):
      guard let object = QueryNode.storedObject(element) else { return nil }
      return .someElement(of: path, object, isEqual: true)
    default: return nil
    }
  }

  /// Whether some embedded object of the collection at the end of `path` has the values of
  /// `object`, or some has others.
  private static func someElement(
    of path: QueryPath, _ object: ObjectBase, isEqual: Bool
  ) -> QueryNode {
    var member = path
    member.base = path.names.count
    let same = sameMembers(member, object)
    let count = QueryNode.matchCount(path, isEqual ? same : .not(same))
    return .comparison(count, .greater, .constant(0), [])
  }
}
