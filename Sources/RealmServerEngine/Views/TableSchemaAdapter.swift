// SPDX-License-Identifier: Apache-2.0

// Classes for queries, made of tables alone: the server has no program with classes.

package import RealmQuery
package import RealmReplication
package import RealmStorage
package import RealmTables

/// The classes of a realm file, as the binder of queries asks for them.
package struct TableSchemaAdapter: QuerySchema {
  private let classes: [String: TableSchema]
  /// The names of the classes of tables.
  private let names: [TableKey: String]

  package init(_ source: some TableReader) throws(StorageError) {
    let schemas = try source.classSchemas()
    classes = Dictionary(schemas.map { ($0.displayName, $0) }) { $1 }
    names = Dictionary(schemas.map { ($0.key, $0.displayName) }) { $1 }
  }

  /// The properties of a class with positions.
  func pointNames(ofClass name: String) -> Set<String> {
    let columns = classes[name]?.columns.filter { column in
      column.type == .link && column.collection == .none
        && target(of: column).flatMap(PointColumns.init) != nil
    }
    return Set((columns ?? []).map(\.name))
  }

  fileprivate func target(of column: Column) -> TableSchema? {
    column.targetTable.flatMap { names[$0] }.flatMap { classes[$0] }
  }

  /// The table of a class; nil if there is none.
  func schema(ofClass name: String) -> TableSchema? { classes[name] }

  package func queryClass(named name: String) -> (any QueryClass)? {
    classes[name].map { AdaptedClass(className: name, schema: $0, adapter: self) }
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
    throw .invalid("objects cannot be compared in a subscription")
  }
}

/// A class, known by its table.
private struct AdaptedClass: QueryClass {
  let className: String
  let schema: TableSchema
  let adapter: TableSchemaAdapter

  func queryProperty(named name: String) -> QueryProperty? {
    schema.column(named: name).map {
      let target = adapter.target(of: $0)?.className
      return QueryProperty(
        columnName: $0.name, type: $0.type, collection: $0.collection,
        target: target.flatMap(adapter.queryClass))
    }
  }
}
