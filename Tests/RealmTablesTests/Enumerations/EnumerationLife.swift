// SPDX-License-Identifier: Apache-2.0

// A random life of a table whose columns of strings become enumerated and plain again.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

/// Runs random transactions on two tables, and compares each version with a model.
///
/// Few texts, so that they meet; and some of their own, so that columns get too many.
final class EnumerationLife {
  private struct Pin {
    let group: TableGroup
    let rows: [ObjectKey: [String: String?]]
  }

  private let path: String
  private var random: SeededGenerator
  private var file: DatabaseFile?
  private var pins: [Pin] = []
  /// The texts of the objects of `class_Row` by column.
  private var rows: [ObjectKey: [String: String?]] = [:]
  /// The texts of the objects of `class_Keyed` by primary key.
  private var keyed: [Int64: String?] = [:]
  private var newNumber = 0
  /// What the run has met.
  private(set) var enumeratedCount = 0
  private(set) var expandedCount = 0
  private(set) var chosenCount = 0

  static var limits: EnumerationLimits {
    var limits = EnumerationLimits()
    limits.growthCount = 30
    limits.valueCountMin = 16
    limits.valueCountMax = 20
    limits.objectsPerValue = 4
    limits.savedByteCountMin = 1
    return limits
  }

  init(seed: UInt64, path: String) throws {
    self.path = path
    random = SeededGenerator(seed: seed)
    let file = try DatabaseFile.open(path: path)
    self.file = file
    let group = try WriteGroup(file.beginWrite())
    let table = try group.createTable(named: "class_Row")
    // The places of columns in the spec and in clusters differ.
    let first = try table.addColumn(named: "first", type: .string)
    for (name, isNullable) in [("status", false), ("city", true), ("words", true)] {
      try table.addColumn(named: name, type: .string, isNullable: isNullable)
    }
    if random.chance(50) {
      try table.columns.remove(first.key)
      try table.addColumn(named: "number", type: .int)
    }
    try table.columns.setIndex(.fullText, try table.schema.existing("words").key)
    let keyed = try group.createTable(named: "class_Keyed")
    try keyed.addColumn(named: "id", type: .int)
    try keyed.addColumn(named: "text", type: .string, isNullable: random.chance(50))
    try keyed.addColumn(named: "next", type: .link, isNullable: true, target: keyed.key)
    try keyed.setPrimaryKey(try keyed.schema.existing("id").key)
    try check(TableGroup(group.commit()))
  }

  /// Runs transactions; the file is whole after each.
  func run(transactionCount: Int) throws {
    for _ in 0..<transactionCount {
      try transaction()
      if random.chance(12) { try reopen() }
    }
    try reopen()
    try newest().expectReferenceAgrees()
  }

