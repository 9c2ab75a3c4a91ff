// SPDX-License-Identifier: Apache-2.0

// Conditions of roles on objects, for one user (P4 C.1).
//
// They are values and no query strings: a constant of a user, whatever it consists of, can be
// nothing else than a constant.

package import RealmFormats

/// A condition on the objects of a class, whose expansions are replaced by the values of a user.
package indirect enum ObjectFilter: Hashable, Sendable {
  case constant(Bool)
  case all([ObjectFilter])
  case any([ObjectFilter])
  case comparison(field: String, FilterOperator, BSONValue)

  /// The conditions joined; a constant if one of them decides.
  package static func joined(all parts: [ObjectFilter]) -> ObjectFilter {
    if parts.contains(.constant(false)) { return .constant(false) }
    let rest = parts.filter { $0 != .constant(true) }
    return rest.isEmpty ? .constant(true) : rest.count == 1 ? rest[0] : .all(rest)
  }

  /// One of the conditions; a constant if one of them decides.
  package static func joined(any parts: [ObjectFilter]) -> ObjectFilter {
    if parts.contains(.constant(true)) { return .constant(true) }
    let rest = parts.filter { $0 != .constant(false) }
    return rest.isEmpty ? .constant(false) : rest.count == 1 ? rest[0] : .any(rest)
  }
}

/// The comparison of a property with a constant.
package enum FilterOperator: String, CaseIterable, Hashable, Sendable {
  case equal = "$eq"
  case notEqual = "$ne"
  case less = "$lt"
  case lessOrEqual = "$lte"
  case greater = "$gt"
  case greaterOrEqual = "$gte"
}

// MARK: Text

extension ObjectFilter: CustomStringConvertible {
  /// The condition for people.
  package var description: String {
    switch self {
    case .constant(let truth): truth ? "all objects" : "no objects"
    case .all(let parts): parts.map(\.part).joined(separator: " and ")
    case .any(let parts): parts.map(\.part).joined(separator: " or ")
    case .comparison(let field, let operation, let value):
      "\(field) \(operation.text) \(Self.text(value))"
    }
  }

  private var part: String {
    switch self {
    case .all, .any: "(\(description))"
    case .constant, .comparison: description
    }
  }

  private static func text(_ value: BSONValue) -> String {
    switch value {
    case .int32(let number): "\(number)"
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    default: ExtendedJSONWriter.text(value)
    }
  }
}

extension FilterOperator {
  fileprivate var text: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

// MARK: JSON

extension ObjectFilter {
  /// The condition as it is stored.
  var json: JSONValue {
    switch self {
    case .constant(let truth): .bool(truth)
    case .all(let parts): .object([JSONMember("all", .array(parts.map(\.json)))])
    case .any(let parts): .object([JSONMember("any", .array(parts.map(\.json)))])
    case .comparison(let field, let operation, let value):
      .array([
        .string(field), .string(operation.rawValue), ExtendedJSONWriter.json(value),
      ])
    }
  }

  /// The condition of stored JSON; nil for other values.
  init?(_ json: JSONValue) {
    switch json {
    case .bool(let truth): self = .constant(truth)
    case .object(let members):
      guard let member = members.first, let elements = member.value.array else { return nil }
      let parts = elements.compactMap { ObjectFilter($0) }
      guard parts.count == elements.count else { return nil }
      self = member.key == "all" ? .all(parts) : .any(parts)
    case .array(let parts):
      guard parts.count == 3, let field = parts[0].string,
        let operation = parts[1].string.flatMap({ FilterOperator(rawValue: $0) }),
        let value = try? ExtendedJSONReader.value(parts[2])
      else { return nil }
      self = .comparison(field: field, operation, value)
    default: return nil
    }
  }
}
