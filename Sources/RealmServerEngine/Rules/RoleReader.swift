// SPDX-License-Identifier: Apache-2.0

// Reading roles, strictly: what this server does not evaluate is an error.

package import RealmFormats

/// Reads the member "roles" of `app.json`.
package struct RoleReader {
  /// Reads the conditions.
  private let rules: RuleReader

  package init(rules: RuleReader) { self.rules = rules }

  /// The roles of an app: a default list, and lists of classes.
  package func roles(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) -> AppRoles {
    var roles = AppRoles()
    for member in try Self.members(json, "\"roles\"", at: path) {
      let place = path + [.key(member.key)]
      switch member.key {
      case "default": roles.fallback = try list(member.value, at: place)
      case "classes":
        for member in try Self.members(member.value, "\"classes\"", at: place) {
          let place = place + [.key(member.key)]
          guard !member.key.isEmpty else {
            throw AppFileError(rule: "a class needs a name", at: place)
          }
          roles.classes[member.key] = try list(member.value, at: place)
        }
      default:
        throw Self.unknown(member.key, in: "\"roles\"", known: "default and classes", at: place)
      }
    }
    return roles
  }

  private func list(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) -> [Role] {
    guard case .array(let elements) = json else {
      throw AppFileError(rule: "roles are a list: the first that applies decides", at: path)
    }
    var roles: [Role] = []
    for (index, element) in elements.enumerated() {
      let place = path + [.index(index)]
      let role = try role(element, at: place)
      guard !roles.contains(where: { $0.name == role.name }) else {
        throw AppFileError(
          rule: "the list has two roles \"\(role.name)\"", at: place + [.key("name")])
      }
      roles.append(role)
    }
    return roles
  }

  // MARK: A role

  private func role(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) -> Role {
    let members = try Self.members(json, "a role", at: path)
    guard let name = json["name"]?.string, !name.isEmpty else {
      throw AppFileError(
        rule: "a role needs a \"name\"", at: json["name"] == nil ? path : path + [.key("name")]
      )
    }
    guard let condition = json["apply_when"] else {
      throw AppFileError(
        rule: "the role \"\(name)\" needs an \"apply_when\"; {} applies to all users", at: path
      )
    }
    let all = DocumentFilter.user(.constant(true))
    var role = Role(
      named: name,
      appliesWhen: try rules.expression(condition, at: path + [.key("apply_when")]),
      readFilter: all, writeFilter: all)
    for member in members {
      let place = path + [.key(member.key)]
      switch member.key {
      case "name", "apply_when": break
      case "document_filters": try readFilters(member.value, of: &role, at: place)
      case "read": role.reads = try Self.flag(member, at: place)
      case "write": role.writes = try Self.flag(member, at: place)
      case "insert": role.inserts = try Self.flag(member, at: place)
      case "delete": role.deletes = try Self.flag(member, at: place)
      // It is about searches that no device makes.
      case "search": _ = try Self.flag(member, at: place)
      case "fields": role.fields = try Self.fields(member.value, at: place)
      case "additional_fields": role.otherFields = try Self.access(member, at: place)
      default:
        throw Self.unknown(
          member.key, in: "a role",
          known: "name, apply_when, document_filters, read, write, insert, delete, search, fields "
            + "and additional_fields", at: place)
      }
    }
    try Self.check(role, at: path)
    return role
  }

  private func readFilters(
    _ json: JSONValue, of role: inout Role, at path: [JSONStep]
  ) throws(AppFileError) {
    // One that is left out admits nothing.
    role.readFilter = .user(.constant(false))
    role.writeFilter = .user(.constant(false))
    for member in try Self.members(json, "\"document_filters\"", at: path) {
      let place = path + [.key(member.key)]
      switch member.key {
      case "read":
        role.readFilter = try DocumentFilterReader(rules: rules).filter(member.value, at: place)
      case "write":
        role.writeFilter = try DocumentFilterReader(rules: rules).filter(member.value, at: place)
      default:
        throw Self.unknown(
          member.key, in: "\"document_filters\"", known: "read and write", at: place)
      }
    }
  }

  private static func fields(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> [String: Role.FieldRule] {
    var fields: [String: Role.FieldRule] = [:]
    for member in try members(json, "\"fields\"", at: path) {
      let place = path + [.key(member.key)]
      guard !member.key.isEmpty, !member.key.contains(".") else {
        throw AppFileError(
          rule: "\"\(member.key)\" is no property of the objects themselves: those of embedded "
            + "objects are in \"fields\" of the rule of their property",
          at: place)
      }
      fields[member.key] = try rule(member, at: place)
    }
    return fields
  }

  private static func rule(
    _ member: JSONMember, at path: [JSONStep]
  ) throws(AppFileError) -> Role.FieldRule {
    var rule = Role.FieldRule()
    for setting in try members(member.value, "\"\(member.key)\"", at: path) {
      let place = path + [.key(setting.key)]
      switch setting.key {
      case "read": rule.access.read = try flag(setting, at: place)
      case "write": rule.access.write = try flag(setting, at: place)
      case "fields": rule.fields = try fields(setting.value, at: place)
      case "additional_fields": rule.otherFields = try access(setting, at: place)
      default:
        throw unknown(
          setting.key, in: "\"\(member.key)\"",
          known: "read, write, fields and additional_fields", at: place)
      }
    }
    return rule
  }

  private static func access(
    _ member: JSONMember, at path: [JSONStep]
  ) throws(AppFileError) -> Role.Access {
    var access = Role.Access()
    for setting in try members(member.value, "\"\(member.key)\"", at: path) {
      let place = path + [.key(setting.key)]
      switch setting.key {
      case "read": access.read = try flag(setting, at: place)
      case "write": access.write = try flag(setting, at: place)
      default:
        throw unknown(setting.key, in: "\"\(member.key)\"", known: "read and write", at: place)
      }
    }
    return access
  }

  private static func flag(_ member: JSONMember, at path: [JSONStep]) throws(AppFileError) -> Bool {
    guard let flag = member.value.bool else {
      throw AppFileError(rule: "\"\(member.key)\" needs true or false", at: path)
    }
    return flag
  }

  /// Checks what the parts of a role need of each other: nothing looks protected that is not.
  private static func check(_ role: Role, at path: [JSONStep]) throws(AppFileError) {
    guard !role.reads(.partition) else {
      throw AppFileError(
        rule: "the role \"\(role.name)\" asks for %%partition, which flexible sync has not",
        at: path)
    }
    try check(role.fields, role.otherFields, within: role.access, at: path)
  }

  /// Checks rules of properties. The right to write includes reading: no property may look hidden
  /// without being so.
  private static func check(
    _ fields: [String: Role.FieldRule], _ otherFields: Role.Access, within access: Role.Rights,
    at path: [JSONStep]
  ) throws(AppFileError) {
    let others = access.replaced(by: otherFields)
    guard otherFields.read != false || !others.write else {
      throw AppFileError(
        rule: "other properties may not be read, and may be written: what may be written may "
          + "be read. Add \"write\": false",
        at: path + [.key("additional_fields"), .key("read")])
    }
    for (name, rule) in fields.sorted(by: { $0.key < $1.key }) {
      let own = others.replaced(by: rule.access)
      guard rule.access.read != false || !own.write else {
        throw AppFileError(
          rule: "the property \"\(name)\" may not be read, and may be written: what may be "
            + "written may be read. Add \"write\": false",
          at: path + [.key("fields"), .key(name), .key("read")])
      }
      try check(
        rule.fields, rule.otherFields, within: own, at: path + [.key("fields"), .key(name)])
    }
  }

  // MARK: Objects

  private static func members(
    _ json: JSONValue, _ name: String, at path: [JSONStep]
  ) throws(AppFileError) -> [JSONMember] {
    guard case .object(let members) = json else {
      throw AppFileError(rule: "\(name) needs an object", at: path)
    }
    return try RuleReader.unique(members, at: path)
  }

  private static func unknown(
    _ key: String, in name: String, known: String, at path: [JSONStep]
  ) -> AppFileError {
    AppFileError(rule: "unknown key \"\(key)\" in \(name): there are \(known)", at: path)
  }
}
