// SPDX-License-Identifier: Apache-2.0

// Collections whose owner is deleted, by this realm, by another thread or by another process: what
// is derived from them is empty and never traps, and observers hear of it once.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// Who deletes the owner.
enum Deleter: CaseIterable, Sendable {
  case sameRealm, sameRealmWithEverything, otherThread, otherProcess
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct GoneOwnerTests {
  private let directory: TemporaryDirectory
  private let configuration: Realm.Configuration
  private let realm: Realm
  private let owner: GoneOwner

  init() async throws {
    directory = try TemporaryDirectory()
    configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: directory.file("gone.realm")),
      objectTypes: [GoneItem.self, GonePart.self, GoneOwner.self])
    let realm = try await Realm(configuration: configuration)
    self.realm = realm
    owner = try realm.write { GoneOwner.make(in: realm) }
  }

  private func delete(by deleter: Deleter) async throws {
    switch deleter {
    case .sameRealm: try realm.write { realm.delete(owner) }
    case .sameRealmWithEverything: try realm.write { realm.deleteAll() }
    case .otherThread:
      try await writeElsewhere(configuration) { $0.delete($0.objects(GoneOwner.self)) }
    case .otherProcess:
      let path = directory.file("gone.realm")
      await expectEqual(try OtherProcess().ask("delete-owner \(path)"), "ok")
    }
  }

  /// `ManagedCollection` 1.
  @Test(arguments: Deleter.allCases)
  func observersGetTheLastDeletionAndMayRead(_ deleter: Deleter) async throws {
    let told = owner.subjects.map { ($0, Recorder<String>()) }
    let tokens = told.map { $0.0.observe($0.1) }
    for (subject, calls) in told {
      await expectEqual(calls.wait(for: 1), ["2"], "\(subject.name)")
      expectEqual(subject.count(), 2, "\(subject.name)")
    }
    try await delete(by: deleter)
    for (subject, calls) in told {
      await expectEqual(calls.wait(for: 2), ["2", "0 -[0, 1] +[] ~[]"], "\(subject.name)")
      // Who was told may read on.
      expectEqual(Set(subject.read()), [0], "\(subject.name)")
      expectEqual(subject.isInvalidated(), subject.end != .empty, "\(subject.name)")
    }
    try realm.write { _ = GoneOwner.make(in: realm) }
    _ = await told[0].1.settled()
    for (subject, calls) in told { expectEqual(calls.all.count, 2, "\(subject.name)") }
    for token in tokens { token.invalidate() }
  }

  @Test(arguments: [Deleter.sameRealm, .otherThread])
  func observersLiveOnAfterTheirRealmWasInvalidated(_ deleter: Deleter) async throws {
    let told = owner.subjects.map { ($0, Recorder<String>()) }
    let tokens = told.map { $0.0.observe($0.1) }
    for (_, calls) in told { _ = await calls.wait(for: 1) }
    realm.invalidate()
    expectEqual(Set(told.map { $0.0.isInvalidated() }), [true])
    switch deleter {
    case .sameRealm: try realm.write { realm.delete(realm.objects(GoneOwner.self)) }
    default: try await delete(by: deleter)
    }
    for (subject, calls) in told {
      await expectEqual(calls.wait(for: 2), ["2", "0 -[0, 1] +[] ~[]"], "\(subject.name)")
    }
    for token in tokens { token.invalidate() }
  }

  /// `ManagedCollection` 2, `ResultsState` 5.
  @Test(arguments: Deleter.allCases)
  func whatIsDerivedIsEmptyAfterwards(_ deleter: Deleter) async throws {
    let subjects = owner.subjects.filter { $0.end != .property }
    for subject in subjects { expectEqual(Set(subject.read()), [2], "\(subject.name)") }
    try await delete(by: deleter)
    realm.refresh()
    for subject in subjects {
      expectEqual(Set(subject.read()), [0], "\(subject.name)")
      expectEqual(subject.isInvalidated(), subject.end == .invalidated, "\(subject.name)")
      if subject.end == .empty { expectEqual(Set(subject.copies()), [0], "\(subject.name)") }
    }
  }

  @Test func whatIsDerivedIsEmptyInTheTransactionAndFullAfterItsEnd() throws {
    let subjects = owner.subjects.filter { $0.end != .property }
    realm.beginWrite()
    realm.delete(owner)
    for subject in subjects { expectEqual(Set(subject.read()), [0], "\(subject.name)") }
    realm.cancelWrite()
    for subject in subjects { expectEqual(Set(subject.read()), [2], "\(subject.name)") }
  }

  @Test func whatWasFrozenBeforeStaysAsItWas() throws {
    let frozen = owner.items.filter("name != ''").freeze()
    let values = owner.numbers.sorted(ascending: true).freeze()
    let list = owner.numbers.freeze()
    try realm.write { realm.delete(owner) }
    expectEqual(frozen.map(\.name), ["a", "b"])
    expectEqual(Array(values), [1, 2])
    expectFalse(values.isInvalidated)
    expectEqual(frozen.thaw()?.count, 0)
    expectTrue(values.thaw() == nil)
    expectTrue(list.thaw() == nil)
  }

  @Test func whatObserversWereGivenFreezesAndIsNotThawed() async throws {
    let told = Recorder<String>()
    var frozen: [List<Int>] = []
    let token = owner.numbers.observe { change in
      if case .update(let list, _, _, _) = change { frozen.append(list.freeze()) }
      told.add("")
    }
    _ = await told.wait(for: 1)
    try realm.write { realm.delete(owner) }
    _ = await told.wait(for: 2)
    let last = try #require(frozen.last)
    expectEqual(last.count, 0)
    expectTrue(last.isFrozen)
    expectTrue(last.isInvalidated)
    expectTrue(last.thaw() == nil)
    token.invalidate()
  }

  @Test func sequencesOfChangesEndWithTheDeletion() async throws {
    var list = owner.numbers.changes().makeAsyncIterator()
    var results = owner.items.filter("name != ''").changes().makeAsyncIterator()
    var values = owner.numbers.sorted(ascending: true).changes().makeAsyncIterator()
    var map = owner.numberMap.changes().makeAsyncIterator()
    _ = await (list.next(), results.next(), values.next(), map.next())
    try await delete(by: .otherThread)
    await expectEqual(
      list.next().map { ToldChange($0) },
      .update(count: 0, deletions: [0, 1], insertions: [], modifications: []))
    await expectEqual(
      results.next().map { ToldChange($0) },
      .update(count: 0, deletions: [0, 1], insertions: [], modifications: []))
    await expectEqual(
      values.next().map { ToldChange($0) },
      .update(count: 0, deletions: [0, 1], insertions: [], modifications: []))
    guard case .update(let all, let deletions, _, _) = await map.next() else {
      Issue.record("the map has no last change")
      return
    }
    expectEqual(all.count, 0)
    expectEqual(deletions, ["x", "y"])
    await expectTrue(list.next() == nil)
    await expectTrue(results.next() == nil)
    await expectTrue(map.next() == nil)
  }

  @Test func deletingWhatIsDerivedFromNothingDeletesNothing() throws {
    let filtered = owner.items.filter("name != ''")
    try realm.write { realm.delete(owner) }
    try realm.write {
      realm.delete(filtered)
      filtered.setValue("z", forKey: "name")
      let other = realm.create(GoneOwner.self)
      other.items.append(objectsIn: filtered)
      expectEqual(other.items.count, 0)
    }
    expectEqual(realm.objects(GoneItem.self).count, 2)
    expectTrue(filtered.index(of: realm.objects(GoneItem.self)[0]) == nil)
    expectTrue(filtered.index(matching: "name == 'a'") == nil)
  }
}
