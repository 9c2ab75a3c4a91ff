// SPDX-License-Identifier: Apache-2.0

// Hot operations whose allocations are counted.

import AllocationCounter
import Foundation
import RealmSwift
import Testing

final class AllocatedTodo: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted(indexed: true) var owner: String
  @Persisted var priority: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A realm of 1,000 objects, on the thread that made it.
struct HotPaths {
  private static let rowCount = 1000

  private let realm: Realm
  private let todo: AllocatedTodo
  private let todos: Results<AllocatedTodo>

  init() throws {
    let configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [AllocatedTodo.self])
    let realm = try Realm(configuration: configuration)
    self.realm = realm
    try realm.write {
      for id in 0..<Self.rowCount {
        let todo = AllocatedTodo()
        todo.id = id
        todo.name = "todo \(id)"
        todo.owner = "owner \(id % 10)"
        todo.priority = id % 100
        realm.add(todo)
      }
    }
    todos = realm.objects(AllocatedTodo.self)
    todo = try #require(todos.first)
  }

  /// The allocations of this thread for one of many calls of `body`, above those of few.
  private func allocations(_ many: Int = 1000, _ body: (Int) throws -> Void) rethrows -> Double {
    func count(_ times: Int) throws -> Int {
      let start = allocation_count()
      for step in 0..<times { try body(step) }
      return Int(allocation_count() - start)
    }
    // The first calls fill what is kept for good.
    let few = many / 10
    _ = try count(few)
    let small = try count(few)
    return Double(try count(many) - small) / Double(many - few)
  }

  private func expect(
    _ what: String, _ found: Double, atMost limit: Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      found <= limit, "\(what): \(found) allocations, and not \(limit)",
      sourceLocation: sourceLocation)
  }

  func read() {
    expect("read an integer", allocations { _ in _ = todo.priority }, atMost: 1)
    expect("read a short string", allocations { _ in _ = todo.name }, atMost: 1)
    expect(
      "look an object up",
      allocations {
        _ = realm.object(ofType: AllocatedTodo.self, forPrimaryKey: $0 % Self.rowCount)?.priority
      }, atMost: 2)
    expect(
      "iterate, for each object",
      allocations(20) { _ in for todo in todos { _ = todo.priority } } / Double(Self.rowCount),
      atMost: 2.1)
  }

  func write() throws {
    try realm.write {
      expect("set an integer", allocations { todo.priority = $0 }, atMost: 1.01)
      expect(
        "set a short string", allocations { todo.name = $0 % 2 == 0 ? "a" : "b" }, atMost: 1.01)
      var id = Self.rowCount
      expect(
        "insert an object",
        allocations { _ in
          let new = AllocatedTodo()
          new.id = id
          id += 1
          realm.add(new)
        }, atMost: 16.5)
    }
  }

  func query() {
    expect(
      "count a range",
      allocations(100) { _ in _ = todos.where { $0.priority >= 25 && $0.priority < 50 }.count },
      atMost: 120)
    expect(
      "count an indexed string",
      allocations(100) { _ in _ = todos.where { $0.owner == "owner 7" }.count }, atMost: 46)
    expect("sum up", allocations(100) { _ in _ = todos.sum(of: \.priority) }, atMost: 6)
  }

  func commit() throws {
    expect(
      "commit of one property",
      try allocations(200) { step in try realm.write { todo.priority = step } }, atMost: 375)
  }

  /// An observer may cost the thread that commits something, if no other thread is free, but
  /// nothing for each of the 1,000 objects.
  func observe() throws {
    let alone = try allocations(200) { step in try realm.write { todo.priority = step } }
    let tokens = (0..<20).map { number in
      todos.where { $0.priority > number }.observe(on: DispatchQueue(label: "observer")) { _ in }
    }
    let observed = try allocations(200) { step in try realm.write { todo.priority = step } }
    for token in tokens { token.invalidate() }
    expect("commit beside an observer, more", (observed - alone) / 20, atMost: 100)
  }
}
