// SPDX-License-Identifier: Apache-2.0

// The right of a user to read single properties of a class.
//
// The file of an app does not know the classes, so a rule is about names. Primary keys are read
// with every object, whatever the rule says: without them there is no object.

import RealmFormats

/// The readable properties of a class, by their names.
package struct ReadableFields: Hashable, Sendable {
  /// Whether all but the exceptions may be read.
  let others: Bool
  /// The properties with the opposite right.
  let exceptions: Set<String>

  /// All properties.
  package static let all = ReadableFields(others: true)

  package init(others: Bool, exceptions: Set<String> = []) {
    self.others = others
    self.exceptions = exceptions
  }

  /// Whether all may be read.
  var isAll: Bool { others && exceptions.isEmpty }

  /// Whether none may be read.
  var isEmpty: Bool { !others && exceptions.isEmpty }

  /// Whether a property other than the primary key may be read.
  package func contains(_ field: String) -> Bool { exceptions.contains(field) != others }

  /// The properties in both.
  func intersection(_ other: ReadableFields) -> ReadableFields {
    switch (others, other.others) {
    case (true, true):
      ReadableFields(others: true, exceptions: exceptions.union(other.exceptions))
    case (true, false):
      ReadableFields(others: false, exceptions: other.exceptions.subtracting(exceptions))
    case (false, true):
      ReadableFields(others: false, exceptions: exceptions.subtracting(other.exceptions))
    case (false, false):
      ReadableFields(others: false, exceptions: exceptions.intersection(other.exceptions))
    }
  }
}

extension ReadableFields {
  /// The properties as they are stored.
  var json: JSONValue {
    .object([
      JSONMember("others", .bool(others)),
      JSONMember("exceptions", .array(exceptions.sorted().map { .string($0) })),
    ])
  }

  /// The properties of stored JSON; nil for other values.
  init?(_ json: JSONValue) {
    guard let others = json["others"]?.bool, let elements = json["exceptions"]?.array else {
      return nil
    }
    let names = elements.compactMap(\.string)
    guard names.count == elements.count else { return nil }
    self.init(others: others, exceptions: Set(names))
  }
}
