// SPDX-License-Identifier: Apache-2.0

// Whether a column of strings repeats itself so much that it is worth enumerating.

import RealmStorage

/// The bytes of a column of strings, as it is and if it were enumerated.
///
/// A column whose strings are mostly different has too many after some hundred, and is read no
/// further.
struct EnumerationMeasure {
  private let column: Column
  private let valueCountMax: Int
  private let space: NodeSpace
  /// Whether nodes that do not match their checksums end the measurement.
  private let comparesChecksums: Bool
  private var distinct: Set<ByteView> = []
  private var hasNull = false
  private var longest = 0
  private var textByteCount = 0
  private var byteCount = 0
  private var positionByteCount = 0

  /// - Parameter valueCountMax: The distinct values allowed.
  init(
    of column: Column, valueCountMax: Int, comparesChecksums: Bool, in space: NodeSpace
  ) {
    self.column = column
    self.valueCountMax = valueCountMax
    self.comparesChecksums = comparesChecksums
    self.space = space
  }

  /// The bytes saved by enumerating the column; nil if it has too many values, or if
  /// damage is found.
  mutating func savedByteCount(below roots: [Ref]) throws(StorageError) -> (Int, of: Int)? {
    for root in roots where !root.isNull {
      guard try add(clustersBelow: root, depth: 0) else { return nil }
    }
    return (byteCount - positionByteCount - valueByteCount, byteCount)
  }

  /// About the bytes of the leaf of values.
  private var valueByteCount: Int {
    let count = distinct.count + (hasNull ? 1 : 0)
    switch longest {
    case ...15: return 8 + count * 16
    case ...63: return 64 + textByteCount + count * 4
    default: return 16 + textByteCount + count * 24
    }
  }

  /// Adds the leaves of the clusters at or below a node; false if that ends the measurement.
  private mutating func add(clustersBelow ref: Ref, depth: Int) throws(StorageError) -> Bool {
    guard depth < ClusterLimits.maximumDepth else {
      throw StorageError.badCluster("tree does not end")
    }
    let node = try space.node(at: ref)
    guard isSound(node, at: ref) else { return false }
    guard node.header.isInner else {
      let count = try Cluster(node, offset: 0, enumerations: .none, in: space).count
      return try add(leaf: try node.ref(at: column.leafIndex + 1), count)
    }
    for slot in 3..<max(node.count, 3) {
      guard try add(clustersBelow: try node.ref(at: slot), depth: depth + 1) else { return false }
    }
    return true
  }

  private mutating func add(leaf: Ref, _ count: Int) throws(StorageError) -> Bool {
    guard try addNodes(leaf, depth: 0),
      try StringLeaf.count(leaf, in: space) == count
    else { return false }
    for index in 0..<count {
      guard let text = try StringLeaf.value(at: index, of: leaf, in: space) else {
        hasNull = true
        continue
      }
      guard distinct.insert(text).inserted else { continue }
      longest = max(longest, text.count)
      textByteCount += text.count + 1
      if distinct.count > valueCountMax { return false }
    }
    let bits = distinct.count < 16 ? 4 : distinct.count < 128 ? 8 : 16
    positionByteCount += 8 + (count * bits + 63) / 64 * 8
    return true
  }

  private mutating func addNodes(_ ref: Ref, depth: Int) throws(StorageError) -> Bool {
    guard depth < 3 else { throw .corrupted("a leaf of strings does not end") }
    let node = try space.node(at: ref)
    guard isSound(node, at: ref) else { return false }
    byteCount += node.header.nodeByteCount
    guard node.header.hasRefs else { return true }
    for index in 0..<node.count {
      guard let child = Ref(slot: try node.integer(at: index)) else { continue }
      guard try addNodes(child, depth: depth + 1) else { return false }
    }
    return true
  }

  private func isSound(_ node: Node, at ref: Ref) -> Bool {
    !comparesChecksums || node.isSound(at: ref, in: space)
  }
}

extension Node {
  /// Whether the node is as it was written, as far as its checksum says.
  func isSound(at ref: Ref, in space: NodeSpace) -> Bool {
    // Nodes of a transaction have their capacity where others have a checksum.
    unsafe space.isWritable(ref)
      || NodeChecksum.state(of: address, header, at: ref.offset) != .different
  }
}
