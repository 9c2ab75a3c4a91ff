// SPDX-License-Identifier: Apache-2.0

// Copies the live nodes of evacuated regions, as part of a commit.

/// One step of the walk of an evacuation over the trees of a version.
struct Evacuator {
  /// The limits of one step.
  struct Budget {
    /// The bytes of nodes that are copied.
    var byteCount: Int
    /// The nodes that are visited.
    var nodeCount: Int

    var isUsedUp: Bool { byteCount <= 0 || nodeCount <= 0 }

    init(byteCount: Int, nodeCount: Int) {
      self.byteCount = byteCount
      self.nodeCount = nodeCount
    }

    /// Copies are in proportion to what the transaction writes itself. A walk of the whole file is
    /// over before the transactions have written an eighth of its length.
    ///
    /// - Parameter own: The bytes of the transaction's own nodes.
    init(_ space: FreeSpace, own: Int) {
      let excess = 2 * space.freeByteCount - space.logicalSize
      let least = excess > 0 ? max(256 << 10, min(4 << 20, excess / 16)) : 64 << 10
      byteCount = max(least, 2 * own)
      nodeCount = max(2048, byteCount / 16)
    }
  }

  private let allocator: NodeAllocator
  private var evacuation: Evacuation
  private var budget: Budget
  /// The slots at which the walk stops, from the lowest node up; empty while it goes on.
  private var stop: [Int] = []

  /// Walks on over the trees at `roots`, which become those of the copies where nodes were copied.
  ///
  /// - Throws: What copying a node throws. Nodes that cannot be read are passed over.
  static func step(
    _ evacuation: inout Evacuation, _ roots: inout [Ref], _ budget: Budget,
    _ allocator: NodeAllocator
  ) throws(StorageError) {
    assert(!evacuation.isComplete, "a walk goes on after its end")
    var evacuator = Evacuator(allocator: allocator, evacuation: evacuation, budget: budget)
    try evacuator.walk(&roots)
    evacuation = evacuator.evacuation
  }

  private mutating func walk(_ roots: inout [Ref]) throws(StorageError) {
    let cursor = evacuation.cursor
    for index in (cursor.first ?? 0)..<roots.count where !roots[index].isNull {
      let isOnPath = index == cursor.first
      roots[index] = try visit(roots[index], cursor: isOnPath ? cursor.dropFirst() : [], depth: 0)
      if !stop.isEmpty {
        stop.append(index)
        assert(budget.isUsedUp, "`Evacuation` 2: a walk stops when its budget is used up")
        evacuation.cursor = stop.reversed()
        return
      }
    }
    evacuation.isComplete = true
  }

  /// - Parameter cursor: The slots on the path to where the walk goes on; empty for the whole.
  /// - Returns: The ref of the tree: that of a copy, if its root was copied.
  private mutating func visit(
    _ ref: Ref, cursor: ArraySlice<Int>, depth: Int
  ) throws(StorageError) -> Ref {
    budget.nodeCount -= 1
    // A damaged tree is left to those who use it.
    guard depth < 512, var node = try? allocator.node(at: ref) else { return ref }
    var result = ref
    let byteCount = node.header.nodeByteCount
    if !allocator.isWritable(ref), evacuation.concerns(ref.offset..<ref.offset + byteCount) {
      result = try allocator.makeWritable(ref).ref
      assert(result != ref && allocator.isWritable(result), "a copy stands where its original does")
      budget.byteCount -= byteCount
    }
    guard node.header.hasRefs, node.header.layout == .bits else { return result }
    for index in (cursor.first ?? 0)..<max(node.count, cursor.first ?? 0) {
      let slot = node.uncheckedInteger(at: index)
      guard slot & 1 == 0, slot != 0 else { continue }
      if budget.isUsedUp {
        stop.append(index)
        return result
      }
      let child = Ref(Int(slot))
      let isOnPath = index == cursor.first
      let new = try visit(child, cursor: isOnPath ? cursor.dropFirst() : [], depth: depth + 1)
      if new != child {
        result = try IntegerNode.set(new.slot, at: index, in: result, allocator)
        // A node of this transaction may have moved, and its old memory have another user.
        node = try allocator.node(at: result)
      }
      if !stop.isEmpty {
        stop.append(index)
        return result
      }
    }
    return result
  }
}
