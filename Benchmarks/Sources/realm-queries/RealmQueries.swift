// SPDX-License-Identifier: Apache-2.0

// The command: runs the queries of all engines in turns, and prints a table of ratios.

import ArgumentParser
import BenchmarkSupport
import CSQLite
import Foundation

@main
struct RealmQueries: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-queries",
    abstract: "Measures queries of OpenRealm beside SQLite and GRDB.")

  @Option(help: "The number of rows.")
  var rows = 1_000_000

  @Option(help: "How often each query is run; the table shows medians.")
  var rounds = 7

  @Option(help: "The folder for a folder of database files.")
  var folder = ".build/query-files"

  @Option(parsing: .upToNextOption, help: "Only these queries.")
  var only: [QueryWorkload] = []

  @Flag(help: "Print the table as Markdown.")
  var markdown = false

  func run() throws {
    let scratch = try ScratchFolder(in: folder)
    defer { scratch.remove() }
    let location = scratch.url
    let data = BenchmarkData(count: rows)
    data.checkGenerator()
    // SQLite comes first: GRDB reads its file.
    let engines: [any QueryEngine] = [
      try SQLiteQueries(folder: location, data: data),
      try OpenRealmQueries(folder: location, data: data),
      try GRDBQueries(folder: location, data: data),
    ]
    let workloads = only.isEmpty ? QueryWorkload.allCases : only
    var lines = [["query", "OpenRealm", "SQLite", "GRDB", "goal", "reached"]]
    for workload in workloads { lines.append(try line(workload, engines, data)) }
    print("\(rows) rows, median of \(rounds) rounds, ms per query, ratios to SQLite")
    print(TextTable(lines).text(asMarkdown: markdown))
  }

  private func line(
    _ workload: QueryWorkload, _ engines: [any QueryEngine], _ data: BenchmarkData
  ) throws -> [String] {
    let expected = workload.answer(data)
    var times: [String: [Double]] = [:]
    for round in 0..<rounds {
      for turn in engines.indices {
        let engine = engines[(turn + round) % engines.count]
        try engine.prepare(workload)
        benchmark_tidy_heap()
        var answer = 0
        let time = try ContinuousClock().measure {
          for _ in 0..<workload.repetitions { answer = try engine.answer(workload, data) }
        } / workload.repetitions
        guard answer == expected else {
          throw BenchmarkError(
            "\(type(of: engine).name), \(workload.title): \(answer) instead of \(expected)")
        }
        times[type(of: engine).name, default: []].append(time / .milliseconds(1))
      }
    }
    let medians = times.mapValues { $0.sorted()[$0.count / 2] }
    let base = medians[SQLiteQueries.name] ?? 1
    let names = [OpenRealmQueries.name, SQLiteQueries.name, GRDBQueries.name]
    let cells = names.map { name in
      let time = medians[name] ?? 0
      return String(format: time < 10 ? "%.3f (%.3f)" : "%.1f (%.3f)", time, time / base)
    }
    let ours = (medians[OpenRealmQueries.name] ?? 0) / base
    let goal = workload.goal.map { ["\($0)", ours <= $0 ? "yes" : "no"] } ?? ["", ""]
    return [workload.title] + cells + goal
  }
}
