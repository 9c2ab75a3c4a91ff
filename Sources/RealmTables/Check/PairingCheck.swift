// SPDX-License-Identifier: Apache-2.0

// Check 21: link columns and backlink columns know each other.

/// Checks that the columns of the tables point at each other.
struct PairingCheck {
  private let tables: [TableKey: CheckedTable]
  private let report: CheckReport

  init(_ tables: [CheckedTable], report: CheckReport) {
    self.tables = Dictionary(tables.map { ($0.schema.key, $0) }) { first, _ in first }
    self.report = report
  }

  func run() {
    for table in tables.values {
      for column in table.schema.columns where column.type == .link {
        check(column, of: table)
      }
      for column in table.schema.backlinkColumns { check(column, of: table) }
    }
  }

  private func check(_ column: Column, of table: CheckedTable) {
    let place = column.type == .backlink ? "backlink column" : "link column '\(column.name)'"
    guard let target = column.targetTable.flatMap({ tables[$0] }),
      let opposite = column.oppositeColumn.flatMap({ target.schema.column($0) })
    else {
      report.error(21, "the opposite of \(place) \(column.leafIndex) does not exist", table.name)
      return
    }
    if column.type == .backlink, opposite.type == .mixed || opposite.type == .typedLink {
      // Links that can lead anywhere do not name the column on the other side.
      return
    }
    let isPair = (column.type == .link) == (opposite.type == .backlink)
    guard isPair, opposite.targetTable == table.schema.key, opposite.oppositeColumn == column.key
    else {
      report.error(
        21, "the opposite of \(place) \(column.leafIndex) does not point back", table.name)
      return
    }
  }
}
