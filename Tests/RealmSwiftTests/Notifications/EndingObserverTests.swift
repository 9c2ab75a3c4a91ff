// SPDX-License-Identifier: Apache-2.0

// The ends of observations: what was committed before a token is invalidated is told, observers
// outlive the invalidation of their realm, and programs of the documentation see their changes.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

class EndingTodo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var status: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class EndingCard: Projection<EndingTodo> {
  @Projected(\EndingTodo.status) var state
}

/// An actor that writes and observes beside the main actor.
private actor Background {
  private let configuration: Realm.Configuration
  private var realm: Realm?

  init(_ configuration: Realm.Configuration) { self.configuration = configuration }

  /// Keeps a realm of the actor, in which later calls write.
  func open() async throws { realm = try await Realm(configuration: configuration, actor: self) }

  func delete(_ reference: ThreadSafeReference<EndingTodo>) throws {
    let realm = try self.realm ?? Realm(configuration: configuration)
    try realm.write { if let todo = realm.resolve(reference) { realm.delete(todo) } }
  }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct EndingObserverTests {
  private let configuration = Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString, objectTypes: [EndingTodo.self])
  private let told = Recorder<String>()

  /// How often the programs of the documentation run; `REALM_SNIPPET_RUNS` makes it more.
  private static let runs =
    ProcessInfo.processInfo.environment["REALM_SNIPPET_RUNS"].flatMap { Int($0) } ?? 10

  private func open() async throws -> (Realm, EndingTodo) {
    let realm = try await Realm(configuration: configuration)
    let todo = try await realm.asyncWrite {
      realm.create(EndingTodo.self, value: ["name": "plan", "status": "open"])
    }
    return (realm, todo)
  }

  // MARK: - Tokens

  @Test func asyncWriteReturnsAfterTheObserversOfItsRealmWereTold() async throws {
    let (realm, todo) = try await open()
    for run in 0..<Self.runs {
      told.removeAll()
      let object = todo.observe { [told] (_: ObjectChange<EndingTodo>) in told.add("object") }
      let all = realm.objects(EndingTodo.self).observe { [told] change in
        if case .update = change { told.add("results") }
      }
      let whole = realm.observe { [told] _, _ in told.add("realm") }
      // The first call.
      try await realm.asyncWrite { todo.name = "\(run)" }
      try await realm.asyncWrite { todo.status = "\(run)" }
      for token in [object, all, whole] { token.invalidate() }
      let calls = told.all.filter { $0 != "realm" }
      expectEqual(calls.suffix(2).sorted(), ["object", "results"], "run \(run): \(calls)")
      expectEqual(calls.count { $0 == "object" }, 2, "run \(run)")
      expectEqual(told.all.count { $0 == "realm" }, 2)
    }
  }

  /// `Observation` 4.
  @Test func invalidatingATokenElsewhereDeliversWhatWasCommittedBefore() async throws {
    let (realm, todo) = try await open()
    let background = Background(configuration)
    let token = await todo.observe(on: background) { [told] _, change in
      if case .change(_, let properties) = change { told.add(properties[0].name) }
    }
    try await realm.asyncWrite { todo.status = "before" }
    token.invalidate()
    expectFalse(token.invalidate())
    await expectEqual(told.wait(for: 1), ["status"])
    _ = await told.settled()
    try await realm.asyncWrite { todo.status = "after" }
    await expectEqual(told.settled(), ["status"])
  }

  @Test func aTokenThatIsInvalidatedWithNothingToTellEndsAtOnce() async throws {
    let (realm, todo) = try await open()
    let background = Background(configuration)
    let token = await todo.observe(on: background) { [told] (_, _: ObjectChange<EndingTodo>) in
      told.add("called")
    }
    expectTrue(token.invalidate())
    expectFalse(token.invalidate())
    try await realm.asyncWrite { todo.status = "late" }
    await expectEqual(told.settled(), [])
  }

  // MARK: - Programs of the documentation

  @Test(arguments: [false, true])
  func observingACollectionOnAnotherActorSeesTheDeletion(_ hasRealm: Bool) async throws {
    let (realm, _) = try await open()
    for run in 0..<Self.runs {
      let calls = Recorder<String>()
      let background = Background(configuration)
      if hasRealm { try await background.open() }
      try await realm.asyncWrite {
        realm.create(EndingTodo.self, value: ["name": "Bree", "status": "In Progress"])
      }
      let todos = realm.objects(EndingTodo.self)
      let token = await todos.observe(on: background) { _, change in
        switch change {
        case .initial: calls.add("initial")
        case .update(_, let deletions, _, _): calls.add("deleted \(deletions.count)")
        case .error: calls.add("error")
        }
      }
      let todo = try #require(todos.where { $0.name == "Bree" }.first)
      let reference = ThreadSafeReference(to: todo)
      try await background.delete(reference)
      token.invalidate()
      let seen = await calls.wait(for: hasRealm ? 2 : 1)
      if hasRealm {
        expectEqual(seen, ["initial", "deleted 1"], "run \(run)")
      } else {
        expectTrue(!seen.isEmpty, "run \(run)")
      }
    }
  }

  @Test func observingAnObjectOnAnotherActorSeesTheChange() async throws {
    let (realm, todo) = try await open()
    for run in 0..<Self.runs {
      let calls = Recorder<String>()
      let background = Background(configuration)
      let token = await todo.observe(on: background) { _, change in
        if case .change(_, let properties) = change { calls.add(properties[0].name) }
      }
      try await realm.asyncWrite { todo.status = "Complete \(run)" }
      token.invalidate()
      await expectEqual(calls.wait(for: 1), ["status"], "run \(run)")
    }
  }

  @Test func theyDoSoBesideLoad() async throws {
    let configuration = configuration
    let isDone = Locked(false)
    let writers = (0..<2).map { _ in
      Thread {
        guard let realm = try? Realm(configuration: configuration) else { return }
        while !isDone.withLock({ $0 }) {
          try? realm.write { _ = realm.create(EndingTodo.self, value: ["name": "load"]) }
          try? realm.write {
            realm.delete(realm.objects(EndingTodo.self).where { $0.name == "load" })
          }
          // Other tests need the processors, too.
          usleep(2000)
        }
      }
    }
    for writer in writers { writer.start() }
    defer { isDone.withLock { $0 = true } }
    try await observingAnObjectOnAnotherActorSeesTheChange()
  }

  // MARK: - Invalidated realms

  @Test func observersOfObjectsOutliveTheInvalidationOfTheirRealm() async throws {
    let (realm, todo) = try await open()
    let card = EndingCard(projecting: todo)
    let tokens = [
      todo.observe { [told] (change: ObjectChange<EndingTodo>) in
        guard case .change(let todo, let properties) = change else { return }
        told.add("object \(todo.status) \(properties.map(\.name))")
      },
      card.observe { [told] change in
        guard case .change(let card, let properties) = change else { return }
        told.add("projection \(card.state) \(properties.map(\.name))")
      },
      realm.objects(EndingTodo.self).where { $0.status == "done" }.observe { [told] change in
        guard case .update(let all, _, let insertions, _) = change else { return }
        told.add("results \(Array(all).map(\.status)) \(insertions)")
      },
    ]
    try await realm.asyncWrite { todo.name = "first call" }
    told.removeAll()
    realm.invalidate()
    expectTrue(todo.isInvalidated)
    try await writeElsewhere(configuration) { $0.objects(EndingTodo.self).first?.status = "done" }
    let expected = [
      "object done [\"status\"]", "projection done [\"state\"]", "results [\"done\"] [0]",
    ]
    await expectEqual(told.wait(for: 3).sorted(), expected)
    // They go on as before.
    expectFalse(todo.isInvalidated)
    told.removeAll()
    try realm.write { todo.status = "done again" }
    await expectEqual(told.wait(for: 3).count, 3)
    for token in tokens { token.invalidate() }
  }

  @Test func aRealmIsNotInvalidatedInsideOfItsOwnObserver() async throws {
    let (realm, todo) = try await open()
    let token = realm.observe { [told] _, realm in
      realm.invalidate()
      told.add(todo.isInvalidated ? "invalid" : "valid")
    }
    try realm.write { todo.status = "here" }
    try await writeElsewhere(configuration) { $0.objects(EndingTodo.self).first?.name = "there" }
    await expectEqual(told.wait(for: 2), ["valid", "valid"])
    token.invalidate()
    realm.invalidate()
    expectTrue(todo.isInvalidated)
  }
}
