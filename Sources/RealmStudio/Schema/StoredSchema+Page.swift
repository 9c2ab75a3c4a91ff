// SPDX-License-Identifier: Apache-2.0

// Classes as the page asks for them.

#if Tools
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables

extension StoredSchema {
  func required(_ name: String) throws(StudioFailure) -> TableSchema {
    guard let schema = self[name] else {
      throw StudioFailure(404, "The file has no class '\(name.prefix(100))'.")
    }
    return schema
  }

  /// The classes with their properties and numbers of objects; null where a damaged class does
  /// not say it.
  func json() throws -> JSONValue {
    .array(
      try inFileOrder.map { schema in
        return [
          "name": .string(schema.displayName), "count": try count(of: schema),
          "isEmbedded": .bool(schema.kind == .embedded),
          "isAsymmetric": .bool(schema.kind == .asymmetric),
          "primaryKey": JSONValue(schema.primaryKey?.name),
          "properties": .array(schema.columns.map(property)),
        ]
      })
  }

  private func count(of schema: TableSchema) throws -> JSONValue {
    do throws(StorageError) {
      return JSONValue(try reader.readTable(schema.key)?.objectCount() ?? 0)
    } catch {
      guard case .corrupted = error else { throw error }
      return .null
    }
  }

  private func property(_ column: Column) -> JSONValue {
    [
      "name": .string(column.name), "type": .string(column.type.name),
      "collection": JSONValue(column.collection.name),
      "isOptional": .bool(column.isNullable), "isIndexed": .bool(column.isIndexed),
      "isFullText": .bool(column.isFullText),
      "target": target(of: column).map { .string($0.displayName) } ?? .null,
    ]
  }
}

extension TableSchema {
  func required(_ name: String) throws(StudioFailure) -> Column {
    guard let column = column(named: name) else {
      throw StudioFailure(404, "'\(displayName)' has no property '\(name.prefix(100))'.")
    }
    return column
  }
}
#endif
