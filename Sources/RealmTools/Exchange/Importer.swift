// SPDX-License-Identifier: Apache-2.0

// Importing objects: in one transaction, or in batches for continuing.
//
// 1. A transaction has whole rows. One with a bad row is undone, unless such rows are left out.
// 2. The last line of a batch is stored in the same transaction as its objects, with a digest of
//    everything up to it, classes and properties included. An interrupted import goes on after the
//    line if the source is the same up to there, and ends otherwise: no object twice, and none left
//    out.
// 3. A link whose object comes in a later batch is kept in the file until the last one.

#if Tools
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
      // A later import compares the digest of what this one has committed.
      let isDigested = options.batchSize != nil || mark != nil
      try source.forEach(isDigested: isDigested, progress: progress) { row in
        if row.content.isDeclaration { return true }
        if try resumption.skips(row, of: source) { return true }
        try add(row, to: &batch, &report)
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

  /// Adds a row to the batch, or its mistake to the report.
  private func add(
    _ row: ImportRow, to batch: inout Batch, _ report: inout ImportReport
  ) throws {
    do {
      try add(row.content, to: &batch)
    } catch let row as BadRow {
      report.add(row)
      // All bad rows are wanted; of batches only the first ones.
      if !options.skipsBadRows, options.batchSize != nil { throw Stop() }
    }
    batch.lastLine = row.line
    batch.rowCount += 1
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
    case .schema, .header: return
    }
    guard let route = try batch.route(of: record.fields) else {
      throw BadRow(line: record.line, "there is no class '\(record.className)'").in(record.tableRow)
    }
    try route.take(record)
    if let column = route.schema.primaryKey, route.primaryKey == nil {
      throw BadRow(line: record.line, "the primary key '\(column.name)' is missing")
        .in(record.tableRow)
    }
    let (key, isNew) = try route.store(record.objectKey)
    if isNew { batch.created += 1 } else { batch.updated += 1 }
    if let number = record.objectKey {
      batch.input?.keys.set(key, for: number, in: route.schema.key)
      if options.batchSize != nil { batch.newKeys.append((route.schema.key, number, key)) }
    }
    for (column, field) in route.links { batch.links.append((route.schema, key, column, field)) }
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
        try refuse(BadRow(field, problem), &report)
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
        try refuse(BadRow(link.field, problem), &report)
      }
    }
    try PendingLinks.remove(from: batch.group)
  }

  private func refuse(_ row: BadRow, _ report: inout ImportReport) throws {
    report.add(row)
    if !options.skipsBadRows, options.batchSize != nil { throw Stop() }
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
      let noun = source.isArray ? "elements" : "lines"
      throw .badData(
        "'\(source.path)' was changed: an earlier import has committed its first \(mark.line) "
          + "\(noun), and now there are others. Restore them, or begin again with --start-over.")
    }
  }

  /// The work of one transaction.
  private struct Batch {
    let group: WriteGroup
    var input: ValueInput?
    var classes: StoredSchema?
    private var routes: [String: ImportRoute] = [:]
    /// That of the last object.
    private var last: ImportRoute?
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

    /// The ways of the properties of a class; nil if there is no such class.
    mutating func route(of fields: RecordFields) throws -> ImportRoute? {
      if let last, last.fields === fields { return last }
      let route = try routes[fields.className] ?? newRoute(of: fields)
      routes[fields.className] = route
      if let route { last = route }
      return route
    }

    private func newRoute(of fields: RecordFields) throws -> ImportRoute? {
      guard let input, let schema = classes?[fields.className] else { return nil }
      return try ImportRoute(fields, schema, input)
    }
  }
}
#endif
