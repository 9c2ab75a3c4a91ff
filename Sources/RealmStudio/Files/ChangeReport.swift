// SPDX-License-Identifier: Apache-2.0

// The pages' news of new versions.

#if Tools
import RealmStorage
import RealmFormats
import RealmTables

/// The changes between two versions: for each class the numbers, and the changed cells.
struct ChangeReport {
  /// The most named objects of a class.
  static let objectCountMax = 500

  let json: JSONValue

  init(
    _ changes: VersionChanges, from old: TableGroup, to new: TableGroup, file: Int
  ) throws(StorageError) {
    var classes: [JSONValue] = []
    for table in changes.tables where !table.isEmpty {
      guard let current = try new.table(table.table), let name = current.schema.className else {
        continue
      }
      classes.append(
        [
          "name": .string(name), "count": .integer(Int64(try current.objectCount())),
          "inserted": .array(Self.keys(table.inserted)),
          "deleted": .integer(Int64(table.deleted.count)),
          "modified": Self.cells(table, in: current.schema),
          "modifiedCount": .integer(Int64(table.modifications.count)),
        ])
    }
    json = [
      "kind": "version", "file": .integer(Int64(file)),
      "version": .integer(Int64(bitPattern: new.version)),
      "schemaChanged": .bool(changes.schemaChanged), "classes": .array(classes),
    ]
  }

  private static func keys(_ keys: ObjectKeySet) -> [JSONValue] {
    keys.sorted().prefix(objectCountMax).map { .string(String($0.rawValue)) }
  }

  private static func cells(_ table: TableChanges, in schema: TableSchema) -> JSONValue {
    .object(
      table.modifications.keys.prefix(objectCountMax).map { key in
        let names = table.modifiedColumns(of: key).compactMap { schema.column($0)?.name }
        return JSONMember(
          String(key.rawValue), .array(names.filter { !$0.isEmpty }.map { .string($0) }))
      })
  }
}
#endif