  private func newest() throws -> TableGroup { try TableGroup(#require(file).snapshot()) }

  // MARK: Transactions

  private func transaction() throws {
    let file = try #require(file)
    if random.chance(20) { pins.append(Pin(group: try newest(), rows: rows)) }
    let before = (rows, keyed)
    let group = try WriteGroup(file.beginWrite())
    group.enumerationLimits = Self.limits
    group.choosesEnumerations = random.chance(70)
    for _ in 0..<Int.random(in: 1...40, using: &random) { try step(group) }
    if random.chance(15) {
      group.rollback()
      (rows, keyed) = before
      try check(newest())
    } else {
      try check(TableGroup(group.commit()))
    }
    if pins.count > 3 { pins.removeFirst() }
    for pin in pins { try check(pin.rows, pin.group) }
  }

  private func reopen() throws {
    pins = []
    file = nil
    if random.chance(50) {
      let wasDone = try DatabaseFile.compact(path: path, keepsHistory: random.chance(50)) {
        (draft) throws(StorageError) in
        try EnumeratedCopy.prepare(draft, Self.limits)
      }
      expectTrue(wasDone)
    }
    file = try DatabaseFile.open(path: path)
    try check(newest())
  }

  private func step(_ group: WriteGroup) throws {
    let table = try group.existing("class_Row")
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10: try createDefault(table)
    case 10..<25: try createFilled(table)
    case 25..<55: try set(table)
    case 55..<62: try copyText(table)
    case 62..<72: try delete(table)
    case 72..<77: try changeForm(table)
    case 77..<80: try changeColumn(table)
    case 80..<84: try part(group)
    case 84: try deleteAll(table)
    case 85..<88: try fill(table)
    default: try stepKeyed(group.existing("class_Keyed"))
    }
  }

  private func part(_ group: WriteGroup) throws {
    let before = (rows, keyed)
    try group.beginSavepoint()
    for _ in 0..<Int.random(in: 1...6, using: &random) { try step(group) }
    guard random.chance(50) else { return group.keepSavepoint() }
    group.rollBackSavepoint()
    (rows, keyed) = before
  }

  // MARK: Texts

  private func text(isNullable: Bool) -> String? {
    if isNullable, random.chance(15) { return nil }
    if random.chance(6) {
      newNumber += 1
      return "new \(newNumber)"
    }
    let long = String(repeating: "long ", count: 20)
    return ["", "a", "b", "open", "closed", "öß", "sixteen letters!", long]
      .randomElement(using: &random)
  }

  private func columns(of table: WritableTable) -> [Column] {
    table.schema.columns.filter { $0.type == .string }
  }

  private func randomKey() -> ObjectKey? { rows.keys.sorted().randomElement(using: &random) }

  // MARK: Objects

  private func createDefault(_ table: WritableTable) throws {
    let (key, _) = try table.createObject()
    var texts: [String: String?] = [:]
    for column in columns(of: table) {
      texts[column.name] = .some(column.isNullable ? nil : "")
    }
    rows[key] = texts
  }

  private func createFilled(_ table: WritableTable) throws {
    let columns = columns(of: table)
    let values = CollectedValues(columns.filter { _ in random.chance(80) })
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      var texts: [String: String?] = [:]
      for column in columns { texts[column.name] = .some(column.isNullable ? nil : "") }
      values.removeAll()
      values.bytes = []
      for (index, column) in values.columns.enumerated() where random.chance(90) {
        let text = text(isNullable: column.isNullable)
        texts[column.name] = .some(text)
        let start = values.bytes.count
        values.bytes += Array((text ?? "").utf8)
        values[index] =
          text == nil
          ? .null
          : random.chance(50) ? .text(start..<values.bytes.count) : .other(.string(text ?? ""))
      }
      rows[try table.createObject(beginningWith: values).key] = texts
    }
  }

  /// Enough objects for the columns to be measured.
  private func fill(_ table: WritableTable) throws {
    let before = table.schema.enumeratedColumns.count
    for _ in 0..<Int.random(in: 20...60, using: &random) { try createFilled(table) }
    if table.schema.enumeratedColumns.count > before { chosenCount += 1 }
  }

  private func set(_ table: WritableTable) throws {
    guard let key = randomKey(), let column = columns(of: table).randomElement(using: &random)
    else { return }
    let text = text(isNullable: column.isNullable)
    let other = try randomKey().flatMap { try table.row(of: $0) }
    let (generation, known) = try (
      table.group.structureGeneration, other?.string(column.leafIndex)
    )
    let wasEnumerated = table.schema.column(column.key)?.isEnumerated == true
    try table.set(text.map { .string($0) } ?? .null, column, key)
    if wasEnumerated, table.schema.column(column.key)?.isEnumerated != true { expandedCount += 1 }
    rows[key]?[column.name] = .some(text)
    // A row that is not stale reads what the table holds.
    if let other, table.group.structureGeneration == generation {
      let now = try other.string(column.leafIndex)
      expectTrue(now == known || now == text)
    }
  }

  /// Stores bytes that lie in the transaction.
  private func copyText(_ table: WritableTable) throws {
    guard let from = randomKey(), let to = randomKey(),
      let column = columns(of: table).randomElement(using: &random)
    else { return }
    let row = try #require(try table.row(of: from))
    try table.set(StringLeaf.self, to: row.stringBytes(column.leafIndex), column, to)
    let text = rows[from]?[column.name]
    rows[to]?[column.name] = text
  }

  private func delete(_ table: WritableTable) throws {
    guard let key = randomKey() else { return }
    try table.delete(key)
    rows[key] = nil
  }

