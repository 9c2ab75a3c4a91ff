// SPDX-License-Identifier: Apache-2.0

// All elements of a tree of integers at once.

extension BTree where L == IntegerLeaf {
  /// The elements in their order, as values of a type that is one 64-bit integer, as keys are. No
  /// two are equal.
  ///
  /// - Complexity: O(n), with one descent for each leaf.
  package static func all<Element: BitwiseCopyable>(
    of root: Ref, in space: NodeSpace, as type: Element.Type
  ) throws(StorageError) -> [Element] {
    assert(MemoryLayout<Element>.size == 8, "elements are stored as they are read")
    let count = try count(root, in: space)
    // Different integers take a bit each at least: a damaged count must not ask for all memory.
    guard count <= max(space.fileEnd, space.slabEnd) &* 8 else {
      throw .corrupted("a B+ tree counts \(count) elements, more than the file can hold")
    }
    var failure: StorageError?
    let elements = unsafe [Element](count: count) { buffer in
      let target = UnsafeMutableRawBufferPointer(buffer)
      do throws(StorageError) { try unsafe unpack(root, to: target, in: space) } catch {
        unsafe target.initializeMemory(as: UInt8.self, repeating: 0)
        failure = error
      }
    }
    if let failure { throw failure }
    return elements
  }

  /// Stores the elements, for all of which the target has room, with 64 bits each.
  private static func unpack(
    _ root: Ref, to target: UnsafeMutableRawBufferPointer, in space: NodeSpace
  ) throws(StorageError) {
    var leaves = try BTreeLeafCursor<IntegerLeaf>(root, in: space)
    var end = 0
    while let (leaf, first, count) = try leaves.next() {
      let node = try space.node(at: leaf)
      end = first &+ count
      guard node.header.layout == .bits, count == node.count, end &* 8 <= target.count,
        let start = target.baseAddress
      else {
        throw .corrupted("the leaves of a B+ tree have more or fewer elements than it counts")
      }
      unsafe node.unpack(0..<count, to: start + first &* 8)
    }
    guard end &* 8 == target.count else {
      throw .corrupted("the leaves of a B+ tree have more or fewer elements than it counts")
    }
  }
}
