// SPDX-License-Identifier: Apache-2.0

// The snippets of the article "Notifications".

import Foundation
import Observation
import RealmSwift
import RealmTestSupport
import Synchronization
import Testing

/// Counts what observers on another actor report.
actor ReportCounter {
  private(set) var count = 0
  func note(_ count: Int) { self.count = count }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct NotificationSnippets {
  private let folder: ArticleFolder
  private let realm: Realm

  init() throws {
    folder = try ArticleFolder()
    realm = try Realm(configuration: folder.configuration([Todo.self]))
    let realm = realm
    try realm.write { realm.add(Todo(value: ["name": "Walk the dog"])) }
  }

  @Test func collections() async throws {
    var rows: [String] = []
    // snippet: notifications-collection
    let todos = realm.objects(Todo.self).sorted(by: \.name)
    let token = todos.observe { change in
      switch change {
      case .initial(let todos):
        rows = todos.map(\.name)
      case .update(let todos, let deletions, let insertions, let modifications):
        for index in deletions.reversed() { rows.remove(at: index) }
        for index in insertions { rows.insert(todos[index].name, at: index) }
        for index in modifications { print("a row changed that was at \(index)") }
      case .error(let error):
        print(error)
      }
    }
    // snippet end
    try realm.write { realm.add(Todo(value: ["name": "Buy milk"])) }
    realm.refresh()
    #expect(rows.first == "Buy milk" || rows == ["Walk the dog"])
    // snippet: notifications-without
    try realm.write(withoutNotifying: [token]) {
      todos[0].isDone = true  // The list on the screen shows this already.
    }
    // snippet end
    token.invalidate()
  }

  @Test func objectsAndKeyPaths() throws {
    let todo = realm.objects(Todo.self)[0]
    var title = ""
    // snippet: notifications-object
    let token = todo.observe(keyPaths: [\Todo.name]) { change in
      switch change {
      case .change(let todo, let properties):
        title = todo.name
        print(properties.map(\.name))
      case .deleted: print("gone")
      case .error(let error): print(error)
      }
    }
    // snippet end
    try realm.write { todo.name = "Walk both dogs" }
    realm.refresh()
    #expect(title == "" || title == "Walk both dogs")
    token.invalidate()
  }

  @Test func sequences() async throws {
    let realm = realm
    var seen: [Int] = []
    func show(_ count: Int) { seen.append(count) }
    // snippet: notifications-sequence
    let watching = Task {
      for await change in realm.objects(Todo.self).where({ !$0.isDone }).changes() {
        switch change {
        case .initial(let todos), .update(let todos, _, _, _): show(todos.count)
        case .error(let error): throw error
        }
        // snippet hide
        if seen.last == 0 { break }
        try await realm.asyncWrite { realm.objects(Todo.self)[0].isDone = true }
        // snippet show
      }
    }
    // snippet end
    try await watching.value
    #expect(seen == [1, 0])
  }

  @Test func otherActors() async throws {
    let counter = ReportCounter()
    // snippet: notifications-actor
    let token = await realm.objects(Todo.self).observe(on: counter) { counter, change in
      if case .initial(let todos) = change { counter.note(todos.count) }
      if case .update(let todos, _, _, _) = change { counter.note(todos.count) }
    }
    // snippet end
    for _ in 0..<15_000 {
      if await counter.count == 1 { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(await counter.count == 1)
    token.invalidate()
  }

  @Test func tracking() throws {
    let todo = realm.objects(Todo.self)[0]
    let redrawn = RedrawCount()
    // snippet: notifications-tracking
    withObservationTracking {
      print(todo.name)
    } onChange: {
      redrawn.increment()  // Once, for the next change of what was read.
    }
    // snippet end
    try realm.write { todo.name = "Another name" }
    #expect(redrawn.value == 1)
  }
}

/// A number that any thread may raise.
final class RedrawCount: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }
  func increment() { count.withLock { $0 += 1 } }
}
