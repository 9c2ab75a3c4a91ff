// SPDX-License-Identifier: Apache-2.0

// The objects of an import by their original keys.

#if Tools
import RealmTables

/// Old and new keys of imported objects.
///
/// Most objects get the keys that they had, and those come in ascending order: they are kept in a
/// set of runs, which takes no hashing. A class, so all batches of an import add to the same one: a
/// second copy would be made again for each object.
final class ObjectKeyMap {
  private struct Keys {
    /// The objects that have the keys they had, unless `others` says otherwise.
    var same = ObjectKeySet()
    var others: [Int64: ObjectKey] = [:]
  }

  private var keys: [TableKey: Keys] = [:]

  /// The object of an original key; nil if none was imported.
  subscript(table: TableKey, number: Int64) -> ObjectKey? {
    guard let known = keys[table] else { return nil }
    if !known.others.isEmpty, let key = known.others[number] { return key }
    return known.same.contains(ObjectKey(number)) ? ObjectKey(number) : nil
  }

  /// Notes the object of an original key.
  func set(_ key: ObjectKey, for number: Int64, in table: TableKey) {
    if key.rawValue == number {
      keys[table, default: Keys()].same.insert(key)
      keys[table]?.others[number] = nil
    } else {
      keys[table, default: Keys()].others[number] = key
    }
  }

  /// Whether objects of a class came with keys.
  func hasKeys(of table: TableKey) -> Bool { keys[table] != nil }
}
#endif