  private func deleteAll(_ table: WritableTable) throws {
    try table.deleteAll()
    rows = [:]
  }

  // MARK: Columns

  private func changeForm(_ table: WritableTable) throws {
    try table.indexes.settle()
    guard let column = columns(of: table).randomElement(using: &random) else { return }
    if !column.isEnumerated {
      try table.enumerations.enumerate(column)
      enumeratedCount += 1
    } else if random.chance(60) {
      try table.enumerations.dropUnusedValues(of: column)
    } else {
      try table.enumerations.expand(column.leafIndex)
    }
  }

  private func changeColumn(_ table: WritableTable) throws {
    guard let column = columns(of: table).randomElement(using: &random) else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let kind: IndexKind? = column.hasIndex ? nil : random.chance(50) ? .general : .fullText
      try table.columns.setIndex(kind, column.key)
    case 1 where columns(of: table).count > 2:
      try table.columns.remove(column.key)
      for key in rows.keys { rows[key]?[column.name] = nil }
    case 2:
      let name = "renamed \(newNumber)"
      newNumber += 1
      try table.columns.rename(column.key, to: name)
      for key in rows.keys {
        let text = rows[key]?[column.name] ?? nil
        rows[key]?[column.name] = nil
        rows[key]?[name] = .some(text)
      }
    default:
      let name = "copied \(newNumber)"
      newNumber += 1
      let copy = try table.addColumn(named: name, type: .string, isNullable: !column.isNullable)
      try table.columns.copyValues(from: column.key, to: copy.key)
      expectEqual(table.schema.column(copy.key)?.isEnumerated, column.isEnumerated)
      for key in rows.keys {
        let text = rows[key]?[column.name] ?? nil
        rows[key]?[name] = .some(column.isNullable ? text ?? "" : text)
      }
      guard columns(of: table).count > 4 else { return }
      try table.columns.remove(column.key)
      for key in rows.keys { rows[key]?[column.name] = nil }
    }
  }

  // MARK: Tombstones

  private func stepKeyed(_ table: WritableTable) throws {
    let column = try table.schema.existing("text")
    let id = Int64.random(in: 0..<20, using: &random)
    let key = try table.findRow(primaryKey: .int(id))?.key
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1:
      guard let key else { return }
      try table.invalidate(key)
      keyed[id] = nil
    case 2, 3:
      guard let from = keyed.keys.sorted().randomElement(using: &random) else { return }
      let target = try table.linkTarget(forPrimaryKey: .int(id))
      let row = try #require(try table.findRow(primaryKey: .int(from)))
      try table.setLink(target, table.schema.existing("next"), row.key)
    case 4:
      try table.indexes.settle()
      if !column.isEnumerated { try table.enumerations.enumerate(column) }
    case 5...7 where key == nil:
      _ = try table.createObject(primaryKey: .int(id))
      keyed[id] = .some(column.isNullable ? nil : "")
    default:
      guard let key else { return }
      let text = text(isNullable: column.isNullable)
      try table.set(text.map { .string($0) } ?? .null, column, key)
      keyed[id] = .some(text)
    }
  }

  // MARK: Checking

  private func check(_ group: TableGroup) throws {
    try check(rows, group)
    let table = try #require(try group.table(named: "class_Keyed"))
    let column = try table.schema.existing("text")
    expectEqual(try table.objectCount(), keyed.count)
    for (id, text) in keyed {
      let row = try #require(try table.findRow(primaryKey: .int(id))?.row)
      expectEqual(try row.string(column.leafIndex), text)
    }
    let findings = try DatabaseCheck.run(group.snapshot)
    try #require(findings.isEmpty, "\(findings.prefix(3))")
  }

  private func check(_ rows: [ObjectKey: [String: String?]], _ group: TableGroup) throws {
    let table = try #require(try group.table(named: "class_Row"))
    try #require(try table.objectCount() == rows.count)
    for (key, texts) in rows {
      let row = try #require(try table.row(of: key))
      for column in table.schema.columns where column.type == .string {
        let expected = try #require(texts[column.name], "\(column.name)")
        try #require(try row.string(column.leafIndex) == expected, "\(key) \(column.name)")
      }
    }
  }
}
