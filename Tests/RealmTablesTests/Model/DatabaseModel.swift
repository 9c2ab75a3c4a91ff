// SPDX-License-Identifier: Apache-2.0

// What a database must hold, kept in dictionaries.

import RealmStorage

@testable import RealmTables

/// The contents of a version, by rules so simple that they are right.
struct DatabaseModel {
  /// An object; `life` distinguishes it from another that had the key before.
  struct Object: Equatable {
    let life: Int
    var values: [String: TableValue]
  }

  typealias Table = [ObjectKey: Object]

  private(set) var tables: [String: Table]
  /// The keys of the file's tables, which typed links name.
  var tableKeys: [String: TableKey] = [:]
  /// The keys of its columns by `table.column`.
  var columnKeys: [String: ColumnKey] = [:]
  private var lives = 0
  /// Whether deleting an object erases links to it from lists of mixed values.
  var erasesMixedElements = false
  /// What was written since `startTransaction`.
  private(set) var touched: [String: Set<ObjectKey>] = [:]

  init() {
    tables = Dictionary(uniqueKeysWithValues: ModelTable.all.map { ($0.name, [:]) })
  }

  mutating func startTransaction() { touched = [:] }

  subscript(_ table: String) -> Table { tables[table] ?? [:] }

  func value(_ column: String, _ key: ObjectKey, _ table: String) -> TableValue {
    tables[table]?[key]?.values[column] ?? .null
  }

  func list(_ column: String, _ key: ObjectKey, _ table: String) -> [TableValue] {
    if case .list(let values) = value(column, key, table) { values } else { [] }
  }

  func entries(_ column: String, _ key: ObjectKey, _ table: String) -> [TableDictionary.Entry] {
    if case .dictionary(let value) = value(column, key, table) { value.entries } else { [] }
  }

  /// The object of a table with that primary key.
  func find(_ value: TableValue, in table: ModelTable) -> ObjectKey? {
    guard let column = table.primaryKey else { return nil }
    return self[table.name].first { $0.value.values[column] == value }?.key
  }

  // MARK: Changing

  mutating func create(_ key: ObjectKey, in table: ModelTable, primaryKey: TableValue?) {
    var values: [String: TableValue] = [:]
    for column in table.columns { values[column.name] = Self.initial(column) }
    if let name = table.primaryKey { values[name] = primaryKey }
    lives += 1
    tables[table.name]?[key] = Object(life: lives, values: values)
    touched[table.name, default: []].insert(key)
  }

  private static func initial(_ column: ModelTable.Column) -> TableValue {
    if column.collection == .dictionary { return .dictionary(TableDictionary([])) }
    if column.collection != .none { return .list([]) }
    if column.isNullable { return .null }
    return switch column.type {
    case .int: .int(0)
    case .bool: .bool(false)
    case .string: .string("")
    case .binary: .binary([])
    case .float: .float(0)
    case .double: .double(0)
    case .timestamp: .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
    case .decimal: .decimal(DecimalBits(low: 0, high: 0x3040_0000_0000_0000))
    case .objectId: .objectId(Bytes12(high: 0, low: 0))
    case .uuid: .uuid(Bytes16(high: 0, low: 0))
    case .mixed, .link, .typedLink, .backlink: .null
    }
  }

  mutating func set(
    _ value: TableValue, _ column: String, _ key: ObjectKey, _ table: ModelTable
  ) {
    let old = self.value(column, key, table.name)
    tables[table.name]?[key]?.values[column] = value
    touched[table.name, default: []].insert(key)
    dropEmbedded(old, replacedBy: value, table.column(column))
  }

  mutating func edit(
    _ column: String, _ key: ObjectKey, _ table: ModelTable,
    _ body: (inout [TableValue]) -> Void
  ) {
    var values = list(column, key, table.name)
    body(&values)
    set(.list(values), column, key, table)
  }

