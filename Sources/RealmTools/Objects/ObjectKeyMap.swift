// SPDX-License-Identifier: Apache-2.0

// The objects of an import by their original keys.

import RealmTables

/// Old and new keys of imported objects.
///
/// A class, so all batches of an import add to the same one: a second copy of the dictionaries
/// would be made again for each object.
final class ObjectKeyMap {
  private var keys: [TableKey: [Int64: ObjectKey]] = [:]

  /// The object of an original key; nil if none was imported.
  subscript(table: TableKey, number: Int64) -> ObjectKey? {
    get { keys[table]?[number] }
    set { keys[table, default: [:]][number] = newValue }
  }

  /// Whether objects of a class came with keys.
  func hasKeys(of table: TableKey) -> Bool { keys[table] != nil }
}
