// SPDX-License-Identifier: Apache-2.0

// Writing into enumerated string columns (file format 3.3.3).
//
// A value that the column has is a look-up in a hash table of this transaction; another one is
// appended to the leaf of values. Beyond `EnumerationLimits` the column becomes a plain one. Values
// that no object has any more stay until the file is compacted.

import RealmStorage

extension WritableTable {
  /// The enumerated columns of the table.
  @inline(__always)
  var enumerations: TableEnumerations { TableEnumerations(table: self) }

  /// Forgets what is known of enumerated columns, as the spec or the schema is another one.
  func forgetEnumerations() {
    unsafe enumerationEditors = []
    unsafe enumerationPlace = unsafe EnumerationPlace(spec: top.spec, schema, in: allocator.space)
    let positions =
      unsafe schema.hasEnumeratedColumns
      ? unsafe NewPositions(leafCount: schema.columnsByLeafIndex.count) : nil
    unsafe clusters.newPositions = positions
    unsafe tombstoneTree?.newPositions = positions
  }
}

/// Finds the positions of strings in the enumerated columns of a table, and makes columns
/// enumerated or plain.
struct TableEnumerations {
  let table: WritableTable

  private var allocator: NodeAllocator { table.allocator }
  private var schema: TableSchema { unsafe table.schema }

  // MARK: Positions

  /// The position of a string in the column with a leaf index, to which it is appended if it is
  /// new; nil if the column is not enumerated, or is not any more, as it has too many values.
  ///
  /// - Parameter value: It lies outside of the transaction's nodes.
  func position(of value: ByteView?, at leafIndex: Int) throws(StorageError) -> Int64? {
    guard let editor = try editor(leafIndex) else { return nil }
    if let position = try editor.position(of: value, in: allocator.space) { return Int64(position) }
    let limit = table.group.enumerationLimits.valueCount(forObjects: try table.objectCount())
    guard editor.count < limit, let column = schema.columnsByLeafIndex[leafIndex] else {
      try expand(leafIndex)
      return nil
    }
    try editor.append(value, allocator)
    try unsafe store(editor.leaf, of: column)
    return Int64(editor.count - 1)
  }

  /// The finder of a column's values; nil if it is not enumerated, or is not any more.
  @inline(__always)
  private func editor(_ leafIndex: Int) throws(StorageError) -> EnumerationEditor? {
    if unsafe leafIndex < table.enumerationEditors.count,
      let known = unsafe table.enumerationEditors[leafIndex]
    {
      return known
    }
    return try makeEditor(leafIndex)
  }

  @inline(never)
  private func makeEditor(_ leafIndex: Int) throws(StorageError) -> EnumerationEditor? {
    guard leafIndex < schema.columnsByLeafIndex.count,
      schema.columnsByLeafIndex[leafIndex]?.isEnumerated == true
    else { return nil }
    let leaf = try unsafe table.enumerationPlace.leaf(
      ofColumnAt: leafIndex, in: allocator.space)
    // Others may have made columns of any number of values.
    guard
      try StringLeaf.count(leaf, in: allocator.space)
        <= table.group.enumerationLimits.valueCountMax
    else {
      try expand(leafIndex)
      return nil
    }
    let editor = try EnumerationEditor(ofLeaf: leaf, in: allocator.space)
    while unsafe table.enumerationEditors.count <= leafIndex {
      unsafe table.enumerationEditors.append(nil)
    }
    unsafe table.enumerationEditors[leafIndex] = editor
    return editor
  }

  /// Lets the spec refer to a leaf of values after it has moved.
  private func store(_ leaf: Ref, of column: Column) throws(StorageError) {
    let spec = try unsafe allocator.makeWritable(table.top.spec)
    let old = try spec.node.ref(at: SpecSlot.enumerations)
    let leaves = try allocator.makeWritable(old)
    guard column.specIndex < leaves.count else {
      throw .corrupted("an enumerated column has no slot for its values")
    }
    leaves.store(leaf.slot, at: column.specIndex)
    spec.store(leaves.ref.slot, at: SpecSlot.enumerations)
    unsafe table.isChanged = true
    guard unsafe spec.ref != table.top.spec || leaves.ref != old else { return }
    unsafe table.top.spec = spec.ref
    unsafe table.enumerationPlace = EnumerationPlace(
      spec: spec.ref, schema, in: allocator.space)
    // Rows of before know where it was.
    unsafe table.group.generation.value &+= 1
  }

  /// Finds the positions of the strings of an object before it is inserted: its own, and the
  /// defaults.
  func prepareInsertion(of values: (any InitialValues)?) throws(StorageError) {
    while let positions = unsafe table.clusters.newPositions {
      try findPositions(of: values, positions)
      // Else a column has become a plain one, and what was found went with the schema.
      if unsafe table.clusters.newPositions === positions { return }
    }
  }

  private func findPositions(
    of values: (any InitialValues)?, _ positions: NewPositions
  ) throws(StorageError) {
    for (leafIndex, isNullable) in schema.enumeratedLeaves {
      let position: Int64?
      if let values, values.covers(columnAt: leafIndex) {
        position = try values.position(ofTextAt: leafIndex) {
          (text) throws(StorageError) -> Int64? in
          try self.position(of: text, at: leafIndex)
        }
      } else {
        let text = StringLeaf.zero(isNullable: isNullable)
        position = try self.position(of: text, at: leafIndex)
      }
      guard let position else { return }
      positions[leafIndex] = position
    }
  }

