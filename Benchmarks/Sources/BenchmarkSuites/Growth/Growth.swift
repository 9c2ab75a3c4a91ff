// SPDX-License-Identifier: Apache-2.0

// How costs grow with the number of rows.

package import BenchmarkSupport
package import Foundation

/// The same work on files of 1,000 rows, of ten times as many, and so on.
package enum Growth {
  /// The work whose cost should not depend on the rows, or grow with their logarithm.
  private static let workloads: [Workload] = [
    .bulkInsert, .durableUpdates, .lookUpInt, .countRange, .sum, .iterate,
  ]

  /// Measures files of 1,000 rows up to `limit`; for each, a report whose rows name the number.
  package static func measure(
    upTo limit: Int, rounds: Int, durableCount: Int, engines: [String], folder: URL,
    progress: @escaping (String) -> Void
  ) throws -> Report {
    var rows: [[ReportRow]] = []
    var count = 1000
    while count <= limit {
      let scratch = try ScratchFolder(in: folder.path)
      defer { scratch.remove() }
      let size = count
      let context = SuiteContext(
        data: BenchmarkData(count: size), folder: scratch.url, durableCount: durableCount,
        progress: { progress("\(size) rows, \($0)") })
      let suite = try OperationsSuite(context, only: workloads, engines: engines)
      rows.append(
        try suite.measure(rounds: rounds).rows.map {
          $0.renamed("\($0.id)-\(size)", "\($0.title), of \(size)")
        })
      count *= 10
    }
    // The sizes of one work stand below each other.
    var report = Report()
    for index in rows.first?.indices ?? 0..<0 {
      for size in rows where index < size.count { report.append(size[index]) }
    }
    return report
  }
}
