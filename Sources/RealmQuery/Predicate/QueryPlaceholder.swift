// SPDX-License-Identifier: Apache-2.0

// Constants that are given after a condition was written.

/// A value that a prepared condition is given each time that it is used; it stands where a constant
/// does.
package struct QueryPlaceholder: Hashable, Sendable {
  /// The position among the values that are given.
  package let index: Int
  /// The number of the condition that it was made for.
  package let preparation: UInt64

  package init(index: Int, preparation: UInt64) {
    self.index = index
    self.preparation = preparation
  }
}

extension QueryPlaceholder: CustomStringConvertible {
  /// How messages call it where it has no value.
  package var description: String { "a QueryArgument of another query" }
}

extension Predicate {
  /// The condition with values in place of the placeholders of one preparation.
  package func filled(_ values: [Any], of preparation: UInt64) -> Predicate {
    mappingLeaves { leaf in
      switch leaf {
      case .constant, .node: return leaf
      case .isTrue(let operand): return .isTrue(operand.filled(values, preparation))
      case .comparison(var comparison):
        comparison.left = comparison.left.filled(values, preparation)
        comparison.right = comparison.right.filled(values, preparation)
        return .comparison(comparison)
      }
    }
  }
}

extension Operand {
  /// The placeholder of one preparation that the operand is; nil for others.
  package func placeholder(of preparation: UInt64) -> QueryPlaceholder? {
    guard case .constant(let value as QueryPlaceholder) = self, value.preparation == preparation
    else { return nil }
    return value
  }

  fileprivate func filled(_ values: [Any], _ preparation: UInt64) -> Operand {
    switch self {
    case .constant:
      guard let placeholder = placeholder(of: preparation) else { return self }
      return .constant(values[placeholder.index])
    case .list(let operands): return .list(operands.map { $0.filled(values, preparation) })
    case .matchCount(let path, let condition):
      return .matchCount(path, condition.filled(values, of: preparation))
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(
        operation, left.filled(values, preparation), right.filled(values, preparation))
    case .condition(let condition): return .condition(condition.filled(values, of: preparation))
    case .path, .value, .longNumber, .object, .region, .argument: return self
    }
  }
}
