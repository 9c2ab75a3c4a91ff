// SPDX-License-Identifier: Apache-2.0

// Setters for the most frequent property types, without a detour through `TableValue`.

import RealmStorage
import RealmTables

extension ObjectBase {
  /// Sets a property of type Int.
  @usableFromInline @inline(never)
  final func _setInt(_ value: Int64, _ slot: _ColumnSlot) {
    store(IntegerLeaf.self, value, slot) { .int(value) }
  }

  /// Sets an optional property of type Int.
  @usableFromInline @inline(never)
  final func _setOptionalInt(_ value: Int64?, _ slot: _ColumnSlot) {
    store(NullableIntegerLeaf.self, value, slot) { value.map { .int($0) } ?? .null }
  }

  /// Sets a property of type Bool; nil only if it is optional.
  @usableFromInline @inline(never)
  final func _setBool(_ value: Bool?, _ slot: _ColumnSlot) {
    store(BoolLeaf.self, value, slot) { value.map { .bool($0) } ?? .null }
  }

  /// Sets a property of type Float; nil only if it is optional.
  @usableFromInline @inline(never)
  final func _setFloat(_ value: Float?, _ slot: _ColumnSlot) {
    store(FloatLeaf.self, value, slot) { value.map { .float($0) } ?? .null }
  }

  /// Sets a property of type Double; nil only if it is optional.
  @usableFromInline @inline(never)
  final func _setDouble(_ value: Double?, _ slot: _ColumnSlot) {
    store(DoubleLeaf.self, value, slot) { value.map { .double($0) } ?? .null }
  }

  /// Sets a property of type String; nil only if it is optional.
  @usableFromInline @inline(never)
  final func _setString(_ value: String?, _ slot: _ColumnSlot) {
    _info?.set(slot, of: self, { value.map { .string($0) } ?? .null }) {
      (table, column, key) throws(StorageError) in
      try value.withByteView { (bytes) throws(StorageError) in
        try table.set(StringLeaf.self, to: bytes, column, key)
      }
    }
  }

  /// Sets a property to an element of its leaf; `value` is the same value for comparisons.
  @inline(__always)
  private func store<L: Leaf>(
    _ leaf: L.Type, _ element: L.Value, _ slot: _ColumnSlot, _ value: () -> TableValue
  ) {
    _info?.set(slot, of: self, value) { (table, column, key) throws(StorageError) in
      try table.set(L.self, to: element, column, key)
    }
  }
}
