// SPDX-License-Identifier: Apache-2.0

// Lists and sets of links, which may hide links to tombstones (file format 4.11).

import RealmStorage

/// Positions in a tree of object keys.
enum LinkKeys {
  /// The positions of links to live objects; nil if the root says that there are no others.
  static func visiblePositions(_ root: Ref, in space: NodeSpace) throws(StorageError) -> [Int]? {
    guard !root.isNull, try space.node(at: root).header.hasContext else { return nil }
    var positions: [Int] = []
    for index in 0..<(try BTree<IntegerLeaf>.count(root, in: space))
    where try BTree<IntegerLeaf>.value(at: index, of: root, in: space) >= 0 {
      positions.append(index)
    }
    return positions
  }

  /// The position that readers know a stored element by.
  static func visibleIndex(
    of index: Int, in root: Ref, _ space: NodeSpace
  ) throws(StorageError) -> Int {
    guard let positions = try visiblePositions(root, in: space) else { return index }
    return positions.firstIndex { $0 >= index } ?? positions.count
  }

  /// Where `key` stands, or belongs, in a set of links.
  static func lowerBound(
    _ key: ObjectKey, in root: Ref, _ space: NodeSpace
  ) throws(StorageError) -> Int {
    var low = 0
    var high = try BTree<IntegerLeaf>.count(root, in: space)
    while low < high {
      let middle = (low + high) / 2
      let element = try BTree<IntegerLeaf>.value(at: middle, of: root, in: space)
      if element < key.rawValue { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Sets the root's context flag if any element is the key of a tombstone, else clears it.
  static func settingContext(of root: Ref, _ allocator: NodeAllocator) throws(StorageError) -> Ref {
    guard !root.isNull else { return root }
    let hasTombstones = try hasTombstones(root, allocator.space)
    guard try allocator.node(at: root).header.hasContext != hasTombstones else { return root }
    let node = try allocator.makeWritable(root)
    node.setFlag(.context, hasTombstones)
    return node.ref
  }

  private static func hasTombstones(_ root: Ref, _ space: NodeSpace) throws(StorageError) -> Bool {
    var leaves = try BTreeLeafCursor<IntegerLeaf>(root, in: space)
    while let (leaf, _, count) = try leaves.next() {
      let node = try space.node(at: leaf)
      for index in 0..<count where try node.integer(at: index) < 0 { return true }
    }
    return false
  }
}
