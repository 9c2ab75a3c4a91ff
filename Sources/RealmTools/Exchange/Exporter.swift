// SPDX-License-Identifier: Apache-2.0

// Exporting objects to files for other programs.

#if Tools
import RealmDeclarations
import RealmFormats
import RealmQuery
package import RealmStorage
package import RealmTables

/// Writes the objects of a version to files.
package struct Exporter {
  private let group: TableGroup
  private let classes: StoredSchema
  private let progress: ProgressHandler

  package init(
    _ group: TableGroup, progress: @escaping ProgressHandler = { _, _ in }
  ) throws(StorageError) {
    self.group = group
    classes = try StoredSchema(group)
    self.progress = progress
  }

  /// The classes of a whole export: embedded objects come with their owners.
  package var wholeClasses: [TableSchema] { classes.all.filter { $0.kind != .embedded } }

  /// The classes and objects of some queries; all of them without a query.
  package func selection(
    of queries: [String]
  ) throws -> [(schema: TableSchema, keys: [ObjectKey]?)] {
    guard !queries.isEmpty else { return wholeClasses.map { ($0, nil) } }
    return try queries.map { text in
      let run = try QueryRun(text, in: classes)
      return (run.schema, run.query.isEverything ? nil : try run.keys())
    }
  }

  /// The declaration of the selected classes and of those linked from them.
  func declaration(
    of selection: [(schema: TableSchema, keys: [ObjectKey]?)]
  ) throws -> DeclaredSchema {
    var schemas = selection.map(\.schema)
    // Nothing of a whole file is left out, not even classes without links to them.
    if Set(schemas.map(\.key)).isSuperset(of: wholeClasses.map(\.key)) { schemas = classes.all }
    return DeclaredSchema(schemas, of: classes, version: try group.schemaVersion())
  }

  /// Writes the classes as a line of JSON, as exports begin.
  package func writeSchema(
    of selection: [(schema: TableSchema, keys: [ObjectKey]?)], to sink: ByteSink
  ) throws {
    let schema = try declaration(of: selection).json
    try sink.writeLine(JSONWriter.text(["$schema": schema]))
  }

  /// Writes objects as JSON lines, each with its class and its key.
  ///
  /// - Parameter hasSchema: Whether the first line declares the classes, so that an import can make
  ///   them.
  /// - Returns: How many objects there are.
  package func writeJSON(
    _ selection: [(schema: TableSchema, keys: [ObjectKey]?)], hasSchema: Bool = true,
    to sink: ByteSink
  ) throws -> Int {
    let json = ObjectJSON(classes)
    if hasSchema { try writeSchema(of: selection, to: sink) }
    var rows: [TableKey: JSONRows] = [:]
    for (schema, _) in selection { rows[schema.key] = JSONRows(schema, json) }
    var last: (key: TableKey, rows: JSONRows)?
    return try forEach(selection) { schema, key, row in
      if last?.key != schema.key { last = rows[schema.key].map { (schema.key, $0) } }
      try sink.write { bytes in try last?.rows.append(key, row, to: &bytes) }
    }
  }

  /// Writes the objects of one class as CSV.
  ///
  /// - Returns: How many there are.
  package func writeCSV(
    _ schema: TableSchema, _ keys: [ObjectKey]?, separator: Character = ",",
    hasFormulas: Bool = false, to sink: ByteSink
  ) throws -> Int {
    let cells = CellText(classes)
    try sink.writeLine(
      CSVText.line(
        ["#"] + schema.columns.map(\.name), separator: separator, hasFormulas: hasFormulas))
    let rows = CSVRows(schema, cells, separator: separator, hasFormulas: hasFormulas)
    return try forEach([(schema, keys)]) { _, key, row in
      try sink.write { bytes in try rows.append(key, row, to: &bytes) }
    }
  }

  /// Calls `body` with each object.
  package func forEach(
    _ selection: [(schema: TableSchema, keys: [ObjectKey]?)],
    _ body: (TableSchema, ObjectKey, Row) throws -> Void
  ) throws -> Int {
    var total = 0
    for (schema, keys) in selection {
      total += try keys?.count ?? group.table(schema.key)?.objectCount() ?? 0
    }
    var done = 0
    for (schema, keys) in selection {
      guard let table = try group.table(schema.key) else { continue }
      if let keys {
        for key in keys {
          if let row = try table.row(of: key) { try body(schema, key, row) }
          done += 1
          progress(done, total)
        }
        continue
      }
      var cursor = table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          try body(schema, cluster.key(at: index), cluster.row(at: index))
        }
        done += cluster.count
        progress(done, total)
      }
    }
    return done
  }
}
#endif
