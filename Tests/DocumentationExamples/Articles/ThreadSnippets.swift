// SPDX-License-Identifier: Apache-2.0

// The snippets of the article "Threads and actors".

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

// snippet: threads-actor
actor TodoStore {
  private var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  func add(_ name: String) async throws -> ObjectId {
    try await realm.asyncWrite { realm.create(Todo.self, value: ["name": name]).id }
  }

  func openCount() -> Int { realm.objects(Todo.self).where { !$0.isDone }.count }

  func finish(_ reference: ThreadSafeReference<Todo>) async throws {
    try await realm.asyncWrite { realm.resolve(reference)?.isDone = true }
  }

  func close() { realm = nil }
}
// snippet end

// snippet: threads-global
@globalActor actor Background {
  static let shared = Background()
}

@Background
func finishAll(_ configuration: Realm.Configuration) async throws {
  let realm = try await Realm(configuration: configuration, actor: Background.shared)
  try await realm.asyncWrite {
    for todo in realm.objects(Todo.self) { todo.isDone = true }
  }
}
// snippet end

@Suite(.timeLimit(.minutes(10))) struct ThreadSnippets {
  private let folder: ArticleFolder
  private let configuration: Realm.Configuration

  init() throws {
    folder = try ArticleFolder()
    configuration = folder.configuration([Todo.self])
  }

  @Test @MainActor func actorsHaveRealmsOfTheirOwn() async throws {
    // snippet: threads-main
    let realm = try await Realm(configuration: configuration)  // The main actor's.
    let store = try await TodoStore(configuration)  // Another one, over the same file.
    let id = try await store.add("Walk the dog")

    await realm.asyncRefresh()  // Or wait: the main actor's realm follows by itself.
    let todo = realm.object(ofType: Todo.self, forPrimaryKey: id)
    // snippet end
    #expect(todo?.name == "Walk the dog")
    let handed = try #require(todo)
    // snippet: threads-hand-over
    // 1. A key. Nothing is kept; the object may be gone when it is looked up.
    let key = PersistentID(handed)
    // 2. A value copy. The other side gets values, and no object.
    let copy = ObjectSnapshot(handed)
    // 3. A reference. Resolved once, it is the same object in the other realm.
    try await store.finish(ThreadSafeReference(to: handed))
    // 4. A wrapper. Each reader gets the object in its own realm; nil once it is deleted.
    let wrapped = ThreadSafe(wrappedValue: handed)
    let isDone = await Task.detached { wrapped.wrappedValue?.isDone }.value
    // 5. A frozen object. Any thread may read it, and it never changes.
    let frozen = handed.freeze()
    // snippet end
    #expect(isDone == true && copy.isDone == false && realm[key] == handed)
    #expect(frozen.isFrozen)
    try await finishAll(configuration)
    await realm.asyncRefresh()
    #expect(realm.objects(Todo.self).where { !$0.isDone }.isEmpty)
    await store.close()
  }

  @Test func anyTaskReadsAndWrites() async throws {
    let name = "Water the plants"
    // snippet: threads-any-task
    let id = try await Realm.write(to: configuration) { realm in
      realm.create(Todo.self, value: ["name": name]).id
    }
    let names = try await Realm.read(from: configuration) { realm in
      Array(realm.objects(Todo.self).map(\.name))
    }
    // snippet end
    #expect(names == [name])
    let found = try Realm.snapshot(of: configuration) {
      $0.object(ofType: Todo.self, forPrimaryKey: id) != nil
    }
    #expect(found)
  }

  @Test func queuesAndThreads() throws {
    let configuration = configuration
    // snippet: threads-queue
    let queue = DispatchQueue(label: "writer")
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      try realm.write { realm.add(Todo(value: ["name": "From a queue"])) }
    }
    // snippet end
    #expect(try Realm.snapshot(of: configuration) { $0.objects(Todo.self).count } == 1)
  }

  @Test @MainActor func versionsStayUntilTheyAreReleased() async throws {
    let realm = try await Realm(configuration: configuration)
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "Old"])) }
    // snippet: threads-versions
    let before = realm.objects(Todo.self).freeze()
    try await realm.asyncWrite { realm.deleteAll() }
    print(realm.objects(Todo.self).count, before.count)  // 0 1
    print(realm.pinnedByteCount)  // What old versions keep, in bytes.
    // snippet end
    #expect(realm.isEmpty && before.count == 1)
  }

  @Test func anActorWithAThread() async throws {
    let importer = Importer()
    try await importer.open(configuration)
    #expect(try await importer.add(["a", "b"]) == 2)
  }
}

// snippet: threads-executor
actor Importer {
  private nonisolated let executor = RealmThreadExecutor(name: "importer")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var realm: Realm!

  func open(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  func add(_ names: [String]) throws -> Int {
    try realm.write {
      for name in names { realm.add(Todo(value: ["name": name])) }
    }
    return realm.objects(Todo.self).count
  }
}
// snippet end
