// SPDX-License-Identifier: Apache-2.0

// OpenRealm through its public API, as an app uses it.

import BenchmarkSupport
import Foundation
import RealmSwift

final class PlainTodo: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var owner: String?
  @Persisted var status: String?
  @Persisted var priority: Int
  @Persisted var score: Double
  @Persisted var done: Bool
}

/// The same with indexes.
final class IndexedTodo: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name: String
  @Persisted(indexed: true) var owner: String?
  @Persisted(indexed: true) var priority: Int
}

final class ItemOwner: Object {
  @Persisted var name: String
}

final class OwnedItem: Object {
  @Persisted var owner: ItemOwner?
}

/// OpenRealm on one thread.
final class OpenRealmQueries: QueryEngine {
  static let name = "OpenRealm"

  private let realm: Realm

  init(folder: URL, data: BenchmarkData) throws {
    let file = folder.appending(path: "queries.realm")
    file.removeDatabase()
    realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: file,
        objectTypes: [PlainTodo.self, IndexedTodo.self, ItemOwner.self, OwnedItem.self]))
    let realm = realm
    try realm.write {
      for row in data.rows {
        let todo = PlainTodo()
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
    try realm.write {
      for row in data.rows {
        let todo = IndexedTodo()
        todo.id = row.id
        todo.name = row.name
        todo.owner = row.owner
        todo.priority = row.priority
        realm.add(todo)
      }
    }
    try realm.write {
      let owners = (0..<100).map { number in
        realm.create(ItemOwner.self, value: ["name": "owner_\(number / 10)\(number % 10)"])
      }
      for owner in data.linkedOwners {
        let item = OwnedItem()
        item.owner = owners[owner]
        realm.add(item)
      }
    }
  }

  func prepare(_ workload: QueryWorkload) {}

  func answer(_ workload: QueryWorkload, _ data: BenchmarkData) throws -> Int {
    let todos = realm.objects(PlainTodo.self)
    let indexed = realm.objects(IndexedTodo.self)
    let owner = QueryWorkload.owner
    switch workload {
    case .intEquals: return todos.where { $0.priority == 500 }.count
    case .intRange: return todos.where { $0.priority >= 250 && $0.priority < 500 }.count
    case .doubleRange: return todos.where { $0.score < 250 }.count
    case .boolEquals: return todos.where { $0.done == true }.count
    case .stringEquals: return todos.where { $0.owner == owner }.count
    case .threeWayAnd:
      return todos.where { $0.status == "done" && $0.priority >= 500 && $0.done == true }.count
    case .contains: return todos.where { $0.name.contains(QueryWorkload.text) }.count
    case .containsInsensitive:
      return todos.where { $0.name.contains("ABC", options: .caseInsensitive) }.count
    case .sumOfInts: return todos.sum(of: \.priority)
    case .sumOfDoubles: return Int(todos.sum(of: \.score))
    case .minimum: return todos.min(of: \.priority) ?? -1
    case .maximum: return Int(todos.max(of: \.score) ?? -1)
    case .sortByDouble: return todos.sorted(byKeyPath: "score").first?.id ?? -1
    case .sortByStringLimit:
      return todos.sorted(byKeyPath: "name").limit(100).reduce(0) { $0 + $1.id }
    case .distinct: return todos.distinct(by: ["owner"]).count
    case .indexedCount: return indexed.where { $0.owner == owner }.count
    case .indexedFind:
      return indexed.where { $0.owner == owner }.reduce(0) { $0 + $1.priority }
    case .indexedKeys:
      let found = indexed.where { $0.owner == owner }
      return found[0].id + found[found.count - 1].id
    case .preparedLookUps:
      let named = realm.prepare(IndexedTodo.self) { (todo, name: QueryArgument<String>) in
        todo.name == name
      }
      var sum = 0
      for row in data.randomRows.prefix(QueryWorkload.lookUpCount) {
        sum += named(data.rows[row].name).first?.priority ?? 0
      }
      return sum
    case .indexedLookUps:
      var sum = 0
      for row in data.randomRows.prefix(QueryWorkload.lookUpCount) {
        let name = data.rows[row].name
        sum += indexed.where { $0.name == name }.first?.priority ?? 0
      }
      return sum
    case .linkTraversal:
      return realm.objects(OwnedItem.self).where { $0.owner.name == owner }.count
    }
  }
}
