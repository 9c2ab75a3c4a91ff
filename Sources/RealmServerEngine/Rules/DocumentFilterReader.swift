// SPDX-License-Identifier: Apache-2.0

// Reading document filters, strictly: what this server does not evaluate is an error.

import RealmFormats

/// Reads the conditions of roles on objects.
struct DocumentFilterReader {
  /// Reads the conditions about the user, and the values.
  let rules: RuleReader

  /// Reads a filter: true, false, or an object whose members all have to hold.
  func filter(
    _ json: JSONValue, at path: [JSONStep]
  ) throws(AppFileError) -> DocumentFilter {
    switch json {
    case .bool(let value): return .user(.constant(value))
    case .object(let members):
      var parts: [DocumentFilter] = []
      for member in try RuleReader.unique(members, at: path) {
        parts += try self.parts(member, at: path)
      }
      return parts.count == 1 ? parts[0] : .all(parts)
    default: throw AppFileError(rule: "a filter is true, false or an object", at: path)
    }
  }

  /// - Parameter path: That of the object.
  private func parts(
    _ member: JSONMember, at path: [JSONStep]
  ) throws(AppFileError) -> [DocumentFilter] {
    let place = path + [.key(member.key)]
    switch member.key {
    case "$and", "%and": return [.all(try list(member, at: place))]
    case "$or", "%or": return [.any(try list(member, at: place))]
    case let key where key.hasPrefix("%%"):
      return [.user(try rules.expression(.object([member]), at: path))]
    case let key where key.hasPrefix("$") || key.hasPrefix("%"):
      throw AppFileError(
        rule: "unknown \"\(key)\": a filter has $and, $or, %and, %or, properties and expansions",
        at: place)
    case let key where key.isEmpty || key.contains("."):
      throw AppFileError(
        rule: "\"\(key)\" is no property of the objects themselves: a filter cannot ask for "
          + "others", at: place)
    default: return try comparisons(member, at: place)
    }
  }

  private func list(
    _ member: JSONMember, at path: [JSONStep]
  ) throws(AppFileError) -> [DocumentFilter] {
    guard case .array(let elements) = member.value, !elements.isEmpty else {
      throw AppFileError(
        rule: "\"\(member.key)\" needs a list of filters, one at least", at: path)
    }
    var parts: [DocumentFilter] = []
    for (index, element) in elements.enumerated() {
      parts.append(try filter(element, at: path + [.index(index)]))
    }
    return parts
  }

  /// The comparisons of a property.
  private func comparisons(
    _ member: JSONMember, at path: [JSONStep]
  ) throws(AppFileError) -> [DocumentFilter] {
    guard let operators = RuleReader.operatorMembers(of: member.value) else {
      return [
        .comparison(field: member.key, .equal, try rules.term(member.value, at: path))
      ]
    }
    var parts: [DocumentFilter] = []
    for member in try RuleReader.unique(operators, at: path) {
      parts.append(try comparison(of: path, member))
    }
    return parts
  }

  /// - Parameter path: That of the property.
  private func comparison(
    of path: [JSONStep], _ member: JSONMember
  ) throws(AppFileError) -> DocumentFilter {
    guard case .key(let field)? = path.last else { return .user(.constant(false)) }
    let place = path + [.key(member.key)]
    switch RuleReader.operatorName(member.key) {
    case "$all":
      // Each of the values is an element of the list.
      guard case .list(let terms) = try rules.list(member.value, at: place) else {
        throw AppFileError(rule: "\"$all\" needs a list", at: place)
      }
      guard !terms.isEmpty else { return .user(.constant(false)) }
      let parts = terms.map { DocumentFilter.comparison(field: field, .equal, $0) }
      return parts.count == 1 ? parts[0] : .all(parts)
    case "$in": return .isIn(field: field, try rules.list(member.value, at: place))
    case "$nin": return .isNotIn(field: field, try rules.list(member.value, at: place))
    default:
      let name = RuleReader.operatorName(member.key)
      guard let operation = FilterOperator(rawValue: name) else {
        let known = FilterOperator.allCases.map(\.rawValue).joined(separator: ", ")
        throw AppFileError(
          rule: "unknown operator \"\(member.key)\" of a property: there are \(known), $in, "
            + "$nin and $all", at: place)
      }
      return .comparison(
        field: field, operation, try rules.term(member.value, at: place))
    }
  }
}
