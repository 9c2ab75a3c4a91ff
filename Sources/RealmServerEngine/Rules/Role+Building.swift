// SPDX-License-Identifier: Apache-2.0

// Roles in Swift.
//
//     Role("owner")
//       .reading(where: .field("status").equals("public"))
//       .writing(where: .field("owner").equals(.userID))
//       .inserting().deleting()
//       .field("status", write: false)
//       .hiding("salary", "home.alarm")

extension Role {
  /// A role without any right yet.
  ///
  /// - Parameter condition: The users of the role.
  package init(_ name: String, when condition: RuleExpression = .always) {
    let none = DocumentFilter.user(.never)
    self.init(named: name, appliesWhen: condition, readFilter: none, writeFilter: none)
  }

  /// The role with the right to read objects.
  package func reading(where filter: DocumentFilter = .everything) -> Role {
    with { role in (role.reads, role.readFilter) = (true, filter) }
  }

  /// The role with the right to change objects, and to read them.
  package func writing(where filter: DocumentFilter = .everything) -> Role {
    with { role in (role.writes, role.writeFilter) = (true, filter) }
  }

  /// The role with the right to make objects of its write filter.
  package func inserting() -> Role { with { $0.inserts = true } }

  /// The role with the right to delete objects of its write filter.
  package func deleting() -> Role { with { $0.deletes = true } }

  /// The role with another right to one property.
  ///
  /// - Parameter name: A name, or `home.alarm` for the property of embedded objects.
  package func field(_ name: String, read: Bool? = nil, write: Bool? = nil) -> Role {
    setting(name) { $0.access = Access(read: read, write: write) }
  }

  /// The role without any right to some properties, which are named as in `field(_:read:write:)`.
  package func hiding(_ names: String...) -> Role {
    names.reduce(self) { role, name in role.field(name, read: false, write: false) }
  }

  /// The role with other rights to the properties without a rule of their own.
  package func otherFields(read: Bool? = nil, write: Bool? = nil) -> Role {
    with { $0.otherFields = Access(read: read, write: write) }
  }

  /// The role with other rights to the properties of embedded objects without a rule of their own.
  ///
  /// - Parameter name: The property with the objects, named as in `field(_:read:write:)`.
  package func otherFields(of name: String, read: Bool? = nil, write: Bool? = nil) -> Role {
    setting(name) { $0.otherFields = Access(read: read, write: write) }
  }

  private func setting(_ name: String, _ change: (inout FieldRule) -> Void) -> Role {
    let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return with { Self.set(names[...], in: &$0.fields, change) }
  }

  /// Changes the rule at the end of a path of names.
  private static func set(
    _ names: ArraySlice<String>, in fields: inout [String: FieldRule],
    _ change: (inout FieldRule) -> Void
  ) {
    guard let name = names.first else { return }
    if names.count == 1 {
      change(&fields[name, default: FieldRule()])
    } else {
      set(names.dropFirst(), in: &fields[name, default: FieldRule()].fields, change)
    }
  }

  private func with(_ change: (inout Role) -> Void) -> Role {
    var role = self
    change(&role)
    return role
  }
}

extension DocumentFilter {
  /// All objects.
  package static let everything = DocumentFilter.user(.always)

  /// A property of the objects, to be compared.
  package static func field(_ name: String) -> DocumentField { DocumentField(name: name) }

  /// Both conditions hold.
  package static func && (left: DocumentFilter, right: DocumentFilter) -> DocumentFilter {
    .all([left, right])
  }

  /// One of the conditions holds.
  package static func || (left: DocumentFilter, right: DocumentFilter) -> DocumentFilter {
    .any([left, right])
  }
}

/// A property of objects in a filter.
package struct DocumentField: Hashable, Sendable {
  package let name: String

  /// The property equals a value, or is a collection with it.
  package func equals(_ term: RuleTerm) -> DocumentFilter { .comparison(field: name, .equal, term) }

  /// The property does not equal a value.
  package func differs(from term: RuleTerm) -> DocumentFilter {
    .comparison(field: name, .notEqual, term)
  }

  /// The property is less than a value.
  package func isLess(than term: RuleTerm) -> DocumentFilter {
    .comparison(field: name, .less, term)
  }

  /// The property is a value or less.
  package func isAtMost(_ term: RuleTerm) -> DocumentFilter {
    .comparison(field: name, .lessOrEqual, term)
  }

  /// The property is more than a value.
  package func isMore(than term: RuleTerm) -> DocumentFilter {
    .comparison(field: name, .greater, term)
  }

  /// The property is a value or more.
  package func isAtLeast(_ term: RuleTerm) -> DocumentFilter {
    .comparison(field: name, .greaterOrEqual, term)
  }

  /// The property equals an element of a list.
  package func isIn(_ list: RuleTerm) -> DocumentFilter { .isIn(field: name, list) }

  /// The property equals no element of a list.
  package func isNotIn(_ list: RuleTerm) -> DocumentFilter { .isNotIn(field: name, list) }
}
