// SPDX-License-Identifier: Apache-2.0

// Random edits of sets and dictionaries.

import RealmStorage
import RealmTestSupport

@testable import RealmTables

extension ModelRun {
  func editSet(
    _ column: ModelTable.Column, _ key: ObjectKey, _ table: ModelTable, _ group: WriteGroup
  ) throws {
    let writable = try group.existing(table.name)
    let stored = try writable.schema.existing(column.name)
    let set = try writable.set(stored, key)
    let present = model.list(column.name, key, table.name)
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      try set.removeAll()
      model.edit(column.name, key, table) { $0 = [] }
    case 1 where !present.isEmpty:
      let index = Int.random(in: present.indices, using: &random)
      try set.remove(at: index)
      model.edit(column.name, key, table) { $0.remove(at: index) }
    case 2, 3:
      guard let value = present.randomElement(using: &random) else { return }
      try expect(set.remove(value), "\(value) was not in the set")
      model.edit(column.name, key, table) { $0.removeAll { $0 == value } }
    case 4:
      let values = (0..<5).compactMap { _ in setElement(of: column) }
      try writable.set(.list(values), stored, key)
      model.edit(column.name, key, table) { $0 = [] }
      for value in values { model.insert(value, inSet: column.name, key, table) }
    default:
      guard let value = setElement(of: column) else { return }
      let isNew = try set.insert(value)
      model.insert(value, inSet: column.name, key, table)
      try expect(
        isNew == (model.list(column.name, key, table.name).count > present.count),
        "\(value) was new to the set, or was not")
      let position = try set.view.position(ofSetElement: value)
      try expect(position != nil, "\(value) is not found")
    }
  }

  func editDictionary(
    _ column: ModelTable.Column, _ key: ObjectKey, _ table: ModelTable, _ group: WriteGroup
  ) throws {
    let writable = try group.existing(table.name)
    let stored = try writable.schema.existing(column.name)
    let map = try writable.dictionary(stored, key)
    let present = model.entries(column.name, key, table.name)
    switch Int.random(in: 0..<14, using: &random) {
    case 0:
      try map.removeAll()
      model.set(.dictionary(TableDictionary([])), column.name, key, table)
    case 1, 2:
      guard let entry = present.randomElement(using: &random) else { return }
      try expect(map.remove(entry.key), "there is no entry '\(entry.key)'")
      model.set(nil, for: entry.key, inMap: column.name, key, table)
    case 3:
      try expect(!map.remove("there is none"), "an entry was removed that is not there")
    case 4 where column.target == nil:
      var entries: [TableDictionary.Entry] = []
      for name in ["b", "", "a"] {
        entries.append(.init(key: name, value: setElement(of: column) ?? .null))
      }
      try writable.set(.dictionary(TableDictionary(entries)), stored, key)
      entries.sort { $0.key < $1.key }
      model.set(.dictionary(TableDictionary(entries)), column.name, key, table)
    default:
      try setEntry(column, key, table, map, group)
    }
  }

  private func setEntry(
    _ column: ModelTable.Column, _ key: ObjectKey, _ table: ModelTable, _ map: DictionaryEditor,
    _ group: WriteGroup
  ) throws {
    let present = model.entries(column.name, key, table.name)
    var name = random.string()
    if random.chance(40), let entry = present.randomElement(using: &random) { name = entry.key }
    if let target = ModelTable.all.first(where: { $0.name == column.target }),
      target.kind == .embedded
    {
      let (embedded, _) = try map.setEmbedded(for: name)
      model.create(embedded, in: target, primaryKey: nil)
      model.set(.link(embedded), for: name, inMap: column.name, key, table)
      return try fill(embedded, target, group)
    }
    let value = setElement(of: column) ?? .null
    try map.set(value, for: name)
    model.set(value, for: name, inMap: column.name, key, table)
    try expect(try map.view.position(of: name) != nil, "'\(name)' is not found")
  }

  /// A random element, links in mixed values included.
  private func setElement(of column: ModelTable.Column) -> TableValue? {
    if column.type == .mixed, column.collection == .set, random.chance(40), let link = typedLink() {
      return link
    }
    return element(of: column)
  }

  private func expect(_ isTrue: Bool, _ text: String) throws {
    guard !isTrue else { return }
    throw Failure(description: "seed \(seed), step \(stepCount): \(text)")
  }

  /// Makes sets and dictionaries of several nodes.
  func growBag(_ group: WriteGroup) throws {
    guard let table = ModelTable.all.first(where: { $0.name == "class_Bag" }),
      let key = model[table.name].keys.sorted().randomElement(using: &random)
    else { return }
    let writable = try group.existing(table.name)
    let set = try writable.set(try writable.schema.existing("ints"), key)
    let map = try writable.dictionary(try writable.schema.existing("scores"), key)
    let first = Int64.random(in: -5000...5000, using: &random)
    var elements = model.list("ints", key, table.name)
    var entries = model.entries("scores", key, table.name)
    for number in 0..<1200 {
      let value = TableValue.int(first + Int64(number * 7 % 1201))
      if try set.insert(value) { elements.append(value) }
      let name = "\(number * 11 % 1201)"
      try map.set(value, for: name)
      if let index = entries.firstIndex(where: { $0.key == name }) {
        entries[index].value = value
      } else {
        entries.append(.init(key: name, value: value))
      }
    }
    elements.sort { $0.compare(to: $1) < 0 }
    entries.sort { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
    model.set(.list(elements), "ints", key, table)
    model.set(.dictionary(TableDictionary(entries)), "scores", key, table)
  }
}
