// SPDX-License-Identifier: Apache-2.0

// Classes as the page asks for them.

#if Tools
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables

extension StoredSchema {
  /// The class of a name.
  func required(_ name: String) throws(StudioFailure) -> TableSchema {
    guard let schema = self[name] else {
      throw StudioFailure(404, "The file has no class '\(name.prefix(100))'.")
    }
    return schema
  }

  /// The classes with their properties and numbers of objects.
  func json() throws -> JSONValue {
    .array(
      try inFileOrder.map { schema in
        let count = try reader.readTable(schema.key)?.objectCount() ?? 0
        return .object([
          JSONMember("name", .string(schema.displayName)),
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
      JSONMember("type", .string(column.type.name)),
      JSONMember("collection", column.collection.name.map { .string($0) } ?? .null),
      JSONMember("isOptional", .bool(column.isNullable)),
      JSONMember("isIndexed", .bool(column.isIndexed)),
      JSONMember("isFullText", .bool(column.isFullText)),
      JSONMember("target", target(of: column).map { .string($0.displayName) } ?? .null),
    ])
  }
}

extension TableSchema {
  /// The property of a name.
  func required(_ name: String) throws(StudioFailure) -> Column {
    guard let column = column(named: name) else {
      throw StudioFailure(404, "'\(displayName)' has no property '\(name.prefix(100))'.")
    }
    return column
  }
}
#endif
