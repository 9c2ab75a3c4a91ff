// SPDX-License-Identifier: Apache-2.0

// The objects of runs with roles: two classes of the same form, with few keys and values.

import RealmFormats
import RealmReplication
import RealmStorage
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmServerEngine

/// Makes, changes and reads the objects of a device or a server.
enum RoleObjects {
  static let classes = ["Doc", "Log"]
  static let owners = ["u1", "u2", "u3", ""]
  static let tags = ["red", "blue"]
  static let fields = [
    "owner", "level", "open", "note", "tags", "marks", "counts", "home", "rooms", "score",
    "friend", "friends",
  ]
  /// The properties with embedded objects, and those of these.
  static let embedding = ["home", "rooms"]
  static let nested = ["alarm", "street"]
  /// The values of a new object.
  static let initial: ModelObject = [
    "owner": .string(""), "level": .integer(0), "open": .bool(false), "note": .string(""),
    "tags": .array([]), "marks": .array([]), "counts": .object([]), "home": .null,
    "rooms": .array([]), "score": .integer(0), "friend": .null, "friends": .array([]),
  ]
  /// The properties to which numbers are added.
  static let counters = ["level", "score"]

  /// The class of the objects that those of a class link to.
  static func friends(ofClass name: String) -> String { name == "Doc" ? "Log" : "Doc" }

  static func makeSchema(in group: WriteGroup) throws {
    let home = try group.createTable(named: "class_Home", kind: .embedded)
    for name in nested { try home.addColumn(named: name, type: .string) }
    for name in classes {
      let table = try group.createTable(named: "class_" + name)
      let id = try table.addColumn(named: "_id", type: .string)
      try table.setPrimaryKey(id.key)
      try table.addColumn(named: "owner", type: .string)
      try table.addColumn(named: "level", type: .int)
      try table.addColumn(named: "open", type: .bool)
      try table.addColumn(named: "note", type: .string)
      try table.addColumn(named: "tags", type: .string, collection: .set)
      try table.addColumn(named: "marks", type: .int, collection: .list)
      try table.addColumn(named: "counts", type: .int, collection: .dictionary)
      try table.addColumn(named: "home", type: .link, target: home.key)
      try table.addColumn(named: "rooms", type: .link, collection: .list, target: home.key)
      try table.addColumn(named: "score", type: .int)
    }
    for name in classes {
      let target = try #require(try group.table(named: "class_" + friends(ofClass: name)))
      let table = try #require(try group.table(named: "class_" + name))
      try table.addColumn(named: "friend", type: .link, target: target.key)
      try table.addColumn(named: "friends", type: .link, collection: .list, target: target.key)
    }
  }

