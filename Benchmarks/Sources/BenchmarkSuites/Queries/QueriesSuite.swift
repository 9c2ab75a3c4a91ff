// SPDX-License-Identifier: Apache-2.0

// The same queries over a million objects, of all engines in turns.

package import BenchmarkSupport
import CSQLite
import Foundation

/// Queries that every engine answers with one number.
package final class QueriesSuite: Suite {
  private let context: SuiteContext
  private let workloads: [QueryWorkload]
  private let engines: [any QueryEngine]
  private var expected: [QueryWorkload: Int] = [:]

  package init(_ context: SuiteContext, only workloads: [QueryWorkload] = []) throws {
    self.context = context
    self.workloads = workloads.isEmpty ? QueryWorkload.allCases : workloads
    // SQLite comes first: GRDB reads its file.
    engines = [
      try SQLiteQueries(folder: context.folder, data: context.data),
      try OpenRealmQueries(folder: context.folder, data: context.data),
      try GRDBQueries(folder: context.folder, data: context.data),
    ]
    for workload in self.workloads { expected[workload] = workload.answer(context.data) }
  }

  package func measure(round: Int, _ report: inout Report) throws {
    context.progress("round \(round + 1): queries")
    for workload in workloads {
      for turn in engines.indices {
        let engine = engines[(turn + round) % engines.count]
        let name = type(of: engine).name
        try engine.prepare(workload)
        // The sorter of SQLite leaves a heap that the next large allocation would pay for.
        benchmark_tidy_heap()
        let seconds = try timed(
          "\(name), \(workload.title)", expecting: expected[workload] ?? 0
        ) {
          var answer = 0
          for _ in 0..<workload.repetitions {
            answer = try engine.answer(workload, context.data)
          }
          return answer
        }
        report.add(seconds / Double(workload.repetitions), name, to: workload.row)
      }
    }
  }
}

extension QueryWorkload {
  /// The row of the report: one query.
  var row: ReportRow {
    ReportRow(
      "query-\(rawValue)", title, .milliseconds,
      goals: (goal.map { [.times($0, of: Report.base)] } ?? []) + limits)
  }

  /// The most that a query of a million rows may take, in seconds.
  private var limits: [Goal] {
    switch self {
    case .indexedCount: [.atMost(2e-6)]
    case .indexedKeys: [.atMost(70e-6)]
    case .indexedLookUps, .preparedLookUps: [.atMost(0.128)]
    case .containsInsensitive: [.atMost(6e-3)]
    case .intEquals: [.atMost(0.25e-3)]
    default: []
    }
  }
}
