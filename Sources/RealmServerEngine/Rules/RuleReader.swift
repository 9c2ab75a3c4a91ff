// SPDX-License-Identifier: Apache-2.0

// Reading conditions of rules, strictly: what this server does not evaluate is an error.

package import RealmFormats

/// Reads the conditions of rules.
package struct RuleReader {
  /// The named values of the app.
  package let values: [String: BSONValue]

  package init(values: [String: BSONValue] = [:]) { self.values = values }

  /// The expansions, in words.
  private static let known =
    "%%user.id, %%user.type, %%user.data.email, %%user.custom_data.<name>, %%values.<name>, "
    + "%%partition, %%true and %%false"

  /// Reads a condition: true, false, or an object whose members all have to hold.
  package func expression(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> RuleExpression {
    switch json {
    case .bool(let value): return .constant(value)
    case .object(let members):
      var parts: [RuleExpression] = []
      for member in try Self.unique(members, at: path) {
        parts.append(try part(member.key, member.value, at: path + [.key(member.key)]))
      }
      return parts.count == 1 ? parts[0] : .all(parts)
    default: throw AppFileError(rule: "a rule is true, false or an object", at: path)
    }
  }

  /// The members of an object, none twice.
  static func unique(
    _ members: [JSONMember], at path: [JSONStep]
  ) throws(AppFileError) -> [JSONMember] {
    var keys: Set<String> = []
    for member in members where !keys.insert(member.key).inserted {
      throw AppFileError(
        rule: "the key \"\(member.key)\" is there twice", at: path + [.key(member.key)])
    }
    return members
  }

  private func part(
    _ key: String, _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> RuleExpression {
    switch key {
    case "$and", "%and": return .all(try parts(key, json, at: path))
    case "$or", "%or": return .any(try parts(key, json, at: path))
    case let key where key.hasPrefix("%%"):
      let term = try expansion(key, at: path)
      let comparisons = try operators(json, at: path)
      let parts = comparisons.map { RuleExpression.comparison(term, $0) }
      return parts.count == 1 ? parts[0] : .all(parts)
    default:
      throw AppFileError(
        rule:
          "unknown \"\(key)\": a rule has $and, $or, %and, %or, and expansions (\(Self.known))",
        at: path)
    }
  }

  private func parts(
    _ key: String, _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> [RuleExpression] {
    guard case .array(let elements) = json, !elements.isEmpty else {
      throw AppFileError(rule: "\"\(key)\" needs a list of rules, one at least", at: path)
    }
    var parts: [RuleExpression] = []
    for (index, element) in elements.enumerated() {
      parts.append(try expression(element, at: path + [.index(index)]))
    }
    return parts
  }

  // MARK: Comparisons

  /// The comparisons with the value of a member: a value to be equal to, or operators.
  private func operators(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> [RuleOperator] {
    guard let members = Self.operatorMembers(of: json) else {
      return [.equal(try term(json, at: path))]
    }
    var comparisons: [RuleOperator] = []
    for member in try Self.unique(members, at: path) {
      let place = path + [.key(member.key)]
      guard Self.operatorName(member.key) == "$nin" else {
        comparisons.append(try comparison(member.key, member.value, at: place))
        continue
      }
      guard case .list(let terms) = try list(member.value, at: place) else {
        throw AppFileError(rule: "\"$nin\" needs a list", at: place)
      }
      comparisons += terms.map { .notEqual($0) }
    }
    return comparisons
  }

  /// The name of an operator, which may be spelled with "%" where expansions are.
  static func operatorName(_ key: String) -> String {
    key.hasPrefix("%") && !key.hasPrefix("%%") ? "$" + key.dropFirst() : key
  }

  /// The members of an object with operators; nil for a value to be equal to.
  static func operatorMembers(of json: JSONValue) -> [JSONMember]? {
    guard case .object(let members) = json, let first = members.first,
      (try? ExtendedJSONReader.value(json)).map(isDocument) ?? !first.key.hasPrefix("$")
    else { return nil }
    return members
  }

  private static func isDocument(_ value: BSONValue) -> Bool {
    if case .document = value { true } else { false }
  }

  private func comparison(
    _ key: String, _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> RuleOperator {
    switch Self.operatorName(key) {
    case "$eq": return .equal(try term(json, at: path))
    case "$ne": return .notEqual(try term(json, at: path))
    case "$exists":
      guard case .bool(let expected) = json else {
        throw AppFileError(rule: "\"$exists\" needs true or false", at: path)
      }
      return .exists(expected)
    case "$in": return .isIn(try list(json, at: path))
    default:
      throw AppFileError(
        rule: "unknown operator \"\(key)\": there are $eq, $ne, $in, $nin and $exists",
        at: path)
    }
  }

  func list(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> RuleTerm {
    if case .string(let text) = json, text.hasPrefix("%") {
      switch try expansion(text, at: path) {
      case .expansion(let list): return .expansion(list)
      case .value(.array(let elements)): return .value(.array(elements))
      default: break
      }
    }
    guard case .array(let elements) = json else {
      throw AppFileError(
        rule: "\"$in\" needs a list, or an expansion whose value is a list", at: path)
    }
    var terms: [RuleTerm] = []
    for (index, element) in elements.enumerated() {
      terms.append(try term(element, at: path + [.index(index)]))
    }
    return .list(terms)
  }

  func term(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) -> RuleTerm {
    switch json {
    case .string(let text) where text.hasPrefix("%"):
      let term = try expansion(text, at: path)
      switch term {
      case .value(.array): throw AppFileError(rule: "a list is compared with \"$in\"", at: path)
      case .value(.document):
        throw AppFileError(rule: "the value cannot be compared", at: path)
      default: return term
      }
    case .array: throw AppFileError(rule: "a list is compared with \"$in\"", at: path)
    default:
      guard let value = try? ExtendedJSONReader.value(json), !Self.isDocument(value) else {
        throw AppFileError(rule: "the value cannot be compared", at: path)
      }
      return .value(value)
    }
  }

  private func expansion(
    _ text: String, at path: [JSONStep]
  ) throws(AppFileError) -> RuleTerm {
    switch text {
    case "%%true": return .value(.bool(true))
    case "%%false": return .value(.bool(false))
    case "%%user.id": return .expansion(.userID)
    case "%%user.type": return .expansion(.userType)
    case "%%user.data.email": return .expansion(.userEmail)
    case "%%partition": return .expansion(.partition)
    default:
      if let names = Self.names(text, after: "%%user.custom_data.") {
        return .expansion(.customData(names))
      }
      if let names = Self.names(text, after: "%%values.") {
        return .value(try value(names, at: path))
      }
      throw AppFileError(
        rule: "unknown expansion \"\(text)\": there are \(Self.known)", at: path)
    }
  }

  /// The names behind a prefix; nil for another text.
  private static func names(_ text: String, after prefix: String) -> [String]? {
    guard text.hasPrefix(prefix) else { return nil }
    let names = text.dropFirst(prefix.count)
      .split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    return names.contains("") ? nil : names
  }

  /// A named value of the app, or a part of it.
  private func value(
    _ names: [String], at path: [JSONStep]
  ) throws(AppFileError) -> BSONValue {
    let name = names.joined(separator: ".")
    guard let first = names.first, let value = values[first] else {
      let known = values.keys.sorted().joined(separator: ", ")
      throw AppFileError(
        rule: "unknown value \"%%values.\(name)\": "
          + (known.isEmpty ? "the file has no \"values\"" : "\"values\" has \(known)"),
        at: path)
    }
    guard let part = names.dropFirst().reduce(value as BSONValue?, { $0?[$1] }) else {
      throw AppFileError(
        rule: "unknown value \"%%values.\(name)\": \"\(first)\" has no such part", at: path)
    }
    return part
  }
}
