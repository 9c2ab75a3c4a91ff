// SPDX-License-Identifier: Apache-2.0

// Rules as the JSON of `app.json`, the opposite of `RuleReader` and `RoleReader`.
//
// Not every constant can stand in a rule: a text with a percent sign is an expansion there, and a
// list is compared by its elements. Such constants become named values of the file.

package import RealmFormats

/// Writes rules, and the named values in them.
package struct RuleWriter {
  /// The named values of the file.
  package private(set) var values: [String: BSONValue]

  package init(values: [String: BSONValue] = [:]) { self.values = values }

  /// The member "permissions".
  package mutating func json(_ permissions: PartitionPermissions) -> JSONValue {
    .object([
      JSONMember("read", json(permissions.read)), JSONMember("write", json(permissions.write)),
    ])
  }

  /// The member "roles".
  package mutating func json(_ roles: AppRoles) -> JSONValue {
    var members: [JSONMember] = []
    if !roles.fallback.isEmpty { members.append(JSONMember("default", json(roles.fallback))) }
    var classes: [JSONMember] = []
    for (name, list) in roles.classes.sorted(by: { $0.key < $1.key }) {
      classes.append(JSONMember(name, json(list)))
    }
    if !classes.isEmpty { members.append(JSONMember("classes", .object(classes))) }
    return .object(members)
  }

  private mutating func json(_ roles: [Role]) -> JSONValue {
    var elements: [JSONValue] = []
    for role in roles { elements.append(json(role)) }
    return .array(elements)
  }

  private mutating func json(_ role: Role) -> JSONValue {
    var members = [
      JSONMember("name", .string(role.name)), JSONMember("apply_when", json(role.appliesWhen)),
    ]
    let all = DocumentFilter.user(.constant(true))
    if role.readFilter != all || role.writeFilter != all {
      members.append(
        JSONMember(
          "document_filters",
          .object([
            JSONMember("read", json(role.readFilter)), JSONMember("write", json(role.writeFilter)),
          ])))
    }
    members += [
      JSONMember("read", .bool(role.reads)), JSONMember("write", .bool(role.writes)),
      JSONMember("insert", .bool(role.inserts)), JSONMember("delete", .bool(role.deletes)),
    ]
    members += Self.members(role.fields, role.otherFields)
    return .object(members)
  }

  /// The rules of properties; none where they say nothing.
  private static func members(
    _ fields: [String: Role.FieldRule], _ otherFields: Role.Access
  ) -> [JSONMember] {
    var members: [JSONMember] = []
    if !fields.isEmpty {
      let rules = fields.sorted { $0.key < $1.key }.map { (name, rule) in
        JSONMember(
          name, .object(Self.members(rule.access) + Self.members(rule.fields, rule.otherFields)))
      }
      members.append(JSONMember("fields", .object(rules)))
    }
    if otherFields != Role.Access() {
      members.append(JSONMember("additional_fields", .object(Self.members(otherFields))))
    }
    return members
  }

  private static func members(_ access: Role.Access) -> [JSONMember] {
    var members: [JSONMember] = []
    if let read = access.read { members.append(JSONMember("read", .bool(read))) }
    if let write = access.write { members.append(JSONMember("write", .bool(write))) }
    return members
  }

  // MARK: Conditions

  private mutating func json(_ filter: DocumentFilter) -> JSONValue {
    switch filter {
    case .all(let parts): return parts.isEmpty ? .object([]) : joined("%and", parts)
    case .any(let parts): return parts.isEmpty ? .bool(false) : joined("%or", parts)
    case .user(let rule): return json(rule)
    case .comparison(let field, let operation, let term):
      return Self.object(field, Self.object(operation.rawValue, json(term)))
    case .isIn(let field, let term): return Self.object(field, Self.object("$in", json(term)))
    case .isNotIn(let field, let term): return Self.object(field, Self.object("$nin", json(term)))
    }
  }

  private mutating func joined(_ key: String, _ parts: [DocumentFilter]) -> JSONValue {
    var elements: [JSONValue] = []
    for part in parts { elements.append(json(part)) }
    return Self.object(key, .array(elements))
  }

  /// A condition.
  package mutating func json(_ rule: RuleExpression) -> JSONValue {
    switch rule {
    case .constant(let truth): return .bool(truth)
    case .all(let parts): return parts.isEmpty ? .object([]) : joined("%and", parts)
    case .any(let parts): return parts.isEmpty ? .bool(false) : joined("%or", parts)
    case .comparison(let term, let comparison):
      return Self.object(expansion(term), json(comparison))
    }
  }

  private mutating func joined(_ key: String, _ parts: [RuleExpression]) -> JSONValue {
    var elements: [JSONValue] = []
    for part in parts { elements.append(json(part)) }
    return Self.object(key, .array(elements))
  }

  private mutating func json(_ comparison: RuleOperator) -> JSONValue {
    switch comparison {
    case .equal(let term): Self.object("$eq", json(term))
    case .notEqual(let term): Self.object("$ne", json(term))
    case .isIn(let term): Self.object("$in", json(term))
    case .exists(let expected): Self.object("$exists", .bool(expected))
    }
  }

  private static func object(_ key: String, _ value: JSONValue) -> JSONValue {
    .object([JSONMember(key, value)])
  }

  // MARK: Terms

  private mutating func json(_ term: RuleTerm) -> JSONValue {
    switch term {
    case .value(let value): return json(value)
    case .expansion(let expansion): return .string(expansion.text)
    case .list(let terms):
      var elements: [JSONValue] = []
      for term in terms { elements.append(json(term)) }
      return .array(elements)
    }
  }

  private mutating func json(_ value: BSONValue) -> JSONValue {
    switch value {
    case .int64(let number): return .integer(number)
    case .double(let number) where number.isFinite && Int64(exactly: number) == nil:
      return .double(number)
    case .string(let text) where text.hasPrefix("%"): return .string(name(of: value))
    case .array: return .string(name(of: value))
    default: return ExtendedJSONWriter.json(value)
    }
  }

  /// The left side of a comparison.
  private mutating func expansion(_ term: RuleTerm) -> String {
    switch term {
    case .expansion(let expansion): expansion.text
    case .value(.bool(true)): "%%true"
    case .value(.bool(false)): "%%false"
    case .value(let value): name(of: value)
    case .list(let terms):
      // A list of expansions is no left side: `AppFile.text()` says so.
      terms.isEmpty ? name(of: .array([])) : "%%list"
    }
  }

  /// The expansion of a named value; adds one if there is none.
  private mutating func name(of value: BSONValue) -> String {
    if let known = values.filter({ $0.value == value }).keys.min() { return "%%values.\(known)" }
    var number = values.count + 1
    while values["value\(number)"] != nil { number += 1 }
    values["value\(number)"] = value
    return "%%values.value\(number)"
  }
}

extension RuleExpansion {
  /// The expansion as rules name it.
  fileprivate var text: String {
    switch self {
    case .userID: "%%user.id"
    case .userType: "%%user.type"
    case .userEmail: "%%user.data.email"
    case .customData(let path): "%%user.custom_data." + path.joined(separator: ".")
    case .partition: "%%partition"
    }
  }
}
