// SPDX-License-Identifier: Apache-2.0

// Following a path from a row to the values at its end.

import RealmStorage
import RealmTables

/// A path bound to leaf indexes.
///
/// A null link on the path gives one null; a collection on the path gives the values of each of its
/// elements, none if it is empty.
struct ValueReader {
  /// One link of the path and the table it leads to.
  enum Step {
    case link(leafIndex: Int, Table)
    /// A list or set of links.
    case links(Column, Table)
    /// The values of a dictionary of links.
    case dictionary(Column, Table)
    case backlinks(Column, Table)
    /// One element of a list or set of links.
    case element(Column, CollectionPart, Table)
    /// The value that a dictionary of links has for a key.
    case entry(Column, String, Table)
  }

  indirect enum End {
    case value(Column)
    /// A link, as a value.
    case link(Column, TableKey)
    /// The elements of a collection of scalars or links.
    case elements(Column)
    /// The value that a dictionary has for a key.
    case entry(Column, String)
    /// One element of a list or set.
    case element(Column, CollectionPart)
    /// The keys of a dictionary.
    case keys(Column)
    /// Parts of the values at another end.
    case nested(End, [CollectionPart])
    /// The keys of the objects that link here.
    case backlinks(Column, TableKey)
    /// The number of links of all classes that lead here.
    case backlinkCount([Column])
    /// A function of the values of a reader.
    case function(CollectionFunction, ValueReader)
    /// The number of objects that the steps lead to and that match a node of the plan. The steps
    /// begin so many levels out.
    ///
    /// A node that uses the outer scope gets the object here.
    case matchCount([Step], node: Int, usesOuterScope: Bool, level: Int)
    /// The values of a reader in an outer object, that many levels out.
    case outer(Int, ValueReader)
    /// The number of values of a reader, which begins so many levels out, that match a condition of
    /// their own.
    case valueCount(ValueReader, ValueFilter, level: Int)
    case constant(MixedValue)
    case constants([MixedValue])
    /// The results for each value of a reader with each of another one.
    case arithmetic(ArithmeticOperator, ValueReader, ValueReader)
    /// The results of many operators.
    case longArithmetic(LongArithmetic)
  }

  var steps: [Step] = []
  let end: End

