// SPDX-License-Identifier: Apache-2.0

// Checks 18 to 20: the arrays that describe a table's columns.

import RealmStorage

/// Checks one table's spec and the arrays that run beside it.
///
/// It reads the raw arrays, since the schema decoder gives up at the first contradiction.
struct SpecCheck {
  let name: String
  let top: TableTop
  let space: NodeSpace
  let report: CheckReport

  private struct Arrays {
    let types: Node
    let names: Node
    let attributes: Node
    let keys: Node
  }

  func run() {
    guard let arrays = report.attempt(18, name, reading: try arrays()) else { return }
    let counts = [arrays.types.count, arrays.attributes.count, arrays.keys.count]
    guard Set(counts).count == 1, arrays.names.count <= arrays.keys.count else {
      report.error(
        18,
        "the spec has \(counts[0]) types, \(counts[1]) attributes, \(counts[2]) keys and "
          + "\(arrays.names.count) names", name)
      return
    }
    guard counts[0] <= SchemaDecoder.columnCountMax else {
      report.error(18, "the spec claims \(counts[0]) columns", name)
      return
    }
    checkNames(arrays)
    checkKeys(arrays)
    checkSideArrays(arrays)
  }

  private func arrays() throws(StorageError) -> Arrays {
    let spec = try space.node(at: top.spec)
    return Arrays(
      types: try integers(spec, SpecSlot.types),
      names: try space.node(at: try spec.ref(at: SpecSlot.names)),
      attributes: try integers(spec, SpecSlot.attributes),
      keys: try integers(spec, SpecSlot.keys))
  }

  private func integers(_ spec: Node, _ slot: Int) throws(StorageError) -> Node {
    let node = try space.node(at: try spec.ref(at: slot))
    guard node.header.layout == .bits, !node.header.hasRefs else {
      throw .corrupted("slot \(slot) of the spec is no array of numbers")
    }
    return node
  }

  private func checkNames(_ arrays: Arrays) {
    var known: Set<String> = []
    for index in 0..<arrays.names.count {
      let column = report.attempt(
        18, name, reading: try NameLeaf.name(at: index, of: arrays.names))
      if let column, !known.insert(column).inserted {
        report.error(18, "two columns are called '\(column)'", name)
      }
    }
  }

  private func checkKeys(_ arrays: Arrays) {
    var keys: Set<ColumnKey> = []
    var leaves: Set<Int> = []
    for index in 0..<arrays.keys.count {
      let key = ColumnKey(arrays.keys.uncheckedInteger(at: index))
      let stored = ColumnAttributes(
        rawValue: UInt16(truncatingIfNeeded: arrays.attributes.uncheckedInteger(at: index)))
      guard let type = key.type, key.rawValue >= 0, key.rawValue >> 62 == 0 else {
        report.error(19, "column \(index) has the impossible key \(key.rawValue)", name)
        continue
      }
      if (type == .backlink) != (index >= arrays.names.count) {
        report.error(18, "column \(index) breaks the order of columns before backlinks", name)
      }
      if !keys.insert(key).inserted {
        report.error(19, "two columns have the key \(key.rawValue)", name)
      }
      if !leaves.insert(key.leafIndex).inserted {
        report.error(19, "two columns have the leaf index \(key.leafIndex)", name)
      }
      if !key.attributes.agrees(with: stored) {
        report.error(19, "the key and the spec of column \(index) have other attributes", name)
      }
      if key.attributes.collection == nil {
        report.error(19, "column \(index) is more than one kind of collection", name)
      }
    }
  }

  private func checkSideArrays(_ arrays: Arrays) {
    let side = [
      ("index", top.indexes), ("opposite table", top.oppositeTables),
      ("opposite column", top.oppositeColumns),
    ]
    let keys = (0..<arrays.keys.count).map { ColumnKey(arrays.keys.uncheckedInteger(at: $0)) }
    let needed = (keys.map(\.leafIndex).max() ?? -1) + 1
    for (what, ref) in side {
      let count = report.attempt(
        20, name, reading: ref.isNull ? 0 : try space.node(at: ref).count)
      if let count, count < needed {
        report.error(
          20, "the \(what) array has \(count) elements for \(needed) leaf indexes", name)
      }
    }
    checkIndexes(arrays, keys)
  }

  private func indexRoot(_ leafIndex: Int) throws(StorageError) -> Ref {
    let indexes = top.indexes.isNull ? nil : try space.node(at: top.indexes)
    guard let indexes, leafIndex < indexes.count else { return .null }
    return try indexes.ref(at: leafIndex)
  }

  private func checkIndexes(_ arrays: Arrays, _ keys: [ColumnKey]) {
    if let primaryKey = top.primaryKey, !keys.contains(primaryKey) {
      report.error(20, "the primary key is none of the columns", name)
    }
    for (position, key) in keys.enumerated() {
      let stored = ColumnAttributes(
        rawValue: UInt16(truncatingIfNeeded: arrays.attributes.uncheckedInteger(at: position)))
      let isMarked = !stored.isDisjoint(with: [.indexed, .fullTextIndexed])
      guard isMarked || key == top.primaryKey else { continue }
      let root = report.attempt(20, name, reading: try indexRoot(key.leafIndex))
      if let root, root.isNull {
        let what = key == top.primaryKey ? "the primary key" : "indexed column \(position)"
        report.error(20, "\(what) has no search index", name)
      }
    }
  }
}
