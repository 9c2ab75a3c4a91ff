// SPDX-License-Identifier: Apache-2.0

// Importing objects: in one transaction, or in batches that can be continued.
//
// 1. A transaction has whole rows. One with a bad row is undone, unless such rows are left out.
// 2. The last line of a batch is stored in the same transaction as its objects, so that an import
//    that was interrupted goes on behind it: no object twice, and none left out.

import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Moves the objects of a source into a file.
package struct Importer {
  /// How an import behaves.
  package struct Options: Sendable {
    /// How many rows a transaction has; nil for all in one.
    package var batchSize: Int?
    /// Whether bad rows are left out, instead of ending the import.
    package var skipsBadRows = false
    /// Whether everything is tried and nothing is kept.
    package var isDryRun = false

    package init() {}
  }

  private let source: ImportSource
  private let plan: ImportPlan
  private let options: Options
  private let progress: ProgressHandler

  /// The table that an unfinished import leaves; apps do not see it.
  private static let markTable = "realm_import"

  package init(
    _ source: ImportSource, _ plan: ImportPlan, _ options: Options,
    progress: @escaping ProgressHandler = { _, _ in }
  ) {
    self.source = source
    self.plan = plan
    self.options = options
    self.progress = progress
  }

  /// The end of an import at a bad row.
  private struct Stop: Error {}

  /// Imports into a file.
  package func run(_ writer: RealmWriter) throws -> ImportReport {
    var report = ImportReport()
    report.isDryRun = options.isDryRun
    var batch = try Batch(try writer.begin())
    do {
      if options.batchSize != nil { report.resumedAfterLine = try mark(batch.group) }
      report.committedLine = report.resumedAfterLine ?? 0
      try plan.apply(to: batch.group)
      try batch.prepare()
      try source.forEach(progress: progress) { result in
        let line =
          switch result {
          case .success(let record): record.line
          case .failure(let row): row.line
          }
        if line <= report.resumedAfterLine ?? 0 { return true }
        do {
          try add(result, to: &batch, &report)
        } catch let row as BadRow {
          report.add(row)
          // All bad rows are wanted; of batches only those that come first.
          if !options.skipsBadRows, options.batchSize != nil { throw Stop() }
        }
        batch.lastLine = line
        batch.rowCount += 1
        guard let size = options.batchSize, batch.rowCount >= size, !options.isDryRun else {
          return true
        }
        try finish(&batch, &report)
        try setMark(line, batch.group)
        let keys = batch.input?.keys
        try commit(&batch, &report)
        batch = try Batch(try writer.begin())
        try batch.prepare()
        if let keys { batch.input?.keys = keys }
        return true
      }
      try finish(&batch, &report)
      try removeMark(batch.group)
      if options.isDryRun || report.badRowCount > 0 && !options.skipsBadRows {
        batch.group.rollback()
        report.isComplete = options.isDryRun && report.badRowCount == 0
        if options.isDryRun { (report.created, report.updated) = (batch.created, batch.updated) }
        return report
      }
      try commit(&batch, &report)
      report.isComplete = true
    } catch is Stop {
      batch.group.rollback()
    } catch {
      batch.group.rollback()
      throw error
    }
    return report
  }

  private func commit(_ batch: inout Batch, _ report: inout ImportReport) throws {
    _ = try batch.group.commit()
    report.created += batch.created
    report.updated += batch.updated
    report.committedLine = batch.lastLine
  }

  /// Stores an object without its links.
  private func add(
    _ result: Result<ImportRecord, BadRow>, to batch: inout Batch, _ report: inout ImportReport
  ) throws {
    let record = try result.get()
    guard let input = batch.input, let schema = batch.classes?[record.className] else {
      throw BadRow(line: record.line, "there is no class '\(record.className)'")
    }
    var values: [(Column, TableValue)] = []
    var links: [(Column, ImportRecord.Field)] = []
    var primaryKey: TableValue?
    for field in record.fields {
      guard let column = schema.column(named: field.name) else { continue }
      if ValueInput.mayRefer(field.value, column) {
        links.append((column, field))
        continue
      }
      let value = try Self.locating(field) {
        try input.value(field.value, column, isText: field.isText)
      }
      if column.isPrimaryKey { primaryKey = value } else { values.append((column, value)) }
    }
    let table = try input.required(schema.key)
    let key: ObjectKey
    if let column = schema.primaryKey {
      guard let primaryKey else {
        throw BadRow(line: record.line, "the primary key '\(column.name)' is missing")
      }
      let isNew: Bool
      (key, _, isNew) = try table.findOrCreate(primaryKey: primaryKey)
      if isNew { batch.created += 1 } else { batch.updated += 1 }
    } else {
      key = try table.createObject().key
      batch.created += 1
    }
    for (column, value) in values { try table.set(value, column, key) }
    if let number = record.objectKey { batch.input?.keys[schema.key, default: [:]][number] = key }
    for (column, field) in links { batch.links.append((schema, key, column, field)) }
  }

  /// Stores the links, whose objects are all there now.
  private func finish(_ batch: inout Batch, _ report: inout ImportReport) throws {
    guard let input = batch.input else { return }
    let links = batch.links
    batch.links = []
    for (schema, key, column, field) in links {
      do {
        try Self.locating(field) {
          try input.store(field.value, column, schema, key, isText: field.isText)
        }
      } catch let row as BadRow {
        report.add(row)
        if !options.skipsBadRows, options.batchSize != nil { throw Stop() }
      }
    }
  }

  private static func locating<R>(_ field: ImportRecord.Field, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let problem as ValueInput.Problem {
      throw BadRow(
        line: field.line, column: field.column, property: field.name, problem.reason)
    }
  }

  // MARK: The mark of batches

  private var sourceName: String { URL(fileURLWithPath: source.path).standardizedFileURL.path }

  /// The last line that an earlier import of the same source has committed.
  private func mark(_ group: WriteGroup) throws -> Int? {
    guard let table = try group.table(named: Self.markTable)?.table,
      let path = table.schema.column(named: "path"),
      let line = table.schema.column(named: "line"),
      let key = try table.key(at: 0), let row = try table.row(of: key),
      try row.value(of: path) == .string(sourceName),
      case .int(let number) = try row.value(of: line)
    else { return nil }
    return Int(number)
  }

  private func setMark(_ line: Int, _ group: WriteGroup) throws {
    try removeMark(group)
    let table = try group.createTable(named: Self.markTable)
    let path = try table.addColumn(named: "path", type: .string)
    let number = try table.addColumn(named: "line", type: .int)
    let key = try table.createObject().key
    try table.set(.string(sourceName), path, key)
    try table.set(.int(Int64(line)), number, key)
  }

  private func removeMark(_ group: WriteGroup) throws {
    if let key = try group.key(ofTable: Self.markTable) { try group.removeTable(key) }
  }

  /// What is done in one transaction.
  private struct Batch {
    let group: WriteGroup
    var input: ValueInput?
    var classes: StoredClasses?
    var links: [(TableSchema, ObjectKey, Column, ImportRecord.Field)] = []
    var rowCount = 0
    var lastLine = 0
    var created = 0
    var updated = 0

    init(_ group: WriteGroup) throws { self.group = group }

    /// Reads the classes, which are there by now.
    mutating func prepare() throws {
      let classes = try StoredClasses(group)
      self.classes = classes
      input = ValueInput(group, classes)
    }
  }
}
