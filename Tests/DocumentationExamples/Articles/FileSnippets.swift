// SPDX-License-Identifier: Apache-2.0

// The snippets of the articles "Encryption", "Durability", "Performance" and "Testing your app".

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) @MainActor struct FileSnippets {
  private let folder: ArticleFolder
  private var configuration: Realm.Configuration

  init() throws {
    folder = try ArticleFolder()
    configuration = folder.configuration([Todo.self])
  }

  #if Encryption
  @Test func encryption() throws {
    var configuration = configuration
    // snippet: encryption-open
    var generator = SystemRandomNumberGenerator()
    let key = Data((0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) })
    configuration.encryptionKey = key  // Keep it where only this program can read it.
    let realm = try Realm(configuration: configuration)
    // snippet end
    try realm.write { realm.add(Todo(value: ["name": "A secret"])) }
    let newKey = Data((0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) })
    let copy = folder.url("copy.realm")
    // snippet: encryption-change
    try realm.writeCopy(toFile: copy, encryptionKey: newKey)
    // snippet end
    #expect(try schemaVersionAtURL(copy, encryptionKey: newKey) == 0)
    // snippet: encryption-wrong
    configuration.fileURL = copy
    do {
      _ = try Realm(configuration: configuration)  // With the old key.
    } catch Realm.Error.invalidDatabase {
      print("Another key, no key, or not a Realm file.")
      // snippet hide
      return
      // snippet show
    }
    // snippet end
    Issue.record("the file was opened")
  }
  #endif

  @Test func groupsOfCommits() async throws {
    let realm = try await Realm(configuration: configuration)
    var isDone = false
    // snippet: durability-grouping
    realm.beginAsyncWrite {
      realm.add(Todo(value: ["name": "One of many"]))
      realm.commitAsyncWrite(allowGrouping: true) { error in
        isDone = error == nil  // Now it is on the disk.
      }
    }
    // snippet end
    for _ in 0..<15_000 where !isDone { try await Task.sleep(for: .milliseconds(5)) }
    #expect(isDone && realm.objects(Todo.self).count == 1)
    let backup = folder.url("backup.realm")
    // snippet: durability-backup
    try realm.writeCopy(toFile: backup)  // One version, whole, while others go on writing.
    // snippet end
    #expect(FileManager.default.fileExists(atPath: backup.path))
  }

  @Test func commitsWithOneSync() throws {
    var configuration = configuration
    // snippet: durability-one-sync
    configuration.durability = .oneSync
    let realm = try Realm(configuration: configuration)
    // snippet end
    try realm.write { realm.add(Todo(value: ["name": "On the disk"])) }
    #expect(realm.objects(Todo.self).count == 1)
  }

  @Test func batches() async throws {
    let realm = try await Realm(configuration: configuration)
    let names = (0..<2_500).map { "Item \($0)" }
    // snippet: performance-batches
    for start in stride(from: 0, to: names.count, by: 1_000) {
      let batch = names[start..<min(start + 1_000, names.count)]
      try await realm.asyncWrite {
        for name in batch { realm.create(Todo.self, value: ["name": name]) }
      }
    }
    // snippet end
    #expect(realm.objects(Todo.self).count == 2_500)
    // snippet: performance-compact
    while try realm.compact(step: 1 << 20) {
      try await Task.sleep(for: .milliseconds(50))
    }
    // snippet end
  }

  // snippet: testing-memory
  @Test func finishedTodosAreHidden() throws {
    // A name of its own: tests run at the same time, and realms of one name share their data.
    let realm = try Realm(
      configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Todo.self]))
    try realm.write {
      realm.add(Todo(value: ["name": "Walk the dog", "isDone": true]))
    }
    #expect(realm.objects(Todo.self).where { !$0.isDone }.isEmpty)
  }
  // snippet end

  @Test func seeds() throws {
    let seed = folder.url("seed.realm")
    let made = try Realm(configuration: folder.configuration([Todo.self], file: "made.realm"))
    try made.write { made.add(Todo(value: ["name": "From the seed"])) }
    try made.writeCopy(toFile: seed)
    let url = folder.url("test.realm")
    // snippet: testing-seed
    let configuration = Realm.Configuration(
      fileURL: url, objectTypes: [Todo.self], seedFilePath: seed)
    let realm = try Realm(configuration: configuration)  // A copy of the seed.
    // snippet end
    #expect(realm.objects(Todo.self).first?.name == "From the seed")
  }

  // snippet: testing-misuse
  @Test func aChangeNeedsATransaction() async {
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: .init(inMemoryIdentifier: "misuse", objectTypes: [Todo.self]))
      realm.add(Todo())
    }
  }
  // snippet end

  @Test func notificationsInTests() throws {
    let realm = try Realm(
      configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Todo.self]))
    // snippet: testing-notifications
    var counts: [Int] = []
    let token = realm.objects(Todo.self).observe { change in
      if case .initial(let todos) = change { counts.append(todos.count) }
      if case .update(let todos, _, _, _) = change { counts.append(todos.count) }
    }
    realm.refresh()  // Delivers what is due.
    try realm.write { realm.add(Todo()) }
    realm.refresh()
    #expect(counts == [0, 1])
    // snippet end
    token.invalidate()
  }
}
