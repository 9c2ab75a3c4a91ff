// SPDX-License-Identifier: Apache-2.0

// Conditions on properties of classes that do without `@Persisted`.

/// `RealmProperty`, as a constraint.
public protocol _RealmPropertyHolder {
  /// The type of the value.
  associatedtype Value
}

extension RealmProperty: _RealmPropertyHolder {}

extension Query where T: _RealmPropertyHolder {
  /// The value of the property.
  public var value: Query<T.Value> { Query<T.Value>(operand) }
}

extension Query where T: ObjectBase {
  /// A property of the object that is declared without `@Persisted`.
  public subscript<V>(dynamicMember member: KeyPath<T, RealmProperty<V>>) -> Query<RealmProperty<V>>
  { Query<RealmProperty<V>>(propertyPath.appending(_name(for: member), isMany: false)) }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
  /// A property of the objects in the collection that is declared without `@Persisted`: the
  /// condition is true if it is for some of them.
  public subscript<V>(
    dynamicMember member: KeyPath<T.Element, RealmProperty<V>>
  ) -> Query<RealmProperty<V>> {
    Query<RealmProperty<V>>(propertyPath.appending(_name(for: member), isMany: false))
  }
}
