// SPDX-License-Identifier: Apache-2.0

// Bringing a result up to date for somebody who wants the result alone, and not what happened to
// it: the version that it is from need not exist any more.

import RealmStorage
package import RealmTables

extension LiveQuery {
  /// The keys in a later version; nil if running the query is likely cheaper, or the changes do not
  /// tell enough.
  ///
  /// - Parameters:
  ///   - keys: The keys in the order of the query, in an earlier version.
  ///   - changes: What happened since then.
  ///   - source: The later version.
  /// - Complexity: follows the number of changed objects, and costs a thousandth of the number of
  ///   keys besides; in an order other than that of the table all keys are passed over once.
  package func refreshed(
    _ keys: ChunkedKeys, by changes: VersionChanges, in source: any TableSource
  ) throws(QueryError) -> ChunkedKeys? {
    guard rest.isEmpty, !changes.schemaChanged,
      let table = try QueryError.widen({ () throws(StorageError) in
        try source.queryTable(self.table)
      })
    else { return nil }
    let dependencies = try Dependencies(self, in: table, of: source)
    guard let linked = try dependencies.touched(by: changes, limit: keys.count / 8 + 64) else {
      return nil
    }
    let own = changes[self.table]
    var touched = linked
    if let own, own.columns.contains(where: dependencies.columns.contains) {
      touched.formUnion(own.modifications.keys)
    }
    if let own, !own.inserted.isEmpty { touched = touched.filter { !own.inserted.contains($0) } }
    let gone = own.map { Array($0.deleted.sorted()) } ?? []
    let new = own.map { Array($0.inserted.sorted()) } ?? []
    let changedCount = touched.count + gone.count + new.count
    if changedCount == 0 { return keys }
    guard changedCount <= 64 || changedCount <= keys.count / 8 else { return nil }
    let selection = try Selection(
      predicate ?? .constant(true), in: table, of: source, isScan: false)
    let order = RowOrder(try order?.paths(from: table, in: source) ?? [], table)
    return try QueryError.widen { () throws(StorageError) in
      try replace(touched.union(gone).sorted(), by: new + touched, in: keys, selection, order)
    }
  }

  /// The keys without some, and with those of others that match, where they belong.
  private func replace(
    _ gone: [ObjectKey], by candidates: [ObjectKey], in keys: ChunkedKeys, _ selection: Selection,
    _ order: RowOrder
  ) throws(StorageError) -> ChunkedKeys {
    let removed =
      self.order == nil
      ? try keys.positions(ofAscending: gone) : keys.positions(of: KeyFilter(gone))
    let kept = KeptKeys(keys, removed: removed)
    var matching: [ObjectKey] = []
    for key in candidates where try selection.matches(key) { matching.append(key) }
    var arrivals: [(gap: Int, key: ObjectKey)] = []
    for key in try order.sorted(matching) {
      arrivals.append((try order.gap(of: key, in: kept), key))
    }
    return keys.replacing(removed: removed, with: arrivals)
  }
}

extension ChunkedKeys {
  /// Where some of `wanted`, which ascend, stand in keys that ascend.
  fileprivate func positions(ofAscending wanted: [ObjectKey]) throws(StorageError) -> [Int] {
    var positions: [Int] = []
    for key in wanted {
      let position = try partitionPoint { (other) throws(StorageError) in other < key }
      if position < count, self[position] == key { positions.append(position) }
    }
    return positions
  }

  /// Where the keys of a set stand, ascending.
  fileprivate func positions(of wanted: KeyFilter) -> [Int] {
    var positions: [Int] = []
    var start = 0
    for chunk in chunks {
      for (index, key) in chunk.enumerated() where wanted.contains(key.rawValue) {
        positions.append(start + index)
      }
      start += chunk.count
    }
    return positions
  }
}
