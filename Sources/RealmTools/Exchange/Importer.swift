// SPDX-License-Identifier: Apache-2.0

// Importing objects: in one transaction, or in batches for continuing.
//
// 1. A transaction has whole rows. One with a bad row is undone, unless such rows are left out.
// 2. The last line of a batch is stored in the same transaction as its objects, with a digest of
//    everything up to it, classes and properties included. An interrupted import goes on after the
//    line if the source is the same up to there, and ends otherwise: no object twice, and none left
//    out.
// 3. A link whose object comes in a later batch is kept in the file until the last one.

import RealmQuery
import RealmStorage
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
    /// Whether an earlier interrupted import is forgotten.
    package var startsOver = false

    package init() {}
  }

  private let source: ImportSource
  private let plan: ImportPlan
  private let options: Options
  private let progress: ProgressHandler
  private let didCommit: () -> Void

  /// - Parameter didCommit: Called after each transaction.
  package init(
    _ source: ImportSource, _ plan: ImportPlan, _ options: Options,
    progress: @escaping ProgressHandler = { _, _ in }, didCommit: @escaping () -> Void = {}
  ) {
    self.source = source
    self.plan = plan
    self.options = options
    self.progress = progress
    self.didCommit = didCommit
  }

  /// The end of an import at a bad row.
  private struct Stop: Error {}

  /// Imports into a file.
  package func run(_ writer: RealmWriter) throws -> ImportReport {
    var report = ImportReport()
    report.isDryRun = options.isDryRun
    let keys = ObjectKeyMap()
    let place = ImportMark(source: source)
    var batch = Batch(try writer.begin())
    do {
      let isResumable = options.batchSize != nil && !options.startsOver
      let mark = try isResumable ? place.read(from: batch.group) : nil
      report.resumedAfterLine = mark?.line
      report.committedLine = mark?.line ?? 0
      try plan.apply(to: batch.group)
      try batch.prepare(keys)
      if mark != nil {
        try place.readKeys(from: batch.group, into: keys)
      } else {
        try place.remove(from: batch.group)
        try PendingLinks.remove(from: batch.group)
      }
      var resumption = Resumption(mark)
      try source.forEach(progress: progress) { row in
        if case .schema = row.content { return true }
        if try resumption.skips(row, of: source) { return true }
        do {
          try add(row.content, to: &batch)
        } catch let row as BadRow {
          report.add(row)
          // All bad rows are wanted; of batches only the first ones.
          if !options.skipsBadRows, options.batchSize != nil { throw Stop() }
        }
        batch.lastLine = row.line
        batch.rowCount += 1
        guard let size = options.batchSize, batch.rowCount >= size, !options.isDryRun else {
          return true
        }
        try finish(&batch, &report, isLast: false)
        try PendingLinks.add(batch.pending, to: batch.group)
        try place.add(batch.newKeys, to: batch.group)
        try place.write(.init(line: row.line, digest: row.digest.value), to: batch.group)
        try commit(&batch, &report)
        batch = Batch(try writer.begin())
        try batch.prepare(keys)
        return true
      }
      try resumption.requireSame(source)
      try finish(&batch, &report, isLast: true)
      try finishPending(&batch, &report)
      try place.remove(from: batch.group)
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
    didCommit()
    report.created += batch.created
    report.updated += batch.updated
    report.committedLine = batch.lastLine
  }

  /// Stores an object without its links.
  private func add(_ content: ImportRow.Content, to batch: inout Batch) throws {
    let record: ImportRecord
    switch content {
    case .object(let found): record = found
    case .bad(let row): throw row
    case .schema: return
    }
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
      key = try Self.newObject(in: table, record.objectKey)
      batch.created += 1
    }
    for (column, value) in values { try table.set(value, column, key) }
    if let number = record.objectKey {
      input.keys[schema.key, number] = key
      if options.batchSize != nil { batch.newKeys.append((schema.key, number, key)) }
    }
    for (column, field) in links { batch.links.append((schema, key, column, field)) }
  }

  /// A new object, under its original key if it is free.
  private static func newObject(
    in table: WritableTable, _ number: Int64?
  ) throws(StorageError) -> ObjectKey {
    guard let number, number >= 0, try table.row(of: ObjectKey(number)) == nil else {
      return try table.createObject().key
    }
    let key = ObjectKey(number)
    _ = try table.createObject(under: key)
    return key
  }

  /// Stores the links whose objects are there by now.
  private func finish(_ batch: inout Batch, _ report: inout ImportReport, isLast: Bool) throws {
    guard let input = batch.input else { return }
    let links = batch.links
    batch.links = []
    for (schema, key, column, field) in links {
      do {
        try input.store(field.value, column, schema, key, isText: field.isText)
      } catch let problem as ValueInput.Problem {
        if problem.isMissingObject, options.batchSize != nil, !isLast {
          batch.pending.append(.init(className: schema.displayName, key: key, field: field))
          continue
        }
        try refuse(Self.badRow(field, problem), &report)
      }
    }
  }

  /// Stores the links of earlier batches whose objects came later.
  private func finishPending(_ batch: inout Batch, _ report: inout ImportReport) throws {
    guard options.batchSize != nil, let input = batch.input, let classes = batch.classes else {
      return
    }
    for link in try PendingLinks.read(from: batch.group) {
      guard let schema = classes[link.className], let column = schema.column(named: link.field.name)
      else { continue }
      do {
        try input.store(
          link.field.value, column, schema, link.key, isText: link.field.isText)
      } catch let problem as ValueInput.Problem {
        try refuse(Self.badRow(link.field, problem), &report)
      }
    }
    try PendingLinks.remove(from: batch.group)
  }

  private func refuse(_ row: BadRow, _ report: inout ImportReport) throws {
    report.add(row)
    if !options.skipsBadRows, options.batchSize != nil { throw Stop() }
  }

  private static func badRow(_ field: ImportRecord.Field, _ problem: ValueInput.Problem) -> BadRow {
    BadRow(line: field.line, column: field.column, property: field.name, problem.reason)
      .in(field.file)
  }

  private static func locating<R>(_ field: ImportRecord.Field, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let problem as ValueInput.Problem {
      throw badRow(field, problem)
    }
  }

  /// Leads an import to the line where an earlier one ended.
  private struct Resumption {
    private let mark: ImportMark.Value?
    private var isBehind: Bool
    private var digest: UInt64?

    init(_ mark: ImportMark.Value?) {
      self.mark = mark
      isBehind = mark == nil
    }

    /// Whether an earlier import has committed a row.
    mutating func skips(_ row: ImportRow, of source: ImportSource) throws(ToolFailure) -> Bool {
      guard !isBehind, let mark else { return false }
      if row.line <= mark.line {
        digest = row.line == mark.line ? row.digest.value : nil
        return true
      }
      try requireSame(source)
      isBehind = true
      return false
    }

    /// Checks whether the passed-over rows are the committed ones.
    func requireSame(_ source: ImportSource) throws(ToolFailure) {
      guard !isBehind, let mark, mark.digest != digest || digest == nil else { return }
      throw .badData(
        "'\(source.path)' was changed: an earlier import has committed its first \(mark.line) "
          + "lines, and now there are others. Restore them, or begin again with --start-over.")
    }
  }

  /// The work of one transaction.
  private struct Batch {
    let group: WriteGroup
    var input: ValueInput?
    var classes: StoredSchema?
    var links: [(TableSchema, ObjectKey, Column, ImportRecord.Field)] = []
    /// The links whose objects are not there yet.
    var pending: [PendingLinks.Link] = []
    /// The keys of the batch's objects, for a later import to go on with.
    var newKeys: [(TableKey, Int64, ObjectKey)] = []
    var rowCount = 0
    var lastLine = 0
    var created = 0
    var updated = 0

    init(_ group: WriteGroup) { self.group = group }

    /// Reads the classes; they exist by now.
    mutating func prepare(_ keys: ObjectKeyMap) throws {
      let classes = try StoredSchema(group)
      self.classes = classes
      input = ValueInput(group: group, classes: classes, keys: keys)
    }
  }
}
