// SPDX-License-Identifier: Apache-2.0

// The classes of a file, without any Swift type.

package import RealmStorage
package import RealmTables

/// The classes of a file by name and by table.
package struct StoredClasses: Sendable {
  /// In the order of their names.
  package let all: [TableSchema]
  private let byName: [String: TableSchema]
  private let byKey: [TableKey: TableSchema]

  package init(_ source: any TableReader) throws(StorageError) {
    let found = try source.classSchemas()
    all = found.sorted { $0.displayName < $1.displayName }
    byName = Dictionary(found.map { ($0.displayName, $0) }) { first, _ in first }
    byKey = Dictionary(found.map { ($0.key, $0) }) { first, _ in first }
  }

  /// The class of a name; nil if there is none.
  package subscript(name: String) -> TableSchema? { byName[name] }

  /// The class of a table's key; nil if there is none.
  package subscript(key: TableKey) -> TableSchema? { byKey[key] }

  /// The class of a column's links.
  package func target(of column: Column) -> TableSchema? {
    column.targetTable.flatMap { byKey[$0] }
  }

  /// The class of a name.
  ///
  /// - Throws: `ToolFailure` with the existing names.
  package func require(_ name: String) throws(ToolFailure) -> TableSchema {
    if let found = byName[name] { return found }
    let names = all.map(\.displayName)
    let alike = names.first { $0.lowercased() == name.lowercased() }
    throw .usage(
      "There is no class '\(name)'. "
        + (names.isEmpty
          ? "The file has no classes."
          : alike.map { "Did you mean '\($0)'?" }
            ?? "The classes are: \(names.joined(separator: ", "))."))
  }

  /// The properties with links to objects of a class: their classes and columns.
  package func links(to schema: TableSchema) -> [(origin: TableSchema, column: Column)] {
    all.flatMap { origin in
      origin.columns.filter { $0.type == .link && $0.targetTable == schema.key }
        .map { (origin, $0) }
    }
  }
}
