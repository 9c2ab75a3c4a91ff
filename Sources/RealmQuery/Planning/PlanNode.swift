// SPDX-License-Identifier: Apache-2.0

// The nodes of a plan. A new kind of condition is a file of its own and a case here.

import RealmStorage
import RealmTables

/// The children of a node: a range of `QueryPlan.children`, which says where they are among the
/// nodes.
typealias PlanChildren = Range<Int>

/// A condition bound to leaf indexes.
///
/// A node is copied for each cluster: the large ones, and those that would count references, stand
/// in boxes.
enum PlanNode {
  case constant(Bool)
  case all(PlanChildren)
  case any(PlanChildren)
  case not(Int)
  case integers(IntegerCondition)
  case integerSet(IntegerSetCondition)
  case doubles(DoubleCondition)
  case floats(FloatCondition)
  case bytes(BytesCondition)
  case timestamps(TimestampCondition)
  indirect case values(ValueCondition)
  indirect case linked(LinkedCondition)
  indirect case general(GeneralCondition)
  indirect case within(GeoCondition)
  case identity(IdentityCondition)

  /// The cost of a row, roughly in the time that an integer takes.
  var cost: Int {
    switch self {
    case .constant: 0
    case .integers, .identity: 1
    case .doubles, .floats: 2
    case .bytes(let condition): condition.isEquality ? 3 : 40
    case .timestamps: 4
    case .integerSet: 6
    case .linked: 10
    case .values: 60
    case .general, .within: 200
    // Refined by the plan, which knows the children.
    case .all, .any, .not: 1
    }
  }

  /// The share of the rows that is expected to pass, by the operator.
  var share: Double {
    switch self {
    case .constant(let truth): truth ? 1 : 0
    case .integers(let condition): condition.share
    case .integerSet: 0.1
    case .bytes(let condition): condition.share
    case .doubles, .floats, .timestamps, .values, .linked: 0.3
    case .general: 0.5
    case .within: 0.1
    case .identity: 0.01
    // Known by the plan, which knows the children.
    case .all, .any, .not: 0.5
    }
  }
}

extension IntegerCondition {
  fileprivate var share: Double {
    let share = lower == upper ? 0.05 : lower > upper ? 0.01 : 0.35
    return excludes ? 1 - share : share
  }
}

extension BytesCondition {
  fileprivate var share: Double {
    switch test {
    case .equal: 0.05
    case .notEqual: 0.95
    case .contains: 0.1
    case .needle, .other: 0.2
    }
  }
}

/// A condition on the rows of a cluster.
protocol Condition {
  /// The rows of `rows` that match. All rows of `rows` are below the cluster's count.
  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask

  /// Whether one row matches.
  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool
}

extension Condition {
  /// Asks row by row.
  @inline(__always)
  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask {
    var found = LeafMask.none
    for row in rows where try matches(cluster.row(at: row), plan) { found.insert(row) }
    return found
  }
}

extension Cluster {
  /// The leaf of a column of packed integers, checked to have an element for each row.
  ///
  /// - Parameters:
  ///   - extra: the elements in front of the first row's: 1 for the null marker.
  ///   - asksAhead: false for callers that ask for the leaf of the cluster ahead line by line.
  @inline(__always)
  func packedLeaf(
    _ leafIndex: Int, extra: Int, asksAhead: Bool = true
  ) throws(StorageError) -> Node {
    let node = asksAhead ? try scannedLeaf(leafIndex) : try leaf(leafIndex)
    guard node.header.layout == .bits, node.count == count &+ extra else {
      throw StorageError.leafMismatch(leafIndex)
    }
    return node
  }

  /// The leaf of a column of cells of `1 << (widthCode - 1)` bytes, checked to have one for each
  /// row.
  ///
  /// - Parameter asksAhead: false for callers that ask for the cells of the cluster ahead line by
  ///   line.
  @inline(__always)
  func cellLeaf(
    _ leafIndex: Int, widthCode: Int, asksAhead: Bool = true
  ) throws(StorageError) -> Node {
    let node = asksAhead ? try scannedLeaf(leafIndex) : try leaf(leafIndex)
    guard node.header.layout == .multiply, node.header.widthCode == widthCode, node.count == count
    else { throw StorageError.leafMismatch(leafIndex) }
    return node
  }
}

extension StorageError {
  @inline(never)
  static func leafMismatch(_ leafIndex: Int) -> StorageError {
    .corrupted("leaf \(leafIndex) of a cluster does not match its number of objects")
  }
}
