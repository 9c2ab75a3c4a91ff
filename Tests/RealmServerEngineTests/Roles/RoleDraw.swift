// SPDX-License-Identifier: Apache-2.0

// Random roles, users and subscriptions.
//
// What runs leave out has tests of its own:
// - embedded objects in embedded objects, objects without primary key, asymmetric classes, and
//   rules within properties without embedded objects: `RoleFormTests`, `NestedFieldTests`;
// - elements of lists that are set, moved or erased one by one: `NestedFieldTests`, and the
//   convergence runs, in which the server has no model;
// - filters with values of other types, and named values: `RuleModelTests`, `FilterBindingTests`,
//   `NamedValueTests`; conditions of subscriptions of other forms: `SubscriptionFormTests`;
// - rules that change while a session goes on, and devices below protocol 14: `CurrentRulesTests`,
//   `RoleSessionTests`, and the convergence runs;
// - the Data API, which writes by the same roles: `DocumentRoleTests`.

import RealmFormats
import RealmTestSupport

/// Draws the rules of a run from small pools.
struct RoleDraw {
  var random: SeededGenerator

  private mutating func parsed(_ text: String) -> JSONValue {
    (try? JSONParser.parse(text)) ?? .null
  }

  /// The custom data of a user.
  mutating func customData() -> [String: JSONValue] {
    var data: [String: JSONValue] = [:]
    if random.percent(70) { data["admin"] = .bool(random.percent(40)) }
    if random.percent(70) { data["team"] = .string(random.pick(RoleObjects.tags)) }
    if random.percent(70) { data["level"] = .integer(Int64(random.number(below: 4))) }
    if random.percent(70) {
      data["friends"] = .array(
        RoleObjects.owners.filter { _ in random.percent(40) }.map { .string($0) })
    }
    return data
  }

  private mutating func condition() -> JSONValue {
    parsed(
      random.pick([
        "{}", "true", "true", "false", #"{"%%user.custom_data.admin":true}"#,
        #"{"%%user.custom_data.team":"red"}"#, #"{"%%user.id":{"$in":["u1","u2"]}}"#,
        #"{"%%user.id":{"$ne":"u1"}}"#, #"{"%%user.custom_data.level":{"$in":[1,2,3]}}"#,
      ]))
  }

  private mutating func filter(_ depth: Int = 0) -> JSONValue {
    let level = random.number(below: 4)
    if depth < 2, random.percent(25) {
      let key = random.pick(["$and", "%and", "$or", "%or"])
      return .object([JSONMember(key, .array([filter(depth + 1), filter(depth + 1)]))])
    }
    return parsed(
      random.pick([
        "true", "{}", #"{"owner":"%%user.id"}"#, #"{"owner":"%%user.id"}"#,
        #"{"owner":{"$ne":"%%user.id"}}"#, #"{"owner":{"$in":"%%user.custom_data.friends"}}"#,
        #"{"owner":{"$nin":"%%user.custom_data.friends"}}"#, #"{"owner":{"$in":["","u2"]}}"#,
        #"{"open":true}"#, #"{"open":{"$ne":"%%user.custom_data.admin"}}"#,
        #"{"level":{"$gt":\#(level)}}"#, #"{"level":{"$lte":\#(level)}}"#,
        #"{"level":{"$lt":3,"$gte":1}}"#, #"{"level":{"$ne":\#(level)}}"#,
        #"{"level":"%%user.custom_data.level"}"#, #"{"level":{"$gte":"%%user.custom_data.level"}}"#,
        #"{"tags":"%%user.custom_data.team"}"#, #"{"tags":{"$ne":"red"}}"#,
        #"{"tags":{"$in":["red","%%user.custom_data.team"]}}"#, #"{"level":"x"}"#,
        #"{"level":{"$ne":"x"}}"#, #"{"missing":{"$ne":1}}"#,
        #"{"%%user.custom_data.admin":true,"level":{"$gt":0}}"#,
      ]))
  }

