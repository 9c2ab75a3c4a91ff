// SPDX-License-Identifier: Apache-2.0

// The classes of a file as the binder of queries asks for them.

package import RealmQuery
import RealmStorage
package import RealmTables

/// Classes for queries, made of tables alone.
package struct StoredQuerySchema: QuerySchema {
  fileprivate let classes: StoredClasses
  private let source: any TableReader

  package init(_ source: any TableReader, _ classes: StoredClasses) {
    self.source = source
    self.classes = classes
  }

  package func queryClass(named name: String) -> (any QueryClass)? {
    classes[name].map { StoredQueryClass(schema: $0, owner: self) }
  }

  package func constant(_ value: Any) throws(QueryError) -> QueryConstant? {
    (value as? TableValue).map { .value($0) }
  }

  package func argument(_ value: Any) throws(QueryError) -> QueryConstant? {
    try constant(value)
  }

  package func decimal(_ digits: String) -> TableValue? {
    DecimalBits(digits: digits).map { .decimal($0) }
  }

  package func object(
    ofClass name: String, primaryKey: TableValue
  ) throws(QueryError) -> QueryConstant {
    guard let schema = classes[name] else {
      throw .invalid("Invalid predicate: there is no class '\(name)'")
    }
    guard let column = schema.primaryKey else {
      throw .invalid("'\(name)' does not have a primary key defined")
    }
    guard primaryKey.isNull ? column.isNullable : primaryKey.type == column.type else {
      throw .invalid("Invalid value for the primary key '\(name).\(column.name)'")
    }
    let key = try QueryError.reading(
      try source.readTable(schema.key)?.find(primaryKey: primaryKey))
    return .object(
      className: key == nil ? nil : name, key.map { .typedLink(schema.key, $0) })
  }
}

/// A class, known by its table.
private struct StoredQueryClass: QueryClass {
  let schema: TableSchema
  let owner: StoredQuerySchema

  var className: String { schema.displayName }

  func queryProperty(named name: String) -> QueryProperty? {
    guard let column = schema.column(named: name) else { return nil }
    return QueryProperty(
      columnName: column.name, type: column.type, collection: column.collection,
      target: owner.classes.target(of: column).flatMap { owner.queryClass(named: $0.displayName) })
  }
}
