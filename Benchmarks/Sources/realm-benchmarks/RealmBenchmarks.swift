// SPDX-License-Identifier: Apache-2.0

// The command: options, the table, the chart.

import ArgumentParser
import BenchmarkCommands
import BenchmarkSuites
import BenchmarkSupport
import Foundation

extension Workload: ExpressibleByArgument {}
extension SuiteName: ExpressibleByArgument {}

@main
struct RealmBenchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-benchmarks",
    abstract: "Measures OpenRealm beside SQLite, GRDB and LMDB, and prints a table of ratios.",
    discussion: """
      Without an option the operations are measured: inserts, commits, look-ups, scans. --all \
      measures all suites, each in a process of its own.
      """)

  @OptionGroup var options: RunOptions

  @Option(help: "The number of durable commits in a round.")
  var durable = 2_000

  @Flag(help: "Measure all suites.")
  var all = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "These suites (\(SuiteName.allCases.map(\.rawValue).joined(separator: ", "))).",
      valueName: "suite"))
  var suites: [SuiteName] = []

  @Flag(help: "Measure files of 1,000 rows, ten times as many, and so on.")
  var growth = false

  @Option(help: "The most rows of --growth. Ten million take 6 GB of memory and of the disk.")
  var growthLimit = 10_000_000

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Of the operations, only these (\(workloadNames)).", valueName: "operation"))
  var only: [Workload] = []

  @Option(
    parsing: .upToNextOption,
    help: "Only these engines (\(OperationsSuite.engineNames.joined(separator: ", "))).")
  var engines: [String] = []

  @Option(help: "The program realm, built with -c release.")
  var realm = "../.build/release/realm"

  @Option(help: "The program realm-sync, built with -c release.")
  var sync = "../.build/release/realm-sync"

  @Option(help: "The program realm-instructions, built with -c release.")
  var operations = "../.build/release/realm-instructions"

  @Option(help: "The program realm-instructions, built for debug.")
  var debugOperations = "../.build/debug/realm-instructions"

  @Flag(help: "With the suite programs: build an app from scratch, which takes minutes.")
  var build = false

  @Option(help: "Write a chart of the ratios to this file, as SVG.")
  var chart: String?

  @Option(help: "Write the samples to this file, as JSON.")
  var report: String?

  private static var workloadNames: String {
    Workload.allCases.map(\.rawValue).joined(separator: ", ")
  }

  static func main() {
    Probe.runIfAsked()
    MeasuredProcess.launchIfAsked()
    main(nil)
  }

  func validate() throws {
    guard durable > 0, growthLimit >= 1000 else {
      throw ValidationError("--durable must be positive, and --growth-limit at least 1000")
    }
    for name in engines where !OperationsSuite.engineNames.contains(name) {
      throw ValidationError(
        "no engine \(name); there are \(OperationsSuite.engineNames.joined(separator: ", "))")
    }
    guard !growth || !all && suites.isEmpty else {
      throw ValidationError("--growth is a run of its own")
    }
  }

  func run() throws {
    let measured = try measure()
    if let report { try JSONEncoder().encode(measured).write(to: URL(filePath: report)) }
    if let chart {
      let day = Date().formatted(.iso8601.year().month().day())
      let caption = "\(options.rows) rows, median of \(options.rounds) rounds, \(day)"
      try Data(Chart(measured, caption: caption).svg.utf8).write(to: URL(filePath: chart))
    }
    print(
      "\(growth ? "" : "\(options.rows) rows, ")\(durable) durable commits, median of "
        + "\(options.rounds) rounds, ratios to SQLite")
    options.print(measured)
  }

  private func measure() throws -> Report {
    if all || suites.count > 1 { return try measureInProcesses(all ? SuiteName.allCases : suites) }
    return try options.withFolder { folder in
      if growth {
        return try Growth.measure(
          upTo: growthLimit, rounds: options.rounds, durableCount: durable, engines: engines,
          folder: folder, progress: RunOptions.progress)
      }
      let context = options.context(folder, durableCount: durable)
      guard let name = suites.first, name != .operations else {
        let suite = try OperationsSuite(context, only: only, engines: engines)
        return try suite.measure(rounds: options.rounds)
      }
      let programs = ProgramPaths(
        realm: realm, sync: sync, operations: operations, debugOperations: debugOperations,
        repository: build ? ".." : nil)
      return try name.make(context, programs).measure(rounds: options.rounds)
    }
  }

  /// Measures each suite in a process of its own, so that none inherits the heap of another.
  private func measureInProcesses(_ names: [SuiteName]) throws -> Report {
    try options.withFolder { folder in
      var report = Report()
      for name in names {
        let file = folder.appending(path: "\(name.rawValue).json")
        var arguments = [
          "--suites", name.rawValue, "--report", file.path, "--durable", "\(durable)", "--realm",
          realm, "--sync", sync, "--operations", operations, "--debug-operations",
          debugOperations,
        ]
        arguments += options.arguments
        if build { arguments.append("--build") }
        if !engines.isEmpty { arguments += ["--engines"] + engines }
        let process = Process()
        process.executableURL = URL(filePath: MeasuredProcess.ownPath)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
          throw BenchmarkError("the suite \(name.rawValue) failed; its message stands above")
        }
        report.merge(try JSONDecoder().decode(Report.self, from: Data(contentsOf: file)))
      }
      return report
    }
  }
}
