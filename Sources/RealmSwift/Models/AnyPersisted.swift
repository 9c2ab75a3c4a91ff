// SPDX-License-Identifier: Apache-2.0

// The untyped interface of `@Persisted` fields: access by reflection, whatever a field's type.

/// The type of a `@Persisted` field.
protocol AnyPersisted: SendableMetatype {
  static var valueType: any _Persistable.Type { get }

  /// Whether the field has no `@Persisted`: the type is a `LegacyWrapper`. A cast to that would
  /// search the program for a conformance that nearly all types lack.
  static var isLegacy: Bool { get }

  /// The arguments of the declaration.
  static func flags(at address: UnsafeRawPointer) -> PersistedFlags

  /// The origin of a backlink property.
  static func originProperty(at address: UnsafeRawPointer) -> String?

  /// The value of an unmanaged object's property.
  static func unmanagedValue(at address: UnsafeMutableRawPointer) -> Any

  /// Whether the program has set the unmanaged object's property: what it holds is not the default
  /// of its declaration.
  static func isAssigned(at address: UnsafeRawPointer) -> Bool

  /// Sets an unmanaged object's property; false if the value is not of its type.
  static func setUnmanagedValue(_ value: Any, at address: UnsafeMutableRawPointer) -> Bool

  /// The value of a managed object's property; its row is current.
  static func managedValue(_ object: ObjectBase, _ slot: _ColumnSlot) -> Any

  /// Sets a managed object's property; false if the value is not of its type.
  static func setManagedValue(_ value: Any, _ object: ObjectBase, _ slot: _ColumnSlot) -> Bool

  /// `value` as a stored value, if the property is a scalar and accepts it.
  static func storedScalar(_ value: Any) -> _StoredValue?

  /// The stored value of an unmanaged object's property, if it is a scalar.
  static func storedUnmanaged(at address: UnsafeMutableRawPointer) -> _StoredValue?

  /// Whether `value` can be assigned to the property.
  static func accepts(_ value: Any) -> Bool

  /// Whether the property would hold null in place of `value`, or of one of its elements: of a raw
  /// value that is no case.
  static func wouldLose(_ value: Any) -> Bool

  /// Writes the values that the object held while it was unmanaged to its new row.
  ///
  /// A fresh row has all the zeros that default values have, so those are skipped if it is one.
  static func persist(
    from address: UnsafeMutableRawPointer, _ object: ObjectBase, _ slot: _ColumnSlot,
    isFresh: Bool)
}

extension AnyPersisted {
  static var isLegacy: Bool { false }

  static func wouldLose(_ value: Any) -> Bool {
    let value = swiftValue(value)
    guard let converted = valueType._convert(value) else { return false }
    return nullCount(value) != nullCount(converted)
  }

  /// The number of nulls that a value is or contains.
  private static func nullCount(_ value: Any) -> Int {
    if isNil(value) { return 1 }
    if let map = UntypedMap(value) { return map.entries.count { isNil($0.value) } }
    guard let elements = enumerable(value) else { return 0 }
    return Array(erasing: elements).count { isNil($0) }
  }
}

extension Persisted: AnyPersisted {
  static var valueType: any _Persistable.Type { Value.self }

  static func flags(at address: UnsafeRawPointer) -> PersistedFlags {
    unsafe address.assumingMemoryBound(to: Self.self).pointee.flags
  }

  static func originProperty(at address: UnsafeRawPointer) -> String? {
    let value = unsafe address.assumingMemoryBound(to: Self.self).pointee.value
    return (value as? any LinkingObjectsProtocol)?._originProperty
  }

  static func unmanagedValue(at address: UnsafeMutableRawPointer) -> Any {
    let wrapper = unsafe address.assumingMemoryBound(to: Self.self)
    if let value = unsafe wrapper.pointee.value { return value }
    let value = Value._makeDefault()
    unsafe wrapper.pointee.value = value
    return value
  }

  static func isAssigned(at address: UnsafeRawPointer) -> Bool {
    unsafe flags(at: address).contains(.assigned)
  }

  static func setUnmanagedValue(_ value: Any, at address: UnsafeMutableRawPointer) -> Bool {
    guard let converted = Value._convert(swiftValue(value)) else { return false }
    unsafe address.assumingMemoryBound(to: Self.self).pointee.assign(converted)
    return true
  }

  static func managedValue(_ object: ObjectBase, _ slot: _ColumnSlot) -> Any {
    Value._load(object, slot)
  }

  static func setManagedValue(_ value: Any, _ object: ObjectBase, _ slot: _ColumnSlot) -> Bool {
    let value = swiftValue(value)
    if let stored = Value._storedScalar(value) {
      // The stored value may be no value of the type: a raw value that is no case.
      object._set(stored, slot)
    } else if let converted = Value._convert(value) {
      Value._store(converted, object, slot)
    } else {
      return false
    }
    return true
  }

  static func storedScalar(_ value: Any) -> _StoredValue? {
    Value._storedScalar(swiftValue(value))
  }

  static func accepts(_ value: Any) -> Bool { Value._convert(swiftValue(value)) != nil }

  static func persist(
    from address: UnsafeMutableRawPointer, _ object: ObjectBase, _ slot: _ColumnSlot,
    isFresh: Bool
  ) {
    unsafe Value._storeUnmanaged(_Wrapper(address: address, isFresh: isFresh), object, slot)
  }

  static func storedUnmanaged(at address: UnsafeMutableRawPointer) -> _StoredValue? {
    unsafe Value._storedUnmanaged(_Wrapper(address: address, isFresh: false))
  }
}
