// SPDX-License-Identifier: Apache-2.0

// Columns from consecutive instructions, written at once.

import RealmSyncProtocol
import RealmTables

/// The waiting columns, by their classes.
struct NewColumns {
  private var classes: [(name: InternedString, columns: [NewColumn])] = []
  private var names: [InternedString: Set<String>] = [:]
  /// The instruction of the last; nil if none waits.
  private(set) var last: Instruction?
  /// The classes with new columns since the work was renewed.
  var rewritten: Set<String> = []

  func contains(_ column: String, of table: InternedString) -> Bool {
    names[table]?.contains(column) ?? false
  }

  func count(of table: InternedString) -> Int { names[table]?.count ?? 0 }

  mutating func append(_ column: NewColumn, to table: InternedString, by instruction: Instruction) {
    names[table, default: []].insert(column.name)
    if let index = classes.firstIndex(where: { $0.name == table }) {
      classes[index].columns.append(column)
    } else {
      classes.append((table, [column]))
    }
    last = instruction
  }

  /// Takes the columns, by the classes in their order.
  mutating func takeAll() -> [(name: InternedString, columns: [NewColumn])] {
    defer { (classes, names, last) = ([], [:], nil) }
    return classes
  }
}
