// SPDX-License-Identifier: Apache-2.0

// Reads and sets properties by name.

import RealmSession

extension ObjectBase {
  /// The schema of the object: that of its realm's class, or of its own class.
  final var _schema: ModelSchema { _info?.schema ?? ModelSchema.of(type(of: self)) }

  /// The memory of a property's wrapper.
  final func _wrapper(_ property: ModelProperty) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(self).toOpaque() + property.offset
  }

  /// The value of the property called `name`; nil if the class has none.
  final func _value(named name: String) -> Any? {
    guard let property = _schema.property(named: name) else { return nil }
    return _value(of: property)
  }

  final func _value(of property: ModelProperty) -> Any {
    guard let info = _info else {
      return unsafe property.wrapperType.unmanagedValue(at: _wrapper(property))
    }
    guard _prepareToRead() else {
      return property.wrapperType.valueType.placeholder(self, info.slot(property))
    }
    if unsafe info.core.isTracking { noteRead(info, property: property.index) }
    return property.wrapperType.managedValue(self, info.slot(property))
  }

  /// Sets the property called `name`; traps if the class has none, or if `value` is not of its
  /// type.
  final func _setValue(_ value: Any, named name: String) {
    let schema = _schema
    guard let property = schema.property(named: name) else {
      throwRealmException("Invalid property name '\(name)' for class '\(schema.className)'.")
    }
    if property.shape.type == .linkingObjects {
      throwRealmException("LinkingObjects properties are read-only")
    }
    let isSet: Bool
    if unsafe _hot == nil {
      isSet = unsafe property.wrapperType.setUnmanagedValue(value, at: _wrapper(property))
    } else {
      let slot = _prepareToWrite(UInt(property.offset))
      if slot.isRefused { _refusePrimaryKey(value) }
      if let info = _info, schema.isDynamic {
        return unsafe info.core.objects.setDynamic(value, property, of: self, info)
      }
      isSet = property.wrapperType.setManagedValue(value, self, slot)
    }
    if !isSet { property.refuse(value, in: schema) }
  }

  /// Sets the properties of an unmanaged object.
  final func _fill(from value: Any) {
    let schema = ModelSchema.of(type(of: self))
    let source = ValueSource(value, for: schema)
    for property in schema.properties where property.shape.type != .linkingObjects {
      guard let value = source.value(of: property) else { continue }
      let isSet = unsafe property.wrapperType.setUnmanagedValue(value, at: _wrapper(property))
      if !isSet { property.refuse(value, in: schema) }
    }
  }
}

extension ModelProperty {
  /// Traps because `value` cannot be the property's.
  func refuse(_ value: Any, in schema: ModelSchema) -> Never {
    if shape.collection != .none, shape.collection != .map, enumerable(value) == nil {
      let type = shape.linkedClass?.className() ?? shape.type.description
      throwRealmException(
        "Invalid value (\(unwrapped(value) ?? "(null)")) for '\(type)' \(shape.collection.name) "
          + "property '\(schema.className).\(name)': value is not enumerable.")
    }
    if holdsForbiddenNil(value) {
      let type = shape.linkedClass?.className() ?? shape.type.description
      throwRealmException("Invalid nil value for \(shape.collection.name) of '\(type)'.")
    }
    let optional = shape.isOptional ? "?" : ""
    let given = unwrapped(value)
    let type = given.map { "\(Swift.type(of: $0))" } ?? "(null)"
    throwRealmException(
      "Invalid value '\(given ?? "(null)")' of type '\(type)'"
        + " for '\(shape)\(optional)' property '\(schema.className).\(name)'."
        + (casesText.map { " It takes \($0)." } ?? ""))
  }

  /// Whether `value` holds nil for a list or set whose elements cannot be nil.
  private func holdsForbiddenNil(_ value: Any) -> Bool {
    guard shape.collection == .list || shape.collection == .set, !shape.isOptional,
      shape.type != .any
    else { return false }
    return enumerable(value)?.contains { unwrapped($0) == nil } ?? false
  }
}

extension _PropertyShape.Collection {
  /// The name of the collection in messages about values.
  fileprivate var name: String {
    switch self {
    case .none: "scalar"
    case .list: "array"
    case .set: "set"
    case .map: "dictionary"
    }
  }
}
