// SPDX-License-Identifier: Apache-2.0

// Observers of collections: what they are notified of, where, and when.

import Foundation
import RealmStorage
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

func addTasks(_ ids: some Sequence<Int>, to realm: Realm) {
  for id in ids { realm.create(AsyncTask.self, value: ["id": id, "name": "task \(id)"]) }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct CollectionObserverTests {
  private let configuration = freshConfiguration()
  private let told = Recorder<ToldChange>()

  private func open() async throws -> Realm { try await Realm(configuration: configuration) }

  @Test func theFirstCallComesLaterAndShowsTheCollection() async throws {
    let realm = try await open()
    try realm.write { addTasks(0..<3, to: realm) }
    let token = realm.objects(AsyncTask.self).observe { [told] in told.add(ToldChange($0)) }
    expectTrue(told.all.isEmpty)
    await expectEqual(told.wait(for: 1), [.initial(count: 3)])
    token.invalidate()
  }

  @Test func writesElsewhereArriveWithTheirIndexes() async throws {
    let realm = try await open()
    try realm.write { addTasks(0..<5, to: realm) }
    let token = realm.objects(AsyncTask.self).observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try await writeElsewhere(configuration) { realm in
      realm.delete(realm.objects(AsyncTask.self)[1])
      realm.objects(AsyncTask.self)[3].name = "last"
      addTasks([9], to: realm)
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 5, deletions: [1], insertions: [4], modifications: [4]))
    expectEqual(realm.objects(AsyncTask.self).count, 5)
    token.invalidate()
  }

  @Test func ownWritesArriveLater() async throws {
    let realm = try await open()
    let token = realm.objects(AsyncTask.self).observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try realm.write { addTasks(0..<2, to: realm) }
    expectEqual(told.all.count, 1)
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 2, deletions: [], insertions: [0, 1], modifications: []))
    try await realm.asyncWrite { realm.objects(AsyncTask.self)[0].priority = 0 }
    await expectEqual(
      told.wait(for: 3).last,
      .update(count: 2, deletions: [], insertions: [], modifications: [0]))
    token.invalidate()
  }

  @Test func anInvalidatedTokenIsSilent() async throws {
    let realm = try await open()
    let token = realm.objects(AsyncTask.self).observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    expectTrue(token.invalidate())
    expectFalse(token.invalidate())
    try realm.write { addTasks(0..<2, to: realm) }
    await expectEqual(told.settled(), [.initial(count: 0)])
  }

  @Test func aTokenThatGoesAwayEndsTheObservation() async throws {
    let realm = try await open()
    var token: NotificationToken? = realm.objects(AsyncTask.self).observe { [told] in
      told.add(ToldChange($0))
    }
    _ = await told.wait(for: 1)
    expectTrue(token != nil)
    token = nil
    try realm.write { addTasks(0..<2, to: realm) }
    await expectEqual(told.settled().count, 1)
  }

  /// `Observation` 3.
  @Test func aTokenKeepsTheRealm() async throws {
    func observe() async throws -> NotificationToken {
      let realm = try await open()
      return realm.objects(AsyncTask.self).observe { [told] in told.add(ToldChange($0)) }
    }
    let token = try await observe()
    _ = await told.wait(for: 1)
    try await writeElsewhere(configuration) { addTasks(0..<1, to: $0) }
    await expectEqual(told.wait(for: 2).count, 2)
    token.invalidate()
  }

  /// `ChangeBatch` 2.
  @Test func commitsThatTouchNothingObservedAreNotTold() async throws {
    let realm = try await open()
    let token = realm.objects(AsyncTask.self).observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try await writeElsewhere(configuration) { realm in
      realm.create(AsyncOwner.self, value: ["name": "nobody"])
    }
    await expectEqual(told.settled().count, 1)
    expectEqual(realm.objects(AsyncOwner.self).count, 1)
    token.invalidate()
  }

  @Test func changesOfLinkedObjectsCountUpToFourLinksAway() async throws {
    let realm = try await open()
    try realm.write {
      var boss: AsyncOwner?
      for depth in (0..<6).reversed() {
        boss = realm.create(
          AsyncOwner.self, value: ["name": "\(depth)", "boss": boss as Any])
      }
      realm.create(AsyncTask.self, value: ["id": 1, "owner": boss as Any])
    }
    let token = realm.objects(AsyncTask.self).observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    let modified = ToldChange.update(count: 1, deletions: [], insertions: [], modifications: [0])
    // Owner 0 is one link away, so owner 3 is the fourth.
    for (depth, isTold) in [(0, true), (3, true), (4, false)] {
      let count = told.all.count
      try await writeElsewhere(configuration) { realm in
        for owner in realm.objects(AsyncOwner.self) where owner.name == "\(depth)" {
          owner.name = "\(depth)"
        }
      }
      if isTold {
        await expectEqual(told.wait(for: count + 1).last, modified)
      } else {
        await expectEqual(told.settled().count, count)
      }
    }
    token.invalidate()
  }

  @Test func keyPathsRestrictModifications() async throws {
    let realm = try await open()
    try realm.write { addTasks(0..<3, to: realm) }
    let tasks = realm.objects(AsyncTask.self)
    let token = tasks.observe(keyPaths: ["name"]) { [told] in told.add(ToldChange($0)) }
    let typed = Recorder<ToldChange>()
    let same = realm.objects(AsyncTask.self)
    let typedToken = same.observe(keyPaths: [\AsyncTask.priority]) { typed.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    _ = await typed.wait(for: 1)
    try await writeElsewhere(configuration) { $0.objects(AsyncTask.self)[1].priority = 5 }
    await expectEqual(
      typed.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [], modifications: [1]))
    await expectEqual(told.settled().count, 1)
    try await writeElsewhere(configuration) { $0.objects(AsyncTask.self)[2].name = "c" }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [], modifications: [2]))
    await expectEqual(typed.settled().count, 2)
    token.invalidate()
    typedToken.invalidate()
  }

  @Test func observersOfOneCollectionAreToldTogether() async throws {
    let realm = try await open()
    try realm.write { addTasks(0..<3, to: realm) }
    let tasks = realm.objects(AsyncTask.self)
    let others = Recorder<ToldChange>()
    let token = tasks.observe(keyPaths: ["name"]) { [told] in told.add(ToldChange($0)) }
    let otherToken = tasks.observe(keyPaths: ["priority"]) { others.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    _ = await others.wait(for: 1)
    let modified = ToldChange.update(count: 3, deletions: [], insertions: [], modifications: [1])
    try realm.write { tasks[1].priority = 5 }
    await expectEqual(others.wait(for: 2).last, modified)
    await expectEqual(told.wait(for: 2).last, modified)
    otherToken.invalidate()
    try realm.write { tasks[1].priority = 6 }
    await expectEqual(told.settled().count, 2, "nobody asks for it any more")
    let all = tasks.observe { others.add(ToldChange($0)) }
    _ = await others.wait(for: 3)
    try realm.write { tasks[1].priority = 7 }
    await expectEqual(told.wait(for: 3).last, modified)
    all.invalidate()
    token.invalidate()
  }

  @Test func observersOfOneListAreToldTogether() async throws {
    let realm = try await open()
    let owner = try realm.write { () -> AsyncOwner in
      addTasks(0..<3, to: realm)
      let owner = realm.create(AsyncOwner.self, value: ["name": "Ann"])
      owner.tasks.append(objectsIn: realm.objects(AsyncTask.self))
      return owner
    }
    let tasks = owner.tasks
    let others = Recorder<ToldChange>()
    let token = tasks.observe(keyPaths: ["name"]) { [told] in told.add(ToldChange($0)) }
    let otherToken = tasks.observe(keyPaths: ["owner.name"]) { others.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    _ = await others.wait(for: 1)
    try realm.write { owner.tasks[2].owner = owner }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [], modifications: [2]))
    await expectEqual(others.wait(for: 2).count, 2)
    token.invalidate()
    otherToken.invalidate()
  }

  @Test func refreshTellsAtOnce() async throws {
    let realm = try await open()
    realm.autorefresh = false
    let token = realm.objects(AsyncTask.self).observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try await writeElsewhere(configuration) { addTasks(0..<2, to: $0) }
    try await writeElsewhere(configuration) { addTasks(2..<4, to: $0) }
    await expectEqual(told.settled().count, 1)
    expectEqual(realm.objects(AsyncTask.self).count, 0)
    expectTrue(realm.refresh())
    expectEqual(
      told.all.last, .update(count: 4, deletions: [], insertions: [0, 1, 2, 3], modifications: []))
    expectFalse(realm.refresh())
    expectEqual(told.all.count, 2)
    token.invalidate()
  }

  @Test func withoutNotifyingLeavesOutOneTransaction() async throws {
    let realm = try await open()
    let other = Recorder<ToldChange>()
    let tasks = realm.objects(AsyncTask.self)
    let token = tasks.observe { [told] in told.add(ToldChange($0)) }
    let otherToken = tasks.observe { other.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    _ = await other.wait(for: 1)
    try realm.write(withoutNotifying: [token]) { addTasks(0..<1, to: realm) }
    await expectEqual(other.wait(for: 2).count, 2)
    await expectEqual(told.settled().count, 1)
    try realm.write { addTasks(1..<2, to: realm) }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 2, deletions: [], insertions: [1], modifications: []))
    token.invalidate()
    otherToken.invalidate()
  }

  /// `SessionObservers` 1 and 2, `Session+Advance` 2, `Session` 5.
  @Test func anObserverMayWrite() async throws {
    let realm = try await open()
    let tasks = realm.objects(AsyncTask.self)
    let second = Recorder<ToldChange>()
    var depth = 0
    let token = tasks.observe { [told] change in
      depth += 1
      expectEqual(depth, 1)  // never called again while it runs
      told.add(ToldChange(change))
      if tasks.count < 5 { try? realm.write { addTasks([tasks.count], to: realm) } }
      expectFalse(realm.refresh())
      depth -= 1
    }
    let secondToken = tasks.observe { second.add(ToldChange($0)) }
    let changes = await told.wait(for: 6)
    expectEqual(changes.count, 6)
    expectEqual(changes.first, .initial(count: 0))
    expectEqual(changes.last, .update(count: 5, deletions: [], insertions: [4], modifications: []))
    let others = await second.settled()
    expectTrue(others.last?.insertedThrough == 5 || others.last == .initial(count: 5))
    token.invalidate()
    secondToken.invalidate()
  }

  /// `Observation` 1.
  @Test func aQueueIsToldOnTheQueue() async throws {
    let realm = try await open()
    let queue = DispatchQueue(label: "observers")
    let token = realm.objects(AsyncTask.self).observe(on: queue) { [told] change in
      dispatchPrecondition(condition: .onQueue(queue))
      told.add(ToldChange(change))
    }
    _ = await told.wait(for: 1)
    try realm.write { addTasks(0..<2, to: realm) }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 2, deletions: [], insertions: [0, 1], modifications: []))
    expectTrue(token.invalidate())
    try realm.write { addTasks(2..<3, to: realm) }
    await expectEqual(told.settled().count, 2)
  }

  @Test func aRunLoopThreadIsToldByItsLoop() async throws {
    let configuration = configuration
    let told = told
    let thread = Thread {
      let loop = RunLoop.current
      let token = Locked<NotificationToken?>(nil)
      let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in
        guard let realm = try? Realm(configuration: configuration) else { return }
        let observed = realm.objects(AsyncTask.self).observe { told.add(ToldChange($0)) }
        token.withLock { $0 = observed }
      }
      loop.add(timer, forMode: .common)
      let keepAlive = Timer(timeInterval: 3600, repeats: true) { _ in }
      loop.add(keepAlive, forMode: .common)
      while told.all.count < 2, loop.run(mode: .default, before: .now + 5) {}
      token.withLock { $0 }?.invalidate()
    }
    thread.start()
    _ = await told.wait(for: 1)
    try await writeElsewhere(configuration) { addTasks(0..<1, to: $0) }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 1, deletions: [], insertions: [0], modifications: []))
  }
}

extension ToldChange {
  fileprivate var insertedThrough: Int? {
    if case .update(let count, _, _, _) = self { count } else { nil }
  }
}
