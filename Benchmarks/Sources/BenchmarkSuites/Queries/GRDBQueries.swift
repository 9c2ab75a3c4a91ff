// SPDX-License-Identifier: Apache-2.0

// GRDB over the file that SQLite filled, with its query interface where that has the words.

import BenchmarkSupport
import Foundation
import GRDB

private struct Todo: TableRecord {
  static let databaseTableName = "todo"
}

private struct Indexed: TableRecord {
  static let databaseTableName = "indexed"
}

/// GRDB as its documentation advises: a pool, requests, cached statements.
final class GRDBQueries: QueryEngine {
  static let name = "GRDB"

  private let pool: DatabasePool

  init(folder: URL, data: BenchmarkData) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA cache_size=-262144; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=1073741824
          """)
    }
    pool = try DatabasePool(
      path: folder.appending(path: SQLiteQueries.fileName).path, configuration: configuration)
  }

  func prepare(_ workload: QueryWorkload) {}

  func answer(_ workload: QueryWorkload, _ data: BenchmarkData) throws -> Int {
    let isLookUp = workload == .indexedLookUps || workload == .preparedLookUps
    let names = isLookUp ? data.rows : []
    let lookUps = data.randomRows.prefix(QueryWorkload.lookUpCount)
    return try pool.read { database in
      let (priority, score) = (Column("priority"), Column("score"))
      let (owner, status, done) = (Column("owner"), Column("status"), Column("done"))
      switch workload {
      case .intEquals: return try Todo.filter(priority == 500).fetchCount(database)
      case .intRange:
        return try Todo.filter(priority >= 250 && priority < 500).fetchCount(database)
      case .doubleRange: return try Todo.filter(score < 250).fetchCount(database)
      case .boolEquals: return try Todo.filter(done == true).fetchCount(database)
      case .stringEquals:
        return try Todo.filter(owner == QueryWorkload.owner).fetchCount(database)
      case .threeWayAnd:
        return try Todo.filter(status == "done" && priority >= 500 && done == true)
          .fetchCount(database)
      case .indexedCount:
        return try Indexed.filter(owner == QueryWorkload.owner).fetchCount(database)
      case .indexedKeys:
        let keys = try Int.fetchAll(database, sql: workload.sql)
        return (keys.first ?? 0) + (keys.last ?? 0)
      case .indexedLookUps, .preparedLookUps:
        let find = try database.cachedStatement(sql: workload.sql)
        return try lookUps.reduce(0) { sum, row in
          sum + (try Int.fetchOne(find, arguments: [names[row].name]) ?? 0)
        }
      case .sortByDouble:
        // A cursor, as only the first row is read.
        return try Int.fetchCursor(database, sql: workload.sql).next() ?? -1
      case .sumOfDoubles, .maximum:
        return Int(try Double.fetchOne(database, sql: workload.sql) ?? -1)
      case .contains, .containsInsensitive, .sumOfInts, .minimum, .sortByStringLimit, .distinct,
        .indexedFind, .linkTraversal:
        return try Int.fetchOne(database, sql: workload.sql) ?? -1
      }
    }
  }
}
