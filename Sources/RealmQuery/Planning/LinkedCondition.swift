// SPDX-License-Identifier: Apache-2.0

// A condition on the object that a link leads to, answered by the set of objects that match it.
//
// The condition is run over the target table first, leaf by leaf; each row then costs one search in
// a set instead of a descent of the target's tree.

import RealmStorage
import RealmTables

/// The linked objects that match a condition.
struct LinkedSearch {
  /// Ascending.
  let keys: [ObjectKey]
  /// The way they were found, for `explain()`.
  let text: () -> String
}

/// Whether a link leads to one of certain objects.
struct LinkedCondition: Condition {
  let leafIndex: Int
  let targets: KeyFilter
  let matchesNull: Bool

  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask {
    let node = try cluster.packedLeaf(leafIndex, extra: 0)
    var found = LeafMask.none
    for row in rows where matches(key: node.uncheckedInteger(at: row) &- 1) { found.insert(row) }
    return found
  }

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    matches(key: try row.storedLink(leafIndex).rawValue)
  }

  @inline(__always)
  private func matches(key: Int64) -> Bool { key < 0 ? matchesNull : targets.contains(key) }
}

/// A set of object keys made once and asked often.
struct KeyFilter {
  /// One bit for each key, where keys are dense.
  private var bits: [UInt64] = []
  private var others: Set<Int64> = []

  /// - Parameter keys: Ascending, but for those of a damaged index.
  init(_ keys: [ObjectKey]) {
    guard let last = keys.last?.rawValue else { return }
    if last >= 0, last / 256 <= Int64(keys.count) + 64,
      keys.allSatisfy({ 0...last ~= $0.rawValue })
    {
      bits = unsafe [UInt64](count: Int(last / 64) + 1) { buffer in
        unsafe buffer.initialize(repeating: 0)
        for key in keys { unsafe buffer[Int(key.rawValue / 64)] |= 1 &<< UInt64(key.rawValue % 64) }
      }
    } else {
      others.reserveCapacity(keys.count)
      for key in keys { others.insert(key.rawValue) }
    }
  }

  /// - Parameter key: not negative.
  @inline(__always)
  func contains(_ key: Int64) -> Bool {
    let word = Int(truncatingIfNeeded: key &>> 6)
    if word < bits.count { return bits[word] &>> UInt64(truncatingIfNeeded: key & 63) & 1 == 1 }
    return !others.isEmpty && others.contains(key)
  }
}
