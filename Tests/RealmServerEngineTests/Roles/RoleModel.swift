// SPDX-License-Identifier: Apache-2.0

// Roles in the plainest form: their JSON, evaluated for objects that are dictionaries.

import RealmFormats
import RealmServerEngine

/// An object of the model: its properties by their names. Sets are arrays in order.
typealias ModelObject = [String: JSONValue]

/// What a user may do with objects, by the JSON of roles.
struct RoleModel {
  /// A mistake that a server could make.
  enum Fault: CaseIterable {
    case writeIsCheckedBeforeAlone
    case writeIsCheckedAfterAlone
    case fieldsAreIgnored
    case hiddenFieldsAreSeen
    case otherFieldsAreSeen
    case nestedFieldsAreSeen
    case nestedFieldsAreIgnored
    case newObjectsHaveNoFields
    case insertIsIgnored
    case deleteIsIgnored
    case viewIsIgnored
    case lastRoleApplies
    case defaultRolesApplyToo
    case readFilterIsIgnored
    case writeDoesNotImplyRead
    case missingPropertiesAreUnequal
    case incrementsAreLost
    case deletedLinksStay
    case missingLinksAreNull
  }

  /// The verdict about a change.
  enum Verdict: Hashable {
    case allowed, refused, isOutsideOfView
  }

  let roles: JSONValue
  let user: String
  let customData: [String: JSONValue]
  var fault: Fault?

  // MARK: Roles

  /// The role of the user for a class; nil for none.
  func role(ofClass name: String) -> JSONValue? {
    let own = roles["classes"]?[name]?.array
    var list = own ?? roles["default"]?.array ?? []
    if fault == .defaultRolesApplyToo { list += roles["default"]?.array ?? [] }
    let applying = list.filter { role in
      role["apply_when"].map { holds($0, for: [:]) } ?? false
    }
    return fault == .lastRoleApplies ? applying.last : applying.first
  }

  func mayRead(_ object: ModelObject, ofClass name: String) -> Bool {
    guard let role = role(ofClass: name), mayReadAnything(ofClass: name) else { return false }
    if fault == .readFilterIsIgnored { return true }
    if fault != .writeDoesNotImplyRead, passes(role, "write", object) { return true }
    return passes(role, "read", object)
  }

  func mayWrite(_ object: ModelObject, ofClass name: String) -> Bool {
    role(ofClass: name).map { passes($0, "write", object) } ?? false
  }

  private func flag(_ role: JSONValue, _ name: String) -> Bool { role[name]?.bool ?? false }

  private func passes(_ role: JSONValue, _ filter: String, _ object: ModelObject) -> Bool {
    guard let filters = role["document_filters"] else { return true }
    return filters[filter].map { holds($0, for: object) } ?? false
  }

  /// The right to a property, or to the property of an embedded object: the nearest rule decides.
  private func right(_ key: String, to path: [String], ofClass name: String) -> Bool {
    guard let role = role(ofClass: name) else { return false }
    var right = flag(role, key)
    var level: JSONValue? = role
    for (depth, field) in path.enumerated() {
      let isRead = key == "read" && depth == 0
      if !(isRead && fault == .otherFieldsAreSeen) {
        right = level?["additional_fields"]?[key]?.bool ?? right
      }
      level = level?["fields"]?[field]
      if !(isRead && fault == .hiddenFieldsAreSeen) { right = level?[key]?.bool ?? right }
    }
    return right
  }

  /// The properties that a right to a property is about: those of its embedded objects if rules
  /// name them, and one that no rule names.
  private func parts(of field: String, ofClass name: String) -> [[String]] {
    let rule = role(ofClass: name)?["fields"]?[field]
    let isNested = [rule?["fields"], rule?["additional_fields"]].contains {
      if case .object(let members)? = $0 { !members.isEmpty } else { false }
    }
    return isNested ? (RoleObjects.nested + ["another"]).map { [field, $0] } : [[field]]
  }

  func mayWrite(field: String, ofClass name: String) -> Bool {
    parts(of: field, ofClass: name).contains { right("write", to: $0, ofClass: name) }
  }

  /// Whether a property of objects may be read. Whoever may write it may read it.
  func mayRead(field: String, ofClass name: String) -> Bool {
    parts(of: field, ofClass: name).contains { mayRead($0, ofClass: name) }
  }

  private func mayRead(_ path: [String], ofClass name: String) -> Bool {
    right("write", to: path, ofClass: name) || right("read", to: path, ofClass: name)
  }

  /// Whether the property of an embedded object may not be read.
  func hides(_ path: [String], ofClass name: String) -> Bool {
    !mayReadAnything(ofClass: name) ? false : !mayRead(path, ofClass: name)
  }

  /// The properties of embedded objects that may not be changed.
  private func guarded(_ field: String, ofClass name: String) -> [String] {
    RoleObjects.nested.filter { !right("write", to: [field, $0], ofClass: name) }
  }

  /// Whether any property of a class may be read.
  private func mayReadAnything(ofClass name: String) -> Bool {
    mayRead(field: "another", ofClass: name)
      || RoleObjects.fields.contains { mayRead(field: $0, ofClass: name) }
  }

  /// Whether a property of a class of which others may be read may not be read.
  func hides(field: String, ofClass name: String) -> Bool {
    mayReadAnything(ofClass: name) && !mayRead(field: field, ofClass: name)
  }