  // MARK: Becoming plain

  /// Stores the strings of an enumerated column in its clusters, as those of any other.
  func expand(_ leafIndex: Int) throws(StorageError) {
    guard leafIndex < schema.columnsByLeafIndex.count,
      let column = schema.columnsByLeafIndex[leafIndex], column.isEnumerated
    else { return }
    let values = try unsafe table.enumerationPlace.leaf(
      ofColumnAt: leafIndex, in: allocator.space)
    try replaceLeaves(of: column, by: .string) { (positions) throws(StorageError) -> Ref in
      var leaf = try StringLeaf.make(in: allocator)
      for index in 0..<(try IntegerLeaf.count(positions, in: allocator.space)) {
        let position = try IntegerLeaf.value(at: index, of: positions, in: allocator.space)
        let value = try StringLeaf.value(
          at: Int(position), of: values, in: allocator.space)
        leaf = try StringLeaf.insert(value, at: index, in: leaf, allocator)
      }
      return leaf
    }
    try allocator.freeTree(values)
    try storeSpec(.null, of: column)
  }

  private func replaceLeaves(
    of column: Column, by kind: LeafKind, _ transform: (Ref) throws(StorageError) -> Ref
  ) throws(StorageError) {
    let layout = LeafLayout(kind: kind, isNullable: column.isNullable)
    for editor in unsafe [table.clusters, table.tombstoneTree] {
      try editor?.replaceColumn(at: column.leafIndex, by: layout) {
        (old) throws(StorageError) -> Ref in
        let new = try transform(old)
        try allocator.freeTree(old)
        return new
      }
    }
  }

  private func storeSpec(_ enumeration: Ref, of column: Column) throws(StorageError) {
    var spec = try unsafe SpecEditor(table.top, in: allocator.space)
    assert(spec.entries[column.specIndex].key == column.key, "the column is one of a former schema")
    spec.entries[column.specIndex].enumeration = enumeration
    try table.columns.store(spec)
  }

  // MARK: Becoming enumerated

  /// Stores the strings of a plain column as positions in a leaf of its distinct values.
  func enumerate(_ column: Column) throws(StorageError) {
    assert(
      column.leafKind == .string && !column.isPrimaryKey,
      "single texts that are no primary keys are enumerated")
    let space = allocator.space
    var values = try StringLeaf.make(in: allocator)
    var positions = ValuePositions()
    try replaceLeaves(of: column, by: .enumeratedString) { (texts) throws(StorageError) -> Ref in
      var found: [Int64] = []
      for index in 0..<(try StringLeaf.count(texts, in: space)) {
        let text = try StringLeaf.value(at: index, of: texts, in: space)
        var position = try positions.position(of: text, in: values, space)
        if position == nil {
          position = positions.count
          positions.append(text)
          values = try StringLeaf.insert(text, at: positions.count - 1, in: values, allocator)
        }
        found.append(Int64(position ?? 0))
      }
      return try IntegerNode.make(found, in: allocator).ref
    }
    try storeSpec(values, of: column)
  }

  /// Takes values without an object out of an enumerated column.
  func dropUnusedValues(of column: Column) throws(StorageError) {
    let space = allocator.space
    let old = try unsafe table.enumerationPlace.leaf(ofColumnAt: column.leafIndex, in: space)
    let count = try StringLeaf.count(old, in: space)
    guard count <= space.elementCountMax(below: old) else {
      throw .impossibleCount(count, of: old)
    }
    let isUsed = try usedPositions(of: column, count)
    guard isUsed.contains(false) else { return }
    var values = try StringLeaf.make(in: allocator)
    var positions: [Int64] = []
    var next = 0
    for position in 0..<count {
      positions.append(Int64(next))
      guard isUsed[position] else { continue }
      let text = try StringLeaf.value(at: position, of: old, in: space)
      values = try StringLeaf.insert(text, at: next, in: values, allocator)
      next += 1
    }
    try replaceLeaves(of: column, by: .enumeratedString) { (leaf) throws(StorageError) -> Ref in
      var found: [Int64] = []
      for index in 0..<(try IntegerLeaf.count(leaf, in: space)) {
        found.append(positions[Int(try IntegerLeaf.value(at: index, of: leaf, in: space))])
      }
      return try IntegerNode.make(found, in: allocator).ref
    }
    try allocator.freeTree(old)
    try storeSpec(values, of: column)
  }

  /// By position, whether an object or a tombstone has the value.
  private func usedPositions(of column: Column, _ count: Int) throws(StorageError) -> [Bool] {
    var isUsed = Array(repeating: false, count: count)
    for tree in [table.currentTable.clusters, table.currentTable.tombstones] {
      guard let tree else { continue }
      var cursor = ClusterCursor(tree)
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          let position = try cluster.row(at: index).int(column.leafIndex)
          guard isUsed.indices.contains(Int(position)) else {
            throw .corrupted("a position is not in the enumeration")
          }
          isUsed[Int(position)] = true
        }
      }
    }
    return isUsed
  }
}
