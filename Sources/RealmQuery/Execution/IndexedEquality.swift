// SPDX-License-Identifier: Apache-2.0

// The commonest question of all, answered without a plan: making one takes several times as long as
// looking into an index.

package import RealmStorage
package import RealmTables

/// The condition that one indexed column equals a value, and nothing else.
///
/// Gives what `Selection` does for the condition; there are others that an index answers alone, for
/// which a plan is made.
package struct IndexedEquality {
  private let table: Table
  /// The position of the column in the table's schema.
  private let position: Int
  private let value: TableValue

  /// Nil for other conditions.
  ///
  /// - Complexity: O(columns), without an allocation.
  init?(_ condition: BoundPredicate?, in table: Table) throws(StorageError) {
    guard case .comparison(let comparison)? = condition, comparison.operation == .equal,
      comparison.options.isEmpty, comparison.leftQuantifier == .any,
      comparison.rightQuantifier == .any, case .value(let value) = comparison.right,
      case .property(let path) = comparison.left, let name = path.plainName,
      let position = table.schema.position(ofColumn: name)
    else { return nil }
    try self.init(value, inColumn: position, of: table)
  }

  /// The condition that the column at a position of the table's schema has a value; nil if the
  /// table has no index that says so.
  package init?(
    _ value: TableValue, inColumn position: Int, of table: Table
  ) throws(StorageError) {
    // Read one by one: a copy of a column costs references. Equal values of other types may be
    // entered elsewhere.
    let columns = table.schema.columns
    guard columns[position].hasIndex, !columns[position].isFullText,
      columns[position].collection == .none, value.type == columns[position].type,
      try !table.indexRoot(columns[position].leafIndex).isNull
    else { return nil }
    self.table = table
    self.position = position
    self.value = value
  }

  /// The number of objects.
  package func count() throws(StorageError) -> Int {
    let index = try index()
    return try withValue { (value) throws(StorageError) in try index.count(of: value) }
  }

  /// The keys of the objects, ascending; at most `limit`.
  func keys(limit: Int) throws(StorageError) -> [ObjectKey] {
    if limit <= 0 { return [] }
    let index = try index()
    let keys = try withValue { (value) throws(StorageError) in try index.findAll(value) }
    return keys.count <= limit ? keys : Array(keys.prefix(limit))
  }

  /// The object with the smallest key, and where it is.
  package func first() throws(StorageError) -> (key: ObjectKey, row: Row)? {
    if case .string(let text) = value, table.schema.columns[position].type == .string {
      return try text.withByteView { (bytes) throws(StorageError) in
        try table.findRow(bytes, inColumn: position)
      }
    }
    let index = try index()
    return try withValue { (value) throws(StorageError) in try index.findRow(value) }
  }

  private func index() throws(StorageError) -> SearchIndex<ColumnValues> {
    guard let index = try table.index(of: table.schema.columns[position]) else {
      throw .corrupted("an index is gone")
    }
    return index
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
