// SPDX-License-Identifier: Apache-2.0

// Access to collections of objects by the name of their property.

import RealmSession
import RealmStorage
import RealmTables

extension ObjectBase {
  /// The list in the property called `propertyName`.
  ///
  /// A list of plain values has their `count` and returns them by `value(forKey: "self")`, as they
  /// are no objects. Traps if no realm manages the object, and if the property is no list.
  public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
    List(managed: dynamicCollection(propertyName, .list))
  }

  /// The set in the property called `propertyName`.
  ///
  /// A set of plain values has their `count` and returns them by `value(forKey: "self")`, as they
  /// are no objects. Traps if no realm manages the object, and if the property is no set.
  public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
    MutableSet(managed: dynamicCollection(propertyName, .set))
  }

  /// The map of objects in the property called `propertyName`.
  ///
  /// Traps if no realm manages the object, and if the property is no map of objects.
  public final func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
    Map(managed: dynamicCollection(propertyName, .map))
  }

  private final func dynamicCollection(
    _ name: String, _ kind: _PropertyShape.Collection
  ) -> ManagedCollection {
    // A collection of an object that was lost with damaged bytes is empty.
    _ = _prepareToRead()
    guard let typed = _info,
      let info = unsafe typed.core.dynamicInfo(ofTable: typed.tableKey)
    else {
      throwRealmException("Dynamic collections are those of objects that a Realm manages.")
    }
    guard let property = info.schema.property(named: name) else {
      throwRealmException(
        "Invalid property name '\(name)' for class '\(info.schema.className)'.")
    }
    guard property.shape.collection == kind, kind != .map || property.shape.linkedClass != nil
    else {
      let wanted = kind == .map ? "map of objects" : "\(kind)"
      throwRealmException(
        "Property '\(info.schema.className).\(name)' of type '\(property.shape)' is no \(wanted).")
    }
    return unsafe ManagedCollection(_key, info, info.slot(property))
  }

  /// Traps for a dynamic embedded object that has a parent.
  final func requireElement(of info: ClassInfo, _ kind: CollectionKind) {
    if _info != nil, info.schema.tableKind == .embedded,
      unsafe info.core.reading(try info.isLinked(_key), else: false)
    {
      refuseEmbeddedElement(of: kind)
    }
  }
}

extension ClassInfo {
  /// Whether any link leads to an object.
  fileprivate func isLinked(_ key: ObjectKey) throws(StorageError) -> Bool {
    guard let row = try row(of: key) else { return false }
    for column in try table.schema.backlinkColumns {
      if try !row.backlinks(of: column).isEmpty { return true }
    }
    return false
  }
}

extension AnyRealmValue {
  /// The object, whatever its class, with access by the names of its properties; nil if the value
  /// is not an object, or is an object that no realm manages.
  public var dynamicObject: DynamicObject? {
    guard case .object(let object) = self, let info = object._info else { return nil }
    if let object = object as? DynamicObject { return object }
    return unsafe info.core.dynamicInfo(ofTable: info.tableKey)?.makeObject(object._key)
      as? DynamicObject
  }
}
