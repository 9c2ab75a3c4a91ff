// SPDX-License-Identifier: Apache-2.0

// Changesets about a small class, as tests of single rules write them.

import RealmSyncProtocol

extension Changeset {
  /// Adds the classes `Item` (key `id`), `Part` (embedded) and `Free` (without key), with a
  /// property of each kind; gives the name of the first.
  mutating func addItems() -> InternedString {
    let item = intern("Item")
    addClass("Item", key: ("id", .string, false))
    addClass("Part", kind: .embedded)
    addClass("Free", key: ("", .globalKey, false))
    addProperty("Item", "count", .int)
    addProperty("Item", "maybe", .int, isNullable: true)
    addProperty("Item", "name", .string)
    addProperty("Item", "any", .null, isNullable: true)
    addProperty("Item", "anys", .null, isNullable: true, .list)
    addProperty("Item", "anyMap", .null, isNullable: true, .dictionary)
    addProperty("Item", "numbers", .int, .list)
    addProperty("Item", "numberMap", .int, .dictionary)
    addProperty("Item", "numberSet", .int, .set)
    addProperty("Item", "link", .link, isNullable: true, target: "Item")
    addProperty("Item", "links", .link, .list, target: "Item")
    addProperty("Item", "linkSet", .link, .set, target: "Item")
    addProperty("Item", "linkMap", .link, isNullable: true, .dictionary, target: "Item")
    addProperty("Item", "free", .link, isNullable: true, target: "Free")
    addProperty("Item", "part", .link, isNullable: true, target: "Part")
    addProperty("Item", "parts", .link, .list, target: "Part")
    addProperty("Item", "partMap", .link, isNullable: true, .dictionary, target: "Part")
    addProperty("Part", "x", .int)
    addProperty("Part", "part", .link, isNullable: true, target: "Part")
    addProperty("Free", "text", .string)
    return item
  }

  mutating func addClass(
    _ name: String, kind: ChangesetTableKind = .topLevel,
    key: (name: String, type: PayloadType, isNullable: Bool)? = nil
  ) {
    let table = intern(name)
    let column = key.map {
      Instruction.KeyColumn(field: intern($0.name), type: $0.type, isNullable: $0.isNullable)
    }
    append(.addTable(.init(table: table, kind: kind, key: column)))
  }

  mutating func addProperty(
    _ table: String, _ name: String, _ type: PayloadType, isNullable: Bool = false,
    _ collection: ChangesetCollectionKind = .single, target: String? = nil
  ) {
    append(
      .addColumn(
        .init(
          table: intern(table), field: intern(name), type: type, isNullable: isNullable,
          collection: collection, linkTarget: target.map { intern($0) })))
  }

  mutating func create(_ table: InternedString, _ key: String) {
    append(.createObject(.init(table: table, key: .string(intern(key)))))
  }

  mutating func erase(_ table: InternedString, _ key: String) {
    append(.eraseObject(.init(table: table, key: .string(intern(key)))))
  }

  /// A step of a path as tests write it.
  enum Step {
    case at(UInt32)
    case key(String)
  }

  mutating func path(
    _ table: InternedString, _ key: String, _ field: String, _ steps: [Step] = []
  ) -> InstructionPath {
    let elements = steps.map { step -> PathElement in
      switch step {
      case .at(let index): .index(index)
      case .key(let key): .key(intern(key))
      }
    }
    return InstructionPath(
      table: table, key: .string(intern(key)), field: intern(field),
      elements: addElements(elements))
  }

  mutating func update(
    _ table: InternedString, _ key: String, _ field: String, _ steps: [Step] = [],
    to value: Payload, priorSize: UInt32 = 0
  ) {
    let path = path(table, key, field, steps)
    append(.update(.init(path: path, value: value, priorSize: priorSize)))
  }

  mutating func insert(
    _ table: InternedString, _ key: String, _ field: String, _ steps: [Step], _ value: Payload,
    priorSize: UInt32
  ) {
    let path = path(table, key, field, steps)
    append(.arrayInsert(.init(path: path, value: value, priorSize: priorSize)))
  }

  mutating func link(_ table: InternedString, _ key: String) -> Payload {
    .link(table: table, key: .string(intern(key)))
  }

  /// Inserts a link at the end of a list of that size.
  mutating func insertLink(
    _ table: InternedString, _ key: String, _ field: String, _ target: String, at index: UInt32
  ) {
    let link = link(table, target)
    insert(table, key, field, [.at(index)], link, priorSize: index)
  }
}
