// SPDX-License-Identifier: Apache-2.0

// A spec taken apart, so that columns can come and go.

import RealmStorage

/// The lists of a spec and the opposite arrays of its table as Swift arrays.
///
/// Schema changes are rare and small: they rewrite all of it.
struct SpecEditor {
  /// The refs under which the nodes were stored.
  struct Stored {
    var spec: Ref
    var oppositeTables: Ref
    var oppositeColumns: Ref
  }

  /// One column, public or backlink, in spec order.
  struct Entry {
    var key: ColumnKey
    var type: Int64
    var attributes: Int64
    /// Of public columns only.
    var name: String
    /// The leaf of distinct values of an enumerated column.
    var enumeration: Ref
  }

  var entries: [Entry]
  /// The number of entries that are public columns; they come first.
  var publicCount: Int
  var oppositeTables: [Int64]
  var oppositeColumns: [Int64]

  static var empty: SpecEditor { SpecEditor() }

  private init() {
    entries = []
    publicCount = 0
    oppositeTables = []
    oppositeColumns = []
  }

  init(_ top: TableTop, in space: NodeSpace) throws(StorageError) {
    let spec = try space.node(at: top.spec)
    let types = try space.node(at: try spec.ref(at: SpecSlot.types))
    let names = try space.node(at: try spec.ref(at: SpecSlot.names))
    let attributes = try space.node(at: try spec.ref(at: SpecSlot.attributes))
    let keys = try space.node(at: try spec.ref(at: SpecSlot.keys))
    let enumerations = try spec.ref(at: SpecSlot.enumerations)
    let leaves = enumerations.isNull ? nil : try space.node(at: enumerations)
    entries = []
    publicCount = names.count
    for index in 0..<keys.count {
      let isPublic = index < names.count
      var leaf = Ref.null
      if isPublic, let leaves, index < leaves.count { leaf = try leaves.ref(at: index) }
      entries.append(
        Entry(
          key: ColumnKey(try keys.integer(at: index)),
          type: try types.integer(at: index),
          attributes: try attributes.integer(at: index),
          name: isPublic ? try NameLeaf.name(at: index, of: names) : "",
          enumeration: leaf))
    }
    oppositeTables = try Self.values(of: top.oppositeTables, in: space)
    oppositeColumns = try Self.values(of: top.oppositeColumns, in: space)
  }

  private static func values(of ref: Ref, in space: NodeSpace) throws(StorageError) -> [Int64] {
    guard !ref.isNull else { return [] }
    let node = try space.node(at: ref)
    guard node.count <= SchemaDecoder.columnCountMax else {
      throw .corrupted("the array at \(ref.offset) is for \(node.count) columns")
    }
    return try (0..<node.count).map(node.integer)
  }

  /// The lowest leaf indexes that no column uses, ascending.
  func freeLeafIndexes(_ count: Int) -> [Int] {
    let used = Set(entries.map(\.key.leafIndex))
    var indexes: [Int] = []
    var index = 0
    while indexes.count < count {
      if !used.contains(index) { indexes.append(index) }
      index += 1
    }
    return indexes
  }

  /// Says what a column is linked with.
  mutating func setOpposite(_ leaf: Int, table: TableKey, column: ColumnKey) {
    while oppositeTables.count <= leaf { oppositeTables.append(Int64(TableKey.null.rawValue)) }
    while oppositeColumns.count <= leaf { oppositeColumns.append(ColumnKey.null.rawValue) }
    oppositeTables[leaf] = Int64(table.rawValue)
    oppositeColumns[leaf] = column.rawValue
  }

  /// Writes new nodes.
  func store(in allocator: NodeAllocator) throws(StorageError) -> Stored {
    let types = try IntegerNode.make(entries.map(\.type), in: allocator).ref
    let names = try NameLeaf.make(entries[..<publicCount].map(\.name), in: allocator)
    let attributes = try IntegerNode.make(entries.map(\.attributes), in: allocator).ref
    let keys = try IntegerNode.make(entries.map(\.key.rawValue), in: allocator).ref
    var enumerations = Ref.null
    if entries.contains(where: { !$0.enumeration.isNull }) {
      enumerations = try IntegerNode.make(
        entries[..<publicCount].map(\.enumeration.slot), flags: .hasRefs, in: allocator
      ).ref
    }
    let slots = [types.slot, names.slot, attributes.slot, 0, enumerations.slot, keys.slot]
    return Stored(
      spec: try IntegerNode.make(slots, flags: .hasRefs, in: allocator).ref,
      oppositeTables: try IntegerNode.make(oppositeTables, in: allocator).ref,
      oppositeColumns: try IntegerNode.make(oppositeColumns, in: allocator).ref)
  }

  /// Frees the nodes that `top` refers to, all but the enumeration leaves.
  static func free(_ top: TableTop, _ allocator: NodeAllocator) throws(StorageError) {
    let spec = try allocator.node(at: top.spec)
    for slot in [SpecSlot.types, SpecSlot.names, SpecSlot.attributes, SpecSlot.keys] {
      try allocator.free(try spec.ref(at: slot))
    }
    try allocator.free(try spec.ref(at: SpecSlot.enumerations))
    try allocator.free(top.spec)
    try allocator.free(top.oppositeTables)
    try allocator.free(top.oppositeColumns)
  }
}
