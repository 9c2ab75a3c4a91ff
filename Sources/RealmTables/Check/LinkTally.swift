// SPDX-License-Identifier: Apache-2.0

// Checks 32 and 33: every link has its backlink, every embedded object its parent.

/// The links and backlinks of a table, or of all, by the column they come from.
struct LinkTally {
  /// The column that holds the forward links.
  struct Origin: Hashable {
    let table: TableKey
    let column: ColumnKey
  }

  /// One link, as both sides must know it.
  struct Link: Hashable, Comparable {
    let targetTable: Int64
    let target: ObjectKey
    let origin: ObjectKey

    static func < (left: Link, right: Link) -> Bool {
      if left.targetTable != right.targetTable { return left.targetTable < right.targetTable }
      return left.target != right.target ? left.target < right.target : left.origin < right.origin
    }
  }

  private let table: TableKey
  private var links: [Origin: [Link]] = [:]
  private var backlinks: [Origin: [Link]] = [:]

  /// A tally for the links that start from, and the backlinks that stand in, a table.
  init(table: TableKey) { self.table = table }

  mutating func addLink(
    _ column: Column, from origin: ObjectKey, to target: ObjectKey, of targetTable: Int64
  ) {
    // The null table and object are what a null link is, not a link.
    guard !target.isNull else { return }
    links[Origin(table: table, column: column.key), default: []].append(
      Link(targetTable: targetTable, target: target, origin: origin))
  }

  mutating func addBacklink(_ column: Column, from origin: ObjectKey, to target: ObjectKey) {
    guard let originTable = column.targetTable, let originColumn = column.oppositeColumn else {
      return
    }
    backlinks[Origin(table: originTable, column: originColumn), default: []].append(
      Link(targetTable: Int64(table.rawValue), target: target, origin: origin))
  }

  mutating func merge(_ other: LinkTally) {
    links.merge(other.links) { $0 + $1 }
    backlinks.merge(other.backlinks) { $0 + $1 }
  }

  // MARK: Comparing

  /// Reports links without backlink and backlinks without link.
  func compare(names: [TableKey: String], _ report: CheckReport) {
    for origin in Set(links.keys).union(backlinks.keys) {
      let forward = (links[origin] ?? []).sorted()
      let backward = (backlinks[origin] ?? []).sorted()
      compare(forward, backward, origin, names[origin.table], report)
    }
  }

  private func compare(
    _ forward: [Link], _ backward: [Link], _ origin: Origin, _ name: String?,
    _ report: CheckReport
  ) {
    var index = 0
    var other = 0
    while index < forward.count || other < backward.count {
      if index < forward.count, other < backward.count, forward[index] == backward[other] {
        index += 1
        other += 1
      } else if other >= backward.count
        || index < forward.count && forward[index] < backward[other]
      {
        let link = forward[index]
        report.error(
          32, "\(link.target) of table \(link.targetTable) does not know the link to it", name,
          link.origin)
        index += 1
      } else {
        let link = backward[other]
        let message = "\(link.target) of table \(link.targetTable) knows a link that is not there"
        // Realm Core leaves these where it overwrites nested collections.
        if origin.column.type == .mixed {
          report.warning(32, message, name, link.origin)
        } else {
          report.error(32, message, name, link.origin)
        }
        other += 1
      }
    }
  }

  /// Reports embedded objects without exactly one parent.
  func checkParents(of keys: [ObjectKey], _ name: String, _ report: CheckReport) {
    var parents: [ObjectKey: Int] = [:]
    for link in backlinks.values.joined() { parents[link.target, default: 0] += 1 }
    for key in keys where parents[key, default: 0] != 1 {
      report.warning(
        33, "the embedded object has \(parents[key, default: 0]) parents", name, key)
    }
  }
}
