// SPDX-License-Identifier: Apache-2.0

// What encryption costs: the same work on a plain file and on an encrypted one, in turns.

import ArgumentParser
import BenchmarkSupport
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

@main
struct RealmEncryption: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-encryption",
    abstract: "Measures OpenRealm on an encrypted file beside a plain one.")

  @Option(help: "The number of rows.")
  var rows = 1_000_000

  @Option(help: "How often everything is run; the table shows medians.")
  var rounds = 5

  @Option(help: "The number of durable commits in a run.")
  var durable = 1000

  @Option(help: "The folder for a folder of database files.")
  var folder = ".build/encryption-files"

  @Flag(help: "Print the table as Markdown.")
  var markdown = false

  private static let work = [
    "insert all, one transaction (ms)", "open, read one property (ms)", "iterate all (ms)",
    "count an int range (ms)", "durable commit of one property (µs)",
  ]

  func run() throws {
    let scratch = try ScratchFolder(in: folder)
    defer { scratch.remove() }
    let location = scratch.url
    let data = BenchmarkData(count: rows)
    data.checkGenerator()
    let key = Data((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
    var times: [[[Double]]] = [[], []]
    for round in 0..<rounds {
      for turn in 0..<2 {
        let isEncrypted = (turn + round) % 2 == 1
        let file = location.appending(path: isEncrypted ? "secret.realm" : "plain.realm")
        let configuration = Realm.Configuration(
          fileURL: file, encryptionKey: isEncrypted ? key : nil, objectTypes: [SecretTodo.self])
        file.removeDatabase()
        times[isEncrypted ? 1 : 0].append(try measure(configuration, data, round: round))
      }
    }
    var lines = [["work", "plain", "encrypted", "ratio"]]
    for (index, title) in Self.work.enumerated() {
      let medians = times.map { $0.map { $0[index] }.sorted()[rounds / 2] }
      lines.append(
        [title] + medians.map { String(format: "%.3f", $0) }
          + [String(format: "%.2f", medians[1] / medians[0])])
    }
    print("\(rows) rows, \(durable) durable commits, median of \(rounds) rounds")
    print(TextTable(lines).text(asMarkdown: markdown))
  }

  /// The times of all work on a new file, in its order.
  private func measure(
    _ configuration: Realm.Configuration, _ data: BenchmarkData, round: Int
  ) throws -> [Double] {
    let clock = ContinuousClock()
    var times: [Double] = []
    func note(per divisor: Duration, _ body: () throws -> Int, is expected: Int) throws {
      var answer = 0
      let time = try clock.measure { answer = try body() }
      guard answer == expected else {
        throw BenchmarkError("\(Self.work[times.count]): \(answer) instead of \(expected)")
      }
      times.append(time / divisor)
    }
    try closing {
      let realm = try Realm(configuration: configuration)
      try note(per: .milliseconds(1), { try insert(data, realm) }, is: data.count)
    }
    sync()
    try note(
      per: .milliseconds(1),
      {
        let realm = try Realm(configuration: configuration)
        return realm.object(ofType: SecretTodo.self, forPrimaryKey: 7)?.priority ?? -1
      }, is: data.rows[7].priority)
    let realm = try Realm(configuration: configuration)
    let todos = realm.objects(SecretTodo.self)
    try note(
      per: .milliseconds(1),
      {
        var sum = 0
        for todo in todos {
          sum = BenchmarkData.fold(sum, todo.priority, todo.name.utf8.count, todo.score)
        }
        return sum
      }, is: data.iterationSum)
    let range = BenchmarkData.range
    try note(
      per: .milliseconds(1),
      {
        todos.where { $0.priority >= range.lowerBound && $0.priority < range.upperBound }.count
      }, is: data.rangeCount)
    let updates = data.updates(round: round, count: durable)
    try note(
      per: .microseconds(durable),
      {
        for update in updates {
          try realm.write {
            realm.object(ofType: SecretTodo.self, forPrimaryKey: update.row)?.priority =
              update.priority
          }
        }
        return updates.count
      }, is: durable)
    return times
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