  /// What is seen of an object: hidden properties have the values of new objects.
  func visiblePart(of object: ModelObject, ofClass name: String) -> ModelObject {
    var part = object
    for field in RoleObjects.fields where !mayRead(field: field, ofClass: name) {
      part[field] = RoleObjects.initial[field]
    }
    guard fault != .nestedFieldsAreSeen else { return part }
    func visible(_ object: JSONValue, _ field: String) -> JSONValue {
      guard object != .null else { return .null }
      return RoleObjects.embedded {
        mayRead([field, $0], ofClass: name) ? object[$0]?.string ?? "" : ""
      }
    }
    part["home"] = part["home"].map { visible($0, "home") }
    part["rooms"] = part["rooms"]?.array.map { .array($0.map { visible($0, "rooms") }) }
    return part
  }

  // MARK: Changes

  /// Whether a change is allowed.
  ///
  /// - Parameters:
  ///   - fields: The properties that the change names.
  ///   - nested: The properties of embedded objects that it changes in their place.
  ///   - replaced: The properties whose embedded object it replaces.
  ///   - isErased: Whether the object was erased, and possibly made again.
  ///   - view: Whether the client's subscriptions have an object.
  func verdict(
    _ before: ModelObject?, _ after: ModelObject?, _ fields: Set<String>,
    nested: [[String]] = [], replaced: Set<String> = [], isErased: Bool, ofClass name: String,
    _ view: (ModelObject) -> Bool
  ) -> Verdict {
    let role = role(ofClass: name)
    if let before {
      guard fault == .writeIsCheckedAfterAlone || mayWrite(before, ofClass: name) else {
        return .refused
      }
      if isErased, fault != .deleteIsIgnored, !(role.map { flag($0, "delete") } ?? false) {
        return .refused
      }
    }
    guard let after else { return .allowed }
    guard
      fault == .writeIsCheckedBeforeAlone && before != nil || mayWrite(after, ofClass: name)
    else { return .refused }
    let guarded = fields.filter { !mayWrite(field: $0, ofClass: name) }
    if before == nil || isErased {
      guard fault == .insertIsIgnored || (role.map { flag($0, "insert") } ?? false) else {
        return .refused
      }
      let isInitial = guarded.allSatisfy { after[$0] == RoleObjects.initial[$0] }
      guard isInitial || fault == .newObjectsHaveNoFields else { return .refused }
    } else {
      guard guarded.isEmpty || fault == .fieldsAreIgnored else { return .refused }
    }
    if fault != .nestedFieldsAreIgnored {
      if nested.contains(where: { hides($0, ofClass: name) }) { return .refused }
      for field in RoleObjects.embedding where fields.contains(field) {
        let old = isErased ? nil : before?[field]
        guard
          keepsGuarded(
            old, after[field], field, isReplaced: replaced.contains(field), ofClass: name)
        else { return .refused }
      }
    }
    return fault == .viewIsIgnored || view(before ?? after) ? .allowed : .isOutsideOfView
  }

  /// Whether embedded objects that were there are there still, with the same values in what may not
  /// be changed, and new ones have initial values there.
  private func keepsGuarded(
    _ before: JSONValue?, _ after: JSONValue?, _ field: String, isReplaced: Bool,
    ofClass name: String
  ) -> Bool {
    let names = guarded(field, ofClass: name)
    guard !names.isEmpty else { return true }
    func values(_ value: JSONValue?) -> [[String]] {
      (value?.array ?? [value ?? .null]).filter { $0 != .null }
        .map { object in names.map { object[$0]?.string ?? "" } }
    }
    var new = values(after)
    for old in values(before) {
      guard !isReplaced, let place = new.firstIndex(of: old) else { return false }
      new.remove(at: place)
    }
    return new.allSatisfy { $0.allSatisfy(\.isEmpty) }
  }

  // MARK: Conditions

  private func holds(_ json: JSONValue, for object: ModelObject) -> Bool {
    guard case .object(let members) = json else { return json.bool == true }
    return members.allSatisfy { member in
      switch member.key {
      case "$and", "%and": return (member.value.array ?? []).allSatisfy { holds($0, for: object) }
      case "$or", "%or": return (member.value.array ?? []).contains { holds($0, for: object) }
      case let key where key.hasPrefix("%%"):
        return compares(value(key), member.value)
      default:
        guard let value = object[member.key] else {
          return fault == .missingPropertiesAreUnequal && member.value["$ne"] != nil
        }
        return compares(value, member.value)
      }
    }
  }

  private func compares(_ left: JSONValue?, _ right: JSONValue) -> Bool {
    guard case .object(let members) = right else { return isEqual(left, term(right)) }
    return members.allSatisfy { member in
      let list = term(member.value)?.array ?? []
      switch member.key {
      case "$eq": return isEqual(left, term(member.value))
      case "$ne": return !isEqual(left, term(member.value))
      case "$in": return list.contains { isEqual(left, term($0)) }
      case "$nin": return !list.contains { isEqual(left, term($0)) }
      default:
        guard let left = left?.integer, let right = term(member.value)?.integer else {
          return false
        }
        switch member.key {
        case "$lt": return left < right
        case "$lte": return left <= right
        case "$gt": return left > right
        default: return left >= right
        }
      }
    }
  }

  private func term(_ json: JSONValue) -> JSONValue? {
    if case .string(let text) = json, text.hasPrefix("%%") { value(text) } else { json }
  }

  private func value(_ expansion: String) -> JSONValue? {
    switch expansion {
    case "%%user.id": .string(user)
    case "%%true": .bool(true)
    default: customData[String(expansion.dropFirst("%%user.custom_data.".count))]
    }
  }

  private func isEqual(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
    guard let left, let right else { return false }
    if let elements = left.array { return elements.contains(right) }
    return left == right
  }
}
