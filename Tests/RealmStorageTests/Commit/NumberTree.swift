// SPDX-License-Identifier: Apache-2.0

// The smallest database that a test of the storage engine can write: lists of numbers where the
// tables would be.

import RealmStorage

/// Stores a list of numbers as the leaves of the tables node, 100 in each.
///
/// To the storage engine the tables are a tree of nodes like any other. Independent checkers of the
/// whole format see unused table slots, as the leaves hang below a node of their own that no table
/// refers to: the numbers stand in the tables node as tagged integers beside it.
enum NumberTree {
  /// Makes the tree hold `numbers`, changing only the leaves that differ.
  static func replace(
    with numbers: [Int64], in write: WriteTransaction
  ) throws(StorageError) {
    let allocator = write.allocator
    if write.roots.tables.isNull {
      write.roots.tables = try IntegerNode.make(flags: .hasRefs, in: allocator).ref
    }
    var root = write.roots.tables
    let leafCount = (numbers.count + leafSize - 1) / leafSize
    for index in 0..<leafCount {
      let part = numbers[index * leafSize..<min(numbers.count, (index + 1) * leafSize)]
      let node = try allocator.node(at: root)
      if index >= node.count {
        let leaf = try IntegerNode.make(Array(part), in: allocator)
        root = try IntegerNode.append(leaf.ref.slot, to: root, allocator)
        continue
      }
      let old = try node.ref(at: index)
      let leaf = try allocator.node(at: old)
      if leaf.count == part.count,
        part.enumerated().allSatisfy({ leaf.uncheckedInteger(at: $0.offset) == $0.element })
      {
        continue
      }
      try allocator.free(old)
      let new = try IntegerNode.make(Array(part), in: allocator)
      root = try IntegerNode.set(new.ref.slot, at: index, in: root, allocator)
    }
    for index in leafCount..<max(leafCount, try allocator.node(at: root).count) {
      try allocator.free(try allocator.node(at: root).ref(at: index))
    }
    write.roots.tables = try IntegerNode.truncate(to: leafCount, root, allocator)
  }

  /// The numbers in a version.
  static func numbers(of snapshot: Snapshot) throws(StorageError) -> [Int64] {
    guard !snapshot.roots.tables.isNull else { return [] }
    let root = try snapshot.space.node(at: snapshot.roots.tables)
    var numbers: [Int64] = []
    for index in 0..<root.count {
      let leaf = try snapshot.space.node(at: try root.ref(at: index))
      for element in 0..<leaf.count { numbers.append(try leaf.integer(at: element)) }
    }
    return numbers
  }

  private static let leafSize = 100
}
