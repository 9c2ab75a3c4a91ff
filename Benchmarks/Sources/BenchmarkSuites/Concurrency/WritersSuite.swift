// SPDX-License-Identifier: Apache-2.0

// Several threads that write to one file: durable commits of one property in a second.

package import BenchmarkSupport
import Foundation
import RealmSwift
import Synchronization

/// Commits of 1, 4 and 16 writers.
package final class WritersSuite: Suite {
  private let context: SuiteContext
  private static let writerCounts = [1, 4, 16]
  private static let rowCount = 10_000

  private let configuration: Realm.Configuration
  private let database: URL

  package init(_ context: SuiteContext) throws {
    self.context = context
    let file = context.folder.appending(path: "writers.realm")
    file.removeDatabase()
    configuration = Realm.Configuration(fileURL: file, objectTypes: [RealmTodo.self])
    database = context.folder.appending(path: "writers.sqlite")
    database.removeDatabase()
    let rows = (0..<Self.rowCount).map { BenchmarkData.row($0) }
    let realm = try Realm(configuration: configuration)
    try realm.write { for row in rows { realm.add(RealmTodo(row)) } }
    let connection = try SQLiteConnection(path: database.path)
    let insert = try connection.statement("INSERT INTO todo VALUES (?,?,?,?,?,?,?)")
    try connection.transaction { for row in rows { try insert.run(binding: row) } }
  }

  package func measure(round: Int, _ report: inout Report) throws {
    for count in Self.writerCounts {
      context.progress("round \(round + 1): \(count) writers")
      let row = ReportRow(
        "writers-\(count)", "durable commits, \(count) \(count == 1 ? "writer" : "writers")",
        .perSecond, goals: [.times(1, of: Report.base)])
      let commits = context.durableCount / count
      let (configuration, path) = (configuration, database.path)
      for turn in 0..<2 {
        sync()
        if (turn + round) % 2 == 0 {
          let rate = try Self.rate(count, commits) { writer in
            let realm = try Realm(configuration: configuration)
            for step in 0..<commits {
              try realm.write {
                realm.object(ofType: RealmTodo.self, forPrimaryKey: writer * 100 + step % 100)?
                  .priority = step
              }
            }
          }
          report.add(rate, Report.ours, to: row)
        } else {
          let rate = try Self.rate(count, commits) { writer in
            let connection = try SQLiteConnection(path: path, waits: true)
            let update = try connection.statement("UPDATE todo SET priority = ? WHERE id = ?")
            for step in 0..<commits {
              try connection.transaction {
                update.bind(step, 1)
                update.bind(writer * 100 + step % 100, 2)
                _ = try update.run()
              }
            }
          }
          report.add(rate, Report.base, to: row)
        }
      }
    }
  }

  /// The commits in a second of threads that each do `body`.
  private static func rate(
    _ writers: Int, _ commits: Int, _ body: @escaping @Sendable (Int) throws -> Void
  ) throws -> Double {
    let failure = Mutex<(any Error)?>(nil)
    let group = DispatchGroup()
    let time = ContinuousClock().measure {
      for writer in 0..<writers {
        group.enter()
        let thread = Thread {
          do { try body(writer) } catch { failure.withLock { $0 = error } }
          group.leave()
        }
        thread.start()
      }
      group.wait()
    }
    if let error = failure.withLock({ $0 }) { throw error }
    return Double(writers * commits) / (time / .seconds(1))
  }
}
