// SPDX-License-Identifier: Apache-2.0

// Optional properties and elements: scalars that can be nil, and links.

import RealmTables

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
  public typealias PersistedType = Wrapped.PersistedType?
}

extension Optional: _Storable where Wrapped: _Storable {
  public static var _shape: _PropertyShape {
    var shape = Wrapped._shape
    shape.isOptional = true
    return shape
  }

  public static var _wrapsObject: Bool { Wrapped._wrapsObject }

  /// Accepts nil in its untyped forms, values that the wrapped type accepts, and stored values that
  /// represent none of them, which are nil.
  public static func _convert(_ any: Any) -> Wrapped?? {
    if isNil(any) { return .some(nil) }
    return Wrapped._convertOptional(any)
  }

  public static func _storedScalar(_ value: Any) -> _StoredValue? {
    isNil(value) ? _StoredValue(.null) : Wrapped._storedScalarOptional(value)
  }
}

extension Optional: _Persistable where Wrapped: _OptionalPersistable {

  @inlinable
  public static func _makeDefault() -> Wrapped? { nil }

  public static func _traced(by recording: _Recording) -> Wrapped? {
    Wrapped._tracedOptional(by: recording)
  }

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Wrapped? {
    Wrapped._loadOptional(object, slot)
  }

  @inlinable @inline(__always)
  public static func _store(_ value: Wrapped?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    Wrapped._storeOptional(value, object, slot)
  }

  public static func _storeUnmanaged(
    _ wrapper: _Wrapper, _ object: ObjectBase, _ slot: _ColumnSlot
  ) {
    Wrapped._storeUnmanagedOptional(wrapper, object, slot)
  }

  public static func _storedUnmanaged(_ wrapper: _Wrapper) -> _StoredValue? {
    Wrapped._storedUnmanagedOptional(wrapper)
  }
}

extension Optional: RealmCollectionValue where Wrapped: _RealmCollectionValueInsideOptional {
  public static func _decode(_ value: _StoredValue, _ context: _RealmContext) -> Wrapped? {
    Wrapped._decodeOptional(value, context)
  }

  public static func _encode(_ value: Wrapped?, _ context: _RealmContext) -> _StoredValue {
    value.map { Wrapped._encode($0, context) } ?? _StoredValue(.null)
  }

  public static func _tracedElement(by recording: _Recording) -> Wrapped? {
    // A key path ends at a scalar, whose default value need not convert.
    Wrapped.self is any _Scalar.Type ? nil : Wrapped._tracedElement(by: recording)
  }
}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
