// SPDX-License-Identifier: Apache-2.0

// The matches of a query as text.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Represents objects of one class, one after the other.
package struct QueryOutput {
  private let table: Table?
  private let schema: TableSchema
  private let json: ObjectJSON
  private let cells: CellText

  package init(
    _ schema: TableSchema, in source: any TableReading, _ classes: StoredClasses
  ) throws(StorageError) {
    self.schema = schema
    table = try source.readTable(schema.key)
    json = ObjectJSON(source, classes)
    cells = CellText(source, classes)
  }

  /// The names of the columns: the object key, and the properties.
  package var header: [String] { ["#"] + schema.columns.map(\.name) }

  /// The cells of an object; nil if it is gone.
  package func row(of key: ObjectKey) throws(StorageError) -> [String?]? {
    guard let row = try table?.row(of: key) else { return nil }
    var result: [String?] = ["\(key.rawValue)"]
    for column in schema.columns {
      result.append(try cells.text(try row.value(of: column), column))
    }
    return result
  }

  /// An object with its key; nil if it is gone.
  package func object(of key: ObjectKey) throws(StorageError) -> JSONValue? {
    guard let row = try table?.row(of: key) else { return nil }
    return .object(
      [JSONMember("$key", .integer(key.rawValue))] + (try json.members(of: row, schema)))
  }
}
