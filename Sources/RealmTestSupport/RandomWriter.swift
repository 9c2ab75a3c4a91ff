// SPDX-License-Identifier: Apache-2.0

// Random writes of all kinds, as a program makes them.

package import RealmTables
import Testing

/// Writes whatever the schema of a group allows.
package struct RandomWriter {
  package var random: SeededGenerator
  /// Whether classes and properties are removed.
  package var erasesSchema = true
  /// Whether writes are left out that the merge rules do not make equal on all devices (P2 D.6):
  /// moves in lists of collections and embedded objects, clearing collections that are elements of
  /// lists, and embedded objects in dictionaries.
  package var isConvergent = false
  /// Whether mixed values become collections.
  package var makesNestedCollections = true
  /// The most objects that a class gets. Of few, devices often write to the same.
  package var objectCountMax = 9
  /// Properties of `Thing` that are often changed, in one object, so that writers meet there.
  package var focus: [String] = []
  /// A class to which nothing is written.
  package var avoidedClass: String?
  /// What the names of new classes and properties end with, so that those of two writers differ.
  package var suffix = ""
  /// Whether one transaction often writes to an object and to the lists that hold it in turn.
  private let writesInTurn: Bool
  private var nameCount = 0
  /// The object of each table that was taken last, which is taken again often.
  private var recent: [TableKey: ObjectKey] = [:]

  package init(seed: UInt64, writesInTurn: Bool = false) {
    random = SeededGenerator(seed: seed)
    self.writesInTurn = writesInTurn
  }

  /// Makes a few changes.
  package mutating func write(_ group: WriteGroup) throws {
    for _ in 0..<1 + random.number(below: 6) { try step(group, changesSchema: true) }
  }

  /// Makes a few changes, none of which concerns the schema.
  package mutating func writeData(_ group: WriteGroup) throws {
    for _ in 0..<1 + random.number(below: 6) { try step(group, changesSchema: false) }
  }

  /// Changes properties of objects, and creates objects, but deletes none.
  package mutating func writeProperties(_ group: WriteGroup) throws {
    for _ in 0..<1 + random.number(below: 6) {
      let tables = try group.tableKeys().compactMap { try group.table($0) }
      let table = random.pick(tables)
      guard try table.objectCount() > 0 else { continue }
      try change(object(of: table), table, group)
    }
  }

  private mutating func step(_ group: WriteGroup, changesSchema: Bool) throws {
    if !focus.isEmpty, random.percent(40) { return try changeFocus(group) }
    let tables = try group.tableKeys().compactMap { try group.table($0) }
    let table = random.pick(tables)
    if let avoidedClass, table.schema.name == "class_" + avoidedClass { return }
    let isTopLevel = table.schema.kind != .embedded
    let count = try table.objectCount()
    switch random.number(below: 100) {
    case 0 where changesSchema: try changeSchema(group)
    case 1..<24 where isTopLevel && count < objectCountMax: try create(table, group)
    case 1..<32 where isTopLevel && count > (objectCountMax + 1) / 2:
      try table.delete(object(of: table))
    case 32 where isTopLevel && random.percent(10): try table.deleteAll()
    case 34..<42 where writesInTurn: try alternate(table, group)
    case 33 where random.percent(30) && count > 0 && !isTopLevel:
      try table.delete(object(of: table))
    default:
      guard count > 0 else { return }
      let key = try object(of: table)
      for _ in 0..<random.pick([1, 1, 3]) {
        guard try table.row(of: key) != nil else { return }
        try change(key, table, group)
      }
    }
  }

  private mutating func changeFocus(_ group: WriteGroup) throws {
    let things = try group.classTable("Thing")
    let key = try things.findOrCreate(primaryKey: .string("t0")).key
    guard let column = things.schema.column(named: random.pick(focus)) else { return }
    try change(key, column, things, group, isDefault: false)
  }

  /// Writes to an embedded object in a list and to the list, in turn.
  private mutating func alternate(_ table: WritableTable, _ group: WriteGroup) throws {
    var columns: [Column] = []
    for column in table.schema.columns where column.collection == .list && column.type == .link {
      if try isEmbedded(column, group) { columns.append(column) }
    }
    guard let column = columns.randomElement(using: &random), try table.objectCount() > 0,
      let parts = try group.table(column.targetTable ?? .null)
    else { return }
    let owner = try object(of: table)
    let list = try table.list(column, owner)
    if try list.count == 0 { _ = try list.insertEmbedded(at: 0) }
    let part = try list.view.key(at: random.number(below: try list.count))
    for _ in 0..<3 {
      guard try parts.row(of: part) != nil, try table.row(of: owner) != nil else { return }
      try change(part, parts, group)
      guard try table.row(of: owner) != nil else { return }
      try changeList(list, column, group)
    }
  }

  private mutating func object(of table: WritableTable) throws -> ObjectKey {
    if writesInTurn, random.percent(50), let key = recent[table.key],
      try table.row(of: key) != nil
    {
      return key
    }
    let index = random.number(below: try table.objectCount())
    let key = try #require(try table.table.key(at: index))
    recent[table.key] = key
    return key
  }

  // MARK: Schema

  private mutating func changeSchema(_ group: WriteGroup) throws {
    nameCount += 1
    switch random.number(below: erasesSchema ? 5 : 3) {
    case 0:
      let table = try group.createTable(
        named: "class_New\(nameCount)\(suffix)", kind: random.percent(30) ? .embedded : .topLevel)
      let key = try table.addColumn(named: "key", type: random.pick([.int, .string, .uuid]))
      try table.addColumn(named: "name", type: .string)
      if table.schema.kind == .topLevel, random.percent(70) { try table.setPrimaryKey(key.key) }
    case 1, 2:
      let things = try group.classTable(random.pick(["Thing", "Part", "Note"]))
      let type = random.pick(ColumnType.scalars + [.mixed])
      let collection = random.pick([.none, .list, .set, .dictionary] as [CollectionKind])
      try things.addColumn(
        named: "new\(nameCount)\(suffix)", type: type, collection: collection,
        isNullable: random.percent(50))
    case 3:
      let things = try group.classTable(random.pick(["Thing", "Part", "Note"]))
      guard let column = things.schema.columns.last, column.name.hasPrefix("new") else { return }
      try things.columns.remove(column.key)
    default:
      let tables = try group.tableKeys().compactMap { try group.table($0) }
      guard let table = tables.last, table.schema.name.hasPrefix("class_New") else { return }
      try group.removeTable(table.key)
    }
  }

  // MARK: Objects

  private mutating func create(_ table: WritableTable, _ group: WriteGroup) throws {
    let key: ObjectKey
    if let column = table.schema.primaryKey {
      var value = random.value(column.type, isNullable: column.isNullable)
      if column.type == .string { value = .string("t\(random.number(below: objectCountMax + 3))") }
      guard try table.findRow(primaryKey: value) == nil else { return }
      key = try table.createObject(primaryKey: value).key
    } else {
      key = try table.createObject().key
    }
    for column in table.schema.columns where column.collection == .none && random.percent(10) {
      try change(key, column, table, group, isDefault: random.percent(50))
    }
  }

  private mutating func change(
    _ key: ObjectKey, _ table: WritableTable, _ group: WriteGroup
  ) throws {
    guard let column = table.schema.columns.randomElement(using: &random) else { return }
    try change(key, column, table, group, isDefault: false)
  }

  private mutating func change(
    _ key: ObjectKey, _ column: Column, _ table: WritableTable, _ group: WriteGroup,
    isDefault: Bool
  ) throws {
    guard !column.isPrimaryKey else { return }
    switch column.collection {
    case .none: try assign(key, column, table, group, isDefault)
    case .list: try changeList(table.list(column, key), column, group)
    case .set: try changeSet(table.set(column, key), column, group)
    case .dictionary: try changeMap(table.dictionary(column, key), column, group)
    }
  }

  private mutating func assign(
    _ key: ObjectKey, _ column: Column, _ table: WritableTable, _ group: WriteGroup,
    _ isDefault: Bool
  ) throws {
    if column.type == .int, random.percent(30) {
      return try table.add(Int64(random.number(below: 100)) - 50, to: column, of: key)
    }
    if column.type == .link, random.percent(25) {
      return try table.set(.null, column, key, isDefault: isDefault)
    }
    if try isEmbedded(column, group) {
      if random.percent(50) {
        let (part, _) = try table.createEmbedded(column, of: key, isDefault: isDefault)
        try fill(part, column, group)
      } else {
        let part = try makePart(column, group)
        try table.set(.link(part), column, key, isDefault: isDefault)
      }
      return
    }
    if column.type == .mixed, column.collection == .none, random.percent(50),
      let row = try table.row(of: key), let step = try row.nestedElement(column.leafIndex).step
    {
      return try changeNested(key, column, table, group, [step], 0)
    }
    guard let value = try value(of: column, group, depth: 0) else { return }
    try table.set(value, column, key, isDefault: isDefault)
  }

  // MARK: Embedded objects

  private func isEmbedded(_ column: Column, _ group: WriteGroup) throws -> Bool {
    guard let target = column.targetTable else { return false }
    return try group.table(target)?.schema.kind == .embedded
  }

  /// An embedded object that is filled before anything links to it.
  private mutating func makePart(_ column: Column, _ group: WriteGroup) throws -> ObjectKey {
    let table = try #require(try group.table(column.targetTable ?? .null))
    let (part, _) = try table.createObject()
    try fill(part, column, group)
    return part
  }

  private mutating func fill(_ part: ObjectKey, _ column: Column, _ group: WriteGroup) throws {
    let table = try #require(try group.table(column.targetTable ?? .null))
    // Parts inside of parts must not become too many.
    for column in table.schema.columns
    where random.percent(column.name.contains("part") ? 4 : 12) {
      try change(part, column, table, group, isDefault: random.percent(10))
    }
  }

  // MARK: Collections

  private mutating func changeList(
    _ list: ListEditor, _ column: Column, _ group: WriteGroup, isNested: Bool = false
  ) throws {
    let count = try list.count
    let index = random.number(below: count + 1)
    let isEmbedded = try isEmbedded(column, group)
    let canMove = !isConvergent || (!isEmbedded && column.type != .mixed)
    switch random.number(below: 10) {
    case 0 where !isConvergent || !isNested: try list.removeAll()
    case 1...2 where index < count: try list.remove(at: index)
    case 3 where index < count && canMove:
      try list.move(from: index, to: random.number(below: count))
    case 4...5 where index < count:
      if isEmbedded {
        try list.set(.link(makePart(column, group)), at: index)
      } else if let value = try value(of: column, group, depth: 1) {
        try list.set(value, at: index)
      }
    case 6 where count > 1 && canMove: try list.swap(index % count, (index + 1) % count)
    default:
      guard count < 6 else { return }
      if isEmbedded {
        if random.percent(50) {
          let (part, _) = try list.insertEmbedded(at: index)
          try fill(part, column, group)
        } else {
          try list.insert(.link(makePart(column, group)), at: index)
        }
      } else if let value = try value(of: column, group, depth: 1) {
        try list.insert(value, at: index)
      }
    }
  }

  private mutating func changeSet(_ set: SetEditor, _ column: Column, _ group: WriteGroup) throws {
    let count = try set.view.count
    switch random.number(below: 10) {
    case 0: try set.removeAll()
    case 1...3 where count > 0: try set.remove(at: random.number(below: count))
    default:
      guard count < 6, let value = try value(of: column, group, depth: nil) else { return }
      try set.insert(value)
    }
  }

  private mutating func changeMap(
    _ map: DictionaryEditor, _ column: Column, _ group: WriteGroup, isNested: Bool = false
  ) throws {
    if isConvergent, try isEmbedded(column, group) { return }
    let key = random.text()
    switch random.number(below: 12) {
    case 0 where !isConvergent || !isNested: try map.removeAll()
    case 1, 2, 3: try map.remove(key)
    default:
      guard try isEmbedded(column, group) else {
        guard let value = try value(of: column, group, depth: 1) else { return }
        return try map.set(value, for: key)
      }
      if random.percent(50) {
        let (part, _) = try map.setEmbedded(for: key)
        try fill(part, column, group)
      } else {
        try map.set(.link(makePart(column, group)), for: key)
      }
    }
  }

  /// Changes a collection in a mixed value, or one inside of it.
  private mutating func changeNested(
    _ key: ObjectKey, _ column: Column, _ table: WritableTable, _ group: WriteGroup,
    _ path: [NestedStep], _ depth: Int
  ) throws {
    guard let row = try table.row(of: key) else { return }
    var inner: NestedStep?
    if let list = try row.list(column, path) {
      if list.count > 0 {
        inner = try list.nestedElement(at: random.number(below: list.count)).step
      }
      if inner == nil || random.percent(40) {
        return try changeList(
          table.list(column, key, at: path), column, group, isNested: true)
      }
    } else if let map = try row.dictionary(column, path) {
      if map.count > 0 {
        inner = try map.nestedElement(at: random.number(below: map.count)).step
      }
      if inner == nil || random.percent(40) {
        return try changeMap(
          table.dictionary(column, key, at: path), column, group, isNested: true)
      }
    }
    guard let inner, depth < 6 else { return }
    try changeNested(key, column, table, group, path + [inner], depth + 1)
  }

  // MARK: Values

  /// A value for a column or its collection; nil if there is nothing to link to.
  ///
  /// - Parameter depth: The collections around the value; nil if it can be none itself.
  private mutating func value(
    of column: Column, _ group: WriteGroup, depth: Int?
  ) throws -> TableValue? {
    if column.type == .link {
      guard let target = column.targetTable, let key = try self.target(of: target, group) else {
        return nil
      }
      return .link(key)
    }
    guard column.type == .mixed else {
      return random.value(column.type, isNullable: column.isNullable)
    }
    return try mixed(group, depth: depth)
  }

  private mutating func mixed(_ group: WriteGroup, depth: Int?) throws -> TableValue {
    switch random.number(below: 10) {
    case 0, 1:
      guard let depth, depth < 4, makesNestedCollections else { return .null }
      var values: [TableValue] = []
      for _ in 0..<random.number(below: 4) {
        values.append(try mixed(group, depth: depth + 1))
      }
      if random.percent(50) { return .list(values) }
      let keys = ["a", "b", "c", "d"]
      return .dictionary(
        TableDictionary(values.enumerated().map { .init(key: keys[$0.offset], value: $0.element) }))
    case 2, 3:
      let table = try group.classTable(random.pick(["Thing", "Note", "Other"]))
      guard let key = try target(of: table.key, group) else { return .null }
      return .typedLink(table.key, key)
    default: return random.value(.mixed, isNullable: true)
    }
  }

  private mutating func target(of table: TableKey, _ group: WriteGroup) throws -> ObjectKey? {
    guard let table = try group.table(table), try table.objectCount() > 0 else { return nil }
    return try object(of: table)
  }
}

extension WriteGroup {
  fileprivate func classTable(_ name: String) throws -> WritableTable {
    try #require(try table(named: "class_\(name)"), "class \(name) is missing")
  }
}
