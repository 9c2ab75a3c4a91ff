// SPDX-License-Identifier: Apache-2.0

// The top array of a table (file format 3.1).

package import RealmStorage

/// Slots of a table's top array.
package enum TableSlot {
  package static let spec = 0
  package static let clusters = 2
  package static let key = 3
  package static let indexes = 4
  package static let columnSequence = 5
  package static let version = 6
  package static let oppositeTables = 7
  package static let oppositeColumns = 8
  package static let objectSequence = 9
  package static let collisions = 10
  package static let primaryKey = 11
  package static let flags = 12
  package static let tombstones = 13
  package static let count = 14
}

/// Slots of a spec (file format 3.2).
package enum SpecSlot {
  package static let types = 0
  package static let names = 1
  package static let attributes = 2
  package static let enumerations = 4
  package static let keys = 5
  package static let count = 6
}

/// The kind of objects a table holds.
@frozen @usableFromInline
package enum TableKind: Int, Hashable, Sendable {
  case topLevel = 0
  case embedded = 1
  case asymmetric = 2
}

/// The decoded top array of a table: every slot checked for its kind.
///
/// Tables from older files have fewer slots; a missing one reads as empty.
package struct TableTop: Hashable, Sendable {
  package var spec: Ref
  package var clusters: Ref
  package var key: TableKey
  package var indexes: Ref
  package var columnSequence: Int
  package var version: Int
  package var oppositeTables: Ref
  package var oppositeColumns: Ref
  package var objectSequence: Int
  package var collisions: Ref
  package var primaryKey: ColumnKey?
  package var kind: TableKind
  package var tombstones: Ref
}

extension TableTop {
  /// Reads the top array at `ref`.
  package init(at ref: Ref, in space: NodeSpace) throws(StorageError) {
    let node = try space.node(at: ref)
    guard node.header.hasRefs, node.count > TableSlot.clusters else {
      throw .corrupted("the top array of a table has \(node.count) slots")
    }
    func slot(_ index: Int) throws(StorageError) -> Int64 {
      index < node.count ? try node.integer(at: index) : 0
    }
    func child(_ index: Int) throws(StorageError) -> Ref {
      index < node.count ? try node.ref(at: index) : .null
    }
    func number(_ index: Int) throws(StorageError) -> Int {
      let value = try slot(index)
      return value == 0 ? 0 : try node.taggedNumber(at: index)
    }
    spec = try child(TableSlot.spec)
    clusters = try child(TableSlot.clusters)
    key = TableKey(UInt32(truncatingIfNeeded: try number(TableSlot.key)))
    indexes = try child(TableSlot.indexes)
    columnSequence = try number(TableSlot.columnSequence)
    version = try number(TableSlot.version)
    oppositeTables = try child(TableSlot.oppositeTables)
    oppositeColumns = try child(TableSlot.oppositeColumns)
    objectSequence = try number(TableSlot.objectSequence)
    collisions = try child(TableSlot.collisions)
    // A column key of 0 is possible, so an empty slot differs from the number 0.
    primaryKey =
      try slot(TableSlot.primaryKey) == 0
      ? nil : ColumnKey(Int64(try node.taggedNumber(at: TableSlot.primaryKey)))
    guard let kind = TableKind(rawValue: try number(TableSlot.flags) & 3) else {
      throw .corrupted("a table is of no known kind")
    }
    self.kind = kind
    tombstones = try child(TableSlot.tombstones)
    guard !spec.isNull, !clusters.isNull else {
      throw .corrupted("a table has no spec or no objects' tree")
    }
  }

  /// The top array's slots as they stand in the file.
  package var slots: [Int64] {
    [
      spec.slot, 0, clusters.slot, Tagged.slot(Int(key.rawValue)), indexes.slot,
      Tagged.slot(columnSequence), Tagged.slot(version), oppositeTables.slot,
      oppositeColumns.slot, Tagged.slot(objectSequence), collisions.slot,
      primaryKey.map { Tagged.slot(Int($0.rawValue)) } ?? 0, Tagged.slot(kind.rawValue),
      tombstones.slot,
    ]
  }

  /// The roots of a new table without columns (file format 3.4), whose objects are
  /// to be in the tree `clusters`.
  static func make(
    key: TableKey, kind: TableKind, clusters: Ref, in allocator: NodeAllocator
  ) throws(StorageError) -> TableTop {
    let empty = SpecEditor.empty
    let stored = try empty.store(in: allocator)
    return TableTop(
      spec: stored.spec,
      clusters: clusters,
      key: key,
      indexes: try IntegerNode.make(count: 0, flags: .hasRefs, in: allocator).ref,
      columnSequence: 0,
      version: 0,
      oppositeTables: stored.oppositeTables,
      oppositeColumns: stored.oppositeColumns,
      objectSequence: 0,
      collisions: .null,
      primaryKey: nil,
      kind: kind,
      tombstones: .null)
  }
}
