// SPDX-License-Identifier: Apache-2.0

// Realms of actors: opened off the actor, used on it, written without blocking it.

import Foundation
import RealmSwift
import TestExtensions
import Testing

/// An actor with a realm of its own, opened by its initialiser.
private actor TaskStore {
  var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  var count: Int { realm.objects(AsyncTask.self).count }

  @discardableResult
  func add(_ id: Int, _ name: String = "") async throws -> String {
    try await realm.asyncWrite {
      realm.create(AsyncTask.self, value: ["id": id, "name": name]).name
    }
  }

  func addBlocking(_ id: Int) throws {
    try realm.write { _ = realm.create(AsyncTask.self, value: ["id": id]) }
  }

  func name(of id: Int) -> String? {
    realm.object(ofType: AsyncTask.self, forPrimaryKey: id)?.name
  }

  func nameAfterSuspensions(of id: Int) async -> String? {
    for _ in 0..<20 { await Task.yield() }
    return realm.object(ofType: AsyncTask.self, forPrimaryKey: id)?.name
  }

  func isSameInstance(_ configuration: Realm.Configuration) async throws -> Bool {
    let second = try await Realm(configuration: configuration, actor: self)
    let third = try await Realm.open(configuration: configuration)
    return second == realm && third == realm
  }

  func refresh() async -> Bool { await realm.asyncRefresh() }

  func failToAdd(_ id: Int) async throws {
    try await realm.asyncWrite {
      realm.create(AsyncTask.self, value: ["id": id])
      throw CocoaError(.featureUnsupported)
    }
  }

  func writeInParts() async throws -> [Bool] {
    var states = [realm.isInWriteTransaction]
    try await realm.asyncWrite {
      states.append(realm.isInWriteTransaction)
      realm.create(AsyncTask.self, value: ["id": 1])
      realm.cancelWrite()
      realm.beginWrite()
      realm.create(AsyncTask.self, value: ["id": 2])
    }
    states.append(realm.isInWriteTransaction)
    return states
  }

  func close() { realm = nil }
}

@globalActor private actor TaskActor: GlobalActor {
  static let shared = TaskActor()
}

@TaskActor private func countOnGlobalActor(_ configuration: Realm.Configuration) async throws -> Int
{
  let realm = try await Realm(configuration: configuration, actor: TaskActor.shared)
  try await realm.asyncWrite {
    _ = realm.create(AsyncTask.self, value: ["id": 7, "name": "seven"])
  }
  for _ in 0..<10 { await Task.yield() }
  return realm.objects(AsyncTask.self).count
}

