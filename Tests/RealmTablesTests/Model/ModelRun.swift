// SPDX-License-Identifier: Apache-2.0

// A random life of a database, step by step beside its model.

import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

/// Runs random transactions on a file and checks every version against the model.
final class ModelRun {
  /// A version that a reader still uses, and what it must hold permanently.
  private struct Pin {
    let group: TableGroup
    let model: DatabaseModel
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let seed: UInt64
  var random: SeededGenerator
  private let path: String
  private var file: DatabaseFile?
  var model = DatabaseModel()
  private var pins: [Pin] = []
  /// Records all writes, and replays them.
  private let replica: TranscriptReplica?
  private let transcript: WriteTranscript?
  private(set) var stepCount = 0
  private(set) var commitCount = 0

  /// - Parameter replicaPath: Where a second database is made from what is recorded.
  init(seed: UInt64, path: String, replicaPath: String? = nil) throws {
    self.seed = seed
    self.path = path
    replica = try replicaPath.map { try TranscriptReplica(path: $0) }
    transcript = replicaPath.map { _ in WriteTranscript() }
    model.erasesMixedElements = replicaPath != nil
    random = SeededGenerator(seed: seed)
    let file = try DatabaseFile.open(path: path)
    self.file = file
    let group = try WriteGroup(file.beginWrite())
    group.recorder = transcript
    try ModelTable.create(in: group)
    for model in ModelTable.all {
      let table = try group.existing(model.name)
      self.model.tableKeys[model.name] = table.key
      for column in table.schema.columns {
        self.model.columnKeys["\(model.name).\(column.name)"] = column.key
      }
    }
    try check(TableGroup(group.commit()), model)
    try checkReplica(TableGroup(file.snapshot()))
  }

  /// Runs until `stepLimit` steps are done.
  func run(stepLimit: Int) throws {
    while stepCount < stepLimit {
      try transaction()
      if random.chance(4) { try compact() }
    }
    try reopen()
  }

  /// The newest version.
  func newest() throws -> TableGroup {
    guard let file else { throw Failure(description: "the file is closed") }
    return try TableGroup(file.snapshot())
  }

  // MARK: Transactions

  private func transaction() throws {
    guard let file else { throw Failure(description: "the file is closed") }
    let base = try TableGroup(file.snapshot())
    if random.chance(15) { pins.append(Pin(group: base, model: model)) }
    let old = model
    let group = try WriteGroup(file.beginWrite())
    group.recorder = transcript
    group.enumerationLimits = EnumerationLife.limits
    model.startTransaction()
    for _ in 0..<Int.random(in: 1...25, using: &random) {
      if random.chance(8) { try part(group) } else { try step(group) }
    }
    if random.chance(25) { try enumerate(group) }
    if random.chance(10) { try bulk(group) }
    if random.chance(15) {
      group.rollback()
      _ = transcript?.take()
      model = old
      try check(TableGroup(file.snapshot()), model)
    } else {
      let snapshot = try TableGroup(group.commit())
      commitCount += 1
      try check(snapshot, model)
      try checkLog(from: base.version, old, through: snapshot.snapshot)
      try checkReplica(snapshot)
    }
    try checkPins()
    if random.chance(4) { try reopen() }
  }

  private func reopen() throws {
    pins = []
    file = nil
    file = try DatabaseFile.open(path: path)
    try check(newest(), model)
  }

  /// Makes a column of strings enumerated, or takes unused values out of one that is.
  private func enumerate(_ group: WriteGroup) throws {
    guard let model = ModelTable.all.randomElement(using: &random) else { return }
    let table = try group.existing(model.name)
    try table.indexes.settle()
    let columns = table.schema.columns.filter {
      $0.type == .string && $0.collection == .none && !$0.isPrimaryKey
    }
    guard let column = columns.randomElement(using: &random) else { return }
    if column.isEnumerated {
      try table.enumerations.dropUnusedValues(of: column)
    } else {
      try table.enumerations.enumerate(column)
    }
  }

  private func compact() throws {
    pins = []
    file = nil
    let wasDone = try DatabaseFile.compact(path: path, keepsHistory: true) {
      (draft) throws(StorageError) in
      try EnumeratedCopy.prepare(draft, EnumerationLife.limits)
    }
    guard wasDone else { throw Failure(description: "the file is open elsewhere") }
    try reopen()
  }

  // MARK: Checking