  /// Whether `body` is true for some value.
  func contains(
    in row: Row, _ plan: QueryPlan, _ body: (MixedValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    try ValueReader.visit(steps, row) { (row) throws(StorageError) in
      guard let row else { return try body(.null) }
      return try end.contains(in: row, plan, body)
    }
  }

  /// Whether `body` is true for so many of the values.
  func holds(
    _ quantifier: Quantifier, in row: Row, _ plan: QueryPlan,
    _ body: (MixedValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    switch quantifier {
    case .any: return try contains(in: row, plan, body)
    case .none: return try !contains(in: row, plan, body)
    case .all:
      return try !contains(in: row, plan) { (value) throws(StorageError) in try !body(value) }
    }
  }

  /// Whether the values are those of the row itself, and parts of collections in them.
  var isNestedInRow: Bool {
    guard steps.isEmpty else { return false }
    switch end {
    case .nested: return true
    case .function(_, let reader): return reader.isNestedInRow
    default: return false
    }
  }

  /// The number of values where it is stored; nil where they must be counted.
  fileprivate func count(in row: Row) throws(StorageError) -> Int? {
    guard steps.isEmpty else { return nil }
    switch end {
    case .elements(let column) where column.collection == .dictionary:
      return try row.dictionary(column).count
    case .elements(let column): return try row.list(column).count
    case .backlinks(let column, _): return try row.backlinkCount(of: column)
    default: return nil
    }
  }

  /// Calls `body` with each object at the end of the steps, nil for a null link, until it says
  /// true.
  ///
  /// - Parameter start: The first step to take.
  static func visit(
    _ steps: [Step], from start: Int = 0, _ row: Row, _ body: (Row?) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    guard start < steps.count else { return try body(row) }
    let rest = start + 1
    switch steps[start] {
    case .link(let leafIndex, let table):
      guard let key = try row.link(leafIndex), let next = try table.row(of: key) else {
        return try body(nil)
      }
      return try visit(steps, from: rest, next, body)
    case .links(let column, let table):
      let list = try row.list(column)
      for index in 0..<list.count {
        guard let next = try table.row(of: try list.key(at: index)) else { continue }
        if try visit(steps, from: rest, next, body) { return true }
      }
    case .dictionary(let column, let table):
      let entries = try row.dictionary(column)
      for index in 0..<entries.count {
        guard case .typedLink(_, let key) = try entries.mixed(at: index),
          let next = try table.row(of: ObjectKey(key))
        else {
          if try body(nil) { return true }
          continue
        }
        if try visit(steps, from: rest, next, body) { return true }
      }
    case .backlinks(let column, let table):
      return try row.containsBacklink(of: column) { (key) throws(StorageError) in
        guard let next = try table.row(of: key) else { return false }
        return try visit(steps, from: rest, next, body)
      }
    case .element(let column, let part, let table):
      let list = try row.list(column)
      guard let index = part.position(in: list.count),
        let next = try table.row(of: try list.key(at: index))
      else { return try body(nil) }
      return try visit(steps, from: rest, next, body)
    case .entry(let column, let key, let table):
      let entries = try row.dictionary(column)
      guard let index = try entries.position(of: key),
        case .typedLink(_, let key) = try entries.mixed(at: index),
        let next = try table.row(of: ObjectKey(key))
      else { return try body(nil) }
      return try visit(steps, from: rest, next, body)
    }
    return false
  }
}

extension ValueReader.End {
  func contains(
    in row: Row, _ plan: QueryPlan, _ body: (MixedValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    switch self {
    case .value(let column): return try body(try row.mixedValue(of: column))
    case .link(let column, let table):
      return try body(try row.link(column.leafIndex).map { .object(table, $0) } ?? .null)
    case .elements(let column):
      if column.collection == .dictionary {
        let entries = try row.dictionary(column)
        for index in 0..<entries.count where try body(try entries.mixed(at: index)) { return true }
        return false
      }
      let list = try row.list(column)
      for index in 0..<list.count where try body(try list.mixedValue(at: index)) { return true }
      return false
    case .entry(let column, let key):
      let entries = try row.dictionary(column)
      guard let index = try entries.position(of: key) else { return try body(.null) }
      return try body(try entries.mixed(at: index))
    case .element(let column, let part):
      let list = try row.list(column)
      guard let index = part.position(in: list.count) else { return try body(.null) }
      return try body(try list.mixedValue(at: index))
    case .nested(let end, let parts):
      var nesting = MixedNesting(in: row.space)
      defer { plan.note(nesting) }
      return try end.contains(in: row, plan) { (value) throws(StorageError) in
        try NestedValue(value, in: row.space).visit(parts, from: 0, &nesting, body)
      }
    case .keys(let column):
      let entries = try row.dictionary(column)
      for index in 0..<entries.count where try body(.string(try entries.keyBytes(at: index))) {
        return true
      }
      return false
    case .backlinks(let column, let table):
      return try row.containsBacklink(of: column) { (key) throws(StorageError) in
        try body(.object(table, key))
      }
    case .backlinkCount, .function, .matchCount, .valueCount:
      return try body(try computed(in: row, plan))
    case .outer(let level, let reader):
      return try reader.contains(in: plan.outerRow(at: level), plan, body)
    case .constant(let value): return try body(value)
    case .constants(let values):
      for value in values where try body(value) { return true }
      return false
    case .arithmetic(let operation, let left, let right):
      return try left.contains(in: row, plan) { (first) throws(StorageError) in
        try right.contains(in: row, plan) { (second) throws(StorageError) in
          try body(operation.apply(first, second))
        }
      }
    case .longArithmetic(let arithmetic): return try arithmetic.contains(in: row, plan, body)
    }
  }

  /// A count of a collection, or a value that is computed from it.
  private func computed(in row: Row, _ plan: QueryPlan) throws(StorageError) -> MixedValue {
    switch self {
    case .backlinkCount(let columns):
      var count = 0
      for column in columns { count += try row.backlinkCount(of: column) }
      return .int(Int64(count))
    case .function(let function, let reader):
      if function == .count, let count = try reader.count(in: row) {
        return .int(Int64(count))
      }
      var aggregator = Aggregator(function)
      _ = try reader.contains(in: row, plan) { value in
        aggregator.add(value)
        return false
      }
      return aggregator.result
    case .matchCount(let steps, let node, let usesOuterScope, let level):
      var count: Int64 = 0
      let start = level == 0 ? row : plan.outerRow(at: level)
      if usesOuterScope { plan.enter(row) }
      defer { if usesOuterScope { plan.leave() } }
      _ = try ValueReader.visit(steps, start) { (row) throws(StorageError) in
        if let row, try plan.matches(row, node: node) { count += 1 }
        return false
      }
      return .int(count)
    case .valueCount(let reader, let filter, let level):
      var count: Int64 = 0
      let start = level == 0 ? row : plan.outerRow(at: level)
      if filter.usesOuterScope { plan.enter(row) }
      defer { if filter.usesOuterScope { plan.leave() } }
      _ = try reader.contains(in: start, plan) { (value) throws(StorageError) in
        if try filter.matches(value, row, plan) { count += 1 }
        return false
      }
      return .int(count)
    default: return .null
    }
  }
}
