// SPDX-License-Identifier: Apache-2.0

// Long chains of equalities: `id == 1 OR id == 2 OR …` is one look-up in a set, whatever its
// length.

import RealmTables

extension BoundPredicate {
  /// With fewer values, a comparison with each costs less than a look-up.
  private static let joinedCountMin = 24

  /// The same condition, in which the equalities of one property with many values are one look-up
  /// among them.
  package func joiningEqualities() -> BoundPredicate {
    switch self {
    case .constant, .comparison, .within: self
    case .not(let part): .not(part.joiningEqualities())
    case .all(let parts): .all(parts.map { $0.joiningEqualities() })
    case .any(let parts): .any(Self.joiningEqualities(of: parts.map { $0.joiningEqualities() }))
    }
  }

  /// The conditions of a disjunction, with one look-up in the place of the first of many equalities
  /// of a property.
  static func joiningEqualities(of parts: [BoundPredicate]) -> [BoundPredicate] {
    guard parts.count >= joinedCountMin else { return parts }
    var values: [ColumnPath: [TableValue]] = [:]
    for part in parts {
      if let (path, value) = part.equality { values[path, default: []].append(value) }
    }
    values = values.filter { $0.value.count >= joinedCountMin }
    guard !values.isEmpty else { return parts }
    var joined: [BoundPredicate] = []
    var placed: Set<ColumnPath> = []
    for part in parts {
      guard let (path, _) = part.equality, let all = values[path] else {
        joined.append(part)
        continue
      }
      if placed.insert(path).inserted {
        joined.append(.comparison(BoundComparison(.property(path), .in, .values(all))))
      }
    }
    return joined
  }

  /// The property and the value of a plain equality; nil for other conditions, and for null and
  /// links, which are no values of a look-up.
  private var equality: (ColumnPath, TableValue)? {
    guard case .comparison(let comparison) = self, comparison.operation == .equal,
      comparison.options.isEmpty, comparison.leftQuantifier == .any,
      comparison.rightQuantifier == .any
    else { return nil }
    switch (comparison.left, comparison.right) {
    case (.property(let path), .value(let value)), (.value(let value), .property(let path)):
      return path != .itself && value.isJoinable ? (path, value) : nil
    default: return nil
    }
  }

  /// What the condition costs for one object at most, roughly in comparisons: those of texts count
  /// by their length, and regions by their corners. A look-up counts as one.
  package var comparisonCount: Int {
    switch self {
    case .constant: 0
    case .not(let part): part.comparisonCount
    case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.comparisonCount }
    case .comparison(let comparison): comparison.weight
    case .within(_, .polygon(let rings)): rings.reduce(1) { $0 + $1.count }
    case .within: 1
    }
  }
}

extension BoundComparison {
  /// What a comparison with one value costs, in comparisons.
  var weight: Int {
    switch (left, right) {
    case (_, .value(.string(let text))) where operation.isTextual: 1 + text.utf8.count / 16
    case (_, .value(.binary(let bytes))) where operation.isTextual: 1 + bytes.count / 16
    // Each value of one side is held against each of the other.
    case (.values(let values), _): max(values.count, 1)
    case (_, .values(let values)) where operation != .in && operation != .between:
      max(values.count, 1)
    default: 1
    }
  }
}

extension TableValue {
  fileprivate var isJoinable: Bool {
    switch self {
    case .int, .string, .binary, .timestamp, .objectId, .uuid: true
    // Equality of floating-point numbers and decimals is more than that of their values.
    case .null, .bool, .float, .double, .decimal, .link, .typedLink, .list, .dictionary: false
    }
  }
}
