// SPDX-License-Identifier: Apache-2.0

// Classes of programs without Swift types: the server, the tools and Studio.

package import RealmStorage
package import RealmTables

/// The classes of a version or of a write transaction, made of its tables alone.
///
/// It describes the classes at its making, and keeps the reader: objects of a transaction are read
/// in its present state.
package struct StoredSchema: QuerySchema {
  package let reader: any TableReader
  /// The classes in the order of the file.
  package let inFileOrder: [TableSchema]
  private let byName: [String: TableSchema]
  private let byKey: [TableKey: TableSchema]

  package init(_ reader: any TableReader) throws(StorageError) {
    self.reader = reader
    inFileOrder = try reader.classSchemas()
    byName = Dictionary(inFileOrder.map { ($0.displayName, $0) }) { first, _ in first }
    byKey = Dictionary(inFileOrder.map { ($0.key, $0) }) { first, _ in first }
  }

  /// The classes in the order of their names.
  package var all: [TableSchema] { inFileOrder.sorted { $0.displayName < $1.displayName } }

  /// The class of a name; nil if there is none.
  package subscript(name: String) -> TableSchema? { byName[name] }

  /// The class of a table's key; nil if there is none.
  package subscript(key: TableKey) -> TableSchema? { byKey[key] }

  /// The class of a column's links.
  package func target(of column: Column) -> TableSchema? {
    column.targetTable.flatMap { byKey[$0] }
  }

  // MARK: Queries

  package func queryClass(named name: String) -> (any QueryClass)? {
    byName[name].map { StoredClass(schema: $0, owner: self) }
  }

  package func constant(_ value: Any) throws(QueryError) -> QueryConstant? {
    (value as? TableValue).map { .value($0) }
  }

  package func argument(_ value: Any) throws(QueryError) -> QueryConstant? { try constant(value) }

  package func decimal(_ digits: String) -> TableValue? {
    DecimalBits(digits: digits).map { .decimal($0) }
  }

  package func object(
    ofClass name: String, primaryKey: TableValue
  ) throws(QueryError) -> QueryConstant {
    guard let schema = byName[name] else {
      throw .invalid("Invalid predicate: there is no class '\(name)'")
    }
    guard let column = schema.primaryKey else {
      throw .invalid("'\(name)' does not have a primary key defined")
    }
    guard primaryKey.isNull ? column.isNullable : primaryKey.type == column.type else {
      throw .invalid(
        "Invalid value '\(primaryKey.text)' for the primary key '\(name).\(column.name)'")
    }
    let key = try QueryError.storing(
      try reader.object(withPrimaryKey: primaryKey, in: schema.key))
    return .object(
      className: key == nil ? nil : name, key.map { .typedLink(schema.key, $0) })
  }
}

extension TableQuery {
  /// A query string about the objects of a class, checked against its table.
  package init(
    _ text: String, over schema: TableSchema, in classes: StoredSchema
  ) throws(QueryError) {
    let parsed: ParsedQuery
    do throws(QuerySyntaxError) { parsed = try QueryParser.parse(text) } catch {
      throw QueryError(error)
    }
    let binder = QueryBinder(classes, on: classes.queryClass(named: schema.displayName))
    let (condition, steps) = try binder.bind(parsed)
    self = steps.reduce(TableQuery(schema.key, where: condition)) { $0.adding($1) }
    if let table = try classes.reader.table(schema.key) {
      try check(against: table, of: classes.reader)
    }
  }
}

/// A class, known by its table.
private struct StoredClass: QueryClass {
  let schema: TableSchema
  let owner: StoredSchema

  var className: String { schema.displayName }
  var queryPropertyNames: [String] { schema.columns.map(\.name) }

  func queryProperty(named name: String) -> QueryProperty? {
    schema.column(named: name).map { column in
      QueryProperty(
        columnName: column.name, type: column.type, collection: column.collection,
        target: owner.target(of: column).map { StoredClass(schema: $0, owner: owner) })
    }
  }
}
