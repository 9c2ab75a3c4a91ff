// SPDX-License-Identifier: Apache-2.0

// What an app's process pays: to start, and in memory.

package import BenchmarkSupport
import Foundation

/// The processor time of starting with a small file, and the peak memory of large work.
package final class ProcessesSuite: Suite {
  private let context: SuiteContext
  private static let smallCount = 100
  private static let startCount = 10

  package init(_ context: SuiteContext) throws {
    self.context = context
    for peer in Probe.Peer.allCases {
      _ = try Probe.insert.measure(peer, rows: Self.smallCount, in: context.folder)
    }
  }

  package func measure(round: Int, _ report: inout Report) throws {
    context.progress("round \(round + 1): processes")
    let start = ReportRow(
      "start", "start with one small file, processor time above none", .milliseconds,
      goals: [.atMost(2e-3)])
    let insert = ReportRow(
      "memory-insert", "peak memory: insert all, one transaction", .megabytes)
    let sum = ReportRow("memory-sum", "peak memory: open, sum of an int", .megabytes)
    let peers = Probe.Peer.allCases
    for turn in peers.indices {
      let peer = peers[(turn + round) % peers.count]
      for _ in 0..<Self.startCount {
        let empty = try Probe.nothing.measure(peer, rows: 0, in: context.folder)
        let small = try Probe.start.measure(peer, rows: Self.smallCount, in: context.folder)
        report.add(small.processorSeconds - empty.processorSeconds, peer.rawValue, to: start)
      }
      for (probe, row) in [(Probe.insert, insert), (.sum, sum)] {
        let process = try probe.measure(peer, rows: context.data.count, in: context.folder)
        report.add(Double(process.peakByteCount), peer.rawValue, to: row)
      }
    }
  }
}
