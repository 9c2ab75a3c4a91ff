// SPDX-License-Identifier: Apache-2.0

// What encryption costs: the same work on a plain file and on an encrypted one, in turns.

package import BenchmarkSupport
import Foundation
import RealmSwift

/// A to-do with a number as its key.
final class SecretTodo: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var owner: String?
  @Persisted var status: String?
  @Persisted var priority: Int
  @Persisted var score: Double
  @Persisted var done: Bool
}

/// The work of an app on a plain file and on an encrypted one.
package final class EncryptionSuite: Suite {
  private let context: SuiteContext
  private static let plain = "OpenRealm, plain"

  private enum Work: String, CaseIterable {
    case insert, open, iterate, count, commit

    var row: ReportRow {
      let title =
        switch self {
        case .insert: "insert all, one transaction"
        case .open: "open, read one property"
        case .iterate: "iterate all"
        case .count: "count an int range"
        case .commit: "durable commit of one property"
        }
      return ReportRow(
        "encrypted-\(rawValue)", "encrypted: \(title)",
        self == .commit ? .microseconds : .milliseconds)
    }
  }

  package init(_ context: SuiteContext) { self.context = context }

  package func measure(round: Int, _ report: inout Report) throws {
    let key = Data((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
    for turn in 0..<2 {
      let isEncrypted = (turn + round) % 2 == 1
      context.progress("round \(round + 1): \(isEncrypted ? "an encrypted file" : "a plain file")")
      let file = context.folder.appending(path: isEncrypted ? "secret.realm" : "plain.realm")
      let configuration = Realm.Configuration(
        fileURL: file, encryptionKey: isEncrypted ? key : nil, objectTypes: [SecretTodo.self])
      file.removeDatabase()
      try measure(configuration, round: round) { work, seconds in
        report.add(seconds, isEncrypted ? Report.ours : Self.plain, to: work.row)
      }
    }
  }

  /// Does all work on a new file.
  private func measure(
    _ configuration: Realm.Configuration, round: Int, _ add: (Work, Double) -> Void
  ) throws {
    let data = context.data
    func note(
      _ work: Work, per count: Int = 1, is expected: Int, _ body: () throws -> Int
    ) throws {
      add(work, try timed(work.row.title, expecting: expected, body) / Double(count))
    }
    try closing {
      let realm = try Realm(configuration: configuration)
      try note(.insert, is: data.count) { try insert(data, realm) }
    }
    sync()
    try note(.open, is: data.rows[data.count / 2].priority) {
      let realm = try Realm(configuration: configuration)
      return realm.object(ofType: SecretTodo.self, forPrimaryKey: data.count / 2)?.priority ?? -1
    }
    let realm = try Realm(configuration: configuration)
    let todos = realm.objects(SecretTodo.self)
    try note(.iterate, is: data.iterationSum) {
      var sum = 0
      for todo in todos {
        sum = BenchmarkData.fold(sum, todo.priority, todo.name.utf8.count, todo.score)
      }
      return sum
    }
    let range = BenchmarkData.range
    try note(.count, is: data.rangeCount) {
      todos.where { $0.priority >= range.lowerBound && $0.priority < range.upperBound }.count
    }
    let updates = data.updates(round: round, count: context.durableCount)
    try note(.commit, per: updates.count, is: updates.count) {
      for update in updates {
        try realm.write {
          realm.object(ofType: SecretTodo.self, forPrimaryKey: update.row)?.priority =
            update.priority
        }
      }
      return updates.count
    }
  }

  /// Lets go of what `body` opened.
  private func closing(_ body: () throws -> Void) throws { try body() }

  private func insert(_ data: BenchmarkData, _ realm: Realm) throws -> Int {
    try realm.write {
      for row in data.rows {
        let todo = SecretTodo()
        todo.id = row.id
        todo.name = row.name
        todo.owner = row.owner
        todo.status = row.status
        todo.priority = row.priority
        todo.score = row.score
        todo.done = row.isDone
        realm.add(todo)
      }
    }
    return data.count
  }
}
