// SPDX-License-Identifier: Apache-2.0

// The leaves of a file that no cluster leads to, put together to columns and tables.
//
// A large transaction writes what is below a node of clusters column by column, and the clusters
// behind all columns. A file that is cut there has the values of many objects, and nothing that
// says which belong together: but the leaves of a column follow each other, and the columns of a
// table have leaves for the same numbers of objects.
//
// 1. A run is leaves that follow each other and may be of one type. Where objects were made one
//    after the other, all leaves of a column but the last are full: the run ends with it. Elsewhere
//    the keys of the objects come first, and say how many there are in each leaf.
// 2. Runs that follow each other with leaves of the same lengths are the columns of one table. The
//    last run before the end may have fewer leaves.
// 3. A single leaf, or leaves of fewer objects than one cluster has, are taken for something else.

import RealmStorage
import RealmTables

/// Columns of objects whose clusters are lost.
struct LooseLeaves {
  /// A leaf.
  struct Leaf {
    let offset: Int
    let count: Int
    var kinds: LeafKinds
  }

  /// Leaves of one column.
  struct Column {
    var kinds: LeafKinds
    /// The offsets of the leaves, those of the first objects first.
    var leaves: [Int]
  }

  /// Columns of the same objects.
  struct Group {
    /// How many objects each leaf is for.
    let counts: [Int]
    /// The offsets of the leaves with the keys; none if the objects were made one after the other.
    var keys: [Int] = []
    var columns: [Column] = []

    var objectCount: Int { counts.reduce(0, +) }
  }

  private(set) var groups: [Group] = []
  private let scan: NodeScan
  private let leaves: [Leaf]

  /// - Parameter taken: The nodes that something else is known of.
  init(_ scan: NodeScan, without taken: Set<Int>) {
    self.scan = scan
    var owned = taken
    for offset in scan.offsets {
      guard let node = scan.node(at: Int64(offset)), node.header.hasRefs,
        node.header.layout == .bits
      else { continue }
      for index in 0..<node.header.count {
        let slot = scan.element(index, of: node)
        if scan.isRef(slot) { owned.insert(Int(slot)) }
      }
    }
    leaves = scan.offsets.compactMap { offset in
      owned.contains(offset) ? nil : Self.leaf(at: offset, in: scan)
    }
    findGroups()
  }

  // MARK: Leaves

  private static func leaf(at offset: Int, in scan: NodeScan) -> Leaf? {
    guard let node = scan.node(at: Int64(offset)), !node.header.isInner else { return nil }
    let size = node.header.count
    var found: Leaf?
    for count in Set([size, size - 1, size * 8 / 97, size * 8 / 129, scan.ownCount(of: node)])
      .sorted(by: >) where (1...ClusterScan.countMax).contains(count)
    {
      guard var kinds = scan.leafKinds(at: Int64(offset), count: count), kinds != [] else {
        continue
      }
      // A full leaf of numbers that may be null has one more element, with what stands for null.
      if kinds == LeafKinds(.nullableInt), count < ClusterScan.countMax { continue }
      if kinds == LeafKinds(.typedLink) { continue }
      kinds.subtract(LeafKinds(.typedLink))
      found = Leaf(offset: offset, count: count, kinds: kinds)
      break
    }
    return found
  }

  // MARK: Runs

  /// The leaves from an index on that may be of one column.
  private func run(from start: Int) -> ArraySlice<Leaf> {
    var end = start
    var kinds = LeafKinds.any
    while end < leaves.count, !kinds.isDisjoint(with: leaves[end].kinds) {
      kinds.formIntersection(leaves[end].kinds)
      end += 1
      if leaves[start].count == ClusterScan.countMax, leaves[end - 1].count < ClusterScan.countMax {
        break
      }
    }
    return leaves[start..<end]
  }

  private static func column(_ run: ArraySlice<Leaf>) -> Column {
    Column(
      kinds: run.reduce(.any) { $0.intersection($1.kinds) }, leaves: run.map(\.offset))
  }

  private mutating func findGroups() {
    var group: Group?
    var index = 0
    while index < leaves.count {
      let run = run(from: index)
      if let open = group {
        let part = run.prefix(open.counts.count)
        if part.map(\.count) == Array(open.counts.prefix(part.count)),
          part.count == open.counts.count || run.endIndex == leaves.count
        {
          group?.columns.append(Self.column(part))
          index = part.endIndex
          continue
        }
        close(&group)
      }
      if run.count > 1 {
        group = begin(run)
        index = run.endIndex
      } else {
        index += 1
      }
    }
    close(&group)
  }

  private func begin(_ run: ArraySlice<Leaf>) -> Group {
    var group = Group(counts: run.map(\.count))
    if !Self.isDense(group.counts), run.allSatisfy({ hasKeys($0) }) {
      group.keys = run.map(\.offset)
    } else {
      group.columns = [Self.column(run)]
    }
    return group
  }

  private mutating func close(_ group: inout Group?) {
    if let group, !group.columns.isEmpty, group.objectCount >= ClusterScan.countMax,
      Self.isDense(group.counts) || !group.keys.isEmpty
    {
      groups.append(group)
    }
    group = nil
  }

  private static func isDense(_ counts: [Int]) -> Bool {
    counts.dropLast().allSatisfy { $0 == ClusterScan.countMax }
  }

  private func hasKeys(_ leaf: Leaf) -> Bool {
    guard let node = scan.node(at: Int64(leaf.offset)) else { return false }
    return scan.isPlainNumbers(node) && node.header.width >= 8 && scan.isAscending(node)
  }
}

extension NodeScan {
  /// How many values a leaf says that it has, if that is not the length of its node.
  fileprivate func ownCount(of node: Found) -> Int {
    guard node.header.hasRefs, (2...6).contains(node.header.count) else { return 0 }
    // Of a leaf of texts, the ends; of one of times, the seconds, with what stands for null.
    guard let first = child(0, of: node), isPlainNumbers(first) else { return 0 }
    return node.header.count == 2 ? first.header.count - 1 : first.header.count
  }

  /// Whether the elements of a node ascend, taken without sign.
  func isAscending(_ keys: Found) -> Bool {
    let count = keys.header.count
    return count < 2
      || (1..<count).allSatisfy {
        unsignedElement($0 - 1, of: keys) < unsignedElement($0, of: keys)
      }
  }
}
