// SPDX-License-Identifier: Apache-2.0

// A query string that was read, before anything is known of the schema.

/// A condition, and what is done with the matches.
package struct ParsedQuery {
  /// A step that changes the matches after they are found.
  package enum Modifier {
    /// Key paths and whether each ascends.
    case sort([SortTerm])
    case distinct([PropertyPath])
    case limit(Operand)
    case offset(Operand)
  }

  /// One part of an order.
  package struct SortTerm {
    package var keyPath: PropertyPath
    package var isAscending: Bool
  }

  package var condition: Predicate
  /// In the order in which they were written.
  package var modifiers: [Modifier]

  package init(_ condition: Predicate, modifiers: [Modifier] = []) {
    self.condition = condition
    self.modifiers = modifiers
  }
}
