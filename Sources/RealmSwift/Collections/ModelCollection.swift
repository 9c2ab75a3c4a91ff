// SPDX-License-Identifier: Apache-2.0

// What the collections have in common that are properties of models: lists, sets and maps.

import RealmSession

/// A list, a set or a map: a property of a model with many values.
protocol ModelCollection: AnyObject, SendableMetatype {
  /// The type of the elements; of a map that of the values.
  associatedtype Stored: RealmCollectionValue

  /// Its name in the documented message about collections of no realm.
  static var documentedName: String { get }

  /// The collection in the database, once it belongs to a realm.
  var managed: ManagedCollection? { get }

  /// Creates an empty collection that belongs to no realm.
  init()

  /// Creates a collection of a realm.
  init(managed: ManagedCollection)
}

extension ModelCollection {
  /// The collection in the database; traps if it belongs to no realm.
  func requireManaged() -> ManagedCollection {
    if let managed { return managed }
    throwRealmException(
      "This method may only be called on \(Self.documentedName) instances retrieved from a "
        + "Realm. Add the object that has the \(Self.self) to a Realm first.")
  }

  /// The collection in the database; traps if it belongs to no realm or is no longer valid.
  func requireValid() -> ManagedCollection {
    let managed = requireManaged()
    _ = managed.contents()
    return managed
  }

  /// The shape of a property of this type.
  static func shape(_ collection: _PropertyShape.Collection) -> _PropertyShape {
    var shape = Stored._shape
    shape.collection = collection
    return shape
  }

  /// The collection that is a property of `object`.
  static func loaded(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self
  where Self: _Persistable {
    guard let info = object._info else { return Self() }
    if let kept = object._kept(Self.self, info, slot),
      kept.managed?.isOf(object, info, slot) ?? false
    {
      return kept
    }
    return Self(managed: ManagedCollection(object, info, slot))
  }

  /// The locator of the collection: its identity, independent of a realm.
  var definition: _ConfinedDefinition {
    guard let managed else { throwRealmException(observationOfUnmanagedText) }
    return _ConfinedDefinition(.list(managed.definition), isGone: managed.hasReportedEnd)
  }

  /// The collection that `definition` describes, in `realm`; nil if its object does not exist
  /// there.
  static func local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    guard case .list(let locator) = definition.locator else { return nil }
    return ManagedCollection.local(
      locator, in: realm.core, of: Stored.self, orGone: definition.isGone
    ).map(Self.init)
  }
}
