// SPDX-License-Identifier: Apache-2.0

// The classes of a file for programs.

package import RealmFormats
package import RealmQuery
package import RealmTables

/// Describes classes in JSON.
package enum SchemaJSON {
  /// All classes, in an array.
  package static func value(_ classes: StoredSchema) -> JSONValue {
    .array(classes.all.map { value($0, classes) })
  }

  private static func value(_ schema: TableSchema, _ classes: StoredSchema) -> JSONValue {
    [
      "name": .string(schema.displayName), "kind": .string("\(schema.kind)"),
      "primaryKey": JSONValue(schema.primaryKey?.name),
      "properties": .array(schema.columns.map { value($0, classes) }),
    ]
  }

  private static func value(_ column: Column, _ classes: StoredSchema) -> JSONValue {
    [
      "name": .string(column.name), "type": .string(typeName(column.type)),
      "collection": JSONValue(column.collection.name),
      "optional": .bool(column.isNullable), "indexed": .bool(column.isIndexed),
      "fullText": .bool(column.isFullText),
      "target": classes.target(of: column).map { .string($0.displayName) } ?? .null,
    ]
  }

  /// The name of a type, as `--type` takes it too.
  package static func typeName(_ type: ColumnType) -> String {
    switch type {
    case .link, .backlink: "object"
    case .typedLink: ColumnType.mixed.name
    default: type.name
    }
  }

  /// The type of a name; nil if there is none.
  package static func type(named name: String) -> ColumnType? {
    ColumnType.valueTypes.first { $0.name.lowercased() == name.lowercased() }
  }
}
