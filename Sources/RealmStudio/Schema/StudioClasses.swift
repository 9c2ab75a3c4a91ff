// SPDX-License-Identifier: Apache-2.0

// The classes of a file, made of its tables alone: Studio has no program with classes.

#if Tools
import RealmQuery
import RealmStorage
import RealmFormats
import RealmTables

/// The classes of one version, as queries, values and the page ask for them.
///
/// Columns have their names of the file.
struct StudioClasses: QuerySchema {
  let source: any TableReader
  /// The tables of classes in the order of the file.
  let schemas: [TableSchema]
  private let byName: [String: TableSchema]
  private let byKey: [TableKey: TableSchema]

  init(_ source: any TableReader) throws(StorageError) {
    self.source = source
    schemas = try source.classSchemas()
    byName = Dictionary(
      schemas.map { ($0.className ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    byKey = Dictionary(schemas.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The table of a class; nil if there is none.
  func schema(ofClass name: String) -> TableSchema? { byName[name] }

  /// The name of the class whose objects a column links to.
  func targetName(of column: Column) -> String? {
    column.targetTable.flatMap { byKey[$0]?.className }
  }

  /// The table of a class.
  func required(_ name: String) throws(StudioFailure) -> TableSchema {
    guard let schema = byName[name] else {
      throw StudioFailure(404, "The file has no class '\(name.prefix(100))'.")
    }
    return schema
  }

  /// A column of a class.
  func column(_ name: String, of schema: TableSchema) throws(StudioFailure) -> Column {
    guard let column = schema.column(named: name) else {
      throw StudioFailure(
        404, "'\(schema.className ?? "")' has no property '\(name.prefix(100))'.")
    }
    return column
  }

  // MARK: - Queries

  func queryClass(named name: String) -> (any QueryClass)? {
    byName[name].map { StudioClass(className: name, schema: $0, classes: self) }
  }

  func constant(_ value: Any) throws(QueryError) -> QueryConstant? {
    (value as? TableValue).map { .value($0) }
  }

  func argument(_ value: Any) throws(QueryError) -> QueryConstant? { try constant(value) }

  func decimal(_ digits: String) -> TableValue? { DecimalBits(text: digits).map { .decimal($0) } }

  func object(
    ofClass name: String, primaryKey: TableValue
  ) throws(QueryError) -> QueryConstant {
    guard let schema = byName[name] else {
      throw .invalid("Invalid predicate: there is no class '\(name)'")
    }
    guard let column = schema.primaryKey else {
      throw .invalid("'\(name)' does not have a primary key defined")
    }
    guard primaryKey.type == column.type || primaryKey.isNull && column.isNullable else {
      throw .invalid("Invalid value '\(primaryKey.literal)' for the primary key '\(name)'")
    }
    let found = try QueryError.reading(
      try source.object(withPrimaryKey: primaryKey, in: schema.key))
    return .object(className: name, found.map { .typedLink(schema.key, $0) })
  }

  // MARK: - The page

  /// The classes with their properties and numbers of objects.
  func json() throws(StorageError) -> JSONValue {
    .array(
      try schemas.map { (schema) throws(StorageError) in
        let count = try source.readTable(schema.key)?.objectCount() ?? 0
        return .object([
          JSONMember("name", .string(schema.className ?? "")),
          JSONMember("count", .integer(Int64(count))),
          JSONMember("isEmbedded", .bool(schema.kind == .embedded)),
          JSONMember("isAsymmetric", .bool(schema.kind == .asymmetric)),
          JSONMember("primaryKey", schema.primaryKey.map { .string($0.name) } ?? .null),
          JSONMember("properties", .array(schema.columns.map(property))),
        ])
      })
  }

  private func property(_ column: Column) -> JSONValue {
    .object([
      JSONMember("name", .string(column.name)),
      JSONMember("type", .string(ValueNames.name(of: column.type))),
      JSONMember(
        "collection", ValueNames.name(of: column.collection).map { .string($0) } ?? .null),
      JSONMember("isOptional", .bool(column.isNullable)),
      JSONMember("isIndexed", .bool(column.isIndexed)),
      JSONMember("isFullText", .bool(column.isFullText)),
      JSONMember("target", targetName(of: column).map { .string($0) } ?? .null),
    ])
  }
}

/// A class that is known by its table.
private struct StudioClass: QueryClass {
  let className: String
  let schema: TableSchema
  let classes: StudioClasses

  func queryProperty(named name: String) -> QueryProperty? {
    schema.column(named: name).map { column in
      QueryProperty(
        columnName: column.name, type: column.type, collection: column.collection,
        target: classes.targetName(of: column).flatMap(classes.queryClass))
    }
  }
}
#endif
