// SPDX-License-Identifier: Apache-2.0

// What a column's values and elements hold: links, and collections inside each other.

import RealmStorage

extension Column {
  /// Calls `body` with each link in a value of this column or in an element of its collection.
  func forEachLink(
    in value: TableValue, _ body: (StoredLink) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch value {
    case .link(let key):
      if let targetTable { try body(StoredLink(table: targetTable, key: key)) }
    case .typedLink(let table, let key): try body(StoredLink(table: table, key: key))
    case .list(let values):
      for value in values { try forEachLink(in: value, body) }
    case .dictionary(let entries):
      for entry in entries.entries { try forEachLink(in: entry.value, body) }
    default: break
    }
  }

  /// The part of a path that the change log names: the collection in a mixed property is what the
  /// property's column is, as far as the log is concerned.
  func logged(_ path: [NestedStep]) -> [NestedStep] {
    path.isEmpty || collection != .none ? path : Array(path.dropFirst())
  }

  /// How many collections a collection of this column has around its elements, itself included,
  /// when a path leads to it.
  func depth(at path: [NestedStep]) -> Int { path.count + (collection == .none ? 0 : 1) }
}

extension TableValue {
  /// How many collections are inside each other in the value.
  var nesting: Int {
    switch self {
    case .list(let values): 1 + (values.lazy.map(\.nesting).max() ?? 0)
    case .dictionary(let entries): 1 + (entries.entries.lazy.map(\.value.nesting).max() ?? 0)
    default: 0
    }
  }
}
