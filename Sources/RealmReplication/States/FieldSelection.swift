// SPDX-License-Identifier: Apache-2.0

// A part of the properties of a class: those that a user may read, or may change.
//
// Such a part is about names, as rules are that do not know the classes. Primary keys are read with
// every object, whatever the selection says: without them there is no object.
//
// Invariants:
// 1. A property is in a selection if anything of it is: what is seen of an embedded object needs
//    the object itself.

/// Some of the properties of a class, and of the objects embedded in them, by their names.
package struct FieldSelection: Hashable, Sendable {
  /// Whether all but the exceptions are in it.
  package private(set) var others: Bool
  /// The other properties than those.
  package private(set) var exceptions: Set<String>
  /// What is in it of the embedded objects of a property, where that is not everything.
  package private(set) var inside: [String: FieldSelection] = [:]

  /// All properties.
  package static let all = FieldSelection(others: true)

  package init(others: Bool, exceptions: Set<String> = []) {
    self.others = others
    self.exceptions = exceptions
  }

  /// Whether all are in it.
  package var isAll: Bool { others && exceptions.isEmpty && inside.isEmpty }

  /// Whether none is in it.
  package var isEmpty: Bool { !others && exceptions.isEmpty }

  /// Whether a property other than the primary key, or a part of it, is in it.
  package func contains(_ field: String) -> Bool { exceptions.contains(field) != others }

  /// Whether a property is in it that lies within embedded objects: the names lead to it.
  package func contains(path names: some Sequence<String>) -> Bool {
    var selection = self
    for name in names {
      guard selection.contains(name) else { return false }
      guard let next = selection.inside[name] else { return true }
      selection = next
    }
    return true
  }

  /// Whether two selections have the same of a property.
  package func isEqual(to other: FieldSelection, at field: String) -> Bool {
    contains(field) == other.contains(field) && inside[field] == other.inside[field]
  }

  /// Takes of a property what a selection has of its embedded objects.
  package mutating func set(_ field: String, to part: FieldSelection) {
    if part.isEmpty != others { exceptions.remove(field) } else { exceptions.insert(field) }
    inside[field] = part.isEmpty || part.isAll ? nil : part
  }

  /// The properties in both.
  package func intersection(_ other: FieldSelection) -> FieldSelection {
    var result: FieldSelection
    switch (others, other.others) {
    case (true, true):
      result = FieldSelection(others: true, exceptions: exceptions.union(other.exceptions))
    case (true, false):
      result = FieldSelection(others: false, exceptions: other.exceptions.subtracting(exceptions))
    case (false, true):
      result = FieldSelection(others: false, exceptions: exceptions.subtracting(other.exceptions))
    case (false, false):
      result = FieldSelection(
        others: false, exceptions: exceptions.intersection(other.exceptions))
    }
    for name in Set(inside.keys).union(other.inside.keys) where result.contains(name) {
      result.set(name, to: (inside[name] ?? .all).intersection(other.inside[name] ?? .all))
    }
    return result
  }
}
