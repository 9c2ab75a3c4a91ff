// SPDX-License-Identifier: Apache-2.0

// Filters of roles bound to the classes of a version.
//
// A property may be missing, or have a type that its filter does not expect: the file of an app
// does not know the classes, and devices add them.

import RealmFormats
package import RealmQuery
package import RealmStorage
package import RealmTables
import RealmText

extension ObjectFilter {
  /// The properties in the condition.
  var fieldNames: Set<String> {
    switch self {
    case .constant: []
    case .all(let parts), .any(let parts):
      parts.reduce(into: []) { names, part in names.formUnion(part.fieldNames) }
    case .comparison(let field, _, _): [field]
    }
  }

  /// The condition over columns; nil if it admits no object.
  package func bound(
    to schema: TableSchema, in classes: StoredSchema
  ) throws(StorageError) -> BoundPredicate? {
    guard let table = try classes.reader.readTable(schema.key) else { return nil }
    do throws(QueryError) {
      let bound = try QueryBinder(classes, on: classes.queryClass(named: schema.displayName))
        .bind(predicate(schema))
      try TableQuery(schema.key, where: bound).check(against: table, of: classes.reader)
      return bound
    } catch {
      if case .storage(let cause) = error { throw cause }
      return nil
    }
  }

  private func predicate(_ schema: TableSchema) -> Predicate {
    switch self {
    case .constant(let truth): .constant(truth)
    case .all(let parts):
      .joined(parts.map { $0.predicate(schema) }, Predicate.and) ?? .constant(true)
    case .any(let parts):
      .joined(parts.map { $0.predicate(schema) }, Predicate.or) ?? .constant(false)
    case .comparison(let field, let operation, let value):
      Self.comparison(field, operation, value, schema)
    }
  }

  private static func comparison(
    _ field: String, _ operation: FilterOperator, _ value: BSONValue, _ schema: TableSchema
  ) -> Predicate {
    // Nothing is known of a property that is missing: it admits nothing, not even by `$ne`.
    guard let column = schema.column(named: field), column.isQueryable else {
      return .constant(false)
    }
    guard let constant = column.constant(value) else { return .constant(operation == .notEqual) }
    let isMany = column.collection != .none
    let path = PropertyPath([.property(field, isMany: isMany)])
    func compared(_ operation: ComparisonOperator) -> Predicate {
      .comparison(Comparison(.path(path), operation, .value(constant)))
    }
    // Neither null nor truth is in an order.
    let isOrdered = !constant.isNull && column.type != .bool
    switch operation {
    case .equal: return compared(.equal)
    case .notEqual: return .not(compared(.equal))
    case .less: return isOrdered ? compared(.less) : .constant(false)
    case .lessOrEqual: return isOrdered ? compared(.lessOrEqual) : .constant(false)
    case .greater: return isOrdered ? compared(.greater) : .constant(false)
    case .greaterOrEqual: return isOrdered ? compared(.greaterOrEqual) : .constant(false)
    }
  }
}

extension Column {
  /// The constant that the property is compared with; nil if no value of the property can be equal
  /// to it.
  fileprivate func constant(_ value: BSONValue) -> TableValue? {
    switch (value, type) {
    case (.null, _): isNullable ? .null : nil
    case (.bool(let truth), .bool): .bool(truth)
    case (.string(let text), .string): .string(text)
    case (.objectID(let id), .objectId): .objectId(Bytes12(high: id.high, low: id.low))
    case (.binary(4, _), .uuid): value.uuid.map { .uuid(Bytes16(high: $0.high, low: $0.low)) }
    case (.binary(_, let bytes), .binary): .binary(bytes)
    case (.date(let time), .timestamp):
      .timestamp(
        Timestamp(seconds: time / 1_000, nanoseconds: Int32(time % 1_000) * 1_000_000))
    case (.int64(let number), .int), (.int64(let number), .float), (.int64(let number), .double),
      (.int64(let number), .decimal):
      .int(number)
    case (.double(let number), .int), (.double(let number), .float),
      (.double(let number), .double), (.double(let number), .decimal):
      .double(number)
    case (.decimal(let text), .decimal): DecimalBits(text: text).map { .decimal($0) }
    default: nil
    }
  }
}
