// SPDX-License-Identifier: Apache-2.0

// What a user may not change of embedded objects, where it may change another part of them.

import RealmReplication
import RealmStorage
import RealmTables

/// The values of embedded objects that stay as they are.
struct FixedParts: Equatable {
  /// An embedded object, which keeps its key as long as it is not replaced.
  private struct Key: Hashable {
    let table: TableKey
    let object: ObjectKey
  }

  private struct Part: Equatable {
    var values: [ColumnKey: TableValue] = [:]
    /// Whether all of them are those of new objects.
    var isInitial = true
  }

  private var parts: [Key: Part] = [:]

  /// Whether a change leads to these from others: embedded objects stay, with their values, and
  /// those of new ones are initial.
  func isAllowed(after before: FixedParts) -> Bool {
    before.parts.keys.allSatisfy { parts[$0] != nil }
      && parts.allSatisfy { (key, part) in before.parts[key].map { $0 == part } ?? part.isInitial }
  }

  /// Adds the embedded objects of a property.
  ///
  /// - Parameter writable: Their properties that may be changed.
  mutating func add(
    _ column: Column, of row: Row, writable: FieldSelection, in source: any TableReader
  ) throws(StorageError) {
    guard let target = column.targetTable, let schema = try source.schema(of: target),
      schema.kind == .embedded
    else { return }
    for object in try row.value(of: column).links {
      guard let row = try source.row(of: object, in: target) else { continue }
      var part = Part()
      for column in schema.columns {
        if let inner = writable.inside[column.name] {
          try add(column, of: row, writable: inner, in: source)
        } else if !writable.contains(column.name) {
          let value = try row.value(of: column)
          part.values[column.key] = value.comparable
          if !value.isInitial(in: column) { part.isInitial = false }
          try add(column, of: row, writable: FieldSelection(others: false), in: source)
        }
      }
      if !part.values.isEmpty { parts[Key(table: target, object: object)] = part }
    }
  }
}

extension TableValue {
  /// The objects of a link, or of a collection of links.
  fileprivate var links: [ObjectKey] {
    switch self {
    case .link(let key): [key]
    case .list(let values): values.flatMap(\.links)
    case .dictionary(let dictionary): dictionary.entries.flatMap(\.value.links)
    default: []
    }
  }

  /// The value, equal to itself.
  fileprivate var comparable: TableValue {
    switch self {
    case .float(let number) where number.isNaN: .string("NaN")
    case .double(let number) where number.isNaN: .string("NaN")
    default: self
    }
  }

  /// Whether a new object has the value in a property.
  func isInitial(in column: Column) -> Bool {
    guard column.collection == .none else {
      switch self {
      case .list(let values): return values.isEmpty
      case .dictionary(let dictionary): return dictionary.entries.isEmpty
      default: return false
      }
    }
    return self == column.initialValue
  }
}
