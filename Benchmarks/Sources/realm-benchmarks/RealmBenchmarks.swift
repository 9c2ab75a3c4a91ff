// SPDX-License-Identifier: Apache-2.0

// The command: options, and the table.

import ArgumentParser
import BenchmarkSupport
import Foundation

@main
struct RealmBenchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-benchmarks",
    abstract: "Measures OpenRealm beside SQLite, GRDB and LMDB, and prints a table of ratios.")

  @Option(help: "The number of rows.")
  var rows = 1_000_000

  @Option(help: "How often each workload is run; the table shows medians.")
  var rounds = 3

  @Option(help: "The number of durable commits in a run.")
  var durable = 2_000

  @Option(help: "The folder for a folder of database files; its disk is what is measured.")
  var folder = ".build/benchmark-files"

  @Option(
    parsing: .upToNextOption, help: "Only these workloads (\(workloadNames)).")
  var only: [Workload] = []

  @Option(parsing: .upToNextOption, help: "Only these engines (\(engineNames)).")
  var engines: [String] = []

  @Flag(help: "Print the table as Markdown.")
  var markdown = false

  private static var allEngines: [any Engine.Type] {
    [OpenRealmEngine.self, OneSyncEngine.self, SQLiteEngine.self, GRDBEngine.self, LMDBEngine.self]
  }

  private static var engineNames: String { allEngines.map { $0.name }.joined(separator: ", ") }

  private static var workloadNames: String {
    Workload.allCases.map(\.rawValue).joined(separator: ", ")
  }

  func validate() throws {
    guard rows > 0, rounds > 0, durable > 0 else {
      throw ValidationError("rows, rounds and durable must be positive")
    }
    for name in engines where !Self.allEngines.contains(where: { $0.name == name }) {
      throw ValidationError("no engine \(name); there are \(Self.engineNames)")
    }
  }

  func run() throws {
    let scratch = try ScratchFolder(in: folder)
    defer { scratch.remove() }
    let location = scratch.url
    let data = BenchmarkData(count: rows)
    data.checkGenerator()
    let chosen = Self.allEngines.filter { engines.isEmpty || engines.contains($0.name) }
    let harness = Harness(
      data: data, engines: try chosen.map { try $0.init(folder: location, data: data) },
      folder: location, durableCount: durable,
      progress: { FileHandle.standardError.write(Data("\($0)\n".utf8)) })
    let workloads = only.isEmpty ? Workload.allCases : only
    let results = try harness.run(workloads, rounds: rounds)
    let table = ResultTable(
      results: results, engines: chosen.map { $0.name }, operations: harness.operations)
    print("\(rows) rows, \(durable) durable commits, median of \(rounds) rounds, ns per operation")
    print(table.text(workloads, asMarkdown: markdown))
  }
}
