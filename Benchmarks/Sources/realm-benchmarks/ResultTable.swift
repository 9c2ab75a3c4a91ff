// SPDX-License-Identifier: Apache-2.0

// Shows results as a table: time per operation, and its ratio to SQLite with prepared statements.

import BenchmarkSupport
import Foundation

/// Rows are workloads, columns engines.
struct ResultTable {
  let results: Results
  let engines: [String]
  let operations: (Workload) -> Int

  func text(_ workloads: [Workload], asMarkdown: Bool) -> String {
    let peers = engines + RawCommit.allCases.map(\.rawValue)
    let header = ["workload"] + peers.map { "\($0)" } + ["goal", "reached"]
    let lines = [header] + workloads.map { line($0, peers) }
    return TextTable(lines).text(asMarkdown: asMarkdown)
  }

  private func line(_ workload: Workload, _ peers: [String]) -> [String] {
    let base = results.median(workload, SQLiteEngine.name)
    let cells = peers.map { engine -> String in
      guard let time = results.median(workload, engine) else { return "" }
      let nanoseconds = time * 1e9 / Double(operations(workload))
      let value = String(format: nanoseconds < 100 ? "%.2f" : "%.0f", nanoseconds)
      guard let base else { return value }
      return "\(value) (\(String(format: "%.3f", time / base)))"
    }
    return [workload.title] + cells + goal(workload, base)
  }

  /// The goal and what was reached: against SQLite, and against two syncs for durable updates.
  private func goal(_ workload: Workload, _ base: Double?) -> [String] {
    guard let goal = workload.goal else { return ["", ""] }
    let reference =
      workload == .durableUpdates ? results.median(workload, RawCommit.twoSyncs.rawValue) : base
    guard let ours = results.median(workload, OpenRealmEngine.name), let reference else {
      return ["\(goal)", ""]
    }
    let unit = workload == .durableUpdates ? " × two syncs" : ""
    return ["\(goal)\(unit)", String(format: "%.3f", ours / reference)]
  }
}