  /// Inserts in a set unless an equal element is there.
  mutating func insert(
    _ value: TableValue, inSet column: String, _ key: ObjectKey, _ table: ModelTable
  ) {
    edit(column, key, table) { elements in
      // Null comes first in decimals too: there are no NaNs in this model.
      let position = elements.firstIndex { $0.compare(to: value) >= 0 }
      guard let position else { return elements.append(value) }
      if elements[position].compare(to: value) != 0 {
        elements.insert(value, at: position)
      }
    }
  }

  /// Sets or, for nil, removes the value of a dictionary.
  mutating func set(
    _ value: TableValue?, for name: String, inMap column: String, _ key: ObjectKey,
    _ table: ModelTable
  ) {
    var entries = entries(column, key, table.name)
    entries.removeAll { $0.key == name }
    if let value { entries.append(TableDictionary.Entry(key: name, value: value)) }
    entries.sort { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
    set(.dictionary(TableDictionary(entries)), column, key, table)
  }

  /// Embedded objects go with the link to them.
  private mutating func dropEmbedded(
    _ old: TableValue, replacedBy new: TableValue, _ column: ModelTable.Column?
  ) {
    guard let name = column?.target, let target = ModelTable.all.first(where: { $0.name == name }),
      target.kind == .embedded
    else { return }
    let gone = Set(Self.links(old)).subtracting(Self.links(new))
    for key in gone { delete(key, in: target) }
  }

  private static func links(_ value: TableValue) -> [ObjectKey] {
    switch value {
    case .link(let key): [key]
    case .list(let values): values.flatMap(links)
    case .dictionary(let values): values.entries.flatMap { links($0.value) }
    default: []
    }
  }

  /// Deletes an object, the links to it, and the embedded objects it owns.
  mutating func delete(_ key: ObjectKey, in table: ModelTable) {
    guard let object = tables[table.name]?.removeValue(forKey: key) else { return }
    touched[table.name, default: []].insert(key)
    let typedLink = tableKeys[table.name].map { TableValue.typedLink($0, key) }
    for origin in ModelTable.all {
      for column in origin.columns {
        if column.target == table.name {
          removeLinks(.link(key), from: column, of: origin)
        } else if column.type == .mixed, let typedLink {
          removeLinks(typedLink, from: column, of: origin)
        }
      }
    }
    for column in table.columns {
      dropEmbedded(object.values[column.name] ?? .null, replacedBy: .null, column)
    }
  }

  private mutating func removeLinks(
    _ link: TableValue, from column: ModelTable.Column, of origin: ModelTable
  ) {
    for (key, object) in self[origin.name] {
      let old = object.values[column.name]
      var new = old
      if column.type == .mixed, column.collection != .set {
        new = old?.clearing(link, erases: erasesMixedElements)
      } else if column.collection == .none {
        if old == link { new = .null }
      } else if case .list(let values) = old, values.contains(link) {
        new = .list(values.filter { $0 != link })
      } else if case .dictionary(var values) = old {
        for index in values.entries.indices where values.entries[index].value == link {
          values.entries[index].value = .null
        }
        new = .dictionary(values)
      }
      guard new != old else { continue }
      tables[origin.name]?[key]?.values[column.name] = new
      touched[origin.name, default: []].insert(key)
    }
  }

  // MARK: Backlinks

  /// The links to each object of a table by origin table, column and object: the keys repeated.
  func backlinks(to table: String) -> [ObjectKey: [String: [ObjectKey]]] {
    var found: [ObjectKey: [String: [ObjectKey]]] = [:]
    for origin in ModelTable.all {
      for column in origin.columns where column.target == table || column.type == .mixed {
        let place = "\(origin.name).\(column.name)"
        for (key, object) in self[origin.name] {
          for link in linked(object.values[column.name] ?? .null, table) {
            found[link, default: [:]][place, default: []].append(key)
          }
        }
      }
    }
    return found
  }

  private func linked(_ value: TableValue, _ table: String) -> [ObjectKey] {
    switch value {
    case .link(let key): [key]
    case .typedLink(let target, let key): target == tableKeys[table] ? [key] : []
    case .list(let values): values.flatMap { linked($0, table) }
    case .dictionary(let values): values.entries.flatMap { linked($0.value, table) }
    default: []
    }
  }
}
