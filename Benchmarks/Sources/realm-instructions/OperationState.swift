// SPDX-License-Identifier: Apache-2.0

// What the operations work on: a realm in memory, so that no disk and no other process is in the
// way, and each run executes the same instructions.

import Foundation
import RealmSwift

final class CountedTodo: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted(indexed: true) var owner: String
  @Persisted var priority: Int
}

final class NamedTodo: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted(indexed: true) var alias: String
  @Persisted var priority: Int
}

/// A realm with two classes of 2,000 objects.
@MainActor
final class OperationState {
  private static let rowCount = 2000

  private let realm: Realm
  private let todos: Results<CountedTodo>
  private let named: Results<NamedTodo>
  /// The key of the next object that is inserted.
  private var nextKey = OperationState.rowCount

  init() throws {
    let configuration = Realm.Configuration(
      inMemoryIdentifier: "instructions", objectTypes: [CountedTodo.self, NamedTodo.self])
    realm = try Realm(configuration: configuration)
    todos = realm.objects(CountedTodo.self)
    named = realm.objects(NamedTodo.self)
    let realm = realm
    try realm.write {
      for id in 0..<Self.rowCount {
        realm.add(Self.todo(id))
        let named = NamedTodo()
        (named.name, named.alias, named.priority) = (Self.name(id), Self.name(id), id)
        realm.add(named)
      }
    }
  }

  private static func name(_ id: Int) -> String { "todo number \(id)" }

  private static func todo(_ id: Int) -> CountedTodo {
    let todo = CountedTodo()
    todo.id = id
    todo.name = name(id)
    todo.owner = "owner \(id % 20)"
    todo.priority = (id &* 7919) % 1000
    return todo
  }

  /// Does an operation so many times; a number that depends on all of it.
  func run(_ operation: Operation, _ count: Int) throws -> Int {
    switch operation {
    case .readInt, .readString, .lookUpInt, .lookUpString, .findString, .iterate, .iterateTexts:
      return read(operation, count)
    case .insert, .writeInt, .commit: return try write(operation, count)
    case .countRange, .countString, .countIndexed, .sum: return query(operation, count)
    case .start: return try Self.start()
    }
  }

  /// Opens a realm with one object, and reads it.
  static func start() throws -> Int {
    let configuration = Realm.Configuration(
      inMemoryIdentifier: "start", objectTypes: [CountedTodo.self, NamedTodo.self])
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.add(todo(1)) }
    return realm.objects(CountedTodo.self).first?.priority ?? -1
  }

  /// What one operation takes: the best of several runs, the first of which warms up.
  func nanoseconds(of operation: Operation) throws -> Double {
    let clock = ContinuousClock()
    var best = Double.infinity
    for _ in 0..<4 {
      // What was inserted before would make later operations slower.
      if operation != .insert { try removeInserted() }
      var answer = 0
      let time = try clock.measure { answer = try run(operation, operation.count) }
      guard answer >= 0 else { continue }
      best = min(best, time / .nanoseconds(1))
    }
    return best / Double(operation.count)
  }

  private func removeInserted() throws {
    let realm = realm
    guard nextKey > Self.rowCount else { return }
    try realm.write { realm.delete(todos.where { $0.id >= Self.rowCount }) }
    nextKey = Self.rowCount
  }

  private func read(_ operation: Operation, _ count: Int) -> Int {
    guard let todo = todos.first else { return -1 }
    let names = (0..<Self.rowCount).map(Self.name)
    var sum = 0
    for step in 0..<count {
      switch operation {
      case .readInt: sum &+= todo.priority
      case .readString: sum &+= todo.name.utf8.count
      case .lookUpInt:
        let id = (step &* 7919) % Self.rowCount
        sum &+= realm.object(ofType: CountedTodo.self, forPrimaryKey: id)?.priority ?? 0
      case .lookUpString:
        let name = names[(step &* 7919) % Self.rowCount]
        sum &+= realm.object(ofType: NamedTodo.self, forPrimaryKey: name)?.priority ?? 0
      case .findString:
        let name = names[(step &* 7919) % Self.rowCount]
        sum &+= named.where { $0.alias == name }.first?.priority ?? 0
      case .iterateTexts:
        for todo in todos { sum &+= todo.priority &+ todo.name.utf8.count &+ todo.id }
      default: for todo in todos { sum &+= todo.priority }
      }
    }
    return sum
  }

  private func write(_ operation: Operation, _ count: Int) throws -> Int {
    guard let todo = todos.first else { return -1 }
    let realm = realm
    switch operation {
    case .insert:
      try realm.write {
        for step in 0..<count { realm.add(Self.todo(nextKey + step)) }
      }
      nextKey += count
    case .writeInt: try realm.write { for step in 0..<count { todo.priority = step } }
    default: for step in 0..<count { try realm.write { todo.priority = step } }
    }
    return todos.count &+ todo.priority
  }

  private func query(_ operation: Operation, _ count: Int) -> Int {
    var sum = 0
    for _ in 0..<count {
      switch operation {
      case .countRange: sum &+= todos.where { $0.priority >= 250 && $0.priority < 500 }.count
      case .countString: sum &+= todos.where { $0.name == "todo number 77" }.count
      case .countIndexed: sum &+= todos.where { $0.owner == "owner 7" }.count
      default: sum &+= todos.sum(of: \.priority)
      }
    }
    return sum
  }
}
