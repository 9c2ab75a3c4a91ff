// SPDX-License-Identifier: Apache-2.0

// Damage to objects, links and indexes: checks 23 and 26 to 37.

import RealmStorage

@testable import RealmTables

extension FileImage {
  /// The path to the first cluster of a table.
  func firstCluster(of table: String) throws -> [Int] {
    var path = try clusters(of: table)
    while try node(path).header.isInner { path.append(3) }
    return path
  }

  /// The path to a column's leaf in the first cluster of its table.
  func leaf(_ column: String, _ table: String) throws -> [Int] {
    try firstCluster(of: table) + [try leafIndex(of: column, in: table) + 1]
  }

  /// The path to the leaf of a table's first backlink column that is used in the first cluster.
  func backlinkLeaf(_ table: String) throws -> (path: [Int], row: Int) {
    let cluster = try firstCluster(of: table)
    for column in try schema(of: table).backlinkColumns {
      let path = cluster + [column.leafIndex + 1]
      let leaf = try node(path)
      if let row = (0..<leaf.count).first(where: { leaf.uncheckedInteger(at: $0) & 1 == 1 }) {
        return (path, row)
      }
    }
    throw StorageError.corrupted("no backlinks in the fixture")
  }

  /// The path to the root of a column's index.
  func index(_ column: String, _ table: String) throws -> [Int] {
    [
      try index(of: table), TableSlot.indexes, try leafIndex(of: column, in: table),
    ]
  }

  /// The path to an object's collection, the first that has elements.
  func collection(_ column: String, _ table: String) throws -> [Int] {
    let path = try leaf(column, table)
    let leaf = try node(path)
    for row in 0..<leaf.count where leaf.uncheckedInteger(at: row) != 0 { return path + [row] }
    throw StorageError.corrupted("no such collection in the fixture")
  }

  /// The first position of an index, from the root down, whose entry `isWanted`.
  func indexEntry(
    below path: [Int], where isWanted: (SearchIndexEntry) -> Bool
  ) throws -> [Int]? {
    let root = try node(path.dropLast()).ref(at: path[path.count - 1])
    let index = try SearchIndexNode(root, in: space)
    for position in 0..<index.count {
      let inside = path + [position + 1]
      if index.isInner {
        if let found = try indexEntry(below: inside, where: isWanted) { return found }
        continue
      }
      let entry = try index.entry(at: position, in: space)
      if isWanted(entry) { return inside }
      if case .subindex = entry, let found = try indexEntry(below: inside, where: isWanted) {
        return found
      }
    }
    return nil
  }

  /// Stores a string in the first row of a column.
  func setString(_ bytes: [UInt8], _ column: String, _ table: String) throws {
    try edit(leaf(column, table)) { ref in
      try bytes.withUnsafeBytes {
        try StringLeaf.set(ByteView($0), at: 0, in: ref, allocator)
      }
    }
  }

  func setFlag(_ flag: NodeFlags, _ isSet: Bool, _ path: [Int]) throws {
    try edit(path) { ref in
      let node = try allocator.makeWritable(ref)
      node.setFlag(flag, isSet)
      return node.ref
    }
  }
}

private let item = "class_Item"

extension Damage {
  static let ofObjects: [Damage] = [
    Damage(23, "a missing leaf", fixture: "after-many-commits") { image in
      let leaf = try image.leafIndex(of: "n", in: item)
      try image.set(0, at: leaf + 1, path: try image.firstCluster(of: item))
    },
    Damage(23, "a short leaf", fixture: "after-many-commits") { image in
      try image.edit(try image.leaf("n", item)) {
        try IntegerNode.remove(at: 0, from: $0, image.allocator)
      }
    },
    Damage(23, "a leaf without column", fixture: "after-many-commits") { image in
      let leaf = try IntegerNode.make(in: image.allocator).ref
      try image.edit(try image.firstCluster(of: item)) {
        try IntegerNode.append(leaf.slot, to: $0, image.allocator)
      }
    },
    Damage(26, "numbers in a leaf of strings", fixture: "after-many-commits") { image in
      let count = try image.node(image.leaf("n", item)).count
      try image.edit(try image.leaf("payload", item)) { _ in
        try IntegerNode.make(repeating: 5, count: count, in: image.allocator).ref
      }
    },
    Damage(26, "an unflagged list of tombstones", fixture: "tombstones") { image in
      let columns = try image.schema(of: "class_Origin").columns
      let list = columns.first { $0.type == .link && $0.collection == .list }
      let path = try image.leaf(list?.name ?? "", "class_Origin")
      let slots = try image.node(path)
      for row in 0..<slots.count where slots.uncheckedInteger(at: row) != 0 {
        try image.setFlag(.context, false, path + [row])
      }
    },
    Damage(28, "a string that is not UTF-8", fixture: "after-many-commits", severity: .warning) {
      try $0.setString([0x61, 0xFF], "payload", item)
    },
    Damage(31, "a primary key twice", fixture: "after-many-commits") { image in
      let path = try image.leaf("id", item)
      try image.set(try image.node(path).integer(at: 0), at: 1, path: path)
    },
    Damage(32, "a link that its target does not know", fixture: "after-many-commits") { image in
      let (path, row) = try image.backlinkLeaf(item)
      try image.set(0, at: row, path: path)
    },
    Damage(32, "a backlink without link", fixture: "after-many-commits") { image in
      let path = try image.leaf("parent", item)
      let leaf = try image.node(path)
      let row = (0..<leaf.count).first { leaf.uncheckedInteger(at: $0) != 0 }
      try image.set(0, at: row ?? 0, path: path)
    },
  ]

