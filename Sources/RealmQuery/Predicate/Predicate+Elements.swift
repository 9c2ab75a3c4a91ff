// SPDX-License-Identifier: Apache-2.0

// Conditions on the elements of collections, which are written with paths from the object that has
// the collection, and counted with paths from the element.

extension Predicate {
  /// The number of the elements of a collection for which the condition is true.
  ///
  /// - Parameter isOfElement: Whether a path that leads through the collection begins at the
  ///   element that is counted. Others are about the objects around, and so are counts of the same
  ///   collection: an element by itself has nothing to be counted.
  package func counted(
    in collection: PropertyPath, _ isOfElement: (PropertyPath) throws -> Bool
  ) rethrows -> Operand {
    let condition = try mappingPaths { path, depth, isCounted in
      // Paths with a lower level begin at elements of a collection within.
      guard path.level == depth else { return path }
      if try isOfElement(path), !(isCounted && path.components == collection.components) {
        return path.fromElement(of: collection)
      }
      var path = path
      path.level += 1
      return path
    }
    return .matchCount(collection, condition)
  }

  /// The condition on elements of a collection, as `where` closures write it, with its own counts
  /// of the same collection: they are meant of the collections within its elements.
  package func countingWithin(_ collection: PropertyPath) -> Predicate {
    mappingLeaves { leaf in
      switch leaf {
      case .constant, .node: return leaf
      case .isTrue(let operand): return .isTrue(operand.countingWithin(collection))
      case .comparison(var comparison):
        comparison.left = comparison.left.countingWithin(collection)
        comparison.right = comparison.right.countingWithin(collection)
        return .comparison(comparison)
      }
    }
  }

  /// The condition with other paths.
  ///
  /// - Parameter body: Takes a path, how many conditions on elements it is within, and whether it
  ///   is that of a collection whose elements are counted.
  fileprivate func mappingPaths(
    depth: Int = 0, _ body: (PropertyPath, Int, Bool) throws -> PropertyPath
  ) rethrows -> Predicate {
    try mappingLeaves { leaf in
      switch leaf {
      case .constant, .node: return leaf
      case .isTrue(let operand): return .isTrue(try operand.mappingPaths(depth, body))
      case .comparison(var comparison):
        comparison.left = try comparison.left.mappingPaths(depth, body)
        comparison.right = try comparison.right.mappingPaths(depth, body)
        return .comparison(comparison)
      }
    }
  }

  /// The condition in the same shape with other comparisons; in a loop, as chains may be long.
  func mappingLeaves(_ body: (Predicate) throws -> Predicate) rethrows -> Predicate {
    enum Task {
      case map(Predicate)
      case join(PredicateNode.Kind)
    }
    var tasks: [Task] = [.map(self)]
    var results: [Predicate] = []
    while let task = tasks.popLast() {
      switch task {
      case .map(.node(let node)):
        tasks.append(.join(node.kind))
        if node.kind != .not { tasks.append(.map(node.right)) }
        tasks.append(.map(node.left))
      case .map(let leaf): results.append(try body(leaf))
      case .join(.not): results.append(.not(results.removeLast()))
      case .join(let kind):
        let right = results.removeLast()
        results.append(.node(PredicateNode(kind, results.removeLast(), right)))
      }
    }
    return results[0]
  }

  /// The paths, constants and counts that the condition is made of, but for those within conditions
  /// on elements.
  fileprivate var operands: [Operand] {
    leaves.flatMap { leaf -> [Operand] in
      switch leaf {
      case .constant, .node: []
      case .isTrue(let operand): operand.simpleOperands
      case .comparison(let comparison):
        comparison.left.simpleOperands + comparison.right.simpleOperands
      }
    }
  }

  /// All paths of the condition, but for those of conditions on elements.
  package var paths: [PropertyPath] {
    operands.compactMap { operand in
      switch operand {
      case .path(let path), .matchCount(let path, _): path
      default: nil
      }
    }
  }

  /// The collections whose elements the condition counts, but for those within others.
  package var countedCollections: [PropertyPath] {
    operands.compactMap { if case .matchCount(let path, _) = $0 { path } else { nil } }
  }

  /// The first collection of the elements that the condition is about.
  fileprivate var collectionOfElement: PropertyPath? {
    operands.lazy.compactMap { operand in
      guard let path = operand.path, path.level == 0 else { return nil }
      return path.firstCollection
    }.first ?? countedCollections.first { $0.level == 0 }
  }

  /// The first collection that a path is known to lead through.
  package var firstCollection: PropertyPath? {
    operands.lazy.compactMap { $0.path?.firstCollection }.first
  }
}

extension Operand {
  fileprivate func mappingPaths(
    _ depth: Int, _ body: (PropertyPath, Int, Bool) throws -> PropertyPath
  ) rethrows -> Operand {
    switch self {
    case .path(let path): return .path(try body(path, depth, false))
    case .value, .longNumber, .object, .region, .constant, .argument, .list: return self
    case .matchCount(let path, let condition):
      return .matchCount(
        try body(path, depth, true), try condition.mappingPaths(depth: depth + 1, body))
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(
        operation, try left.mappingPaths(depth, body), try right.mappingPaths(depth, body))
    case .condition(let condition):
      return .condition(try condition.mappingPaths(depth: depth, body))
    }
  }

  /// See `Predicate.countingWithin(_:)`.
  fileprivate func countingWithin(_ collection: PropertyPath) -> Operand {
    switch self {
    case .matchCount(let path, let condition):
      // Without a collection within the elements, that of the object around is meant.
      guard path.level == 0, path.components == collection.components,
        let inner = condition.collectionOfElement
      else { return self }
      let counted = condition.countingWithin(inner).mappingPaths { path, depth, _ in
        guard path.level == depth else { return path }
        if path.starts(with: inner) { return path.fromElement(of: inner) }
        return PropertyPath(collection.components + path.components, level: depth + 1)
      }
      return .matchCount(PropertyPath(collection.components + inner.components), counted)
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(
        operation, left.countingWithin(collection), right.countingWithin(collection))
    case .condition(let condition): return .condition(condition.countingWithin(collection))
    default: return self
    }
  }

  /// The operands that this one is computed from; the operand itself if it is not.
  fileprivate var simpleOperands: [Operand] {
    switch self {
    case .arithmetic(_, let left, let right): left.simpleOperands + right.simpleOperands
    case .condition(let condition): condition.operands
    default: [self]
    }
  }
}
