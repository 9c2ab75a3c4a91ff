// SPDX-License-Identifier: Apache-2.0

// The identity of objects: which object of the database an accessor represents.

import RealmSession
import RealmTables

extension ObjectBase {
  /// The realm that manages the object, also after the object was deleted; nil if none does.
  ///
  /// This property may be read on any thread.
  public final var realm: Realm? {
    _info.map { Realm(core: unsafe $0.core) }
  }

  /// Whether the object was deleted, or its realm invalidated. False for unmanaged objects.
  public final var isInvalidated: Bool {
    guard let info = _info else { return false }
    if unsafe info.core.isFrozen {
      return unsafe info.core.isFrozenAndInvalid || !_locate(info)
    }
    unsafe info.core.checkIsolation()
    if unsafe info.core.isTracking { noteExistence(info) }
    return !_locate(info)
  }

  /// Whether both represent the same object of the same realm; false for nil.
  public final func isSameObject(as object: ObjectBase?) -> Bool {
    guard let object else { return false }
    if self === object { return true }
    guard let info = _info, let other = object._info, info.isSameTable(as: other) else {
      return false
    }
    return unsafe _key == object._key && _locate(info) && object._locate(other)
  }

  /// Equality: that of rows for frozen objects and classes with a primary key, else identity.
  final func _isEqual(_ other: ObjectBase) -> Bool {
    if self === other { return true }
    guard let info = _info, info.comparesRows else { return false }
    return isSameObject(as: other)
  }

  /// Agrees with `_isEqual(_:)`.
  final func _hash(into hasher: inout Hasher) {
    if let info = _info, info.comparesRows,
      unsafe info.core.confinement.isCertainlyCurrent, _locate(info)
    {
      unsafe hasher.combine(_key.rawValue)
    } else {
      hasher.combine(ObjectIdentifier(self))
    }
  }
}

extension ClassInfo {
  /// Whether objects are equal if they represent the same row.
  fileprivate var comparesRows: Bool { unsafe schema.primaryKey != nil || core.isFrozen }

  /// Whether both are classes of one table in one realm: a class of the program and that of dynamic
  /// objects, for instance.
  fileprivate func isSameTable(as other: ClassInfo) -> Bool {
    unsafe self === other || core === other.core && tableKey == other.tableKey
  }
}

extension ObjectBase: ThreadConfined {}

extension ObjectBase {
  /// The locator of the object: its identity, independent of a realm.
  public final var _definition: _ConfinedDefinition {
    guard let info = _info else {
      throwRealmException("Object is not managed by a Realm.")
    }
    return unsafe _ConfinedDefinition(.object(ObjectLocator(table: info.tableKey, object: _key)))
  }

  /// The object that `definition` identifies, in `realm`; nil if it does not exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    guard case .object(let object) = definition.locator,
      let info = realm.core.info(ofTable: object.table, for: self)
    else { return nil }
    guard let row = info.present(object.object) else { return nil }
    return info.makeObject(object.object, row) as? Self
  }
}
