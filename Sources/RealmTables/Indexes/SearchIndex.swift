// SPDX-License-Identifier: Apache-2.0

// Finding objects by value: a radix tree over four bytes of the value at a time.

package import RealmStorage

/// A read-only view of a search index.
///
/// Invariants:
/// 1. Every live object is entered once, null values too; tombstones are not.
/// 2. Entries are distinguished by value, never by index data alone: equal bytes of different
///    types, and values that agree in their first 200 bytes, share one list.
///
/// - SeeAlso: file format 4.14.
package struct SearchIndex<Values: IndexedValues> {
  package let root: Ref
  let space: NodeSpace
  let values: Values

  /// The object with that value that has the smallest key, or nil.
  ///
  /// - Complexity: O(log n), one read of the column.
  @_specialize(where Values == ColumnValues)
  package func find(_ value: MixedValue) throws(StorageError) -> ObjectKey? {
    switch try entry(for: IndexData(value)) {
    case nil, .subindex: return nil
    case .object(let key):
      return try values.indexedValue(of: key).isEqual(to: value) ? key : nil
    case .list(let ref):
      return try first(of: value, in: ref)
    }
  }

  /// All objects with that value, ascending by key.
  @_specialize(where Values == ColumnValues)
  package func findAll(_ value: MixedValue) throws(StorageError) -> [ObjectKey] {
    try findAll(value, placedLike: value)
  }

  /// The objects with that value that are entered where `place` is, ascending by key.
  ///
  /// Equal numbers of different types may be entered in different places.
  @_specialize(where Values == ColumnValues)
  package func findAll(
    _ value: MixedValue, placedLike place: MixedValue
  ) throws(StorageError) -> [ObjectKey] {
    switch try entry(for: IndexData(place)) {
    case nil, .subindex: return []
    case .object(let key):
      return try values.indexedValue(of: key).isEqual(to: value) ? [key] : []
    case .list(let ref):
      return try run(of: value, in: ref)
    }
  }

  /// The number of objects with that value.
  @_specialize(where Values == ColumnValues)
  package func count(of value: MixedValue) throws(StorageError) -> Int {
    guard case .list(let ref) = try entry(for: IndexData(value)) else {
      return try find(value) == nil ? 0 : 1
    }
    let count = try BTree<IntegerLeaf>.count(ref, in: space)
    if let only = try onlyValue(of: ref, count: count) {
      return only.isEqual(to: value) ? count : 0
    }
    return try run(of: value, in: ref).count
  }

  /// The leaf entry for the value's chunks.
  func entry(for data: IndexData) throws(StorageError) -> SearchIndexEntry? {
    try SearchIndexPath.entry(for: data, from: root, in: space)
  }

  /// The keys in a list whose objects have `value`.
  private func run(of value: MixedValue, in list: Ref) throws(StorageError) -> [ObjectKey] {
    let count = try BTree<IntegerLeaf>.count(list, in: space)
    if let only = try onlyValue(of: list, count: count) {
      guard only.isEqual(to: value) else { return [] }
      return try BTree<IntegerLeaf>.all(of: list, in: space, as: ObjectKey.self)
    }
    // Lists of several values may be in the order of an older format: read every element.
    var keys: [ObjectKey] = []
    for index in 0..<count {
      let key = try key(at: index, of: list)
      if try values.indexedValue(of: key).isEqual(to: value) { keys.append(key) }
    }
    return keys.sorted()
  }

  /// The smallest key in a list whose object has `value`.
  func first(of value: MixedValue, in list: Ref) throws(StorageError) -> ObjectKey? {
    let count = try BTree<IntegerLeaf>.count(list, in: space)
    guard let only = try onlyValue(of: list, count: count) else {
      return try run(of: value, in: list).first
    }
    return only.isEqual(to: value) ? try key(at: 0, of: list) : nil
  }

  /// The value of all objects of a list; nil if they have several, and for an empty list.
  ///
  /// The first and the last one are compared, which detects the normal case (file format 4.14.5).
  private func onlyValue(of list: Ref, count: Int) throws(StorageError) -> MixedValue? {
    guard count > 0 else { return nil }
    let first = try valueOfElement(0, of: list)
    guard count > 1 else { return first }
    return try first.isEqual(to: valueOfElement(count - 1, of: list)) ? first : nil
  }

  private func key(at index: Int, of list: Ref) throws(StorageError) -> ObjectKey {
    ObjectKey(try BTree<IntegerLeaf>.value(at: index, of: list, in: space))
  }

  private func valueOfElement(_ index: Int, of list: Ref) throws(StorageError) -> MixedValue {
    try values.indexedValue(of: try key(at: index, of: list))
  }
}

/// The figures of the format that bound a search index.
package enum SearchIndexLimits {
  /// The most entries of a node that the format allows.
  package static let nodeEntryCount = 1000
  /// The most entries of a node that we fill. The format orders integers by their lowest byte
  /// first, so ascending keys land all over the index: small leaves mean less to move for each, and
  /// less to write for a transaction of many. Inner nodes are larger, so that paths stay short.
  static func filledEntryCount(isInner: Bool) -> Int { isInner ? 256 : 64 }
  /// Values that agree up to here are kept in lists instead of deeper sub-indexes.
  package static let maximumOffset = 200
  /// More nodes than any path from the root can have.
  static let maximumPathLength = (maximumOffset / 4 + 2) * 5
}
