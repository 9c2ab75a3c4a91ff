// SPDX-License-Identifier: Apache-2.0

// What an object must have to match a condition, as far as comparisons with constants say so.

import RealmQuery
import RealmTables

/// Values of one property, one of which each object has that matches a condition.
struct RequiredValues: Hashable, Sendable {
  /// Equality of these types is equality of their values.
  private static let types: Set<ColumnType> = [.int, .bool, .string, .objectId, .uuid]

  let property: String
  let values: Set<TableValue>

  private init(property: String, values: Set<TableValue>) {
    (self.property, self.values) = (property, values)
  }

  /// Nil if the condition has no such property.
  init?(_ predicate: BoundPredicate, of schema: TableSchema) {
    switch predicate {
    case .comparison(let comparison): self.init(comparison, schema)
    case .all(let parts):
      let found = parts.compactMap { RequiredValues($0, of: schema) }
      guard let least = found.min(by: { $0.values.count < $1.values.count }) else { return nil }
      self = least
    case .any(let parts):
      let found = parts.compactMap { RequiredValues($0, of: schema) }
      guard let first = found.first, found.count == parts.count,
        found.allSatisfy({ $0.property == first.property })
      else { return nil }
      self.init(
        property: first.property, values: found.reduce(into: []) { $0.formUnion($1.values) })
    case .constant, .not, .within: return nil
    }
  }

  private init?(_ comparison: BoundComparison, _ schema: TableSchema) {
    guard comparison.options == .none else { return nil }
    switch (comparison.operation, comparison.left, comparison.right) {
    case (.equal, .property(let path), .value(let value)),
      (.equal, .value(let value), .property(let path)):
      self.init(path, [value], schema)
    case (.in, .property(let path), .values(let values))
    where comparison.rightQuantifier == .any:
      self.init(path, values, schema)
    default: return nil
    }
  }

  private init?(_ path: ColumnPath, _ values: [TableValue], _ schema: TableSchema) {
    guard path.names.count == 1, path == ColumnPath(path.names),
      let column = schema.column(named: path.names[0]), column.collection == .none,
      Self.types.contains(column.type),
      values.allSatisfy({ !$0.isNull && $0.type == column.type })
    else { return nil }
    property = column.name
    self.values = Set(values)
  }
}