  static let ofValues: [Damage] = [
    Damage(26, "a mixed value of an unknown type", fixture: "all-types") { image in
      try image.set(0x1E, at: 0, path: try image.leaf("any", "class_AllTypes") + [0])
    },
    Damage(27, "a list that counts wrong", fixture: "all-types") { image in
      let path = try image.collection("ints", "class_Big")
      try image.set(Tagged.slot(7), at: try image.node(path).count - 1, path: path)
    },
    Damage(27, "a list whose leaves start elsewhere", fixture: "all-types") { image in
      let path = try image.collection("ints", "class_Big")
      let first = try image.node(path).integer(at: 0)
      if first & 1 == 1 {
        try image.set(Tagged.slot(3), at: 0, path: path)
      } else {
        try image.set(3, at: 0, path: path + [0])
      }
    },
    Damage(29, "a timestamp out of form", fixture: "all-types", severity: .warning) { image in
      let path = try image.leaf("reqDate", "class_AllTypes")
      let seconds = try image.node(path + [0])
      let row = (1..<seconds.count).first { abs(seconds.uncheckedInteger(at: $0)) > 1 } ?? 1
      let sign: Int64 = seconds.uncheckedInteger(at: row) < 0 ? 1 : -1
      try image.set(5 * sign, at: row - 1, path: path + [1])
    },
    Damage(30, "a set out of order", fixture: "all-types") { image in
      var path = try image.collection("intSet", "class_Big")
      while try image.node(path).header.isInner { path.append(1) }
      try image.set(try image.node(path).integer(at: 5), at: 4, path: path)
    },
    Damage(30, "a dictionary with a value too few", fixture: "all-types") { image in
      var path = try image.collection("dict", "class_Big") + [1]
      if try image.node(path).header.isInner {
        // A tree that counts wrong is noticed before: cut it down to its first leaf.
        let leaf = try image.node(path).ref(at: 1)
        try image.edit(path) { _ in leaf }
      } else {
        path.append(0)
        let count = try image.node(path).count
        try image.edit(path) { try IntegerNode.truncate(to: count - 1, $0, image.allocator) }
      }
    },
    Damage(32, "a backlink of a mixed value that is gone", fixture: "all-types", severity: .warning)
    { image in
      try image.edit(try image.leaf("any", "class_AllTypes")) { leaf in
        var leaf = leaf
        for row in 0..<(try MixedLeaf.count(leaf, in: image.space)) {
          if case .typedLink = try MixedLeaf.value(at: row, of: leaf, in: image.space) {
            leaf = try MixedLeaf.set(.null, at: row, in: leaf, image.allocator)
          }
        }
        return leaf
      }
    },
    Damage(33, "an embedded object without parent", fixture: "all-types", severity: .warning) {
      image in
      let (path, row) = try image.backlinkLeaf("class_Address")
      try image.set(0, at: row, path: path)
    },
  ]

  static let ofIndexes: [Damage] = [
    Damage(34, "an index node without its flag", fixture: "after-many-commits") { image in
      try image.setFlag(.context, false, try image.index("id", item))
    },
    Damage(34, "chunks that do not ascend", fixture: "after-many-commits") { image in
      let path = try image.index("id", item) + [0]
      try image.set(try image.node(path).integer(at: 1), at: 0, path: path)
    },
    Damage(34, "chunks of another width", fixture: "after-many-commits") { image in
      let path = try image.index("id", item) + [0]
      try image.set(1 << 40, at: try image.node(path).count - 1, path: path)
    },
    Damage(35, "an object where its value does not belong", fixture: "after-many-commits") {
      try $0.setString(Array("elsewhere".utf8), "tag", item)
    },
    Damage(35, "an object that is not entered", fixture: "after-many-commits") { image in
      try image.edit(try image.index("id", item)) { _ in
        try SearchIndexEditor<ColumnOfNothing>.make(in: image.allocator)
      }
    },
    Damage(36, "an entry for no object", fixture: "after-many-commits") { image in
      let path = try image.index("id", item)
      let entry = try image.indexEntry(below: path) { if case .object = $0 { true } else { false } }
      guard let entry else { throw StorageError.corrupted("no single entry in the fixture") }
      try image.set(1 << 30 | 1, at: entry[entry.count - 1], path: Array(entry.dropLast()))
    },
    Damage(36, "an object entered twice", fixture: "after-many-commits") { image in
      let path = try image.list(inIndexOf: "tag", item)
      try image.set(try image.node(path).integer(at: 0), at: 1, path: path)
    },
    Damage(37, "a list out of order", fixture: "after-many-commits", severity: .warning) { image in
      let path = try image.list(inIndexOf: "tag", item)
      let list = try image.node(path)
      let (first, second) = (try list.integer(at: 0), try list.integer(at: 1))
      try image.set(second, at: 0, path: path)
      try image.set(first, at: 1, path: path)
    },
  ]
}

extension FileImage {
  /// The path to a list of object keys in an index.
  func list(inIndexOf column: String, _ table: String) throws -> [Int] {
    let entry = try indexEntry(below: index(column, table)) {
      if case .list = $0 { true } else { false }
    }
    guard let entry else { throw StorageError.corrupted("no list in the index of the fixture") }
    return entry
  }
}

/// An index that is only made, never searched.
private struct ColumnOfNothing: IndexedValues {
  func indexedValue(of key: ObjectKey) throws(StorageError) -> MixedValue { .null }
}
