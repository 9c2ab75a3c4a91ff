// SPDX-License-Identifier: Apache-2.0

// Searches for words that no full-text index has.

import RealmTables

extension BoundPredicate {
  /// Refuses searches whose words have letters of other scripts only: people who type them are to
  /// learn that nothing can be found.
  ///
  /// - Throws: `QueryError.invalid`.
  package func requireSearchableWords() throws(QueryError) {
    switch self {
    case .constant, .within: return
    case .all(let parts), .any(let parts): for part in parts { try part.requireSearchableWords() }
    case .not(let part): try part.requireSearchableWords()
    case .comparison(let comparison):
      try comparison.left.requireSearchableWords()
      try comparison.right.requireSearchableWords()
      guard comparison.operation == .text else { return }
      if case .value(.string(let terms)) = comparison.right, TextSearch.isLost(terms) {
        throw .invalid(
          "Invalid predicate: a full-text index keeps digits and Latin letters up to ÿ, and "
            + "'\(terms)' has none. Search with 'CONTAINS' instead.")
      }
    }
  }
}

extension BoundOperand {
  fileprivate func requireSearchableWords() throws(QueryError) {
    if case .matchCount(_, let condition, _) = self { try condition.requireSearchableWords() }
  }
}
