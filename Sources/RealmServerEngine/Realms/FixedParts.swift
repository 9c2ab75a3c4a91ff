// SPDX-License-Identifier: Apache-2.0

// What a user may not change of embedded objects, where it may change another part of them.
//
// Invariants:
// 1. A link counts as its target's class and primary key, whether the target is there or not: a
//    link to a missing object leads to it as soon as it is made.

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

  /// The target of a link: an embedded object, or the primary key of another one.
  private enum Target: Hashable {
    case object(Key)
    case primaryKey(TableKey, TableValue)
  }

  private struct Part: Equatable {
    var values: [ColumnKey: TableValue] = [:]
    var links: [ColumnKey: [Target]] = [:]
    var linkSets: [ColumnKey: Set<Target>] = [:]
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
          part.values[column.key] = try row.value(of: column).comparable
          let targets = try Self.targets(column, row, source)
          if column.collection == .set {
            part.linkSets[column.key] = Set(targets)
          } else {
            part.links[column.key] = targets
          }
          if try !row.isInitial(in: column) { part.isInitial = false }
          try add(column, of: row, writable: FieldSelection(others: false), in: source)
        }
      }
      if !part.values.isEmpty { parts[Key(table: target, object: object)] = part }
    }
  }

  /// The targets of the links in a property, in their order.
  private static func targets(
    _ column: Column, _ row: Row, _ source: any TableReader
  ) throws(StorageError) -> [Target] {
    var targets: [Target] = []
    try row.forEachLink(in: column) { (link) throws(StorageError) in
      let key = Key(table: link.table, object: link.key)
      guard let schema = try source.schema(of: link.table), let primaryKey = schema.primaryKey,
        let row = try source.row(of: link.key, in: link.table)
      else { return targets.append(.object(key)) }
      targets.append(.primaryKey(link.table, try row.value(of: primaryKey)))
    }
    return targets
  }
}

extension Row {
  /// Whether an object has the value of new objects in a property. A link to a missing object is
  /// none (`FixedParts` 1).
  func isInitial(in column: Column) throws(StorageError) -> Bool {
    var hasLink = false
    try forEachLink(in: column) { (_) throws(StorageError) in hasLink = true }
    if hasLink { return false }
    return try value(of: column).isInitial(in: column)
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

  /// The value, equal to itself, without the targets of its links.
  fileprivate var comparable: TableValue {
    switch self {
    case .float(let number) where number.isNaN: .string("NaN")
    case .double(let number) where number.isNaN: .string("NaN")
    case .link, .typedLink: .null
    // Links to missing objects are left out of lists of links.
    case .list(let values):
      .list(values.compactMap { if case .link = $0 { nil } else { $0.comparable } })
    case .dictionary(let dictionary):
      .dictionary(
        TableDictionary(
          dictionary.entries.map { .init(key: $0.key, value: $0.value.comparable) }))
    default: self
    }
  }

  /// Whether a new object has the value in a property.
  fileprivate func isInitial(in column: Column) -> Bool {
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
