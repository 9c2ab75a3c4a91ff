// SPDX-License-Identifier: Apache-2.0

// Lists of several values that an older format ordered in another way (file format 4.14.5).

import RealmStorage

extension SearchIndexEditor {
  /// A list of several values in the order of the format.
  ///
  /// In files of formats before 24, and still after their upgrade, such lists have another order,
  /// in which a new key would not find the others of its value. A list that this transaction has
  /// made or changed is in order, so each is read once.
  func ordered(_ list: Ref) throws(StorageError) -> Ref {
    guard !holdsWords, !allocator.isWritable(list) else { return list }
    let count = try BTree<IntegerLeaf>.count(list, in: allocator.space)
    guard count > 1 else { return list }
    let first = try values.indexedValue(of: try element(0, of: list))
    let last = try values.indexedValue(of: try element(count - 1, of: list))
    if first.isEqual(to: last) { return list }
    var entries: [(value: MixedValue, key: ObjectKey)] = []
    var isOrdered = true
    for index in 0..<count {
      let key = try element(index, of: list)
      let entry = (value: try values.indexedValue(of: key), key: key)
      if let previous = entries.last, Self.comes(entry, before: previous) { isOrdered = false }
      entries.append(entry)
    }
    if isOrdered { return list }
    entries.sort { Self.comes($0, before: $1) }
    var new = try BTree<IntegerLeaf>.make(in: allocator)
    for entry in entries {
      new = try BTree<IntegerLeaf>.append(entry.key.rawValue, to: new, allocator)
    }
    try allocator.freeTree(list)
    return new
  }

  private static func comes(
    _ left: (value: MixedValue, key: ObjectKey), before right: (value: MixedValue, key: ObjectKey)
  ) -> Bool {
    let order = left.value.compare(to: right.value)
    return order < 0 || order == 0 && left.key < right.key
  }
}
