// SPDX-License-Identifier: Apache-2.0

// Random changes to the sets and dictionaries of any file.

import RealmStorage
import RealmTestSupport

@testable import RealmTables

/// Inserts into, and removes from, sets and dictionaries of the objects of all tables.
struct CollectionEditor {
  private var random: SeededGenerator
  private let group: WriteGroup

  init(_ group: WriteGroup, seed: UInt64) {
    self.group = group
    random = SeededGenerator(seed: seed)
  }

  mutating func run() throws {
    for key in try group.tableKeys() {
      guard let table = try group.table(key) else { continue }
      for column in table.schema.columns {
        for position in 0..<min(try table.objectCount(), 20) {
          guard let object = try table.table.key(at: position) else { break }
          switch column.collection {
          case .set: try change(try table.set(column, object), column)
          case .dictionary: try change(try table.dictionary(column, object), column)
          case .none, .list: break
          }
        }
      }
    }
  }

  private mutating func change(_ set: SetEditor, _ column: Column) throws {
    guard column.type != .link else { return }
    for _ in 0..<6 { try set.insert(random.value(column.type, isNullable: column.isNullable)) }
    for _ in 0..<3 where try set.view.count > 0 {
      let index = Int.random(in: 0..<(try set.view.count), using: &random)
      let value = try set.view.value(at: index)
      // An element of an ordered set is found by its value.
      guard try set.remove(value) else {
        throw StorageError.corrupted("a set does not find its element \(value)")
      }
      try set.insert(value)
    }
    try set.remove(at: 0)
  }

  private mutating func change(_ dictionary: DictionaryEditor, _ column: Column) throws {
    guard column.type != .link else { return }
    for number in 0..<6 {
      let value = random.value(column.type, isNullable: column.isNullable)
      try dictionary.set(value, for: "new \(number)")
    }
    for name in try dictionary.view.allKeys().prefix(3) {
      guard try dictionary.view.position(of: name) != nil else {
        throw StorageError.corrupted("a dictionary does not find its key \(name)")
      }
      try dictionary.set(random.value(column.type, isNullable: column.isNullable), for: name)
      if random.chance(30) { try dictionary.remove(name) }
    }
  }
}
