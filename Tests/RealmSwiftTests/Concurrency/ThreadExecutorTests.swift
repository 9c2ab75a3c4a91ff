// SPDX-License-Identifier: Apache-2.0

// An actor with a thread of its own, and a realm on it.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

private actor Hermit {
  nonisolated let executor = RealmThreadExecutor(name: "hermit")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private var realm: Realm?
  private var token: NotificationToken?
  private(set) var heard: [Int] = []
  private(set) var threads: Set<ThreadIdentity> = []

  func open(_ configuration: Realm.Configuration) async throws {
    let realm = try await Realm(configuration: configuration, actor: self)
    self.realm = realm
    note()
    token = realm.objects(AsyncTask.self).observe { [weak self] change in
      let count =
        switch change {
        case .initial(let tasks), .update(let tasks, _, _, _): tasks.count
        case .error: -1
        }
      self?.assumeIsolated { $0.hear(count) }
    }
  }

  private func note() { threads.insert(.current) }

  private func hear(_ count: Int) {
    note()
    heard.append(count)
  }

  func add(_ id: Int) async throws {
    guard let realm else { return }
    try await realm.asyncWrite { addTasks([id], to: realm) }
    note()
    await Task.yield()
    note()
    expectEqual(realm.object(ofType: AsyncTask.self, forPrimaryKey: id)?.name, "task \(id)")
  }

  /// Whether accesses compare threads instead of asking for the executor.
  var isCheckedByThread: Bool {
    realm?.core.state.pointee.isolation == ThreadIdentity.current.pointer
  }

  func wait(for count: Int) async -> [Int] {
    for _ in 0..<15_000 where (heard.last ?? -1) < count {
      try? await Task.sleep(for: .milliseconds(2))
    }
    return heard
  }

  func leak() -> UnsafeTransfer<Realm?> { UnsafeTransfer(realm) }

  /// Blocks the actor's thread until all others have come.
  func meet(at place: MeetingPlace) -> Bool { place.arrive() }

  func numbers(_ count: Int) async -> [Int] {
    var numbers: [Int] = []
    for number in 0..<count {
      numbers.append(number)
      await Task.yield()
    }
    return numbers
  }
}

/// Where threads wait for each other.
private final class MeetingPlace: @unchecked Sendable {
  // Sendable: the condition guards the count.
  private let condition = NSCondition()
  private var missing: Int

  init(count: Int) { missing = count }

  /// Waits until all have arrived; false if a thread does not come.
  func arrive() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    missing -= 1
    condition.broadcast()
    while missing > 0 {
      if !condition.wait(until: Date(timeIntervalSinceNow: 50)) { return false }
    }
    return true
  }
}

@Suite(.timeLimit(.minutes(10))) struct ThreadExecutorTests {
  @Test func aRealmLivesOnTheThread() async throws {
    let configuration = freshConfiguration()
    let hermit = Hermit()
    try await hermit.open(configuration)
    for id in 0..<5 { try await hermit.add(id) }
    await expectEqual(hermit.wait(for: 5).last, 5)
    try await writeElsewhere(configuration) { addTasks(5..<8, to: $0) }
    await expectEqual(hermit.wait(for: 8).last, 8)
    await expectEqual(hermit.threads.count, 1)
    #expect(await hermit.isCheckedByThread)
    expectFalse(hermit.executor.isCurrent)
  }

  @Test func anotherActorObservesOnTheThread() async throws {
    let configuration = freshConfiguration()
    let hermit = Hermit()
    let counts = Recorder<Int>()
    let token = try await Task { @MainActor in
      let realm = try await Realm(configuration: configuration)
      return await realm.objects(AsyncTask.self).observe(on: hermit) { hermit, change in
        hermit.assertIsolated()
        expectTrue(hermit.executor.isCurrent)
        if case .update(let tasks, _, _, _) = change { counts.add(tasks.count) }
        if case .initial(let tasks) = change { counts.add(tasks.count) }
      }
    }.value
    await expectEqual(counts.wait(for: 1), [0])
    try await writeElsewhere(configuration) { addTasks(0..<3, to: $0) }
    await expectEqual(counts.wait(for: 2), [0, 3])
    token.invalidate()
  }

  @Test func anActorThatBlocksHoldsUpNobodyElse() async throws {
    // More than any pool has threads: they could never all wait at once.
    let hermits = (0..<40).map { _ in Hermit() }
    let place = MeetingPlace(count: hermits.count)
    let haveMet = await withTaskGroup(of: Bool.self) { group in
      for hermit in hermits { group.addTask { await hermit.meet(at: place) } }
      return await group.allSatisfy { $0 }
    }
    expectTrue(haveMet)
  }

  @Test func jobsRunInTheirOrderOneByOne() async {
    let hermit = Hermit()
    let results = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<8 { group.addTask { await hermit.numbers(200) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.allSatisfy { $0 == Array(0..<200) })
  }

  @Test func theThreadEndsWithTheExecutor() async throws {
    let address: UInt
    do {
      let hermit = Hermit()
      _ = await hermit.meet(at: MeetingPlace(count: 1))
      address = UInt(bitPattern: ObjectIdentifier(hermit.executor))
      expectTrue(ExecutorThread.pointer(ofExecutor: address) != 0)
    }
    for _ in 0..<1000 where ExecutorThread.pointer(ofExecutor: address) != 0 {
      try await Task.sleep(for: .milliseconds(2))
    }
    expectEqual(ExecutorThread.pointer(ofExecutor: address), 0)
  }

  @Test func aRealmOfTheThreadIsRefusedElsewhere() async {
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let hermit = Hermit()
      try await hermit.open(freshConfiguration())
      let realm = await hermit.leak()
      _ = realm.value?.isEmpty
    }
  }
}