@Suite(.timeLimit(.minutes(10))) struct ActorRealmTests {
  private let configuration = freshConfiguration()

  @Test @MainActor func theMainActorHasOneRealm() async throws {
    let first = try await Realm(configuration: configuration)
    let second = try await Realm(configuration: configuration, actor: MainActor.shared)
    let third = try await Realm.open(configuration: configuration)
    expectEqual(first, second)
    expectEqual(first, third)
    let opensSynchronously = { try Realm(configuration: configuration) }
    try expectEqual(opensSynchronously(), first)
    try expectEqual(first.write { first.create(AsyncTask.self, value: ["id": 1]).id }, 1)
  }

  /// `SessionState` 3: the isolation of such an actor is 0. `Realm+AsyncWrite` 2.
  @Test func anActorWritesAndReadsItsRealmOnWhateverThreadItRuns() async throws {
    let store = try await TaskStore(configuration)
    try await expectEqual(store.add(1, "one"), "one")
    try await store.addBlocking(2)
    await expectEqual(store.count, 2)
    await expectEqual(store.nameAfterSuspensions(of: 1), "one")
    #expect(try await store.isSameInstance(configuration))
  }

  @Test func aGlobalActorHasARealm() async throws {
    try await expectEqual(countOnGlobalActor(configuration), 1)
  }

  @Test func anIsolatedFunctionUsesTheRealmOfItsActor() async throws {
    func create(in store: isolated TaskStore) throws -> Int {
      try store.realm.write { _ = store.realm.create(AsyncTask.self, value: ["id": 3]) }
      return store.count
    }
    try await expectEqual(create(in: TaskStore(configuration)), 1)
  }

  @Test func realmsOfTwoActorsSeeEachOthersWrites() async throws {
    let first = try await TaskStore(configuration)
    let second = try await TaskStore(configuration)
    try await first.add(1, "one")
    #expect(try await second.isSameInstance(configuration))
    _ = await second.refresh()
    await expectEqual(second.name(of: 1), "one")
  }

  @Test func aBlockThatThrowsLeavesNothing() async throws {
    let store = try await TaskStore(configuration)
    await #expect(throws: CocoaError.self) { try await store.failToAdd(1) }
    await expectEqual(store.count, 0)
    try await store.add(2)
    await expectEqual(store.count, 1)
  }

  @Test func aBlockMayCancelAndBeginAgain() async throws {
    let store = try await TaskStore(configuration)
    try await expectEqual(store.writeInParts(), [false, true, false])
    await expectEqual(store.name(of: 1), nil)
    #expect(await store.name(of: 2) != nil)
  }

  @Test func openingIsCancelledWithItsTask() async throws {
    let task = Task { [configuration] in
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      _ = try await TaskStore(configuration)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func anOpenThatFailsThrows() async throws {
    let missing = Realm.Configuration(
      fileURL: URL(fileURLWithPath: "/nowhere/at/all.realm"), readOnly: true,
      objectTypes: [AsyncTask.self, AsyncOwner.self])
    await #expect(throws: Realm.Error.self) { _ = try await TaskStore(missing) }
  }

  @Test func aRealmDoesNotKeepItsActor() async throws {
    var store: TaskStore? = try await TaskStore(configuration)
    weak let observed = store
    try await store?.add(1)
    store = nil
    // The worker may be holding the actor's realm for a short time.
    for _ in 0..<15_000 where observed != nil { try await Task.sleep(for: .milliseconds(5)) }
    expectTrue(observed == nil)
  }

  @Test func writesOfOneActorGoInTheOrderInWhichTheyCame() async throws {
    let store = try await TaskStore(configuration)
    await withTaskGroup(of: Void.self) { group in
      for id in 0..<50 { group.addTask { _ = try? await store.add(id) } }
    }
    await expectEqual(store.count, 50)
  }

  @Test func aTaskCancelledWhileItWaitsDoesNotWrite() async throws {
    let first = try await TaskStore(configuration)
    let second = try await TaskStore(configuration)
    var waiting: Task<String, any Error>?
    var other: Task<String, any Error>?
    try whileAnotherWrites {
      waiting = Task { try await first.add(1) }
      other = Task { try await second.add(2) }
      Thread.sleep(forTimeInterval: 0.03)
      waiting?.cancel()
    }
    await #expect(throws: CancellationError.self) { try await waiting?.value }
    _ = try await other?.value
    _ = await first.refresh()
    await expectEqual(first.name(of: 1), nil)
    #expect(await first.name(of: 2) != nil)
  }

  /// Calls `body` while this thread has a write transaction open.
  private func whileAnotherWrites(_ body: () -> Void) throws {
    let realm = try Realm(configuration: configuration)
    realm.beginWrite()
    body()
    realm.cancelWrite()
  }

  @Test func everyWriteThatIsNotCancelledIsThereAfterwards() async throws {
    let stores = [try await TaskStore(configuration), try await TaskStore(configuration)]
    var written: Set<Int> = []
    var tasks: [(Int, Task<String, any Error>)] = []
    for id in 0..<200 {
      let task = Task { try await stores[id % 2].add(id, "\(id)") }
      if id % 3 == 0 { task.cancel() }
      tasks.append((id, task))
    }
    for (id, task) in tasks {
      switch await task.result {
      case .success: written.insert(id)
      case .failure(let error): #expect(error is CancellationError && id % 3 == 0)
      }
    }
    expectTrue(written.count >= 133)
    for id in 0..<200 {
      _ = await stores[0].refresh()
      expectEqual((await stores[0].name(of: id) != nil), written.contains(id))
    }
  }
}
