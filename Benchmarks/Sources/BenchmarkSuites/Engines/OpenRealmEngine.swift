// SPDX-License-Identifier: Apache-2.0

// OpenRealm through its public API, as an app uses it.

import BenchmarkSupport
import Foundation
import RealmSwift

/// A to-do with a number as its key.
final class RealmTodo: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var owner: String?
  @Persisted var status: String?
  @Persisted var priority: Int
  @Persisted var score: Double
  @Persisted var done: Bool

  convenience init(_ row: BenchmarkRow) {
    self.init()
    id = row.id
    name = row.name
    owner = row.owner
    status = row.status
    priority = row.priority
    score = row.score
    done = row.isDone
  }
}

/// A to-do with its name as its key.
final class RealmNamedTodo: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var priority: Int
}

/// OpenRealm on one thread.
class OpenRealmEngine: Engine {
  class var name: String { "OpenRealm" }
  /// How often commits wait for the disk.
  class var durability: Realm.Configuration.Durability { .twoSyncs }

  private let data: BenchmarkData
  private let freshFile: URL
  private let largeFile: URL
  private var fresh: Realm?
  private var large: Realm?
  private var held: [RealmTodo] = []

  required init(folder: URL, data: BenchmarkData) throws {
    self.data = data
    freshFile = folder.appending(path: "fresh-\(Self.durability).realm")
    largeFile = folder.appending(path: "large-\(Self.durability).realm")
    largeFile.removeDatabase()
  }

  func openFresh() throws {
    fresh = nil
    freshFile.removeDatabase()
    fresh = try Self.open(freshFile)
  }

  func closeFresh() throws { fresh = nil }

  func insert(batch: Int) throws -> Int {
    try insertTodos(try opened(fresh), batch: batch, count: data.count)
  }

  func insertDurably(count: Int) throws -> Int {
    try insertTodos(try opened(fresh), batch: 1, count: count)
  }

  func openLarge() throws {
    guard large == nil else { return }
    let realm = try Self.open(largeFile)
    _ = try insertTodos(realm, batch: data.count, count: data.count)
    try realm.write {
      for row in data.rows {
        let todo = RealmNamedTodo()
        todo.name = row.name
        todo.priority = row.priority
        realm.add(todo)
      }
    }
    large = realm
  }

  var largeFileByteCount: Int { largeFile.databaseByteCount }

  func hold(_ rows: [Int]) throws {
    let realm = try opened(large)
    held = rows.compactMap { realm.object(ofType: RealmTodo.self, forPrimaryKey: $0) }
  }

  func updateDurably(_ updates: [(row: Int, priority: Int)]) throws -> Int {
    let realm = try opened(large)
    for change in updates {
      try realm.write {
        realm.object(ofType: RealmTodo.self, forPrimaryKey: change.row)?.priority =
          change.priority
      }
    }
    return updates.count
  }

  func lookUpByNumber(_ rows: [Int]) throws -> Int {
    let realm = try opened(large)
    var sum = 0
    for row in rows {
      sum &+= realm.object(ofType: RealmTodo.self, forPrimaryKey: row)?.priority ?? 0
    }
    return sum
  }

  func lookUpByName(_ rows: [Int]) throws -> Int {
    let realm = try opened(large)
    var sum = 0
    for row in rows {
      let name = data.rows[row].name
      sum &+= realm.object(ofType: RealmNamedTodo.self, forPrimaryKey: name)?.priority ?? 0
    }
    return sum
  }

  /// Objects that the program holds: reading them is a look-up by object key.
  func readHeld() throws -> Int {
    var sum = 0
    for todo in held {
      sum &+= todo.priority
    }
    return sum
  }

  func countRange(_ range: Range<Int>) throws -> Int {
    try opened(large).objects(RealmTodo.self).where {
      $0.priority >= range.lowerBound && $0.priority < range.upperBound
    }.count
  }

  func countOwner(_ owner: String) throws -> Int {
    try opened(large).objects(RealmTodo.self).where { $0.owner == owner }.count
  }

  func sum() throws -> Int {
    try opened(large).objects(RealmTodo.self).sum(of: \.priority)
  }

  func iterate() throws -> Int {
    var sum = 0
    for todo in try opened(large).objects(RealmTodo.self) {
      sum = BenchmarkData.fold(sum, todo.priority, todo.name.utf8.count, todo.score)
    }
    return sum
  }

  func iterateValues() throws -> Int {
    var sum = 0
    for (priority, score) in try opened(large).objects(RealmTodo.self).values(
      \.priority, \.score)
    {
      sum = BenchmarkData.fold(sum, priority, 0, score)
    }
    return sum
  }

  private func opened(_ realm: Realm?) throws -> Realm {
    guard let realm else { throw BenchmarkError("OpenRealm is not open") }
    return realm
  }

  private static func open(_ file: URL) throws -> Realm {
    var configuration = Realm.Configuration(
      fileURL: file, objectTypes: [RealmTodo.self, RealmNamedTodo.self])
    configuration.durability = durability
    return try Realm(configuration: configuration)
  }

  private func insertTodos(_ realm: Realm, batch: Int, count: Int) throws -> Int {
    for start in stride(from: 0, to: count, by: batch) {
      try realm.write {
        for row in data.rows[start..<min(start + batch, count)] { realm.add(RealmTodo(row)) }
      }
    }
    return count
  }
}

/// OpenRealm with one sync a commit.
final class OneSyncEngine: OpenRealmEngine {
  override class var name: String { "OpenRealm, one sync" }
  override class var durability: Realm.Configuration.Durability { .oneSync }
}
