// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwift

/// What is observed.
final class WatchedTodo: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var priority: Int
}

/// What other observers observe.
final class OtherTodo: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
}

/// A realm in memory: what is measured is not the disk.
func freshConfiguration() -> Realm.Configuration {
  Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString, objectTypes: [WatchedTodo.self, OtherTodo.self])
}

/// A quarter of the rows has a priority below 250.
func insertRows(_ count: Int, into realm: Realm) throws {
  try realm.write {
    for id in 0..<count {
      let todo = WatchedTodo()
      todo.id = id
      todo.name = "todo \(id)"
      todo.priority = (id &* 7919) % 1000
      realm.add(todo)
    }
    realm.create(OtherTodo.self, value: ["id": 0, "name": "other"])
  }
}
