// SPDX-License-Identifier: Apache-2.0

// The columns of a class: the part of it that all realms with the same columns share.
//
// Invariants:
// 1. `columns[i]` is the column of `schema.properties[i]`; nil only for backlinks.
// 2. Nothing changes after `init`. `slots` live as long as the layout.

import RealmStorage
import RealmTables

/// A model class and the table that stores its objects.
///
/// Freezing makes a realm for each version, so the version-independent part is shared.
@safe
final class ClassLayout: @unchecked Sendable {
  // Sendable: `ClassLayout` 2.

  let schema: ModelSchema
  let table: TableSchema
  let columns: [Column?]
  /// The column of the wrapper at byte `8 * i` of an object, for each such wrapper.
  let slots: UnsafeMutablePointer<_ColumnSlot>
  /// By property, how it is written.
  let steps: [PropertyStep]

  init(_ schema: ModelSchema, _ table: TableSchema) {
    self.schema = schema
    self.table = table
    columns = schema.properties.map { table.column(named: $0.columnName) }
    let slots = UnsafeMutablePointer<_ColumnSlot>.allocate(capacity: schema.slotCount)
    unsafe slots.initialize(
      repeating: _ColumnSlot(leafIndex: 0, property: -1), count: schema.slotCount)
    for property in schema.properties {
      let column = columns[property.index]
      assert(
        (0..<schema.slotCount).contains(property.offset >> 3), "`ModelSchema` 2: beyond the slots")
      assert(column != nil || property.shape.type == .linkingObjects, "`ClassLayout` 1")
      unsafe assert(
        property.offset & 7 == 0 && slots[property.offset >> 3].property < 0,
        "`Persisted` 1: each wrapper has a slot of its own")
      let leaf = column?.leafIndex ?? 0
      unsafe slots[property.offset >> 3] = _ColumnSlot(
        leafIndex: Int32(leaf), property: Int32(property.index))
    }
    unsafe self.slots = unsafe slots
    steps = schema.properties.map { unsafe PropertyStep($0, slots[$0.offset >> 3]) }
    assert(
      steps.indices.allSatisfy { Int(steps[$0].slot.property) == $0 },
      "`ClassLayout` 1: the slot of a step is that of its property")
  }

  deinit { unsafe slots.deallocate() }
}

extension TableGroup {
  /// The layout of a class whose table exists.
  func layout(of schema: ModelSchema) throws(StorageError) -> ClassLayout {
    guard let table = try table(named: schema.tableName) else {
      throw .corrupted("the table of class '\(schema.className)' has vanished")
    }
    return ClassLayout(schema, table.schema)
  }
}
