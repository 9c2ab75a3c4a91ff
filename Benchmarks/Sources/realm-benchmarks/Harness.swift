// SPDX-License-Identifier: Apache-2.0

// Runs the workloads of all engines in turns, so that what disturbs one disturbs all.

import BenchmarkSupport
import Foundation

/// The measured times: workload, engine, rounds.
struct Results {
  private(set) var seconds: [Workload: [String: [Double]]] = [:]

  mutating func add(_ time: Double, _ workload: Workload, _ engine: String) {
    seconds[workload, default: [:]][engine, default: []].append(time)
  }

  func median(_ workload: Workload, _ engine: String) -> Double? {
    guard let times = seconds[workload]?[engine]?.sorted(), !times.isEmpty else { return nil }
    let middle = times.count / 2
    return times.count % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2
  }
}

/// Does the measuring.
struct Harness {
  let data: BenchmarkData
  let engines: [any Engine]
  let folder: URL
  let durableCount: Int
  /// Tells what is going on.
  let progress: (String) -> Void

  /// How many operations one run of a workload does.
  func operations(_ workload: Workload) -> Int {
    workload.isDurable ? durableCount : data.count
  }

  func run(_ workloads: [Workload], rounds: Int) throws -> Results {
    var results = Results()
    for round in 0..<rounds {
      for workload in workloads {
        progress("round \(round + 1) of \(rounds): \(workload.title)")
        if !workload.startsFresh {
          for engine in engines { try engine.openLarge() }
        }
        // What one engine left to be written must not slow down the syncs of another.
        if workload.isDurable { sync() }
        // Each round begins with another engine.
        for turn in engines.indices {
          let engine = engines[(turn + round) % engines.count]
          let time = try measure(workload, engine, round: round)
          results.add(time, workload, type(of: engine).name)
        }
        if workload.isDurable {
          for raw in RawCommit.allCases {
            let time = try raw.measure(folder: folder, count: durableCount)
            results.add(time, workload, raw.rawValue)
          }
        }
        if workload == .durableUpdates {
          data.apply(data.updates(round: round, count: durableCount))
        }
      }
    }
    return results
  }

  /// The seconds that one run takes; throws if the engine's answer is wrong.
  private func measure(_ workload: Workload, _ engine: any Engine, round: Int) throws -> Double {
    if workload.startsFresh { try engine.openFresh() } else { try engine.openLarge() }
    if workload == .lookUpHeld { try engine.hold(data.randomRows) }
    let updates = data.updates(round: round, count: durableCount)
    let clock = ContinuousClock()
    var answer = 0
    let time = try clock.measure {
      answer = try answered(workload, engine, updates: updates)
    }
    if workload.startsFresh { try engine.closeFresh() }
    if workload == .lookUpHeld { try engine.hold([]) }
    let expected = expectation(workload)
    guard answer == expected else {
      throw BenchmarkError(
        "\(type(of: engine).name), \(workload.title): \(answer) instead of \(expected)")
    }
    return time / .seconds(1)
  }

  private func answered(
    _ workload: Workload, _ engine: any Engine, updates: [(row: Int, priority: Int)]
  ) throws -> Int {
    switch workload {
    case .bulkInsert: try engine.insert(batch: data.count)
    case .transactionsOf1000: try engine.insert(batch: 1000)
    case .durableInserts: try engine.insertDurably(count: durableCount)
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
    case .durableInserts, .durableUpdates: durableCount
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
