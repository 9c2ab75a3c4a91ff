// SPDX-License-Identifier: Apache-2.0

// Observing on an actor: the block runs isolated to it, with objects of its own.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

private actor Listener {
  private(set) var names: [String] = []

  func heard(_ name: String) { names.append(name) }

  /// What was heard, once it is `count` things.
  func wait(for count: Int) async -> [String] {
    for _ in 0..<15_000 where names.count < count { try? await Task.sleep(for: .milliseconds(2)) }
    return names
  }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct ActorObserverTests {
  private let configuration = freshConfiguration()

  @Test func anActorHearsOfACollection() async throws {
    let realm = try await Realm(configuration: configuration)
    let listener = Listener()
    let token = await realm.objects(AsyncTask.self).observe(on: listener) { actor, change in
      actor.assertIsolated()
      switch change {
      case .initial(let tasks): actor.heard("initial \(tasks.count)")
      case .update(let tasks, let deletions, let insertions, let modifications):
        actor.heard("\(Array(tasks.map(\.name))) \(deletions) \(insertions) \(modifications)")
      case .error(let error): actor.heard("\(error)")
      }
    }
    await expectEqual(listener.wait(for: 1), ["initial 0"])
    try await realm.asyncWrite { addTasks(1..<2, to: realm) }
    await expectEqual(listener.wait(for: 2).last, "[\"task 1\"] [] [0] []")
    try realm.write { realm.deleteAll() }
    await expectEqual(listener.wait(for: 3).last, "[] [0] [] []")
    token.invalidate()
    try realm.write { addTasks(1..<2, to: realm) }
    try await Task.sleep(for: .milliseconds(40))
    await expectEqual(listener.names.count, 3)
  }

  @Test func anActorHearsOfAnObject() async throws {
    let realm = try await Realm(configuration: configuration)
    let task = try await realm.asyncWrite {
      realm.create(AsyncTask.self, value: ["id": 1, "name": "one"])
    }
    let listener = Listener()
    // Without an annotation the object is an `Object`.
    let token = await task.observe(on: listener) { actor, change in
      switch change {
      case .change(let object, let properties):
        for property in properties {
          actor.heard("\(property.name) \(property.newValue ?? "nil") \(object.isInvalidated)")
        }
      case .deleted: actor.heard("deleted")
      case .error(let error): actor.heard("\(error)")
      }
    }
    let typed = await task.observe(keyPaths: ["priority"], on: listener) {
      (actor, change: ObjectChange<AsyncTask>) in
      if case .change(let task, _) = change { actor.heard("priority \(task.priority)") }
    }
    try await realm.asyncWrite { task.name = "two" }
    await expectEqual(listener.wait(for: 1), ["name two false"])
    try await realm.asyncWrite { task.priority = 5 }
    await expectEqual(
      listener.wait(for: 3).sorted(), ["name two false", "priority 5", "priority 5 false"])
    typed.invalidate()
    try await realm.asyncWrite { realm.delete(task) }
    await expectEqual(listener.wait(for: 4).last, "deleted")
    expectFalse(token.invalidate())
  }

  @Test func theMainActorHearsOfAnotherActorsCollection() async throws {
    let configuration = configuration
    let heard = Recorder<Int>()
    actor Importer {
      func start(
        _ configuration: Realm.Configuration, _ heard: Recorder<Int>
      ) async throws -> NotificationToken {
        let realm = try await Realm(configuration: configuration, actor: self)
        let token = await realm.objects(AsyncTask.self).observe(on: MainActor.shared) { _, change in
          MainActor.assertIsolated()
          if case .update(let tasks, _, _, _) = change { heard.add(tasks.count) }
        }
        for id in 0..<20 {
          try await realm.asyncWrite { addTasks(id..<id + 1, to: realm) }
        }
        return token
      }
    }
    let token = try await Importer().start(configuration, heard)
    for _ in 0..<15_000 where heard.all.last != 20 { try await Task.sleep(for: .milliseconds(2)) }
    expectEqual(heard.all.last, 20)
    expectEqual(heard.all, heard.all.sorted())
    token.invalidate()
  }

  @Test func aCancelledTaskGetsATokenThatHasEnded() async throws {
    let realm = try await Realm(configuration: configuration)
    let task = Task { @MainActor in
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      let token = await realm.objects(AsyncTask.self).observe(on: Listener()) { _, _ in }
      return token.invalidate()
    }
    task.cancel()
    await expectEqual(task.value, false)
  }

  @Test func anObserverDoesNotKeepItsActor() async throws {
    let realm = try await Realm(configuration: configuration)
    var listener: Listener? = Listener()
    weak let observed = listener
    var token: NotificationToken?
    if let listener {
      token = await realm.objects(AsyncTask.self).observe(on: listener) { actor, _ in
        actor.heard("something")
      }
      _ = await listener.wait(for: 1)
    }
    listener = nil
    for _ in 0..<15_000 where observed != nil { try await Task.sleep(for: .milliseconds(5)) }
    expectTrue(observed == nil)
    try realm.write { addTasks(0..<1, to: realm) }
    token?.invalidate()
  }
}
