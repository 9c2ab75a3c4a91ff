// SPDX-License-Identifier: Apache-2.0

// The part of a query that the database can answer from its columns and indexes.
//
// Invariants:
// 1. Every matching object passes the filter. Others may: documents are matched afterwards.

#if Server
import RealmFormats
import RealmReplication
import RealmServerEngine
import RealmTables

extension DocumentQuery {
  /// A condition that all matching objects of a class fulfil.
  ///
  /// - Parameter readable: The properties in the documents; others are not asked for.
  func filter(_ schema: TableSchema, readable: FieldSelection) -> ObjectFilter {
    switch self {
    case .constant(let truth): return .constant(truth)
    case .all(let parts): return .joined(all: parts.map { $0.filter(schema, readable: readable) })
    case .any(let parts): return .joined(any: parts.map { $0.filter(schema, readable: readable) })
    case .not, .expression: return .constant(true)
    case .field(let path, let test):
      guard path.steps.count == 1, let column = schema.column(named: path.field),
        column.collection == .none, column.isPlanned,
        column.isPrimaryKey || readable.contains(column.name)
      else { return .constant(true) }
      return test.filter(column)
    }
  }
}

extension Column {
  /// Whether values of the type are compared as their documents' are. Floats are not: documents
  /// have them as doubles.
  fileprivate var isPlanned: Bool {
    switch type {
    case .int, .bool, .string, .objectId, .uuid, .timestamp, .double: true
    case .binary, .float, .decimal, .mixed, .link, .typedLink, .backlink: false
    }
  }
}

extension DocumentTest {
  /// The most values of `$in` that make conditions of columns.
  private static var planCountMax: Int { 500 }

  /// A condition that all matching objects fulfil.
  fileprivate func filter(_ column: Column) -> ObjectFilter {
    switch self {
    case .equal(let value): return Self.equal(value, column)
    case .oneOf(let values, let patterns):
      guard patterns.isEmpty, values.count <= Self.planCountMax else { return .constant(true) }
      return .joined(any: values.map { Self.equal($0, column) })
    case .ordered(let operation, let bound): return Self.range(operation, bound, column)
    case .all(let tests): return .joined(all: tests.map { $0.filter(column) })
    case .exists, .type, .pattern, .hasAll, .element, .elementValue, .size, .rest, .not:
      return .constant(true)
    }
  }

  private static func equal(_ value: BSONValue, _ column: Column) -> ObjectFilter {
    if case .date(let time) = value, column.type == .timestamp { return near(time, column) }
    guard isPlanned(value, column) else { return .constant(true) }
    return .comparison(field: column.name, .equal, RuleComparison.normal(value))
  }

  private static func range(
    _ operation: RangeOperator, _ bound: BSONValue, _ column: Column
  ) -> ObjectFilter {
    guard bound != .null else { return .constant(true) }
    let isLess = operation == .less || operation == .lessOrEqual
    if case .date(let time) = bound, column.type == .timestamp {
      // Documents have whole milliseconds.
      let (moved, isTooLarge) = time.addingReportingOverflow(isLess ? 1 : -1)
      guard !isTooLarge else { return .constant(true) }
      return .comparison(
        field: column.name, isLess ? .less : .greater, .date(unixMilliseconds: moved))
    }
    guard column.type == .int || column.type == .double, isPlanned(bound, column) else {
      return .constant(true)
    }
    let filter: FilterOperator =
      switch operation {
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      }
    return .comparison(field: column.name, filter, RuleComparison.normal(bound))
  }

  /// The times that a document shows as one.
  private static func near(_ time: Int64, _ column: Column) -> ObjectFilter {
    guard time > .min, time < .max else { return .constant(true) }
    return .joined(all: [
      .comparison(field: column.name, .greater, .date(unixMilliseconds: time - 1)),
      .comparison(field: column.name, .less, .date(unixMilliseconds: time + 1)),
    ])
  }

  /// Whether the comparison of a value with a column is that of the documents.
  private static func isPlanned(_ value: BSONValue, _ column: Column) -> Bool {
    switch value {
    case .int32: return true
    // Integers and doubles are compared exactly up to 2^53.
    case .int64(let number): return column.type == .int || number.magnitude < 1 << 53
    case .double(let number): return number.magnitude < 9_007_199_254_740_992
    case .string, .objectID, .bool, .null: return true
    case .binary: return column.type == .uuid
    default: return false
    }
  }
}
#endif
