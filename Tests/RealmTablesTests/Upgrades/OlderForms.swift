// SPDX-License-Identifier: Apache-2.0

// The forms that data had before format 24, made of what we write.

import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

/// Rewrites what a transaction holds in the ways of older formats.
struct OlderForms {
  let group: WriteGroup
  var random = SeededGenerator(seed: 24)

  private var allocator: NodeAllocator { group.allocator }

  init(_ group: WriteGroup) { self.group = group }

  /// Writes the transaction; makes both changes where no table is accessed any more.
  func commit(oldLinkLists: Bool = false, slotsOfTables: Int? = nil) throws {
    try group.flush()
    let transaction = group.transaction
    var tables = transaction.roots.tables
    for index in 0..<(try allocator.node(at: tables).count) {
      var top = try allocator.node(at: tables).ref(at: index)
      if oldLinkLists { top = try withOldLinkLists(top) }
      if let slotsOfTables { top = try IntegerNode.truncate(to: slotsOfTables, top, allocator) }
      tables = try IntegerNode.set(top.slot, at: index, in: tables, allocator)
    }
    transaction.roots.tables = tables
    _ = try transaction.commit(changeset: [])
  }

  // MARK: Schema

  private func withOldLinkLists(_ ref: Ref) throws -> Ref {
    let top = try TableTop(at: ref, in: allocator.space)
    func old(_ keys: Ref) throws -> Ref {
      var new = keys
      for index in 0..<(try allocator.node(at: keys).count) {
        let key = ColumnKey(try allocator.node(at: new).integer(at: index))
        guard key != .null, key.type == .link, key.attributes.contains(.list) else { continue }
        new = try IntegerNode.set(key.rawValue + 0x1_0000, at: index, in: new, allocator)
      }
      return new
    }
    let keys = try old(try allocator.node(at: top.spec).ref(at: SpecSlot.keys))
    let spec = try IntegerNode.set(keys.slot, at: SpecSlot.keys, in: top.spec, allocator)
    let opposite = try old(top.oppositeColumns)
    let new = try IntegerNode.set(spec.slot, at: TableSlot.spec, in: ref, allocator)
    return try IntegerNode.set(opposite.slot, at: TableSlot.oppositeColumns, in: new, allocator)
  }

  // MARK: Collections

  /// Puts the strings and binaries of sets into another order.
  ///
  /// - Parameter isMingled: Whether strings and binaries are reordered as one run.
  mutating func shuffleSets(_ table: WritableTable, isMingled: Bool) throws {
    for column in table.schema.columns where column.collection == .set {
      let roots = table.clusters
      switch column.type {
      case .string:
        try roots.replaceCollections(at: column.leafIndex) {
          (root) throws(StorageError) -> Ref in
          try shuffled(StringLeaf.self, root) { _ in 1 }
        }
      case .binary:
        try roots.replaceCollections(at: column.leafIndex) {
          (root) throws(StorageError) -> Ref in
          try shuffled(BinaryLeaf.self, root) { _ in 1 }
        }
      case .mixed:
        try roots.replaceCollections(at: column.leafIndex) {
          (root) throws(StorageError) -> Ref in
          try shuffled(MixedLeaf.self, root) { value in
            switch value {
            case .string: 1
            case .binary: isMingled ? 1 : 2
            default: 0
            }
          }
        }
      default: break
      }
    }
    table.isChanged = true
  }

  /// The tree with the elements of each kind above 0 in any order.
  private func shuffled<L: Leaf>(
    _ leaf: L.Type, _ root: Ref, _ kind: (L.Value) -> Int
  ) throws(StorageError) -> Ref {
    var elements: [L.Value] = []
    for index in 0..<(try BTree<L>.count(root, in: allocator.space)) {
      elements.append(try BTree<L>.value(at: index, of: root, in: allocator.space))
    }
    var start = 0
    while start < elements.count {
      let kindHere = kind(elements[start])
      let end = elements[start...].firstIndex { kind($0) != kindHere } ?? elements.count
      if kindHere > 0 { elements[start..<end].reverse() }
      start = end
    }
    var new = try BTree<L>.make(in: allocator)
    for element in elements { new = try BTree<L>.append(element, to: new, allocator) }
    try allocator.freeTree(root)
    return new
  }

  /// Makes cluster trees of dictionaries, ordered by hashes of the keys.
  mutating func hashDictionaries(_ table: WritableTable) throws {
    var random = random
    for column in table.schema.columns where column.collection == .dictionary {
      try table.clusters.replaceCollections(at: column.leafIndex) {
        (root) throws(StorageError) -> Ref in
        try hashed(root, &random)
      }
    }
    table.isChanged = true
  }

