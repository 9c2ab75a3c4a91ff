// SPDX-License-Identifier: Apache-2.0

// The classes of a subscription's condition, before there is a realm.

#if Sync
import RealmQuery
import RealmTables

/// A class and those that its links lead to, and numbers of the program.
struct SubscriptionSchema: QuerySchema {
  let root: ModelSchema

  func queryClass(named name: String) -> (any QueryClass)? {
    var known = [root]
    var next = 0
    while next < known.count {
      if known[next].className == name { return known[next] }
      for case let linked? in known[next].properties.map(\.linkedSchema)
      where !known.contains(where: { $0 === linked }) {
        known.append(linked)
      }
      next += 1
    }
    // A class whose links lead here.
    return ModelClasses.defaultSchema().first { $0.className() == name }.map(ModelSchema.of)
  }

  func constant(_ value: Any) throws(QueryError) -> QueryConstant? {
    if let plain = TableValue(plain: value) { return .value(plain) }
    guard let value = unwrapped(value) else { return .value(.null) }
    guard let type = type(of: value) as? any _Storable.Type,
      let stored = type._storedScalar(value)
    else { return nil }
    return .value(stored.value)
  }

  func argument(_ value: Any) throws(QueryError) -> QueryConstant? {
    guard let value = unwrapped(value) else { return .value(.null) }
    if let range = QueryRange(value) { return .range(range) }
    if let elements = enumerable(value) {
      return .list { [Any](erasing: elements).map(QueryArguments.plain) }
    }
    return try constant(value)
  }

  func decimal(_ digits: String) -> TableValue? { nil }

  func object(ofClass name: String, primaryKey: TableValue) throws(QueryError) -> QueryConstant {
    throw .invalid("Invalid predicate: 'obj(\(name), …)' needs a realm")
  }
}
#endif
