// SPDX-License-Identifier: Apache-2.0

// What it costs to compare checksums: the same reads with and without, in turns.

package import BenchmarkSupport
import Foundation
import RealmSwift

/// A to-do whose reads compare checksums, or not.
final class ComparedTodo: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var priority: Int
  @Persisted var score: Double
}

/// Reads of a file of this library with and without `verifiesChecksums`.
///
/// The option holds for the process once it was set for a file, so each kind has a copy of the file
/// of its own.
package final class ChecksumsSuite: Suite {
  private let context: SuiteContext
  private static let plain = "OpenRealm, not compared"
  private var isFilled = false

  private enum Work: String, CaseIterable {
    case open, look, iterate, count, again

    var row: ReportRow {
      let title =
        switch self {
        case .open: "open, read one property"
        case .look: "1,000 look-ups, the first of a version"
        case .iterate: "iterate all, the first of a version"
        case .count: "count an int range"
        case .again: "iterate all, again"
        }
      return ReportRow("checksums-\(rawValue)", "checksums compared: \(title)", .milliseconds)
    }
  }

  package init(_ context: SuiteContext) { self.context = context }

  private func configuration(compares: Bool) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: context.folder.appending(path: compares ? "compared.realm" : "trusted.realm"),
      objectTypes: [ComparedTodo.self])
    configuration.verifiesChecksums = compares
    return configuration
  }

  private func fill() throws {
    for compares in [false, true] {
      let configuration = configuration(compares: compares)
      configuration.fileURL?.removeDatabase()
      let realm = try Realm(configuration: configuration)
      try realm.write {
        for row in context.data.rows {
          let todo = ComparedTodo()
          todo.id = row.id
          todo.name = row.name
          todo.priority = row.priority
          todo.score = row.score
          realm.add(todo)
        }
      }
    }
    isFilled = true
  }

  package func measure(round: Int, _ report: inout Report) throws {
    if !isFilled { try fill() }
    for turn in 0..<2 {
      let compares = (turn + round) % 2 == 1
      context.progress("round \(round + 1): checksums \(compares ? "" : "not ")compared")
      try measure(configuration(compares: compares)) { work, seconds in
        report.add(seconds, compares ? Report.ours : Self.plain, to: work.row)
      }
    }
  }

  /// Does all work on a version that nothing was read from.
  private func measure(
    _ configuration: Realm.Configuration, _ add: (Work, Double) -> Void
  ) throws {
    let data = context.data
    func note(_ work: Work, is expected: Int, _ body: () throws -> Int) throws {
      add(work, try timed(work.row.title, expecting: expected, body))
    }
    func iterate(_ realm: Realm) -> Int {
      var sum = 0
      for todo in realm.objects(ComparedTodo.self) {
        sum = BenchmarkData.fold(sum, todo.priority, todo.name.utf8.count, todo.score)
      }
      return sum
    }
    try note(.open, is: data.rows[data.count / 2].priority) {
      let realm = try Realm(configuration: configuration)
      return realm.object(ofType: ComparedTodo.self, forPrimaryKey: data.count / 2)?.priority ?? -1
    }
    let keys = (0..<1000).map { ($0 &* 7919) % data.count }
    try note(.look, is: keys.reduce(0) { $0 &+ data.rows[$1].priority }) {
      let realm = try Realm(configuration: configuration)
      return keys.reduce(0) { sum, key in
        sum &+ (realm.object(ofType: ComparedTodo.self, forPrimaryKey: key)?.priority ?? 0)
      }
    }
    let realm = try Realm(configuration: configuration)
    try note(.iterate, is: data.iterationSum) { iterate(realm) }
    let range = BenchmarkData.range
    try note(.count, is: data.rangeCount) {
      realm.objects(ComparedTodo.self)
        .where { $0.priority >= range.lowerBound && $0.priority < range.upperBound }.count
    }
    try note(.again, is: data.iterationSum) { iterate(realm) }
  }
}
