// SPDX-License-Identifier: Apache-2.0

// How a selection finds its objects, for `explain()`.

package import RealmStorage
import RealmTables

extension Selection {
  /// How the objects are found, a line for each step.
  ///
  /// - Parameter isWhole: whether all matches are wanted, so that several threads may scan.
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
    // Matches of an index for one value are not tested again.
    if !tests.isEmpty, try exactLookup == nil { lines.append("test: \(tests)") }
    return lines
  }

  /// The index that a node is answered by, and how many objects it gives.
  private func bestLookup(_ node: Int) throws(StorageError) -> (text: String, count: Int)? {
    if plan.lookups[node] != nil {
      return try candidates(node).map { (plan.text(of: node), $0.count) }
    }
    switch unsafe plan.nodes[node] {
    case .all(let children):
      var best: (text: String, count: Int)?
      for child in unsafe plan.children[children] {
        guard let found = try bestLookup(child) else { continue }
        if found.count < best?.count ?? .max { best = found }
      }
      return best
    case .any(let children):
      guard let keys = try candidates(node) else { return nil }
      return unsafe (plan.children[children].map(plan.text).joined(separator: " OR "), keys.count)
    default: return nil
    }
  }
}

extension QueryPlan {
  /// The tests of a node in the order in which they are made.
  func text(of node: Int) -> String {
    switch unsafe nodes[node] {
    case .constant(let truth): truth ? "" : "FALSEPREDICATE"
    case .all(let children): unsafe self.children[children].map(text).joined(separator: ", then ")
    case .any(let children):
      unsafe "(" + self.children[children].map(text).joined(separator: " or else ") + ")"
    case .not(let child): "not (" + text(of: child) + ")"
    default:
      (texts[node]?() ?? "a condition") + (searches[node].map { " (\($0.text()))" } ?? "")
    }
  }
}
