// SPDX-License-Identifier: Apache-2.0

// Saves what can still be read of a damaged file: `realm salvage`.
//
// 1. The damaged file is not changed.
// 2. Each object that is found gets into the copy, whatever part of it cannot be read; such a part
//    has the value of a new object there, and is counted.
// 3. Where the roots are gone, as in a file that was cut, each root of an earlier version and each
//    table that can be found among the bytes is tried, and what gives most objects is saved.

import Foundation
package import RealmStorage
import RealmTables

/// Copies the objects of a damaged file to a new one.
package struct Salvage {
  private let source: DamagedTables
  private let progress: ProgressHandler
  private var report = SalvageReport()
  private var tables: [TableKey: WritableTable] = [:]
  /// The columns of the new tables by name.
  private var columns: [TableKey: [String: Column]] = [:]
  /// The new keys of objects by their old ones.
  private var keys: [TableKey: [ObjectKey: ObjectKey]] = [:]
  private var classes: [TableKey: DamagedTables.Class] = [:]
  /// The embedded objects that have an owner already.
  private var owned: Set<OldObject> = []

  /// A collection is given up after that many elements that cannot be read: its length is wrong.
  private static let lostElementsMax = 10_000

  private struct OldObject: Hashable {
    let table: TableKey
    let key: ObjectKey
  }

  private init(_ source: DamagedTables, _ progress: @escaping ProgressHandler) {
    self.source = source
    self.progress = progress
    for type in source.classes { classes[type.schema.key] = type }
    for problem in source.problems { report.add(problem) }
  }

  /// Saves what can be read of the file at `path`.
  ///
  /// - Throws: `ToolFailure` if the file is no realm, or nothing of it can be read.
  package static func run(
    _ path: String, key: EncryptionKey?, to target: String,
    progress: @escaping ProgressHandler = { _, _ in }
  ) throws -> SalvageReport {
    try NewFile.requireFree(target)
    do {
      return try save(path, key: key, to: target, isOlder: false, progress)
    } catch let error as StorageError {
      // The key is another one, or the file is not there.
      switch error {
      case .corrupted, .notADatabase: break
      default: throw error
      }
      guard key == nil else { throw error }
      let older = target + ".older"
      UnfinishedFiles.add(older)
      defer {
        NewFile.remove(older)
        UnfinishedFiles.remove(older)
      }
      if try makeOlder(path, older) {
        do {
          return try save(older, key: nil, to: target, isOlder: true, progress)
        } catch is StorageError {}
      }
      guard let report = try scan(path, older, to: target, progress) else { throw error }
      return report
    }
  }

  /// How many of the roots that are found are tried: the newest have most of what is there.
  private static let triedRootsMax = 8

  /// Saves what roots give that are found among the bytes; nil if there are none.
  ///
  /// - Parameter copy: Where the files with these roots are made.
  private static func scan(
    _ path: String, _ copy: String, to target: String, _ progress: @escaping ProgressHandler
  ) throws -> SalvageReport? {
    let scan = try NodeScan(path: path)
    // What says that it is a file of another format is left to `realm upgrade`.
    if let format = scan.format, format != FileHeader.supportedVersion { return nil }
    let found = scan.roots().prefix(triedRootsMax) + [scan.looseTables()].compactMap { $0 }
    var best: (report: SalvageReport, roots: NodeScan.Roots)?
    for roots in found {
      NewFile.remove(copy)
      try Data(scan.file(with: roots)).write(to: URL(fileURLWithPath: copy))
      let part = target + ".part"
      NewFile.remove(part)
      UnfinishedFiles.add(part)
      defer {
        NewFile.remove(part)
        UnfinishedFiles.remove(part)
      }
      guard let report = try? save(copy, key: nil, to: part, isOlder: false, progress),
        report.savedCount > best?.report.savedCount ?? 0
      else { continue }
      best = (report, roots)
    }
    guard let best else { return nil }
    NewFile.remove(copy)
    try Data(scan.file(with: best.roots)).write(to: URL(fileURLWithPath: copy))
    var report = try save(copy, key: nil, to: target, isOlder: false, progress)
    report.isFound = true
    return report
  }

  /// Copies a file so that its header selects the version before the newest.
  private static func makeOlder(_ path: String, _ copy: String) throws -> Bool {
    let url = URL(fileURLWithPath: copy)
    NewFile.remove(copy)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let handle = try FileHandle(forUpdating: url)
    defer { try? handle.close() }
    guard var header = try handle.read(upToCount: FileHeader.byteCount),
      header.count == FileHeader.byteCount
    else { return false }
    // The lowest bit of the last byte selects one of two roots.
    header[FileHeader.byteCount - 1] ^= 1
    try handle.seek(toOffset: 0)
    try handle.write(contentsOf: header)
    return true
  }

  private static func save(
    _ path: String, key: EncryptionKey?, to target: String, isOlder: Bool,
    _ progress: @escaping ProgressHandler
  ) throws -> SalvageReport {
    let file = try DatabaseFile.openForReading(path: path, key: key).file
    let source = try DamagedTables(try file.snapshot())
    guard !source.classes.isEmpty || source.problems.isEmpty else {
      throw StorageError.corrupted("no class of '\(path)' can be read")
    }
    var salvage = Salvage(source, progress)
    salvage.report.isOlderVersion = isOlder
    return try NewFile.make(at: target) { unfinished in
      let writer = try RealmWriter(path: unfinished, key: key, creates: true)
      _ = try writer.write { try salvage.fill($0) }
      return salvage.report
    }
  }

  // MARK: Objects

  private mutating func fill(_ group: WriteGroup) throws {
    tables = try ClassCopy.make(source.classes.map(\.schema), in: group)
    for (key, table) in tables {
      let columns = try table.table.schema.columns
      self.columns[key] = Dictionary(columns.map { ($0.name, $0) }) { first, _ in first }
    }
    if let version = source.schemaVersion { try group.setSchemaVersion(version) }
    let whole = source.classes.filter { $0.schema.kind != .embedded }
      .sorted { $0.schema.displayName < $1.schema.displayName }
    var counts: [SalvageReport.Class] = whole.map {
      SalvageReport.Class(name: $0.schema.displayName, expected: try? $0.table.objectCount())
    }
    let total = counts.reduce(0) { $0 + ($1.expected ?? 0) }
    var done = 0
    for (index, type) in whole.enumerated() {
      var problems: [StorageError] = []
      try source.forEachObject(of: type, failed: { problems.append($0) }) { key, row in
        do throws(StorageError) {
          try create(key, row, type)
          counts[index].saved += 1
        } catch { problems.append(error) }
        done += 1
        progress(done, total * 2)
      }
      for problem in problems { report.add("\(type.schema.displayName): \(problem)") }
    }
    for (index, type) in whole.enumerated() {
      try source.forEachObject(of: type, failed: { _ in }) { key, row in
        guard let new = keys[type.schema.key]?[key] else { return }
        counts[index].lostValues += copyValues(of: row, type.schema, to: new)
        done += 1
        progress(done, total * 2)
      }
    }
    report.classes = counts
  }

  /// Makes an object with its primary key, or under its object key.
  private mutating func create(
    _ key: ObjectKey, _ row: Row, _ type: DamagedTables.Class
  ) throws(StorageError) {
    guard let table = tables[type.schema.key] else { return }
    let new: ObjectKey
    if let column = type.schema.primaryKey {
      let value = try row.value(of: column)
      guard try table.findRow(primaryKey: value) == nil else {
        throw .corrupted("two objects have the same primary key")
      }
      new = try table.createObject(primaryKey: value).key
    } else {
      _ = try table.createObject(under: key)
      new = key
    }
    keys[type.schema.key, default: [:]][key] = new
  }

  // MARK: Values

  /// Copies the values of an object; the number of those that cannot be read.
  private mutating func copyValues(
    of row: Row, _ schema: TableSchema, to key: ObjectKey, depth: Int = 0
  ) -> Int {
    var lost = 0
    for column in schema.columns where !column.isPrimaryKey {
      guard let new = columns[schema.key]?[column.name] else {
        lost += 1
        continue
      }
      do throws(StorageError) {
        let (value, missing) = try readable(row, column)
        lost += missing
        lost += try store(value, new, column, schema.key, key, depth: depth)
      } catch { lost += 1 }
    }
    return lost
  }

  /// What can be read of a value, and how many elements cannot.
  private func readable(
    _ row: Row, _ column: Column
  ) throws(StorageError) -> (value: TableValue, lost: Int) {
    let failure: StorageError
    do throws(StorageError) { return (try row.value(of: column), 0) } catch { failure = error }
    var lost = 0
    switch column.collection {
    case .none: throw failure
    case .list, .set:
      let view = try row.list(column)
      var values: [TableValue] = []
      for index in 0..<view.count where lost < Self.lostElementsMax {
        do throws(StorageError) { values.append(try view.value(at: index)) } catch { lost += 1 }
      }
      return (.list(values), lost)
    case .dictionary:
      let view = try row.dictionary(column)
      var entries: [TableDictionary.Entry] = []
      for index in 0..<view.count where lost < Self.lostElementsMax {
        do throws(StorageError) {
          let value = try view.value(at: index, of: column)
          entries.append(.init(key: try view.key(at: index), value: value))
        } catch { lost += 1 }
      }
      return (.dictionary(TableDictionary(entries)), lost)
    }
  }

  /// Stores a value; the number of links in it that lead to objects that were not saved.
  private mutating func store(
    _ value: TableValue, _ new: Column, _ old: Column, _ table: TableKey, _ key: ObjectKey,
    depth: Int
  ) throws(StorageError) -> Int {
    guard let target = tables[table] else { return 1 }
    if old.type == .link, let owner = old.targetTable, classes[owner]?.schema.kind == .embedded {
      return try storeEmbedded(value, new, owner, target, key, depth: depth)
    }
    var lost = 0
    let mapped = mapped(value, old.targetTable, &lost)
    switch mapped {
    case .list(let values) where old.type == .link && old.collection != .none:
      try target.set(.list(values.filter { !$0.isNull }), new, key)
    default: try target.set(mapped, new, key)
    }
    return lost
  }

  /// The value with the links of the new file.
  private func mapped(
    _ value: TableValue, _ target: TableKey?, _ lost: inout Int
  ) -> TableValue {
    switch value {
    case .link(let key):
      if let target, let new = keys[target]?[key] { return .link(new) }
    case .typedLink(let table, let key):
      if let new = keys[table]?[key], let other = tables[table]?.key {
        return .typedLink(other, new)
      }
    case .list(let values): return .list(values.map { mapped($0, target, &lost) })
    case .dictionary(let dictionary):
      return .dictionary(
        TableDictionary(
          dictionary.entries.map { .init(key: $0.key, value: mapped($0.value, target, &lost)) }))
    default: return value
    }
    lost += 1
    return .null
  }

  private mutating func storeEmbedded(
    _ value: TableValue, _ column: Column, _ owner: TableKey, _ table: WritableTable,
    _ key: ObjectKey, depth: Int
  ) throws(StorageError) -> Int {
    guard depth < 64 else { return 1 }
    var lost = 0
    switch value {
    case .link(let old):
      guard let row = claim(old, owner) else { return 1 }
      let new = try table.createEmbedded(column, of: key).key
      lost += copyEmbedded(row, owner, new, depth)
    case .list(let values):
      let list = try table.list(column, key)
      for value in values {
        guard case .link(let old) = value, let row = claim(old, owner) else {
          lost += 1
          continue
        }
        let new = try list.insertEmbedded(at: try list.count).key
        lost += copyEmbedded(row, owner, new, depth)
      }
    case .dictionary(let dictionary):
      let editor = try table.dictionary(column, key)
      for entry in dictionary.entries {
        guard case .link(let old) = entry.value, let row = claim(old, owner) else {
          lost += entry.value.isNull ? 0 : 1
          continue
        }
        let new = try editor.setEmbedded(for: entry.key).key
        lost += copyEmbedded(row, owner, new, depth)
      }
    default: break
    }
    return lost
  }

  /// An embedded object that has no owner yet.
  private mutating func claim(_ key: ObjectKey, _ table: TableKey) -> Row? {
    guard let row = try? classes[table]?.table.row(of: key),
      owned.insert(OldObject(table: table, key: key)).inserted
    else { return nil }
    return row
  }

  private mutating func copyEmbedded(
    _ row: Row, _ table: TableKey, _ new: ObjectKey, _ depth: Int
  ) -> Int {
    guard let schema = classes[table]?.schema else { return 1 }
    return copyValues(of: row, schema, to: new, depth: depth + 1)
  }
}
