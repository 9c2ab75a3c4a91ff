// SPDX-License-Identifier: Apache-2.0

// Types of the standard library that a newcomer writes where a collection of Realm is meant. Their
// conformances are unavailable: the compiler rejects the property and suggests the right type.
//
// Casts at run time see unavailable conformances. Each code path that casts to one of these
// protocols then requests the stored form of a value, which is nil here, as for types without any
// conformance.

import RealmSession

/// A type that cannot be the type of a `@Persisted` property.
public protocol _RefusedType: _Persistable, _OptionalPersistable {}

extension _RefusedType {
  public static var _shape: _PropertyShape { refuse() }
  public static func _convert(_ any: Any) -> Self? { nil }
  public static func _makeDefault() -> Self { refuse() }
  public static func _traced(by recording: _Recording) -> Self { refuse() }
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self { refuse() }
  public static func _store(_ value: Self, _ object: ObjectBase, _ slot: _ColumnSlot) { refuse() }
  public static func _tracedOptional(by recording: _Recording) -> Self? { refuse() }
  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self? { refuse() }
  public static func _storeOptional(_ value: Self?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    refuse()
  }

  private static func refuse() -> Never {
    throwRealmException("Values of '\(Self.self)' cannot be stored in a property.")
  }
}

@available(
  *, unavailable,
  message: "a property stores several values as a List: '@Persisted var names: List<String>'"
)
extension Array: _RefusedType {
  /// Not stored.
  public typealias PersistedType = Array
}

@available(
  *, unavailable,
  message:
    "a property stores distinct values as a MutableSet: '@Persisted var tags: MutableSet<String>'"
)
extension Set: _RefusedType {
  /// Not stored.
  public typealias PersistedType = Set
}

@available(
  *, unavailable,
  message: "a property stores values by key as a Map: '@Persisted var scores: Map<String, Int>'"
)
extension Dictionary: _RefusedType {
  /// Not stored.
  public typealias PersistedType = Dictionary
}
