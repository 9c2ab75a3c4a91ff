// SPDX-License-Identifier: Apache-2.0

// Setters for the most frequent property types, without a detour through `TableValue`.

import RealmStorage
import RealmTables

extension ObjectBase {
  /// Sets a property of type Int.
  @usableFromInline @inline(never)
  final func _setInt(_ value: Int64, _ slot: _ColumnSlot) {
    _info?.set(IntegerLeaf.self, to: value, slot, of: self, .int(value))
  }

  /// Sets an optional property of type Int.
  @usableFromInline @inline(never)
  final func _setOptionalInt(_ value: Int64?, _ slot: _ColumnSlot) {
    _info?.set(NullableIntegerLeaf.self, to: value, slot, of: self, value.map { .int($0) } ?? .null)
  }

  /// Sets a property of type Bool; nil only if it is optional.
  @usableFromInline @inline(never)
  final func _setBool(_ value: Bool?, _ slot: _ColumnSlot) {
    _info?.set(BoolLeaf.self, to: value, slot, of: self, value.map { .bool($0) } ?? .null)
  }

  /// Sets a property of type Float; nil only if it is optional.
  @usableFromInline @inline(never)
  final func _setFloat(_ value: Float?, _ slot: _ColumnSlot) {
    _info?.set(FloatLeaf.self, to: value, slot, of: self, value.map { .float($0) } ?? .null)
  }

  /// Sets a property of type Double; nil only if it is optional.
  @usableFromInline @inline(never)
  final func _setDouble(_ value: Double?, _ slot: _ColumnSlot) {
    _info?.set(DoubleLeaf.self, to: value, slot, of: self, value.map { .double($0) } ?? .null)
  }

  /// Sets a property of type String; nil only if it is optional.
  @usableFromInline @inline(never)
  final func _setString(_ value: String?, _ slot: _ColumnSlot) {
    _info?.set(value, slot, of: self)
  }
}
