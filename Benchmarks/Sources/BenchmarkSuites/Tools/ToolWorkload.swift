// SPDX-License-Identifier: Apache-2.0

// What the programs do with the rows.

import BenchmarkSupport

/// A file that goes in or out.
enum ToolWorkload: String, CaseIterable {
  case csvIn, jsonIn, jsonArrayIn, sqliteIn, csvOut, jsonOut, sqliteOut, restore

  private var title: String {
    switch self {
    case .csvIn: "import CSV (.import --csv)"
    case .jsonIn: "import JSON lines (.import, json_extract)"
    case .jsonArrayIn: "import one array of JSON (json_each)"
    case .sqliteIn: "import SQLite (.read of a dump)"
    case .csvOut: "export CSV (-csv)"
    case .jsonOut: "export JSON lines (-json)"
    case .sqliteOut: "export SQLite (.dump)"
    case .restore: "import our own JSON, an equal file"
    }
  }

  /// The rows of the report: time, processor time, and memory.
  private var rows: (time: ReportRow, processor: ReportRow, memory: ReportRow) {
    (
      ReportRow("tool-\(rawValue)", title, .seconds, goals: [.times(1, of: Report.base)]),
      ReportRow("tool-\(rawValue)-cpu", "\(title): processor time", .seconds),
      ReportRow("tool-\(rawValue)-memory", "\(title): peak memory", .megabytes)
    )
  }

  /// Adds what a program used.
  func add(_ process: MeasuredProcess, _ column: String, to report: inout Report) {
    report.add(process.seconds, column, to: rows.time)
    report.add(process.processorSeconds, column, to: rows.processor)
    report.add(Double(process.peakByteCount), column, to: rows.memory)
  }
}
