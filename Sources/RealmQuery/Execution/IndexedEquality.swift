// SPDX-License-Identifier: Apache-2.0

// The commonest question of all, answered without a plan: making one takes several times as long as
// looking into an index.

import RealmStorage
import RealmTables

/// The condition that one indexed column equals a value, and nothing else.
///
/// Gives what `Selection` does for the condition; there are others that an index answers alone, for
/// which a plan is made.
struct IndexedEquality {
  private let index: SearchIndex<ColumnValues>
  private let value: TableValue

  /// Nil for other conditions.
  ///
  /// - Complexity: O(columns), without an allocation.
  init?(_ condition: BoundPredicate?, in table: Table) throws(StorageError) {
    guard case .comparison(let comparison)? = condition, comparison.operation == .equal,
      comparison.options.isEmpty, comparison.leftQuantifier == .any,
      comparison.rightQuantifier == .any, case .value(let value) = comparison.right,
      case .property(let path) = comparison.left, let name = path.plainName,
      let position = table.schema.columns.firstIndex(where: { $0.name == name })
    else { return nil }
    let column = table.schema.columns[position]
    // Equal values of other types may be entered elsewhere.
    guard column.collection == .none, value.type == column.type,
      let index = try table.index(of: column)
    else { return nil }
    self.index = index
    self.value = value
  }

  /// The number of objects.
  func count() throws(StorageError) -> Int {
    try withValue { (value) throws(StorageError) in try index.count(of: value) }
  }

  /// The keys of the objects, ascending; at most `limit`.
  func keys(limit: Int) throws(StorageError) -> [ObjectKey] {
    if limit <= 0 { return [] }
    let keys = try withValue { (value) throws(StorageError) in try index.findAll(value) }
    return keys.count <= limit ? keys : Array(keys.prefix(limit))
  }

  /// The object with the smallest key, and where it is.
  func first() throws(StorageError) -> (key: ObjectKey, row: Row)? {
    try withValue { (value) throws(StorageError) in try index.findRow(value) }
  }

  /// Calls `body` with the value as indexes compare it.
  @inline(__always)
  private func withValue<R>(
    _ body: (MixedValue) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .string(let text):
      return try text.withByteView { (bytes) throws(StorageError) in try body(.string(bytes)) }
    case .int(let number): return try body(.int(number))
    case .bool(let truth): return try body(.bool(truth))
    case .timestamp(let date): return try body(.timestamp(date))
    case .objectId(let id): return try body(.objectId(id))
    case .uuid(let id): return try body(.uuid(id))
    default: throw .corrupted("a column of the type of \(value) has an index")
    }
  }
}

extension ColumnPath {
  /// The name of the column, if the path is nothing else.
  fileprivate var plainName: String? {
    names.count == 1 && function == nil && parts.isEmpty ? names[0] : nil
  }
}
