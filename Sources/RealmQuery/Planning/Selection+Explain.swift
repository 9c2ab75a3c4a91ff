// SPDX-License-Identifier: Apache-2.0

// What a query does, told.

package import RealmStorage
package import RealmTables

extension Selection {
  /// How the objects are found, a line for each step.
  package func explanation() throws(StorageError) -> [String] {
    var lines: [String] = []
    if let best = try bestLookup(root) {
      lines.append("index: \(best.text), \(best.count) of \(try table.objectCount()) objects")
    } else {
      lines.append("scan: \(try table.objectCount()) objects")
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
      for child in children {
        guard let found = try bestLookup(child) else { continue }
        if found.count < best?.count ?? .max { best = found }
      }
      return best
    case .any(let children):
      guard let keys = try candidates(node) else { return nil }
      return (children.map(plan.text).joined(separator: " OR "), keys.count)
    default: return nil
    }
  }
}

extension QueryPlan {
  /// The tests of a node in the order in which they are made.
  func text(of node: Int) -> String {
    switch nodes[node] {
    case .constant(let truth): truth ? "" : "FALSEPREDICATE"
    case .all(let children): children.map(text).joined(separator: ", then ")
    case .any(let children): "(" + children.map(text).joined(separator: " or else ") + ")"
    case .not(let child): "not (" + text(of: child) + ")"
    default: texts[node] ?? "a condition"
    }
  }
}

extension LiveQuery {
  /// What is done to find the objects, a line for each step.
  package func explanation(
    in table: Table, of source: any TableSource
  ) throws(QueryError) -> [String] {
    var lines: [String] = []
    let selection = try Selection(predicate ?? .constant(true), in: table, of: source)
    lines += try QueryError.widen { () throws(StorageError) in try selection.explanation() }
    let limit = rest.neededCount
    if let order {
      lines.append("sort: \(order.text)\(limit < .max ? ", the first \(limit)" : "")")
    } else if limit < .max {
      lines.append("stop: after \(limit) objects")
    }
    for step in rest {
      switch step {
      case .filter(let predicate):
        let selection = try Selection(predicate, in: table, of: source, isScan: false)
        lines.append("test: \(selection.testText)")
      case .sort(let order): lines.append("sort: \(order.text)")
      case .distinct(let paths):
        let names = paths.criteria.map(\.path.fullText).joined(separator: ", ")
        lines.append("distinct: \(names)")
      case .limit(let count): lines.append("limit: \(count)")
      case .offset(let count): lines.append("offset: \(count)")
      }
    }
    return lines
  }
}
