// SPDX-License-Identifier: Apache-2.0

// Checks 16 and 17: the arrays of tables and their names.

import RealmStorage

/// A table whose top array could be read.
struct CheckedTable {
  let name: String
  let top: TableTop
  let schema: TableSchema
}

/// Checks the group's arrays and reads the tables' schemas.
struct GroupCheck {
  let space: NodeSpace
  let report: CheckReport

  /// The tables that can be read; what cannot is reported.
  func tables(names: Ref, tables: Ref) -> [CheckedTable] {
    let arrays = report.attempt(
      16, reading: (try space.node(at: names), try space.node(at: tables)))
    guard let (nameLeaf, slots) = arrays else { return [] }
    guard slots.header.hasRefs else {
      report.error(16, "the array of tables holds no refs")
      return []
    }
    if TableList.isImpossible(slots) {
      report.error(16, "the array of tables claims \(slots.count) of them")
      return []
    }
    if nameLeaf.count != slots.count {
      report.error(16, "there are \(nameLeaf.count) table names for \(slots.count) tables")
    }
    var found: [CheckedTable] = []
    var known: Set<String> = []
    for index in 0..<min(nameLeaf.count, slots.count) {
      let slot = slots.uncheckedInteger(at: index)
      let name = report.attempt(16, reading: try NameLeaf.name(at: index, of: nameLeaf))
      guard let name else { continue }
      guard let ref = Ref(slot: slot) else {
        checkFreeSlot(slot, index: index, name: name)
        continue
      }
      if !known.insert(name).inserted { report.error(16, "two tables are called '\(name)'") }
      if let table = table(at: ref, index: index, name: name) { found.append(table) }
    }
    return found
  }

  private func checkFreeSlot(_ slot: Int64, index: Int, name: String) {
    if slot == 0 { report.error(16, "the free table index \(index) holds no counter") }
    if !name.isEmpty { report.error(16, "the free table index \(index) has the name '\(name)'") }
  }

  private func table(at ref: Ref, index: Int, name: String) -> CheckedTable? {
    let top = report.attempt(18, name, reading: try TableTop(at: ref, in: space))
    guard let top else { return nil }
    if top.key.index != index {
      report.error(17, "the table at index \(index) has the key \(top.key.rawValue)", name)
    }
    SpecCheck(name: name, top: top, space: space, report: report).run()
    let schema = report.attempt(
      18, name, reading: try SchemaDecoder(top, name: name, in: space).decode())
    return schema.map { CheckedTable(name: name, top: top, schema: $0) }
  }
}
