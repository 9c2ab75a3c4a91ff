// SPDX-License-Identifier: Apache-2.0

// Random mixed values, with collections inside, and random edits of those.

import RealmFormats
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

extension ModelRun {
  /// A random value of a mixed column: a scalar, a link, or a collection of such.
  func mixedValue(depth: Int = 0) -> TableValue {
    if depth < 4, random.chance(depth == 0 ? 30 : 25) {
      let count = Int.random(in: 0...4, using: &random)
      if random.chance(50) {
        return .list((0..<count).map { _ in mixedValue(depth: depth + 1) })
      }
      return .dictionary(
        TableDictionary(
          ["", "a", "b", "日"].prefix(count).map {
            TableDictionary.Entry(key: $0, value: mixedValue(depth: depth + 1))
          }))
    }
    if random.chance(30), let link = typedLink() { return link }
    return random.value(.mixed, isNullable: true)
  }

  /// Edits a collection somewhere inside a mixed column; false if there is none.
  func editNested(
    _ column: ModelTable.Column, _ key: ObjectKey, _ table: ModelTable, _ group: WriteGroup
  ) throws -> Bool {
    let present = model.value(column.name, key, table.name)
    let places = present.places(isProperty: column.collection == .none)
    guard let place = places.randomElement(using: &random) else { return false }
    let writable = try group.existing(table.name)
    let stored = try writable.schema.existing(column.name)
    guard let row = try writable.row(of: key) else { return false }
    var path: [NestedStep] = []
    if column.collection == .none {
      path.append(NestedStep(salt: try row.salt(stored.leafIndex), position: 0))
    }
    for index in place {
      if let list = try row.list(stored, path) {
        path.append(try #require(list.nestedElement(at: index).step))
      } else if let map = try row.dictionary(stored, path) {
        path.append(try #require(map.nestedElement(at: index).step))
      }
    }
    var value = present
    try value.edit(at: place[...]) { collection in
      switch collection {
      case .list(var elements):
        try edit(&elements, writable.list(stored, key, at: path))
        collection = .list(elements)
      case .dictionary(var entries):
        try edit(&entries, writable.dictionary(stored, key, at: path))
        collection = .dictionary(entries)
      default: throw Failure(description: "a path leads to \(collection)")
      }
    }
    model.set(value, column.name, key, table)
    return true
  }

  private func edit(_ elements: inout [TableValue], _ list: ListEditor) throws {
    let index = Int.random(in: 0...elements.count, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      try list.removeAll()
      elements = []
    case 1, 2:
      guard index < elements.count else { return }
      try list.remove(at: index)
      elements.remove(at: index)
    case 3, 4:
      let target = Int.random(in: 0...elements.count, using: &random)
      guard index < elements.count, target < elements.count else { return }
      try list.move(from: index, to: target)
      elements.insert(elements.remove(at: index), at: target)
    case 5, 6:
      guard index < elements.count else { return }
      let value = mixedValue(depth: 3)
      try list.set(value, at: index)
      elements[index] = value
    default:
      for _ in 0..<(random.chance(1) ? 1100 : 1) {
        let value = mixedValue(depth: 3)
        try list.insert(value, at: index)
        elements.insert(value, at: index)
      }
    }
  }

  private func edit(_ entries: inout TableDictionary, _ map: DictionaryEditor) throws {
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      try map.removeAll()
      entries = TableDictionary([])
    case 1, 2:
      guard let entry = entries.entries.randomElement(using: &random) else { return }
      try map.remove(entry.key)
      entries.entries.removeAll { $0.key == entry.key }
    default:
      let name = random.chance(50) ? random.string() : "a"
      let value = mixedValue(depth: 3)
      try map.set(value, for: name)
      entries.entries.removeAll { $0.key == name }
      entries.entries.append(.init(key: name, value: value))
      entries.entries.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
  }
}

extension TableValue {
  /// The positions that lead to each collection inside the value; to the value itself too if it is
  /// that of a property.
  fileprivate func places(isProperty: Bool) -> [[Int]] {
    var found: [[Int]] = []
    switch self {
    case .list(let values):
      if isProperty { found.append([]) }
      for (index, value) in values.enumerated() {
        found += value.places(isProperty: true).map { [index] + $0 }
      }
    case .dictionary(let entries):
      if isProperty { found.append([]) }
      for (index, entry) in entries.entries.enumerated() {
        found += entry.value.places(isProperty: true).map { [index] + $0 }
      }
    default: break
    }
    return found
  }

  /// Edits the collection that positions lead to.
  fileprivate mutating func edit(
    at place: ArraySlice<Int>, _ body: (inout TableValue) throws -> Void
  ) throws {
    guard let index = place.first else { return try body(&self) }
    switch self {
    case .list(var values):
      try values[index].edit(at: place.dropFirst(), body)
      self = .list(values)
    case .dictionary(var entries):
      try entries.entries[index].value.edit(at: place.dropFirst(), body)
      self = .dictionary(entries)
    default: break
    }
  }

  /// The value with null wherever it or something in it is `link`; elements of lists are erased
  /// if so asked.
  func clearing(_ link: TableValue, erases: Bool) -> TableValue {
    switch self {
    case link: .null
    case .list(let values):
      .list(values.filter { !erases || $0 != link }.map { $0.clearing(link, erases: erases) })
    case .dictionary(var entries):
      {
        for index in entries.entries.indices {
          entries.entries[index].value = entries.entries[index].value.clearing(
            link, erases: erases)
        }
        return .dictionary(entries)
      }()
    default: self
    }
  }
}
