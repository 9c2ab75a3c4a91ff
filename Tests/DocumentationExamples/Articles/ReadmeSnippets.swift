// SPDX-License-Identifier: Apache-2.0

// The snippets of the README. Its model is that of other articles, too.

// snippet: readme-first
import RealmSwift
// snippet end
import RealmTestSupport
import Testing

// snippet: readme-first
class Todo: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var name = ""
  @Persisted(indexed: true) var isDone = false
  // snippet hide
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
  // snippet show
}
// snippet end

@Suite(.timeLimit(.minutes(10))) struct ReadmeSnippets {
  @Test func theFirstStepsRun() async {
    await #expect(processExitsWith: .success) { try await Self.first() }
  }

  @MainActor private static func first() async throws {
    let folder = try ArticleFolder()
    Realm.Configuration.defaultConfiguration = folder.configuration([Todo.self])
    // snippet: readme-first
    let realm = try await Realm.open()  // On this actor.
    try await realm.asyncWrite {  // All or nothing, durable when it returns.
      realm.add(Todo(value: ["name": "Walk the dog"]))
    }
    let open = realm.objects(Todo.self).where { !$0.isDone }.sorted(by: \.name)
    for todo in open { print(todo.name) }  // Live: shows later changes, too.
    // snippet end
    require(open.count == 1)
  }

  @Test @MainActor func theBestRuns() async throws {
    let folder = try ArticleFolder()
    let configuration = folder.configuration([Todo.self])
    let realm = try await Realm.open(configuration: configuration)
    try await realm.asyncWrite {
      for name in ["Walk the dog", "Buy milk"] { realm.add(Todo(value: ["name": name])) }
    }
    let open = realm.objects(Todo.self).where { !$0.isDone }
    try await Self.values(realm, open, configuration)

    var lines: [String] = []
    func show(_ line: String) { lines.append(line) }
    let watcher = Task {
      for await change in open.changes() {
        if case .initial = change { try await realm.asyncWrite { open[0].isDone = true } }
        if case .update = change { break }
      }
    }
    try await watcher.value
    // snippet: readme-changes
    for await change in open.changes() {
      switch change {
      case .initial(let todos): show("\(todos.count) to do")
      case .update(_, let deletions, let insertions, let modifications):
        show("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): throw error
      }
      // snippet hide
      break
      // snippet show
    }
    // snippet end
    #expect(lines == ["1 to do"])
  }

  @MainActor private static func values(
    _ realm: Realm, _ open: Results<Todo>, _ configuration: Realm.Configuration
  ) async throws {
    // snippet: readme-values
    // One version of the file, on any thread, without an actor and without waiting for writers:
    let names = try Realm.snapshot(of: configuration) { realm in
      realm.objects(Todo.self).map(\.name) as [String]
    }

    // A value copy with the properties of its class: Sendable, Hashable, Codable.
    let copy = ObjectSnapshot(open[0])
    Task.detached { print(copy.name, copy.isDone) }

    // An identifier that any actor, process or JSON file may keep:
    let id = PersistentID(open[0])
    try await Realm.write(to: configuration) { realm in realm[id]?.isDone = true }

    // How a query is answered:
    print(realm.objects(Todo.self).where { !$0.isDone && $0.name == "Buy milk" }.explain())
    // snippet end
    #expect(names.count == 2)
    await realm.asyncRefresh()
    #expect(realm[id]?.isDone == true)
    try await realm.asyncWrite { realm[id]?.isDone = false }
  }
}
