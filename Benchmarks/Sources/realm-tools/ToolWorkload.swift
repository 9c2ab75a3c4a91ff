// SPDX-License-Identifier: Apache-2.0

// What the programs do with the rows.

import ArgumentParser

/// A file that goes in or out.
enum ToolWorkload: String, CaseIterable, ExpressibleByArgument {
  case csvIn, jsonIn, sqliteIn, csvOut, jsonOut, sqliteOut, restore

  var title: String {
    switch self {
    case .csvIn: "CSV in"
    case .jsonIn: "JSON lines in"
    case .sqliteIn: "SQLite in"
    case .csvOut: "CSV out"
    case .jsonOut: "JSON lines out"
    case .sqliteOut: "SQLite out"
    case .restore: "our own JSON in, an equal file"
    }
  }

  /// What SQLite's program does that is closest.
  var peer: String? {
    switch self {
    case .csvIn: ".import --csv"
    case .jsonIn, .restore: nil
    case .sqliteIn: ".read of a dump"
    case .csvOut: "-csv"
    case .jsonOut: "-json"
    case .sqliteOut: ".dump"
    }
  }
}
