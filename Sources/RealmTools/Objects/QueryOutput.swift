// SPDX-License-Identifier: Apache-2.0

// The matches of a query as text.

#if Tools
package import RealmFormats
package import RealmQuery
package import RealmStorage
package import RealmTables

/// Represents objects of one class, one after the other.
package struct QueryOutput {
  private let table: Table?
  private let schema: TableSchema
  private let json: ObjectJSON
  private let cells: CellText
  private let columns: [Column]
  /// Whether the object key is shown, as it is unless the properties are chosen.
  private let hasKey: Bool

  /// - Parameter columns: The names of the properties to show; nil for all.
  package init(
    _ schema: TableSchema, in classes: StoredSchema, columns names: [String]? = nil
  ) throws {
    self.schema = schema
    hasKey = names?.contains("#") ?? true
    columns =
      try names?.filter { $0 != "#" }.map { try schema.require($0) } ?? schema.columns
    table = try classes.reader.readTable(schema.key)
    json = ObjectJSON(classes)
    cells = CellText(classes)
  }

  /// The names of the columns: the object key, and the properties.
  package var header: [String] { (hasKey ? ["#"] : []) + columns.map(\.name) }

  /// The cells of an object; nil if it is gone.
  package func row(of key: ObjectKey) throws(StorageError) -> [String?]? {
    guard let row = try table?.row(of: key) else { return nil }
    var result: [String?] = hasKey ? ["\(key.rawValue)"] : []
    for column in columns {
      result.append(try cells.text(try row.value(of: column), column))
    }
    return result
  }

  /// An object with its key; nil if it is gone.
  package func object(of key: ObjectKey) throws -> JSONValue? {
    guard let row = try table?.row(of: key) else { return nil }
    let key = hasKey ? [JSONMember("$key", .integer(key.rawValue))] : []
    return .object(
      try key + columns.map { JSONMember($0.name, try json.json(try row.value(of: $0), $0)) })
  }
}
#endif