  private func fail(_ what: String, _ findings: [some CustomStringConvertible]) throws {
    guard !findings.isEmpty else { return }
    let lines = findings.prefix(8).map(\.description).joined(separator: "\n  ")
    throw Failure(
      description: "seed \(seed), step \(stepCount), commit \(commitCount): \(what)\n  \(lines)")
  }

  private func check(_ group: TableGroup, _ model: DatabaseModel) throws {
    try fail("the version differs from the model", model.differences(from: group))
    try fail("integrity", DatabaseCheck.run(group.snapshot))
  }

  /// What was recorded leads to the same.
  private func checkReplica(_ group: TableGroup) throws {
    guard let replica, let transcript else { return }
    do {
      try replica.replay(transcript.take())
    } catch {
      try fail("replay", ["\(error)"])
    }
    try fail("the replica differs", replica.differences(from: group))
  }

  private func checkLog(
    from version: UInt64, _ old: DatabaseModel, through snapshot: Snapshot
  ) throws {
    let changesets = try snapshot.file.changesets(after: version, through: snapshot)
    let changes = try ChangeLogParser.changes(in: changesets)
    try fail("change log since \(version)", model.differences(from: old, told: changes))
  }

  /// Old versions still hold what they held, and learn what happened since.
  private func checkPins() throws {
    if pins.count > 4 || !pins.isEmpty && random.chance(20) {
      pins.remove(at: Int.random(in: pins.indices, using: &random))
    }
    guard let pin = pins.randomElement(using: &random) else { return }
    try fail(
      "pinned version \(pin.group.version) changed", pin.model.differences(from: pin.group))
    try checkLog(from: pin.group.version, pin.model, through: newest().snapshot)
  }

  // MARK: Steps

  func step(_ group: WriteGroup) throws {
    stepCount += 1
    let table = ModelTable.all.filter { $0.kind == .topLevel }.randomElement(using: &random)
    guard let table else { return }
    let keys = model[table.name].keys.sorted()
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<25: try create(table, group)
    case 25..<(keys.count > 400 ? 60 : 33):
      try delete(keys.randomElement(using: &random), table, group)
    default:
      guard let key = keys.randomElement(using: &random),
        let column = table.columns.randomElement(using: &random)
      else { return }
      if column.type == .mixed, column.collection != .set, random.chance(60),
        try editNested(column, key, table, group)
      {
        return
      }
      switch column.collection {
      case .list: try editList(column, key, table, group)
      case .set: try editSet(column, key, table, group)
      case .dictionary: try editDictionary(column, key, table, group)
      case .none: try assign(column, key, table, group)
      }
    }
  }

  private func create(_ table: ModelTable, _ group: WriteGroup) throws {
    let writable = try group.existing(table.name)
    var primaryKey: TableValue?
    if let name = table.primaryKey, let column = table.column(name) {
      let value = random.value(column.type, isNullable: column.isNullable)
      guard model.find(value, in: table) == nil else { return }
      primaryKey = value
    }
    let (key, _) = try writable.createObject(primaryKey: primaryKey)
    model.create(key, in: table, primaryKey: primaryKey)
    for column in table.columns
    where column.name != table.primaryKey && column.collection == .none && random.chance(60) {
      try assign(column, key, table, group)
    }
  }

  private func delete(
    _ key: ObjectKey?, _ table: ModelTable, _ group: WriteGroup
  ) throws {
    guard let key else { return }
    try group.existing(table.name).delete(key)
    model.delete(key, in: table)
  }

  private func assign(
    _ column: ModelTable.Column, _ key: ObjectKey, _ table: ModelTable, _ group: WriteGroup
  ) throws {
    let writable = try group.existing(table.name)
    let stored = try writable.schema.existing(column.name)
    guard column.name != table.primaryKey else { return }
    if let name = column.target {
      return try link(column, stored, to: name, key, table, group)
    }
    let value =
      column.type == .mixed
      ? mixedValue() : random.value(column.type, isNullable: column.isNullable)
    try writable.set(value, stored, key)
    model.set(value, column.name, key, table)
  }

  func typedLink() -> TableValue? {
    let tables = ModelTable.all.filter { $0.kind == .topLevel }
    guard let table = tables.randomElement(using: &random),
      let key = model[table.name].keys.sorted().randomElement(using: &random),
      let tableKey = model.tableKeys[table.name]
    else { return nil }
    return .typedLink(tableKey, key)
  }

