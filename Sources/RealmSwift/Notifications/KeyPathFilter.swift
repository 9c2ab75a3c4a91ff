// SPDX-License-Identifier: Apache-2.0

// Which changes of objects an observer wants to hear of.

import RealmStorage
import RealmTables

/// A set of key paths, as columns: the branches of a tree.
///
/// A branch without further branches asks for changes of the property itself, which for a link
/// means that another object is linked. One with branches asks for changes of linked objects as
/// well.
struct KeyPathFilter: Sendable, Hashable {
  private(set) var branches: [ColumnKey: KeyPathFilter] = [:]

  /// The filter for `keyPaths` of objects of `table`; nil, which lets everything pass, if there are
  /// none. A name that is no property ends the process.
  static func of(
    _ keyPaths: [String]?, table: TableKey, in tables: TableGroup
  ) throws(StorageError) -> KeyPathFilter? {
    guard let keyPaths, !keyPaths.isEmpty else { return nil }
    var filter = KeyPathFilter()
    for keyPath in keyPaths {
      var columns: [ColumnKey] = []
      var target: TableKey? = table
      var className = ""
      for name in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
        let schema = try target.flatMap { (key) throws(StorageError) in
          try tables.table(key)?.schema
        }
        className = schema?.className ?? className
        guard let column = schema?.column(named: String(name)) else {
          throwRealmException(
            "Property '\(name)' in KeyPath '\(keyPath)' is not a valid property in \(className).")
        }
        columns.append(column.key)
        target = column.type == .link ? column.targetTable : nil
      }
      filter.insert(columns[...])
    }
    return filter
  }

  /// The part of this filter that begins with `column`.
  func only(_ column: ColumnKey) -> KeyPathFilter {
    var part = KeyPathFilter()
    part.branches[column] = branches[column]
    return part
  }

  private mutating func insert(_ path: ArraySlice<ColumnKey>) {
    guard let first = path.first else { return }
    branches[first, default: KeyPathFilter()].insert(path.dropFirst())
  }
}
