// SPDX-License-Identifier: Apache-2.0

// What is measured.

import BenchmarkSupport

/// A piece of work that every engine does.
package enum Workload: String, CaseIterable, Sendable {
  case bulkInsert = "bulk-insert"
  case transactionsOf1000 = "transactions-of-1000"
  case durableInserts = "durable-inserts"
  case durableUpdates = "durable-updates"
  case lookUpInt = "look-up-int"
  case lookUpString = "look-up-string"
  case lookUpHeld = "look-up-held"
  case countRange = "count-range"
  case countString = "count-string"
  case sum
  case iterate
  case values

  /// What stands in the table.
  var title: String {
    switch self {
    case .bulkInsert: "bulk insert, one transaction"
    case .transactionsOf1000: "bulk insert, transactions of 1,000"
    case .durableInserts: "durable commits of one object"
    case .durableUpdates: "durable commits of one property"
    case .lookUpInt: "look-up by int key"
    case .lookUpString: "look-up by string key"
    case .lookUpHeld: "look-up by object key"
    case .countRange: "count an int range, no index"
    case .countString: "count a string's equals, no index"
    case .sum: "sum of an int property"
    case .iterate: "iterate, read three properties"
    case .values: "iterate over the values of two properties"
    }
  }

  /// Whether the work starts with a fresh file.
  var startsFresh: Bool {
    switch self {
    case .bulkInsert, .transactionsOf1000, .durableInserts: true
    default: false
    }
  }

  /// Whether each operation ends with a durable commit.
  var isDurable: Bool { self == .durableInserts || self == .durableUpdates }

  /// What our time is to reach.
  private var goals: [Goal] {
    switch self {
    case .bulkInsert, .transactionsOf1000: [.times(1, of: Report.base)]
    case .durableInserts: [.times(1, of: Report.base, by: OneSyncEngine.name)]
    case .durableUpdates:
      [
        .times(1, of: Report.base, by: OneSyncEngine.name),
        .times(1.2, of: RawCommit.oneSync.rawValue, by: OneSyncEngine.name),
        .times(1.5, of: RawCommit.twoSyncs.rawValue),
      ]
    case .lookUpInt, .lookUpString: [.times(0.65, of: Report.base)]
    case .countRange, .countString, .sum: [.times(0.05, of: Report.base)]
    case .iterate: [.times(0.4, of: Report.base)]
    case .values: [.times(0.1, of: Report.base)]
    case .lookUpHeld: []
    }
  }

  /// The row of the report: one operation.
  var row: ReportRow {
    ReportRow(rawValue, title, isDurable ? .microseconds : .nanoseconds, goals: goals)
  }
}
