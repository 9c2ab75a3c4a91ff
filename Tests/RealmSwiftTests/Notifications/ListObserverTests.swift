// SPDX-License-Identifier: Apache-2.0

// Observers of lists and of backlinks.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct ListObserverTests {
  private let configuration = freshConfiguration()
  private let told = Recorder<ToldChange>()

  private func open() async throws -> (Realm, AsyncOwner) {
    let realm = try await Realm(configuration: configuration)
    let owner = try realm.write { () -> AsyncOwner in
      let owner = realm.create(AsyncOwner.self, value: ["name": "Ann"])
      addTasks(0..<4, to: realm)
      owner.tasks.append(objectsIn: realm.objects(AsyncTask.self))
      owner.numbers.append(objectsIn: [10, 20, 30])
      return owner
    }
    return (realm, owner)
  }

  @Test func editsArriveWithTheirIndexes() async throws {
    let (realm, owner) = try await open()
    let token = owner.tasks.observe { [told] in told.add(ToldChange($0)) }
    await expectEqual(told.wait(for: 1), [.initial(count: 4)])
    try await writeElsewhere(configuration) { realm in
      guard let tasks = realm.objects(AsyncOwner.self).first?.tasks else { return }
      tasks.remove(at: 1)
      tasks.insert(realm.create(AsyncTask.self, value: ["id": 9]), at: 0)
      realm.object(ofType: AsyncTask.self, forPrimaryKey: 3)?.name = "three"
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 4, deletions: [1], insertions: [0], modifications: [3]))
    try realm.write { owner.tasks.move(from: 0, to: 3) }
    await expectEqual(
      told.wait(for: 3).last,
      .update(count: 4, deletions: [0], insertions: [3], modifications: []))
    token.invalidate()
  }

  @Test func scalarsAreObserved() async throws {
    let (realm, owner) = try await open()
    let token = owner.numbers.observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try realm.write {
      owner.numbers[1] = 21
      owner.numbers.append(40)
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 4, deletions: [], insertions: [3], modifications: [1]))
    token.invalidate()
  }

  @Test func aDeletedObjectInTheListIsADeletion() async throws {
    let (_, owner) = try await open()
    let token = owner.tasks.observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try await writeElsewhere(configuration) { realm in
      if let task = realm.object(ofType: AsyncTask.self, forPrimaryKey: 2) { realm.delete(task) }
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 3, deletions: [2], insertions: [], modifications: []))
    token.invalidate()
  }

  @Test func theEndOfTheParentIsOneLastChange() async throws {
    let (realm, owner) = try await open()
    let list = owner.numbers
    let deletions = Recorder<[Int]>()
    let token = list.observe { change in
      if case .update(_, let deleted, _, _) = change { deletions.add(deleted) }
      if case .initial = change { deletions.add([]) }
    }
    _ = await deletions.wait(for: 1)
    try await writeElsewhere(configuration) { realm in
      realm.delete(realm.objects(AsyncOwner.self))
    }
    await expectEqual(deletions.wait(for: 2), [[], [0, 1, 2]])
    expectTrue(list.isInvalidated)
    try realm.write { _ = realm.create(AsyncOwner.self, value: ["name": "Bob"]) }
    await expectEqual(deletions.settled().count, 2)
    expectFalse(token.invalidate())
  }

  @Test func backlinksAreObserved() async throws {
    let (realm, owner) = try await open()
    let token = owner.owned.observe { [told] in told.add(ToldChange($0)) }
    await expectEqual(told.wait(for: 1), [.initial(count: 0)])
    try await writeElsewhere(configuration) { realm in
      realm.objects(AsyncTask.self)[2].owner = realm.objects(AsyncOwner.self).first
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 1, deletions: [], insertions: [0], modifications: []))
    try realm.write { realm.objects(AsyncTask.self)[2].name = "renamed" }
    await expectEqual(
      told.wait(for: 3).last,
      .update(count: 1, deletions: [], insertions: [], modifications: [0]))
    token.invalidate()
  }
}