  /// The objects of a class by their keys.
  static func all(
    ofClass name: String, in group: TableGroup
  ) throws -> [String: ModelObject] {
    guard let table = try group.table(named: "class_" + name) else { return [:] }
    var objects: [String: ModelObject] = [:]
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let row = cluster.row(at: index)
        var object: ModelObject = [:]
        var id = ""
        for column in table.schema.columns {
          if column.name.hasPrefix("friend") {
            let keys = try RoleLinks.targets(of: row, column, in: group).map {
              JSONValue.string($0)
            }
            object[column.name] = column.collection == .list ? .array(keys) : keys.first ?? .null
            continue
          }
          switch try row.value(of: column) {
          case .string(let text) where column.name == "_id": id = text
          case .string(let text): object[column.name] = .string(text)
          case .int(let number): object[column.name] = .integer(number)
          case .bool(let truth): object[column.name] = .bool(truth)
          case .list(let values) where column.name == "marks":
            object[column.name] = .array(numbers(values).map { .integer($0) })
          case .list(let values) where column.name == "rooms":
            object[column.name] = .array(try values.map { try home($0, of: column, in: group) })
          case .list(let values): object[column.name] = .array(texts(values))
          case .dictionary(let counts): object[column.name] = members(counts)
          case .link: object[column.name] = try home(row.value(of: column), of: column, in: group)
          case .null: object[column.name] = .null
          default: continue
          }
        }
        objects[id] = object
      }
    }
    return objects
  }

  private static func numbers(_ values: [TableValue]) -> [Int64] {
    values.compactMap { if case .int(let number) = $0 { number } else { nil } }
  }

  private static func members(_ counts: TableDictionary) -> JSONValue {
    .object(
      counts.entries.compactMap { entry in
        guard case .int(let number) = entry.value else { return nil }
        return JSONMember(entry.key, .integer(number))
      }.sorted { $0.key < $1.key })
  }

  private static func home(
    _ link: TableValue, of column: Column, in group: TableGroup
  ) throws -> JSONValue {
    guard case .link(let key) = link, let target = column.targetTable,
      let table = try group.table(target), let row = try table.row(of: key)
    else { return .null }
    return try embedded { name in
      guard let column = table.schema.column(named: name),
        case .string(let text) = try row.value(of: column)
      else { return "" }
      return text
    }
  }

  /// An embedded object.
  static func embedded(_ text: (String) throws -> String) rethrows -> JSONValue {
    .object(try nested.map { JSONMember($0, .string(try text($0))) })
  }

  /// An embedded object with another value.
  private static func embedded(
    _ object: JSONValue, _ name: String, _ value: JSONValue
  ) -> JSONValue {
    embedded { ($0 == name ? value : object[$0])?.string ?? "" }
  }

  private static func texts(_ values: [TableValue]) -> [JSONValue] {
    values.compactMap { if case .string(let text) = $0 { text } else { nil } }.sorted()
      .map { .string($0) }
  }

  // MARK: Writing

  /// A change of one object in a transaction.
  struct Step: Hashable {
    let className: String
    let key: String
    var isErased = false
    /// Whether it is made where the device does not have it.
    var makes = false
    /// The properties that are set. For collections the element that is inserted: into "tags", at
    /// the end of "marks" and "rooms", and under its name into "counts". "home.alarm" is the
    /// property of the embedded object as it is, "rooms.alarm" that of the first one.
    var values: [String: JSONValue] = [:]
    /// What is added to numbers, after the values are set.
    var increments: [String: Int64] = [:]
    /// Objects that the transaction erases, to which the device's object links: the links go with
    /// them, which is a change of these properties.
    var unlinked: Set<String> = []
    var unlinkedFields: Set<String> = []
    /// The place of the first room that the device sees: it made the object without seeing that of
    /// the server, whose rooms stand before its own.
    var firstRoom = 0
    /// The same of "friends".
    var firstFriend = 0

    var fields: Set<String> {
      Set(values.keys.map { String($0.prefix { $0 != "." }) }).union(increments.keys)
        .union(unlinkedFields)
    }

    /// The properties of embedded objects that are set in their place.
    var nestedPaths: [[String]] {
      values.keys.sorted().map { $0.split(separator: ".").map(String.init) }
        .filter { $0.count > 1 }
    }

    /// The object after the step.
    func applied(to object: ModelObject?) -> ModelObject? {
      if isErased, !makes { return nil }
      var object = isErased ? nil : object
      if object == nil, makes { object = RoleObjects.initial }
      guard var result = object else { return nil }
      for (field, value) in values.sorted(by: { $0.key < $1.key }) {
        let path = field.split(separator: ".").map(String.init)
        switch (field, value) {
        case ("home", .string): result["home"] = embedded(.null, "street", value)
        case ("rooms", _), ("friends", _):
          result[field] = .array((result[field]?.array ?? []) + [value])
        case (_, _) where path.count > 1:
          if let home = result["home"], home != .null, path[0] == "home" {
            result["home"] = embedded(home, path[1], value)
          } else if path[0] == "rooms", var rooms = result["rooms"]?.array,
            rooms.indices.contains(firstRoom)
          {
            rooms[firstRoom] = embedded(rooms[firstRoom], path[1], value)
            result["rooms"] = .array(rooms)
          }
        case ("tags", _):
          let all = Set((result["tags"]?.array ?? []) + [value])
          result["tags"] = .array(all.sorted { "\($0)" < "\($1)" })
        case ("marks", _): result["marks"] = .array((result["marks"]?.array ?? []) + [value])
        case ("counts", .object(let new)):
          guard case .object(let old)? = result["counts"] else { continue }
          let rest = old.filter { member in !new.contains { $0.key == member.key } }
          result["counts"] = .object((rest + new).sorted { $0.key < $1.key })
        default: result[field] = value
        }
      }
      for (field, amount) in increments {
        result[field] = .integer((result[field]?.integer ?? 0) + amount)
      }
      return withoutUnlinked(result)
    }

    private func withoutUnlinked(_ object: ModelObject) -> ModelObject {
      var result = object
      if unlinkedFields.contains("friend") { result["friend"] = .null }
      if unlinkedFields.contains("friends"), let friends = result["friends"]?.array {
        let own = friends.dropFirst(firstFriend)
        result["friends"] = .array(
          friends.prefix(firstFriend) + own.filter { !unlinked.contains($0.string ?? "") })
      }
      return result
    }
  }

  /// Draws a change of an object that a device has, or makes another one.
  ///
  /// - Parameter linkable: The objects, by their classes, that links may lead to.
  static func step(
    _ known: [String: [String: ModelObject]], linkable: [String: [String]],
    _ random: inout SeededGenerator
  ) -> Step {
    let name = random.pick(classes)
    let key = "k\(random.number(below: 7))"
    let exists = known[name]?[key] != nil
    var step = Step(className: name, key: key)
    if exists, random.percent(15) {
      step.isErased = true
      guard random.percent(20) else { return step }
    }
    step.makes = !exists || step.isErased
    for field in fields where random.percent(step.makes ? 60 : 30) {
      step.values[field] = value(of: field, linkable[friends(ofClass: name)] ?? [], &random)
    }
    for field in counters where random.percent(20) {
      // What is added to a new object leaves no initial value.
      let amount = Int64(1 + random.number(below: 3))
      step.increments[field] = !step.makes && random.percent(40) ? -amount : amount
    }
    guard !step.makes, let object = known[name]?[key] else { return step }
    for field in embedding where object[field] != initial[field] {
      for name in nested where random.percent(15) {
        step.values["\(field).\(name)"] = text(&random)
      }
    }
    return step
  }

  private static func text(_ random: inout SeededGenerator) -> JSONValue {
    .string(random.percent(30) ? "" : "t\(random.number(below: 100))")
  }

  /// A value, or nil for a link that has no target.
  private static func value(
    of field: String, _ linkable: [String], _ random: inout SeededGenerator
  ) -> JSONValue? {
    switch field {
    case "friend" where random.percent(25): .null
    case "friend", "friends": linkable.isEmpty ? nil : .string(random.pick(linkable))
    case "score": .integer(Int64(random.number(below: 4)))
    case "owner": .string(random.pick(owners))
    case "level": .integer(Int64(random.number(below: 4)))
    case "open": .bool(random.percent(50))
    case "tags": .string(random.pick(tags))
    case "marks": .integer(Int64(random.number(below: 100)))
    case "counts":
      .object([
        JSONMember(random.pick(["a", "b"]), .integer(Int64(random.number(below: 100))))
      ])
    case "home", "rooms":
      .object(nested.map { JSONMember($0, text(&random)) })
    default: .string(random.percent(20) ? "" : "n\(random.number(below: 1_000))")
    }
  }

  /// Carries a step out on a device.
  static func carryOut(_ step: Step, in group: WriteGroup) throws {
    let table = try #require(try group.table(named: "class_" + step.className))
    if step.isErased, let row = try table.findRow(primaryKey: .string(step.key)) {
      try table.delete(row.key)
    }
    guard step.makes || !step.isErased else { return }
    let key = try table.findOrCreate(primaryKey: .string(step.key)).key
    for (field, value) in step.values.sorted(by: { $0.key < $1.key }) {
      let path = field.split(separator: ".").map(String.init)
      let column = try #require(table.schema.column(named: path[0]))
      switch value {
      case .string(let text) where path.count > 1:
        let row = try #require(try table.row(of: key))
        let home = try #require(links(try row.value(of: column)).first)
        try setEmbedded([(path[1], text)], home, group)
      case .object(let members) where embedding.contains(field):
        let home = try makeEmbedded(column, of: key, table)
        try setEmbedded(members.map { ($0.key, $0.value.string ?? "") }, home, group)
      case .string(let text) where field == "tags":
        try table.set(column, key).insert(.string(text))
      case .string(let text) where field == "home":
        try setEmbedded([("street", text)], makeEmbedded(column, of: key, table), group)
      case .string(let text) where field.hasPrefix("friend"):
        try RoleLinks.add(text, column, to: key, table, group)
      case .null: try table.set(.null, column, key)
      case .string(let text): try table.set(.string(text), column, key)
      case .integer(let number) where field == "marks":
        try table.list(column, key).append(.int(number))
      case .object(let members):
        for case (let name, .integer(let number)) in members.map({ ($0.key, $0.value) }) {
          try table.dictionary(column, key).set(.int(number), for: name)
        }
      case .integer(let number): try table.set(.int(number), column, key)
      case .bool(let truth): try table.set(.bool(truth), column, key)
      default: continue
      }
    }
    for (field, amount) in step.increments.sorted(by: { $0.key < $1.key }) {
      try table.add(amount, to: #require(table.schema.column(named: field)), of: key)
    }
  }

  private static func links(_ value: TableValue) -> [ObjectKey] {
    switch value {
    case .link(let key): [key]
    case .list(let values): values.flatMap(links)
    default: []
    }
  }

  /// Gives an object a new embedded one: in place of another, or at the end of a list.
  private static func makeEmbedded(
    _ column: Column, of key: ObjectKey, _ table: WritableTable
  ) throws -> ObjectKey {
    guard column.collection == .list else { return try table.createEmbedded(column, of: key).key }
    let list = try table.list(column, key)
    return try list.insertEmbedded(at: list.count).key
  }

  /// Sets properties of an embedded object.
  private static func setEmbedded(
    _ values: [(String, String)], _ object: ObjectKey, _ group: WriteGroup
  ) throws {
    let homes = try #require(try group.table(named: "class_Home"))
    for (name, text) in values {
      try homes.set(.string(text), #require(homes.schema.column(named: name)), object)
    }
  }
}
