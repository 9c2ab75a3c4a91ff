// SPDX-License-Identifier: Apache-2.0

// The workloads of all engines in turns, so that what disturbs one disturbs all.

package import BenchmarkSupport
import Foundation

/// Inserts, commits, look-ups, scans: the work that every engine does.
package final class OperationsSuite: Suite {
  private let context: SuiteContext
  private let engines: [any Engine]
  private let workloads: [Workload]

  /// The names of the engines.
  package static var engineNames: [String] { allEngines.map { $0.name } }

  private static var allEngines: [any Engine.Type] {
    [OpenRealmEngine.self, OneSyncEngine.self, SQLiteEngine.self, GRDBEngine.self, LMDBEngine.self]
  }

  /// - Parameter engines: The names of the engines; all without one.
  package init(
    _ context: SuiteContext, only workloads: [Workload] = [], engines: [String] = []
  ) throws {
    self.context = context
    self.workloads = workloads.isEmpty ? Workload.allCases : workloads
    self.engines = try Self.allEngines
      .filter { engines.isEmpty || engines.contains($0.name) }
      .map { try $0.init(folder: context.folder, data: context.data) }
  }

  private var data: BenchmarkData { context.data }

  /// How many operations one run of a workload does.
  private func operations(_ workload: Workload) -> Int {
    workload.isDurable ? context.durableCount : data.count
  }

  package func measure(round: Int, _ report: inout Report) throws {
    for workload in workloads {
      context.progress("round \(round + 1): \(workload.title)")
      if !workload.startsFresh { for engine in engines { try engine.openLarge() } }
      // What one engine left to be written must not slow down the syncs of another.
      if workload.isDurable { sync() }
      // Each round begins with another engine.
      for turn in engines.indices {
        try measure(workload, engines[(turn + round) % engines.count], round: round, &report)
      }
      if workload.isDurable {
        for raw in RawCommit.allCases {
          let time = try raw.measure(folder: context.folder, count: context.durableCount)
          report.add(time / Double(context.durableCount), raw.rawValue, to: workload.row)
        }
      }
      if workload == .durableUpdates {
        data.apply(data.updates(round: round, count: context.durableCount))
      }
    }
    for engine in engines where engine.largeFileByteCount > 0 {
      report.add(
        Double(engine.largeFileByteCount), type(of: engine).name,
        to: ReportRow(
          "file-size", "file of \(data.count) rows in two classes", .megabytes,
          goals: data.count == 1_000_000 ? [.atMost(90_400_000)] : []))
    }
  }

  private func measure(
    _ workload: Workload, _ engine: any Engine, round: Int, _ report: inout Report
  ) throws {
    let name = type(of: engine).name
    if workload.startsFresh { try engine.openFresh() } else { try engine.openLarge() }
    if workload == .lookUpHeld { try engine.hold(data.randomRows) }
    let updates = data.updates(round: round, count: context.durableCount)
    let written = WrittenBytes()
    let seconds = try timed("\(name), \(workload.title)", expecting: expectation(workload)) {
      try answered(workload, engine, updates: updates)
    }
    let bytes = written?.sinceMade
    if workload.startsFresh { try engine.closeFresh() }
    if workload == .lookUpHeld { try engine.hold([]) }
    let count = Double(operations(workload))
    report.add(seconds / count, name, to: workload.row)
    if workload.isDurable, let bytes {
      let row = ReportRow("\(workload.rawValue)-bytes", "bytes written, \(workload.title)", .bytes)
      report.add(Double(bytes) / count, name, to: row)
    }
  }

  private func answered(
    _ workload: Workload, _ engine: any Engine, updates: [(row: Int, priority: Int)]
  ) throws -> Int {
    switch workload {
    case .bulkInsert: try engine.insert(batch: data.count)
    case .transactionsOf1000: try engine.insert(batch: 1000)
    case .durableInserts: try engine.insertDurably(count: context.durableCount)
    case .durableUpdates: try engine.updateDurably(updates)
    case .lookUpInt: try engine.lookUpByNumber(data.randomRows)
    case .lookUpString: try engine.lookUpByName(data.randomRows)
    case .lookUpHeld: try engine.readHeld()
    case .countRange: try engine.countRange(BenchmarkData.range)
    case .countString: try engine.countOwner(BenchmarkData.owner)
    case .sum: try engine.sum()
    case .iterate: try engine.iterate()
    case .values: try engine.iterateValues()
    }
  }

  private func expectation(_ workload: Workload) -> Int {
    switch workload {
    case .bulkInsert, .transactionsOf1000: data.count
    case .durableInserts, .durableUpdates: context.durableCount
    case .lookUpInt, .lookUpHeld: data.randomRows.reduce(0) { $0 + data.rows[$1].priority }
    case .lookUpString: data.namedPrioritySum
    case .countRange: data.rangeCount
    case .countString: data.ownerCount
    case .sum: data.prioritySum
    case .iterate: data.iterationSum
    case .values: data.valuesSum
    }
  }
}
