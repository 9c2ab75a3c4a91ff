// SPDX-License-Identifier: Apache-2.0

// The links of runs with roles: to objects that are there, that a device does not see, and that are
// erased.
//
// An object that a device erases itself takes the links to it along, which is a change of the
// objects that have them. Where others erase it, or where it leaves a view, the links wait for an
// object of its key: so a link has one value at the server and at all devices, whether they have
// its target or not.

import RealmFormats
import RealmStorage
import RealmTables
import Testing

/// Reads and makes links, and finds those that go.
enum RoleLinks {
  /// The keys of the objects that a property links to, missing ones included.
  static func targets(
    of row: Row, _ column: Column, in group: TableGroup
  ) throws -> [String] {
    var keys: [String] = []
    try row.forEachLink(in: column) { (link) throws(StorageError) in
      guard let key = try group.schema(of: link.table)?.primaryKey,
        let target = try group.row(of: link.key, in: link.table),
        case .string(let text) = try target.value(of: key)
      else { return keys.append("a link without a target") }
      keys.append(text)
    }
    return keys
  }

  /// Sets a link, or adds one to a list.
  static func add(
    _ friend: String, _ column: Column, to key: ObjectKey, _ table: WritableTable,
    _ group: WriteGroup
  ) throws {
    let target = try #require(column.targetTable)
    let targets = try #require(try group.table(target))
    let object = try #require(try targets.findRow(primaryKey: .string(friend))).key
    if column.collection == .list {
      try table.list(column, key).append(.link(object))
    } else {
      try table.set(.link(object), column, key)
    }
  }

  /// Whether an object that a transaction changes may be in one with its other changes: it has one
  /// change of each object, and the links that go with an erased one are such a change.
  static func fits(
    _ step: RoleObjects.Step, _ steps: [RoleObjects.Step], _ known: [String: [String: ModelObject]]
  ) -> Bool {
    let friends = RoleObjects.friends(ofClass: step.className)
    func isLinked(_ object: ModelObject?, to key: String) -> Bool {
      object.map { !fields(of: $0, to: [key]).isEmpty } ?? false
    }
    return steps.allSatisfy { other in
      if other.className == step.className { return other.key != step.key }
      guard other.className == friends else { return true }
      let links = isLinked(known[friends]?[other.key], to: step.key)
      let isNew = fields(of: other.values, to: [step.key]).isEmpty == false
      if step.isErased, links || isNew { return false }
      return !(other.isErased && isLinked(known[step.className]?[step.key], to: other.key))
    }
  }

  /// The objects, by their classes, that links of a further change may lead to.
  static func linkable(
    _ steps: [RoleObjects.Step], _ known: [String: [String: ModelObject]]
  ) -> [String: [String]] {
    var keys = known.mapValues { Set($0.keys) }
    for step in steps {
      if step.isErased {
        keys[step.className]?.remove(step.key)
      } else if step.makes {
        keys[step.className, default: []].insert(step.key)
      }
    }
    return keys.mapValues { $0.sorted() }
  }

  /// The changes of objects whose links go with the objects that a transaction erases.
  static func unlinking(
    _ steps: [RoleObjects.Step], _ known: [String: [String: ModelObject]]
  ) -> [RoleObjects.Step] {
    var result: [RoleObjects.Step] = []
    for name in RoleObjects.classes {
      let friends = RoleObjects.friends(ofClass: name)
      let erased = Set(steps.filter { $0.isErased && $0.className == friends }.map(\.key))
      guard !erased.isEmpty else { continue }
      for (key, object) in (known[name] ?? [:]).sorted(by: { $0.key < $1.key })
      where !steps.contains(where: { $0.className == name && $0.key == key }) {
        let fields = fields(of: object, to: erased)
        guard !fields.isEmpty else { continue }
        var step = RoleObjects.Step(className: name, key: key)
        (step.unlinked, step.unlinkedFields) = (erased, fields)
        result.append(step)
      }
    }
    return result
  }

  /// The properties of an object that link to one of some others.
  private static func fields(of object: ModelObject, to keys: Set<String>) -> Set<String> {
    var fields: Set<String> = []
    if let key = object["friend"]?.string, keys.contains(key) { fields.insert("friend") }
    let friends = object["friends"]
    if let all = friends?.array ?? friends.map({ [$0] }),
      all.contains(where: { keys.contains($0.string ?? "") })
    {
      fields.insert("friends")
    }
    return fields
  }
}