  private func hashed(_ root: Ref, _ random: inout SeededGenerator) throws(StorageError) -> Ref {
    let view = try DictionaryView(root: root, hasIntegerKeys: false, in: allocator.space)
    let layouts: [LeafLayout?] = [
      LeafLayout(kind: .string, isNullable: false), LeafLayout(kind: .mixed, isNullable: true),
    ]
    let editor = ClusterEditor(
      root: try ClusterEditor.makeEmpty(layouts: layouts, in: allocator), layouts: layouts,
      allocator, StructureGeneration())
    for index in 0..<view.count {
      let hash = Int64.random(in: 0...Int64.max >> 1, using: &random)
      guard let place = try editor.insert(ObjectKey(hash)) else { continue }
      let node = place.cluster
      let keys = try StringLeaf.set(
        try view.keyBytes(at: index), at: place.index, in: try node.node.ref(at: 1), allocator)
      node.store(keys.slot, at: 1)
      let values = try MixedLeaf.set(
        try view.mixed(at: index), at: place.index, in: try node.node.ref(at: 2), allocator)
      node.store(values.slot, at: 2)
    }
    try allocator.freeTree(root)
    return editor.root
  }

  // MARK: Leaves

  /// Takes the slots that came with format 24 from mixed leaves, of columns and of their lists.
  func shortenMixedLeaves(_ table: WritableTable) throws {
    func short(_ ref: Ref) throws(StorageError) -> Ref {
      let node = try allocator.node(at: ref)
      guard !node.header.isInner else { return ref }
      guard try node.ref(at: 4).isNull, try node.ref(at: 5).isNull else { return ref }
      return try IntegerNode.truncate(to: 4, ref, allocator)
    }
    for column in table.schema.columns where column.type == .mixed {
      switch column.collection {
      case .none:
        try table.clusters.replaceColumn(at: column.leafIndex, by: LeafLayout(column)) {
          (leaf) throws(StorageError) -> Ref in
          try short(leaf)
        }
      case .list, .set:
        try table.clusters.replaceCollections(at: column.leafIndex) {
          (root) throws(StorageError) -> Ref in
          try short(root)
        }
      case .dictionary: break
      }
    }
    table.isChanged = true
  }

  /// Puts all backlinks of an object into one node.
  func flattenBacklinks(_ table: WritableTable) throws {
    for column in table.schema.backlinkColumns {
      try table.clusters.replaceCollections(at: column.leafIndex) {
        (root) throws(StorageError) -> Ref in
        var keys: [Int64] = []
        try Backlinks(slot: root.slot).forEachKey(in: allocator.space) { key in
          keys.append(key)
          return true
        }
        try allocator.freeTree(root)
        return try IntegerNode.make(keys, in: allocator).ref
      }
    }
    table.isChanged = true
  }

  /// Turns the order of values in lists of an index around; how many lists had several.
  func turnIndexLists(_ table: WritableTable, _ column: Column) throws -> Int {
    var count = 0
    let root = try table.table.indexRoot(column.leafIndex)
    let new = try turned(root, ColumnValues(column, in: table.tree), &count)
    try table.indexes.storeRoot(new, column.leafIndex)
    return count
  }

  private func turned(_ ref: Ref, _ values: ColumnValues, _ count: inout Int) throws -> Ref {
    let node = try allocator.node(at: ref)
    guard node.header.hasContext else {
      var runs: [[ObjectKey]] = []
      for index in 0..<(try BTree<IntegerLeaf>.count(ref, in: allocator.space)) {
        let key = ObjectKey(try BTree<IntegerLeaf>.value(at: index, of: ref, in: allocator.space))
        let value = try values.indexedValue(of: key)
        if let last = runs.last?.last, try values.indexedValue(of: last).isEqual(to: value) {
          runs[runs.count - 1].append(key)
        } else {
          runs.append([key])
        }
      }
      if runs.count > 1 { count += 1 }
      try allocator.freeTree(ref)
      var new = try BTree<IntegerLeaf>.make(in: allocator)
      for key in runs.reversed().joined() {
        new = try BTree<IntegerLeaf>.append(key.rawValue, to: new, allocator)
      }
      return new
    }
    var new = ref
    for index in 1..<node.count {
      guard let child = Ref(slot: try allocator.node(at: new).integer(at: index)) else { continue }
      new = try IntegerNode.set(
        try turned(child, values, &count).slot, at: index, in: new, allocator)
    }
    return new
  }
}
