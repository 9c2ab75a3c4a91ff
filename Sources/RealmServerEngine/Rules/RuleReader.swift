// SPDX-License-Identifier: Apache-2.0

// Reading conditions of rules, strictly: what this server does not evaluate is an error.

import RealmFormats

/// A mistake in a rule, and its position among the members of the file.
package struct RuleError: Error, Hashable, Sendable {
  package let message: String
  package let path: [JSONStep]
}

/// Reads the conditions of rules.
struct RuleReader {
  /// The expansions, in words.
  private static let known =
    "%%user.id, %%user.type, %%user.data.email, %%user.custom_data.<name>, %%partition, %%true "
    + "and %%false"

  /// Reads a condition: true, false, or an object whose members all have to hold.
  static func expression(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(RuleError) -> RuleExpression {
    switch json {
    case .bool(let value): return .constant(value)
    case .object(let members):
      var parts: [RuleExpression] = []
      for member in try unique(members, at: path) {
        parts.append(try part(member.key, member.value, at: path + [.key(member.key)]))
      }
      return parts.count == 1 ? parts[0] : .all(parts)
    default: throw RuleError(message: "a rule is true, false or an object", path: path)
    }
  }

  /// The members of an object, none twice.
  static func unique(
    _ members: [JSONMember], at path: [JSONStep]
  ) throws(RuleError) -> [JSONMember] {
    var keys: Set<String> = []
    for member in members where !keys.insert(member.key).inserted {
      throw RuleError(
        message: "the key \"\(member.key)\" is there twice", path: path + [.key(member.key)])
    }
    return members
  }

  private static func part(
    _ key: String, _ json: JSONValue, at path: [JSONStep]
  ) throws(RuleError) -> RuleExpression {
    switch key {
    case "$and", "%and": return .all(try parts(key, json, at: path))
    case "$or", "%or": return .any(try parts(key, json, at: path))
    case let key where key.hasPrefix("%%"):
      let term = try expansion(key, at: path)
      let comparisons = try operators(json, at: path)
      let parts = comparisons.map { RuleExpression.comparison(term, $0) }
      return parts.count == 1 ? parts[0] : .all(parts)
    default:
      throw RuleError(
        message: "unknown \"\(key)\": a rule has $and, $or, %and, %or, and expansions (\(known))",
        path: path)
    }
  }

  private static func parts(
    _ key: String, _ json: JSONValue, at path: [JSONStep]
  ) throws(RuleError) -> [RuleExpression] {
    guard case .array(let elements) = json, !elements.isEmpty else {
      throw RuleError(message: "\"\(key)\" needs a list of rules, one at least", path: path)
    }
    var parts: [RuleExpression] = []
    for (index, element) in elements.enumerated() {
      parts.append(try expression(element, at: path + [.index(index)]))
    }
    return parts
  }

  // MARK: Comparisons

  /// The comparisons with the value of a member: a value to be equal to, or operators.
  private static func operators(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(RuleError) -> [RuleOperator] {
    guard let members = operatorMembers(of: json) else {
      return [.equal(try term(json, at: path))]
    }
    var comparisons: [RuleOperator] = []
    for member in try unique(members, at: path) {
      comparisons.append(
        try comparison(member.key, member.value, at: path + [.key(member.key)]))
    }
    return comparisons
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

  private static func comparison(
    _ key: String, _ json: JSONValue, at path: [JSONStep]
  ) throws(RuleError) -> RuleOperator {
    switch key {
    case "$eq": return .equal(try term(json, at: path))
    case "$ne": return .notEqual(try term(json, at: path))
    case "$exists":
      guard case .bool(let expected) = json else {
        throw RuleError(message: "\"$exists\" needs true or false", path: path)
      }
      return .exists(expected)
    case "$in": return .isIn(try list(json, at: path))
    default:
      throw RuleError(
        message: "unknown operator \"\(key)\": there are $eq, $ne, $in and $exists", path: path)
    }
  }

  static func list(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(RuleError) -> RuleTerm {
    if case .string = json, case .expansion(let list) = try term(json, at: path) {
      return .expansion(list)
    }
    guard case .array(let elements) = json else {
      throw RuleError(
        message: "\"$in\" needs a list, or an expansion whose value is a list", path: path)
    }
    var terms: [RuleTerm] = []
    for (index, element) in elements.enumerated() {
      terms.append(try term(element, at: path + [.index(index)]))
    }
    return .list(terms)
  }

  static func term(_ json: JSONValue, at path: [JSONStep]) throws(RuleError) -> RuleTerm {
    switch json {
    case .string(let text) where text.hasPrefix("%"): return try expansion(text, at: path)
    case .array: throw RuleError(message: "a list is compared with \"$in\"", path: path)
    default:
      guard let value = try? ExtendedJSONReader.value(json), !isDocument(value) else {
        throw RuleError(message: "the value cannot be compared", path: path)
      }
      return .value(value)
    }
  }

  private static func expansion(
    _ text: String, at path: [JSONStep]
  ) throws(RuleError) -> RuleTerm {
    switch text {
    case "%%true": return .value(.bool(true))
    case "%%false": return .value(.bool(false))
    case "%%user.id": return .expansion(.userID)
    case "%%user.type": return .expansion(.userType)
    case "%%user.data.email": return .expansion(.userEmail)
    case "%%partition": return .expansion(.partition)
    default:
      let prefix = "%%user.custom_data."
      let names = text.dropFirst(prefix.count)
        .split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
      guard text.hasPrefix(prefix), !names.contains("") else {
        throw RuleError(message: "unknown expansion \"\(text)\": there are \(known)", path: path)
      }
      return .expansion(.customData(names))
    }
  }
}
