// SPDX-License-Identifier: Apache-2.0

// Conditions on properties whose types are the program's own.
//
// Comparisons, orders and aggregates need nothing from such a type but how it is stored. What is
// stored as an embedded object equals another value if all the properties of the two do.

import RealmQuery

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
      guard operation == .equal || operation == .notEqual,
        let object = QueryNode.storedObject(constant)
      else { return nil }
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
      var member = path
      member.base = path.names.count
      let count = QueryNode.matchCount(path, .sameMembers(member, object))
      return .comparison(count, .greater, .constant(0), [])
    default: return nil
    }
  }
}
