// SPDX-License-Identifier: Apache-2.0

// Conditions that are joined or negated.
//
// Invariants:
// 1. A chain of `and`, or of `or`, may be as long as `Predicate.maximumComparisonCount`, so nothing
//    descends it recursively, and nodes free what they join in a loop.
// 2. A chain counts as one level, whichever of its conditions were joined first. Levels are at most
//    `Predicate.maximumDepth`, so a recursion over levels fits a stack of 512 KiB.

/// Two conditions that are joined, or one that is negated.
package final class PredicateNode {
  /// How a node joins its conditions.
  package enum Kind { case and, or, not }

  package let kind: Kind
  package private(set) var left: Predicate
  /// The second condition; of a negation a constant.
  package private(set) var right: Predicate
  /// The number of comparisons, those of subqueries included.
  let comparisonCount: Int
  /// The number of levels.
  let depth: Int

  init(_ kind: Kind, _ left: Predicate, _ right: Predicate = .constant(true)) {
    self.kind = kind
    self.left = left
    self.right = right
    assert(kind != .not || right.isTrueConstant, "a negation has one condition")
    comparisonCount = left.comparisonCount + right.comparisonCount
    depth = max(left.depth(in: kind), right.depth(in: kind))
  }

  deinit {
    var waiting: [PredicateNode] = []
    release(to: &waiting)
    while var node = waiting.popLast() {
      if isKnownUniquelyReferenced(&node) { node.release(to: &waiting) }
    }
  }

  /// Moves the nodes that this one consists of to `nodes`.
  private func release(to nodes: inout [PredicateNode]) {
    if case .node(let node) = left { nodes.append(node) }
    if case .node(let node) = right { nodes.append(node) }
    left = .constant(true)
    right = .constant(true)
  }
}

extension Predicate {
  fileprivate var isTrueConstant: Bool { if case .constant(true) = self { true } else { false } }

  /// The number of comparisons that a condition may consist of.
  package static let maximumComparisonCount = 65_536
  /// The number of levels on which conditions may be negated, joined otherwise than those around
  /// them, or be those of subqueries.
  package static let maximumDepth = 128

  /// The number of comparisons, those of subqueries included.
  package var comparisonCount: Int {
    switch self {
    case .constant: 0
    case .node(let node): node.comparisonCount
    case .isTrue(let operand): 1 + operand.comparisonCount
    case .comparison(let comparison):
      1 + comparison.left.comparisonCount + comparison.right.comparisonCount
    }
  }

  /// The number of levels.
  package var depth: Int {
    switch self {
    case .constant: 0
    case .node(let node): node.depth
    case .isTrue(let operand): max(1, operand.depth)
    case .comparison(let comparison):
      max(1, comparison.left.depth, comparison.right.depth)
    }
  }

  /// The number of levels of a node of some kind that this is a part of.
  fileprivate func depth(in kind: PredicateNode.Kind) -> Int {
    if case .node(let node) = self, node.kind == kind, kind != .not { return node.depth }
    return depth + 1
  }

  /// What is wrong with the size of the condition; nil if it may be evaluated.
  package var flawOfSize: String? {
    if comparisonCount > Predicate.maximumComparisonCount {
      return "Invalid predicate: a condition has at most \(Predicate.maximumComparisonCount) "
        + "comparisons. Look for one of several values with 'IN'."
    }
    if depth > Predicate.maximumDepth {
      return "Invalid predicate: a condition nests at most \(Predicate.maximumDepth) deep."
    }
    return nil
  }
}

extension Operand {
  fileprivate var comparisonCount: Int {
    switch self {
    case .matchCount(_, let condition), .condition(let condition): condition.comparisonCount
    case .arithmetic(_, let left, let right): left.comparisonCount + right.comparisonCount
    default: 0
    }
  }

  /// The number of levels below the comparison.
  fileprivate var depth: Int {
    switch self {
    case .matchCount(_, let condition), .condition(let condition): condition.depth + 1
    case .arithmetic(_, let left, let right): max(left.depth, right.depth) + 1
    default: 0
    }
  }
}
