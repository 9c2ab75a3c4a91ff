// SPDX-License-Identifier: Apache-2.0

// Objects as values of properties and as elements of collections: links.

import RealmSession
import RealmTables

extension ObjectBase: _OptionalPersistable {
  /// Links are stored as links.
  public typealias PersistedType = ObjectBase
}

extension ObjectBase: _RealmCollectionValueInsideOptional {}

extension _Storable where Self: ObjectBase {
  public static var _shape: _PropertyShape { _PropertyShape(.object, linkedClass: self) }

  /// Accepts objects, and values that an unmanaged object can be made from.
  public static func _convert(_ any: Any) -> Self? {
    if let object = modelObject(any) as? Self { return object }
    guard let value = unwrapped(any) else { return nil }
    if let object = modelObject(value), object is Self || Self.self == DynamicObject.self {
      return object as? Self
    }
    guard value is ObjectBase || value is [String: Any] || value is [Any] else { return nil }
    let object = self.init()
    object._fill(from: value)
    return object
  }
}

extension _OptionalPersistable where Self: ObjectBase {
  public static func _tracedOptional(by recording: _Recording) -> Self? {
    recording.record().makeObject(Self.self)
  }

  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self? {
    guard let row = unsafe object._row, let info = object._info else { return nil }
    guard let key = _reading(object, slot, try row.link(slot.leaf), else: nil) else { return nil }
    let target = info.linkedClass(slot)
    let linked = target.makeObject(key)
    if unsafe linked._row == nil, unsafe info.core.checksLinks, target.lacks(linked) {
      object._meetDamage(target.missing(key), slot)
    }
    return linked as? Self
  }

  public static func _storeUnmanagedOptional(
    _ wrapper: _Wrapper, _ object: ObjectBase, _ slot: _ColumnSlot
  ) {
    if let value = wrapper.value(Self?.self) {
      _storeOptional(value, object, slot)
      // From here on the link is in the database; one that is kept here would keep cycles alive.
      wrapper.clear(Self?.self)
    } else if !wrapper.isFresh {
      _storeOptional(nil, object, slot)
    }
  }

  public static func _storeOptional(_ value: Self?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    guard let info = object._info else { return }
    if let value, unsafe value._hot != nil, value is EmbeddedObject {
      if info.holds(value, object, slot) { return }
      throwRealmException("Can't set link to existing managed embedded object")
    }
    if unsafe info.core.skipsEqualValues, let value, value is EmbeddedObject,
      let present = info.link(object, slot)
    {
      unsafe info.core.objects.replaceValues(ofEmbedded: present, info.linkedClass(slot), by: value)
      return
    }
    if let value, unsafe !info.core.objects.isLinkable(value, info.linkedClass(slot)) {
      info.schema.properties[Int(slot.property)].refuse(value, in: info.schema)
    }
    let link = value.map { unsafe TableValue.link(info.core.objects.managedKey(of: $0)) }
    info.set(link ?? .null, property: Int(slot.property), of: object)
  }
}

extension RealmCollectionValue where Self: ObjectBase {
  public static func _decode(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    if context.info == nil, self == DynamicObject.self {
      throwRealmException(
        "The elements of the collection are no objects: ask it for value(forKey: \"self\")."
      )
    }
    guard case .link(let key) = value.value, let info = context.info,
      let object = info.makeObject(key) as? Self
    else {
      context.meetContradiction("The database holds a link to an object of another class")
      return Self()
    }
    return object
  }

  public static func _encode(_ value: Self, _ context: _RealmContext) -> _StoredValue {
    if unsafe value._hot != nil, value is EmbeddedObject {
      refuseEmbeddedElement(of: context.kind)
    }
    if let info = context.info, info.schema.isDynamic {
      value.requireElement(of: info, context.kind)
    }
    return _StoredValue(.link(context.linkedKey(of: value)))
  }

  public static func _tracedElement(by recording: _Recording) -> Self {
    recording.recorder.makeObject(Self.self)
  }
}

/// Traps because an embedded object that has a place was put into a collection.
func refuseEmbeddedElement(of kind: CollectionKind) -> Never {
  let name = kind == .dictionary ? "Dictionary" : "List"
  throwRealmException("Cannot add an existing managed embedded object to a \(name).")
}

extension _RealmCollectionValueInsideOptional where Self: ObjectBase {
  public static func _decodeOptional(_ value: _StoredValue, _ context: _RealmContext) -> Self? {
    value.value.isNull ? nil : _decode(value, context)
  }
}

extension ObjectWriter {
  /// Whether links to objects of `target` can lead to `object`: objects of its subclasses are in
  /// another table. Objects of other realms are refused elsewhere.
  func isLinkable(_ object: ObjectBase, _ target: ClassInfo) -> Bool {
    if unsafe object._hot == nil {
      return type(of: object) == target.schema.modelClass
        || core.classes[type(of: object)].tableKey == target.tableKey
    }
    return unsafe object._owner !== core || object._info?.tableKey == target.tableKey
  }
}

extension _RealmContext {
  /// The key of an object that becomes an element, which is added to the realm if need be.
  fileprivate func linkedKey(of object: ObjectBase) -> ObjectKey {
    guard let info, !core.objects.isLinkable(object, info) else {
      return core.objects.managedKey(of: object)
    }
    let (own, target) = (object._schema.className, info.schema.className)
    throwRealmException(
      kind == .dictionary
        ? "Value of type '\(own)' does not match RLMDictionary value type '\(target)'. A Map of "
          + "'\(target)' takes objects of that very class."
        : "Object of type '\(own)' does not match \(kind == .set ? "RLMSet" : "RLMArray") type "
          + "'\(target)'. A \(kind == .set ? "MutableSet" : "List") of '\(target)' takes objects "
          + "of that very class.")
  }
}

extension ClassInfo {
  /// The key of the object that a property of a managed object links to.
  func link(_ object: ObjectBase, _ slot: _ColumnSlot) -> ObjectKey? {
    unsafe reading(
      Int(slot.property), of: object._key, try row(of: object._key)?.link(slot.leaf), else: nil)
  }

  /// Whether a property of a managed object links to `value`, which is managed too.
  func holds(_ value: ObjectBase, _ object: ObjectBase, _ slot: _ColumnSlot) -> Bool {
    unsafe value._owner === core
      && value._info?.tableKey == columns[Int(slot.property)]?.targetTable
      && link(object, slot) == value._key
  }

  /// The class that the link in a column leads to.
  func linkedClass(_ slot: _ColumnSlot) -> ClassInfo {
    let property = Int(slot.property)
    if let info = linkedClasses[property] { return info }
    guard let info = findLinkedClass(property) else {
      throwRealmException(
        "The class that '\(schema.className).\(schema.properties[property].name)' links to is not "
          + "part of the Realm's schema")
    }
    linkedClasses[property] = info
    return info
  }

  /// The class that a property links to. Another class of the program may show the same table, so
  /// the property's own is taken.
  func findLinkedClass(_ property: Int) -> ClassInfo? {
    guard let target = columns[property]?.targetTable else { return nil }
    if schema.isDynamic { return unsafe core.dynamicInfo(ofTable: target) }
    let linked = schema.properties[property].shape.linkedClass
    if let linked, unsafe core.classes.contains(linked) { return unsafe core.classes[linked] }
    return unsafe core.classes[target]
  }
}
