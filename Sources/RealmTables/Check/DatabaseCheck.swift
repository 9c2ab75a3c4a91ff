// SPDX-License-Identifier: Apache-2.0

// The integrity check of a version: what the storage check cannot know about tables.

package import RealmStorage

/// Checks tables, objects, links and indexes (file format 5.1.4 to 5.1.6).
///
/// It never throws and never stops at the first finding: damage is reported where it is found, and
/// what can still be read is checked on.
package enum DatabaseCheck {
  /// Checks everything about a version: the container, nodes and space first, then the tables.
  package static func run(_ snapshot: Snapshot) throws(StorageError) -> [CheckFinding] {
    try report(snapshot).findings
  }

  /// `run(_:)`, and how many nodes have checksums.
  ///
  /// - Parameter watch: Who waits for it. After a cancellation the findings are some of all.
  package static func report(
    _ snapshot: Snapshot, _ watch: WorkWatch = WorkWatch()
  ) throws(StorageError) -> (findings: [CheckFinding], checksums: ChecksumCounts) {
    let snapshot = try snapshot.withoutVerification()
    let (roots, space) = (snapshot.roots, snapshot.space)
    // Both halves read most of the file once.
    let first = WorkWatch(
      progress: { watch.progress($0 / 2) }, isCancelled: watch.isCancelled)
    let second = WorkWatch(
      progress: { watch.progress(0.5 + $0 / 2) }, isCancelled: watch.isCancelled)
    let (nodes, checksums) = try snapshot.file.checkNodes(snapshot, first)
    let placed = DamageLocator.place(
      nodes, tableNames: roots.tableNames, tables: roots.tables, in: space)
    let tables = run(
      tableNames: roots.tableNames, tables: roots.tables, in: space, second)
    return (placed + tables, checksums)
  }

  /// Checks the tables of a version.
  package static func run(
    tableNames: Ref, tables: Ref, in space: NodeSpace, _ watch: WorkWatch = WorkWatch()
  ) -> [CheckFinding] {
    // A file in which nothing was ever written has no arrays.
    guard !tableNames.isNull || !tables.isNull else { return [] }
    let report = CheckReport(watch)
    let found = GroupCheck(space: space, report: report).tables(names: tableNames, tables: tables)
    PairingCheck(found, report: report).run()
    var links = LinkTally(table: .null)
    for (index, table) in found.enumerated() {
      report.begin(part: index, of: found.count)
      links.merge(check(table, space, report))
      // What was not read cannot be compared.
      if report.isCancelled { return report.findings }
    }
    let names = Dictionary(found.map { ($0.schema.key, $0.name) }) { first, _ in first }
    links.compare(names: names, report)
    watch.progress(1)
    return report.findings
  }

  /// Checks one table's objects and indexes; gives its links for the comparison of all.
  private static func check(
    _ table: CheckedTable, _ space: NodeSpace, _ report: CheckReport
  ) -> LinkTally {
    func clusters(_ root: Ref, isTombstones: Bool) -> [Cluster] {
      guard !root.isNull else { return [] }
      let check = ClusterTreeCheck(
        table: table.name, enumerations: EnumerationPlace(spec: table.top.spec),
        isTombstones: isTombstones, space: space, report: report)
      return check.clusters(root: root)
    }
    let objects = ObjectCheck(table: table, space: space, report: report)
    let live = objects.contents(of: clusters(table.top.clusters, isTombstones: false))
    let dead = objects.contents(of: clusters(table.top.tombstones, isTombstones: true))
    if report.isCancelled { return live.links }
    IndexCheck(table: table, contents: live, space: space, report: report).run()
    if table.schema.kind == .embedded {
      live.links.checkParents(of: live.keys, table.name, report)
    }
    var links = live.links
    links.merge(dead.links)
    return links
  }
}
