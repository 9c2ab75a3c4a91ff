// SPDX-License-Identifier: Apache-2.0

// The costs of reading results again after a change: after a commit, and in the middle
// of a write transaction.

import Foundation
import RealmSwift

/// Results without observers.
enum ResultsCosts {
  /// A commit of one row, then a read of the number of elements and the first of them.
  @MainActor static func afterCommits(rows: Int) async throws -> Table {
    let realm = try await Realm(configuration: freshConfiguration())
    try insertRows(rows, into: realm)
    return try afterCommits(realm, rows)
  }

  private static func afterCommits(_ realm: Realm, _ rows: Int) throws -> Table {
    let all = realm.objects(WatchedTodo.self)
    var table = Table(
      "first read and reads after commits of one row, in µs", "rows", "first", "later")
    func measure(_ name: String, _ look: () -> Int) throws {
      let first = ContinuousClock.now
      precondition(look() >= 0)
      let firstTime = first.duration(to: .now)
      var samples = Samples()
      for round in 0..<60 {
        try realm.write { WatchedTodo.change((round &* 7919) % rows, in: realm) }
        let start = ContinuousClock.now
        precondition(look() >= 0)
        // The first reads decide what is kept for the later ones.
        if round >= 20 { samples.add(start.duration(to: .now)) }
      }
      table.add(
        name, "\(rows)", microseconds(firstTime / .nanoseconds(1)),
        microseconds(samples.median))
    }
    func measure(_ name: String, _ results: Results<WatchedTodo>) throws {
      try measure(name) { results.count &+ (results.first?.id ?? 0) }
    }
    try measure("filtered, a quarter", all.where { $0.priority < 250 })
    try measure("sorted, all", all.sorted(byKeyPath: "priority"))
    try measure("sorted, first 100", all.sorted(byKeyPath: "priority").limit(100))
    try measure("distinct, 1,000 values", all.distinct(by: ["priority"]))
    try measure("distinct, all differ", all.distinct(by: ["name"]))
    try measure(
      "sorted, distinct, 1,000 values",
      all.sorted(byKeyPath: "name").distinct(by: ["priority"]))
    let sections = all.sectioned(by: { $0.priority / 100 }, sortDescriptors: ["priority"])
    try measure("sorted, in 10 sections") { sections.count &+ sections[0].count }
    return table
  }

  /// Reads after commits that change many rows: from some number on, a new query is faster.
  @MainActor static func afterLargeCommits(rows: Int) async throws -> Table {
    let realm = try await Realm(configuration: freshConfiguration())
    try insertRows(rows, into: realm)
    return try afterLargeCommits(realm, rows)
  }

  private static func afterLargeCommits(_ realm: Realm, _ rows: Int) throws -> Table {
    let all = realm.objects(WatchedTodo.self)
    let filtered = all.where { $0.priority < 250 }
    let sorted = all.sorted(byKeyPath: "priority")
    var table = Table("reads after commits of many rows, in µs", "filtered", "sorted")
    for count in [10, 100, 1000, 3000, 10_000, 30_000, 200_000] {
      var times = (Samples(), Samples())
      for round in 0..<7 {
        // What was kept is as new as it can be.
        precondition(filtered[0].id >= 0 && sorted[0].id >= 0)
        try realm.write {
          for number in 0..<count {
            WatchedTodo.change(((round &* count &+ number) &* 7919) % rows, in: realm)
          }
        }
        let start = ContinuousClock.now
        precondition(filtered[0].id >= 0)
        let middle = ContinuousClock.now
        precondition(sorted[0].id >= 0)
        times.0.add(start.duration(to: middle))
        times.1.add(middle.duration(to: .now))
      }
      table.add("\(count)", microseconds(times.0.median), microseconds(times.1.median))
    }
    return table
  }

  /// Looks after each of many changes in one transaction.
  @MainActor static func whileWriting(rows: Int) async throws -> Table {
    let realm = try await Realm(configuration: freshConfiguration())
    try insertRows(rows, into: realm)
    return whileWriting(realm, rows)
  }

  private static func whileWriting(_ realm: Realm, _ rows: Int) -> Table {
    let all = realm.objects(WatchedTodo.self)
    let filtered = all.where { $0.priority < 500 }
    let sorted = all.sorted(byKeyPath: "priority")
    var table = Table("a change in a transaction, with a read of results, in µs", "rows", "each")
    var nextID = rows
    func measure(_ name: String, _ count: Int, _ body: (Int) -> Void) {
      realm.beginWrite()
      let start = ContinuousClock.now
      for round in 0..<count { body(round) }
      let time = start.duration(to: .now)
      realm.cancelWrite()
      table.add(name, "\(rows)", microseconds(time / .nanoseconds(1) / Double(count)))
    }
    func add() {
      let todo = WatchedTodo()
      todo.id = nextID
      todo.priority = nextID % 1000
      nextID += 1
      realm.add(todo)
    }
    func change(_ round: Int) { WatchedTodo.change((round &* 7919) % rows, in: realm) }
    measure("add alone", 1000) { _ in add() }
    measure("add, count of filtered", 1000) { _ in
      add()
      precondition(filtered.count >= 0)
    }
    measure("add, count and last of sorted", 300) { _ in
      add()
      precondition(sorted.count > 0 && sorted.last != nil)
    }
    measure("add, count of sorted, first 100", 300) { [limited = sorted.limit(100)] _ in
      add()
      precondition(limited.count == 100)
    }
    measure("change, count and first of filtered", 1000) { round in
      change(round)
      precondition(filtered.count >= 0 && filtered.first != nil)
    }
    measure("change, first of sorted", 300) { round in
      change(round)
      precondition(sorted[0].id >= 0)
    }
    measure("delete the first of all", 1000) { _ in if let todo = all.first { realm.delete(todo) } }
    measure("delete the last of all", 1000) { _ in if let todo = all.last { realm.delete(todo) } }
    measure("delete the first of filtered", 1000) { _ in
      if let todo = filtered.first { realm.delete(todo) }
    }
    measure("delete the last of filtered", 1000) { _ in
      if let todo = filtered.last { realm.delete(todo) }
    }
    measure("delete the first of sorted", 300) { _ in
      if let todo = sorted.first { realm.delete(todo) }
    }
    measure("delete the last of sorted", 300) { _ in
      if let todo = sorted.last { realm.delete(todo) }
    }
    measure("delete while iterating filtered", 1) { _ in
      for todo in filtered { realm.delete(todo) }
    }
    return table
  }
}
