// SPDX-License-Identifier: Apache-2.0

// The implementation of `value(forKey:)` and the other key-value methods of objects.

import RealmSession

extension ObjectBase {
  /// The value of the property called `key`, as untyped access returns it; nil for null.
  final func _valueForKey(_ key: String) -> Any? {
    if let property = _schema.property(named: key) { return linked(untypedValue(of: property)) }
    if key == "self" { return self }
    throwRealmException("Invalid property name '\(key)' for class '\(_schema.className)'.")
  }

  /// The value of a property as untyped access returns it: of an enumeration the raw value, of a
  /// custom type what is stored; nil for null.
  private final func untypedValue(of property: ModelProperty) -> Any? {
    if let info = _info, property.shape.collection == .none,
      property.wrapperType.valueType._wrapsObject
    {
      guard _prepareToRead() else { return nil }
      if unsafe info.core.isTracking { noteRead(info, property: property.index) }
      let slot = info.slot(property)
      return info.link(self, slot).map { info.linkedClass(slot).makeObject($0) }
    }
    return RealmSwift.untypedValue(_value(of: property)).map { persistedForm($0) ?? $0 }
  }

  final func _valueForKeyPath(_ keyPath: String) -> Any? {
    KeyValuePath.value(of: self, at: Substring(keyPath))
  }

  final func _setValue(_ value: Any?, forKeyPath keyPath: String) {
    KeyValuePath.setValue(value, of: self, at: Substring(keyPath))
  }

  /// The object that a dynamic object links to, as one of the program's class if the realm has it;
  /// in migrations as a dynamic object.
  private final func linked(_ value: Any?) -> Any? {
    guard _info?.schema.isDynamic ?? false, let value, let object = modelObject(value),
      let info = object._info, let shown = unsafe info.core.untypedInfo(ofTable: info.tableKey),
      shown !== info
    else { return value }
    return unsafe shown.makeObject(object._key)
  }
}
