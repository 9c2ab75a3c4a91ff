// SPDX-License-Identifier: Apache-2.0

// The integrity check of a version: what the storage check cannot know about tables.

package import RealmStorage

/// Checks tables, objects, links and indexes (file format, part 5, sections 1.4 to 1.6).
///
/// It never throws and never stops at the first finding: damage is reported where it is found, and
/// what can still be read is checked on.
package enum DatabaseCheck {
  /// Checks the tables of a version.
  package static func run(
    tableNames: Ref, tables: Ref, in space: NodeSpace
  ) -> [CheckFinding] {
    let report = CheckReport()
    // A file in which nothing was ever written has no arrays.
    guard !tableNames.isNull || !tables.isNull else { return [] }
    let found = GroupCheck(space: space, report: report).tables(names: tableNames, tables: tables)
    PairingCheck(found, report: report).run()
    for table in found {
      let live = ClusterTreeCheck(
        table: table.name, spec: table.top.spec, isTombstones: false, space: space, report: report
      ).clusters(root: table.top.clusters)
      _ = live
      if !table.top.tombstones.isNull {
        _ = ClusterTreeCheck(
          table: table.name, spec: table.top.spec, isTombstones: true, space: space,
          report: report
        ).clusters(root: table.top.tombstones)
      }
    }
    return report.findings
  }
}
