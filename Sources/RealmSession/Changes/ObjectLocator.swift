// SPDX-License-Identifier: Apache-2.0

// An observed object: direct changes of its properties, and its deletion.

import RealmStorage
package import RealmTables

/// Identifies an observed object.
package struct ObjectLocator: Hashable, Sendable {
  package let table: TableKey
  package let object: ObjectKey

  package init(table: TableKey, object: ObjectKey) {
    self.table = table
    self.object = object
  }

  /// The change of the object. Links are followed only as far as key paths ask for it.
  func change(
    by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> ObservedChange? {
    guard let changes = step.changes[table] else {
      return try linkedChange(by: step, filter: filter)
    }
    if changes.deleted.contains(object) { return .objectDeleted }
    let direct = changes.modifiedColumns(of: object)
    guard let filter else { return direct.isEmpty ? nil : .object(direct) }
    let wanted = direct.filter { filter.branches[$0] != nil }
    return try linkedChange(by: step, filter: filter, besides: wanted)
  }

  /// The change of linked objects, reported as changes of the links to them, after the changes of
  /// the object itself.
  private func linkedChange(
    by step: VersionStep, filter: KeyPathFilter?, besides direct: [ColumnKey] = []
  ) throws(StorageError) -> ObservedChange? {
    guard let filter else { return nil }
    var columns: [ColumnKey] = []
    for column in filter.branches.keys where !direct.contains(column) {
      let path = filter.only(column)
      if try step.modified(in: table, filter: path).contains(object) {
        columns.append(column)
      }
    }
    let all = direct + columns.sorted()
    return all.isEmpty ? nil : .object(all)
  }
}
