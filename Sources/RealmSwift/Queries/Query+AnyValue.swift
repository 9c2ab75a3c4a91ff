// SPDX-License-Identifier: Apache-2.0

// Conditions on values of any type, which may be lists and maps of such values.

import RealmQuery

extension Query where T == AnyRealmValue {
  /// The element at a position, if the value is a list; null if there is none.
  public subscript(position: Int) -> Query<AnyRealmValue> {
    Query(propertyPath.taking(.index(position)))
  }

  /// The value of a key, if the value is a map; null if there is none.
  public subscript(key: String) -> Query<AnyRealmValue> {
    Query(propertyPath.taking(.value(of: key)))
  }

  /// The elements of a list or the values of a map: a condition is true if it is for some of them.
  public var any: Query<AnyRealmValue> { Query(propertyPath.taking(.every)) }
}

extension AnyRealmValue: _QueryString {}
