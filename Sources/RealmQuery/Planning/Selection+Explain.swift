// SPDX-License-Identifier: Apache-2.0

// What a query does, told.

package import RealmStorage
package import RealmTables

extension Selection {
  /// How the objects are found, a line for each step.
  ///
  /// - Parameter isWhole: whether all matches are wanted, so that several threads may look.
  package func explanation(isWhole: Bool = true) throws(StorageError) -> [String] {
    var lines: [String] = []
    let count = try table.objectCount()
    if let best = try bestLookup(root) {
      lines.append("index: \(best.text), \(best.count) of \(count) objects")
    } else {
      var line = "scan: \(count) objects"
      if isWhole, plan.isQuickToMake, let parts = try ScanParts(table) {
        let threads = min(WorkerPool.shared.workerCount, parts.ranges.count)
        line += " in \(parts.ranges.count) parts by \(threads) threads"
      }
      lines.append(line)
    }
    let tests = plan.text(of: root)
    // What an index has of one value is not tested again.
    if !tests.isEmpty, try exactLookup == nil { lines.append("test: \(tests)") }
    return lines
  }

  /// The index that a node is answered by, and how many objects it gives.
  private func bestLookup(_ node: Int) throws(StorageError) -> (text: String, count: Int)? {
    if plan.lookups[node] != nil {
      return try candidates(node).map { (plan.text(of: node), $0.count) }
    }
    switch plan.nodes[node] {
    case .all(let children):
      var best: (text: String, count: Int)?
      for child in plan.children[children] {
        guard let found = try bestLookup(child) else { continue }
        if found.count < best?.count ?? .max { best = found }
      }
      return best
    case .any(let children):
      guard let keys = try candidates(node) else { return nil }
      return (plan.children[children].map(plan.text).joined(separator: " OR "), keys.count)
    default: return nil
    }
  }
}

extension QueryPlan {
  /// The tests of a node in the order in which they are made.
  func text(of node: Int) -> String {
    switch nodes[node] {
    case .constant(let truth): truth ? "" : "FALSEPREDICATE"
    case .all(let children): self.children[children].map(text).joined(separator: ", then ")
    case .any(let children):
      "(" + self.children[children].map(text).joined(separator: " or else ") + ")"
    case .not(let child): "not (" + text(of: child) + ")"
    default:
      (texts[node]?() ?? "a condition") + (searches[node].map { " (\($0.text))" } ?? "")
    }
  }
}

extension LiveQuery {
  /// What is done to find the objects, a line for each step.
  package func explanation(
    in table: Table, of source: any TableSource
  ) throws(QueryError) -> [String] {
    let limit = rest.neededCount
    let isPicked = try order?.pickedColumn(limit, of: table, in: source) != nil
    let isWhole = order == nil ? limit == .max : !isPicked
    let selection = try Selection(predicate ?? .constant(true), in: table, of: source)
    var lines = try QueryError.widen { () throws(StorageError) in
      try selection.explanation(isWhole: isWhole)
    }
    var steps = rest[...]
    if let order {
      lines.append(
        isPicked
          ? "pick: the first \(limit) by \(order.text)"
          : try order.explanation(of: table, in: source, limit: limit))
    } else if limit < .max {
      lines.append("stop: after \(limit) objects")
    } else if case .distinct(let paths) = rest.first,
      try paths.toldApartColumn(of: table, in: source) != nil
    {
      lines.append("distinct: \(paths.namesText), while looking")
      steps = steps.dropFirst()
    }
    for step in steps { lines.append(try step.explanation(of: table, in: source)) }
    return lines
  }

  /// What is done with the objects of a collection, a line for each step; each is looked at by
  /// itself.
  package func explanation(
    ofCollection count: Int, in table: Table, of source: any TableSource
  ) throws(QueryError) -> [String] {
    var lines = ["elements: \(count) of a collection, each by itself"]
    if let predicate {
      lines.append(try QueryStep.filter(predicate).explanation(of: table, in: source))
    }
    if let order { lines.append(try QueryStep.sort(order).explanation(of: table, in: source)) }
    for step in rest { lines.append(try step.explanation(of: table, in: source)) }
    return lines
  }
}

extension ValueSteps {
  /// What is done with the values of a collection, a line for each step.
  package static func explanation(_ steps: [QueryStep], count: Int) -> [String] {
    ["elements: \(count) of a collection, each by itself"]
      + steps.map { step in
        switch step {
        case .filter(let predicate): "test: \(predicate.text)"
        case .sort(let order): "sort: \(order.text), by comparing"
        case .distinct(let paths): "distinct: \(paths.namesText)"
        case .limit(let count): "limit: \(count)"
        case .offset(let count): "offset: \(count)"
        }
      }
  }
}

extension QueryStep {
  /// The step on objects that are known already.
  fileprivate func explanation(
    of table: Table, in source: any TableSource
  ) throws(QueryError) -> String {
    switch self {
    case .filter(let predicate):
      return "test: \(try Selection(predicate, in: table, of: source, isScan: false).testText)"
    case .sort(let order): return "sort: \(order.text), by comparing"
    case .distinct(let paths): return "distinct: \(paths.namesText)"
    case .limit(let count): return "limit: \(count)"
    case .offset(let count): return "offset: \(count)"
    }
  }
}

extension SortOrder {
  /// How the matches of a table are sorted.
  fileprivate func explanation(
    of table: Table, in source: any TableSource, limit: Int
  ) throws(QueryError) -> String {
    let paths = try paths(from: table, in: source)
    let isRadix = paths.count == 1 && TableSort.column(of: paths[0]) != nil
    return "sort: \(text), by \(isRadix ? "radix" : "comparing")"
      + (limit < .max ? ", the first \(limit)" : "")
  }

  /// The names of the key paths.
  fileprivate var namesText: String { criteria.map(\.path.fullText).joined(separator: ", ") }
}