  private func link(
    _ column: ModelTable.Column, _ stored: Column, to name: String, _ key: ObjectKey,
    _ table: ModelTable, _ group: WriteGroup
  ) throws {
    let writable = try group.existing(table.name)
    guard let target = ModelTable.all.first(where: { $0.name == name }) else { return }
    var value = TableValue.null
    if target.kind == .embedded, random.chance(70) {
      let (embedded, _) = try writable.createEmbedded(stored, of: key)
      model.create(embedded, in: target, primaryKey: nil)
      model.set(.link(embedded), column.name, key, table)
      return try fill(embedded, target, group)
    }
    if target.kind == .topLevel, random.chance(80),
      let other = model[name].keys.sorted().randomElement(using: &random)
    {
      value = .link(other)
    }
    try writable.set(value, stored, key)
    model.set(value, column.name, key, table)
  }

  func fill(
    _ embedded: ObjectKey, _ target: ModelTable, _ group: WriteGroup
  ) throws {
    for column in target.columns { try assign(column, embedded, target, group) }
  }

  // MARK: Lists

  private func editList(
    _ column: ModelTable.Column, _ key: ObjectKey, _ table: ModelTable, _ group: WriteGroup
  ) throws {
    let writable = try group.existing(table.name)
    let list = try writable.list(try writable.schema.existing(column.name), key)
    let count = model.list(column.name, key, table.name).count
    let index = Int.random(in: 0...count, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0 where count > 0:
      try list.removeAll()
      model.edit(column.name, key, table) { $0 = [] }
    case 1, 2:
      guard index < count else { return }
      try list.remove(at: index)
      model.edit(column.name, key, table) { $0.remove(at: index) }
    case 3:
      let target = Int.random(in: 0...count, using: &random)
      guard index < count, target < count else { return }
      try list.move(from: index, to: target)
      model.edit(column.name, key, table) { $0.insert($0.remove(at: index), at: target) }
    case 4, 5:
      guard index < count, let value = element(of: column) else { return }
      try list.set(value, at: index)
      model.edit(column.name, key, table) { $0[index] = value }
    default:
      try insert(into: list, at: random.chance(50) ? count : index, column, key, table, group)
    }
  }

  private func insert(
    into list: ListEditor, at index: Int, _ column: ModelTable.Column, _ key: ObjectKey,
    _ table: ModelTable, _ group: WriteGroup
  ) throws {
    if let target = ModelTable.all.first(where: { $0.name == column.target }),
      target.kind == .embedded
    {
      let (embedded, _) = try list.insertEmbedded(at: index)
      model.create(embedded, in: target, primaryKey: nil)
      model.edit(column.name, key, table) { $0.insert(.link(embedded), at: index) }
      return try fill(embedded, target, group)
    }
    guard let value = element(of: column) else { return }
    try list.insert(value, at: index)
    model.edit(column.name, key, table) { $0.insert(value, at: index) }
  }

  /// A random element; nil for embedded objects, and for links if there is nothing to link to.
  func element(of column: ModelTable.Column) -> TableValue? {
    guard let name = column.target else {
      if column.type == .mixed, column.collection != .set { return mixedValue() }
      return random.value(column.type, isNullable: column.isNullable)
    }
    guard ModelTable.all.first(where: { $0.name == name })?.kind == .topLevel else { return nil }
    return model[name].keys.sorted().randomElement(using: &random).map { .link($0) }
  }

  // MARK: Bulk

  /// What single steps reach too rarely: full clusters, inner nodes, long lists, empty tables.
  func bulk(_ group: WriteGroup) throws {
    let tables = ModelTable.all.filter { $0.kind == .topLevel }
    guard let table = tables.randomElement(using: &random) else { return }
    stepCount += 1
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      for _ in 0..<Int.random(in: 100...400, using: &random) { try create(table, group) }
    case 1:
      let keys = model[table.name].keys.sorted()
      for key in keys.suffix(keys.count / 2) { try delete(key, table, group) }
    case 2:
      guard let person = ModelTable.all.first,
        let key = model[person.name].keys.sorted().randomElement(using: &random),
        let column = person.column(random.chance(50) ? "numbers" : "nicknames")
      else { return }
      let writable = try group.existing(person.name)
      let list = try writable.list(try writable.schema.existing(column.name), key)
      for _ in 0..<Int.random(in: 500...1500, using: &random) {
        let index =
          random.chance(70)
          ? model.list(column.name, key, person.name).count
          : Int.random(in: 0...model.list(column.name, key, person.name).count, using: &random)
        try insert(into: list, at: index, column, key, person, group)
      }
    case 3:
      try growBag(group)
    default:
      guard random.chance(30) else { return }
      try group.existing(table.name).deleteAll()
      for key in model[table.name].keys { model.delete(key, in: table) }
    }
  }
}