  private mutating func role(_ number: Int) -> JSONValue {
    var members = [
      JSONMember("name", .string("r\(number)")), JSONMember("apply_when", condition()),
    ]
    let reads = random.percent(85)
    if random.percent(85) {
      var filters: [JSONMember] = []
      if random.percent(85) { filters.append(JSONMember("read", filter())) }
      if random.percent(80) { filters.append(JSONMember("write", filter())) }
      members.append(JSONMember("document_filters", .object(filters)))
    }
    members.append(JSONMember("read", .bool(reads)))
    members.append(JSONMember("write", .bool(random.percent(75))))
    members.append(JSONMember("insert", .bool(random.percent(75))))
    members.append(JSONMember("delete", .bool(random.percent(60))))
    if random.percent(60) {
      var fields: [JSONMember] = []
      for field in RoleObjects.fields {
        let embeds = RoleObjects.embedding.contains(field)
        guard random.percent(embeds ? 50 : 30) else { continue }
        let isNested = embeds && random.percent(70)
        fields.append(JSONMember(field, isNested ? nestedRule() : rule(writes: 40)))
      }
      members.append(JSONMember("fields", .object(fields)))
      if random.percent(40) { members.append(JSONMember("additional_fields", rule(writes: 50))) }
    }
    return .object(members)
  }

  /// The rule of a property with embedded objects.
  private mutating func nestedRule() -> JSONValue {
    guard case .object(var members) = rule(writes: 40) else { return .object([]) }
    if random.percent(50) { members = [] }
    let names = RoleObjects.nested.filter { _ in random.percent(60) }
    members.append(
      JSONMember("fields", .object(names.map { JSONMember($0, rule(writes: 50)) })))
    if random.percent(50) { members.append(JSONMember("additional_fields", rule(writes: 50))) }
    return .object(members)
  }

  /// The rule of properties. What may be written may be read.
  private mutating func rule(writes percent: Int) -> JSONValue {
    let writes = random.percent(percent)
    var members = [JSONMember("write", .bool(writes))]
    if random.percent(50) {
      members.append(JSONMember("read", .bool(writes || random.percent(30))))
    }
    return .object(members)
  }

  private mutating func list() -> JSONValue {
    .array((0..<1 + random.number(below: 3)).map { role($0) })
  }

  /// The roles of an app; "Doc" may have its own, "Log" has the default ones.
  mutating func roles() -> JSONValue {
    var members = [JSONMember("default", list())]
    if random.percent(80) {
      members.append(JSONMember("classes", .object([JSONMember("Doc", list())])))
    }
    return .object(members)
  }

  /// The subscriptions of a device.
  mutating func queries() -> [String: String] {
    var queries: [String: String] = [:]
    for name in RoleObjects.classes where random.percent(90) {
      queries[name] = random.pick(Self.conditions).text
    }
    return queries
  }

  private struct Condition {
    let text: String
    /// The property of the condition; nil for none.
    var field: String?
    let holds: @Sendable (ModelObject) -> Bool
  }

  private static let conditions = [
    Condition(text: "TRUEPREDICATE") { _ in true }, Condition(text: "TRUEPREDICATE") { _ in true },
    Condition(text: "level > 0", field: "level") { ($0["level"]?.integer ?? 0) > 0 },
    Condition(text: "open == true", field: "open") { $0["open"] == .bool(true) },
    Condition(text: "owner == \"u1\"", field: "owner") { $0["owner"] == .string("u1") },
    Condition(text: "\"red\" == tags", field: "tags") {
      $0["tags"]?.array?.contains(.string("red")) ?? false
    },
  ]

  /// Whether subscriptions have an object. One about a hidden property has none.
  static func hold(
    _ queries: [String: String], _ object: ModelObject, ofClass name: String, _ model: RoleModel?
  ) -> Bool {
    guard let condition = conditions.first(where: { $0.text == queries[name] }),
      !(condition.field.map { model?.hides(field: $0, ofClass: name) ?? false } ?? false)
    else { return false }
    return condition.holds(object)
  }

  /// Whether a subscription asks for a property that a user may not read.
  static func isRefused(_ queries: [String: String], _ model: RoleModel?) -> Bool {
    queries.contains { (name, text) in
      conditions.first { $0.text == text }?.field
        .map { model?.hides(field: $0, ofClass: name) ?? false } ?? false
    }
  }
}
