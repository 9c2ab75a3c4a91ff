// SPDX-License-Identifier: Apache-2.0

// The common implementation of all scalar types: everything about properties and elements follows
// from how a value is read from a row and from its stored value.

import RealmSession
public import RealmStorage
public import RealmTables

/// A type whose values are stored in one cell of a column.
///
/// Accessors of properties are built from these; each conformance keeps them inlinable.
public protocol _Scalar: _Persistable, _OptionalPersistable, _RealmCollectionValueInsideOptional {
  /// The type's number in the schema.
  static var _type: PropertyType { get }

  /// The value in a column that is not nullable.
  static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self

  /// The value in a nullable column.
  static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self?

  /// `value` as a stored value.
  static func _stored(_ value: Self) -> _StoredValue

  /// The value that a stored value represents; nil for null and for other types.
  static func _scalar(_ value: _StoredValue) -> Self?
}

/// The current row of a managed object.
@frozen
public struct _LiveRow {
  @usableFromInline package let row: Row
  /// The object, for the message about damage; it lives as long as its row is read.
  @usableFromInline unowned(unsafe) let object: ObjectBase

  @inlinable @inline(__always)
  init(_ row: Row, of object: ObjectBase) {
    self.row = row
    unsafe self.object = object
  }

  /// The value of `body`, which reads from the row, or a placeholder.
  @inlinable @inline(__always)
  func reading<R>(
    _ slot: _ColumnSlot, _ body: @autoclosure () throws(StorageError) -> R,
    else placeholder: @autoclosure () -> R
  ) -> R {
    do throws(StorageError) { return try body() } catch {
      unsafe object._meetDamage(error, slot)
      return placeholder()
    }
  }
}

extension _Scalar {
  @inlinable
  public static var _shape: _PropertyShape { _PropertyShape(_type) }

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self {
    // Accessors load only after they made the row current.
    unsafe _read(_LiveRow(object._row.unsafelyUnwrapped, of: object), slot)
  }

  @inlinable @inline(__always)
  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self? {
    unsafe _readOptional(_LiveRow(object._row.unsafelyUnwrapped, of: object), slot)
  }

  public static func _store(_ value: Self, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._set(_stored(value), slot)
  }

  public static func _storeOptional(_ value: Self?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._set(value.map(_stored) ?? _StoredValue(.null), slot)
  }

  public static func _storedUnmanaged(_ wrapper: _Wrapper) -> _StoredValue? {
    _stored(wrapper.value(Self.self) ?? _makeDefault())
  }

  public static func _storedUnmanagedOptional(_ wrapper: _Wrapper) -> _StoredValue? {
    let value = wrapper.value(Self?.self) ?? nil
    return value.map(_stored) ?? _StoredValue(.null)
  }

  public static func _storedScalar(_ value: Any) -> _StoredValue? {
    _convert(value).map { _stored($0) }
  }

  public static func _traced(by recording: _Recording) -> Self {
    _ = recording.record()
    return _makeDefault()
  }

  public static func _tracedOptional(by recording: _Recording) -> Self? {
    _ = recording.record()
    return _makeDefault()
  }

  public static func _tracedElement(by recording: _Recording) -> Self { _makeDefault() }

  public static func _decode(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    guard let scalar = _scalar(value) else {
      context.meetContradiction("The database holds a value that is not of type '\(_type)'")
      return _makeDefault()
    }
    return scalar
  }

  public static func _decodeOptional(_ value: _StoredValue, _ context: _RealmContext) -> Self? {
    _scalar(value)
  }

  public static func _encode(_ value: Self, _ context: _RealmContext) -> _StoredValue {
    _stored(value)
  }
}
