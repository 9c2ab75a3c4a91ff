// SPDX-License-Identifier: Apache-2.0

// `writeAsync` and its relatives on the main actor: turns, order, cancelling, and who ends what.

import Dispatch
import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

// What a program may have that follows the documentation: an overload of its own.
extension Realm {
  fileprivate func writeAsync<T: ThreadConfined>(
    _ passedObject: T,
    errorHandler: @escaping @Sendable (_ error: any Swift.Error) -> Void = { _ in },
    block: @escaping @Sendable (Realm, T?) -> Void
  ) {
    let reference = ThreadSafeReference(to: passedObject)
    let configuration = configuration
    DispatchQueue(label: "background").async {
      do {
        let realm = try Realm(configuration: configuration)
        try realm.write { block(realm, realm.resolve(reference)) }
      } catch { errorHandler(error) }
    }
  }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct CallbackWriteTests {
  private let configuration = freshConfiguration()
  private let realm: Realm
  private let log = Log()

  /// What happened, in order.
  @MainActor private final class Log {
    var entries: [String] = []
    var startCount = 0
    func add(_ entry: String) { entries.append(entry) }
  }

  init() throws { realm = try Realm(configuration: configuration) }

  /// Waits until the realm has no asynchronous writes any more.
  private func finish() async {
    while realm.isPerformingAsynchronousWriteOperations {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  private func ids() -> [Int] { realm.objects(AsyncTask.self).map(\.id).sorted() }

  private func add(_ id: Int) { realm.create(AsyncTask.self, value: ["id": id]) }

  @Test func theBlockAndTheCompletionRunLaterOnTheMainActor() async throws {
    expectFalse(realm.isPerformingAsynchronousWriteOperations)
    realm.writeAsync {
      MainActor.preconditionIsolated()
      log.add("block \(realm.isInWriteTransaction)")
      add(1)
    } onComplete: { error in
      MainActor.preconditionIsolated()
      log.add("done \(error == nil) \(realm.isPerformingAsynchronousWriteOperations)")
    }
    log.add("returned")
    expectTrue(realm.isPerformingAsynchronousWriteOperations)
    expectFalse(realm.isInWriteTransaction)
    await finish()
    expectEqual(log.entries, ["returned", "block true", "done true true"])
    expectEqual(ids(), [1])
  }

  @Test func objectsOfTheRealmAreUsedInTheBlock() async throws {
    let owner = try realm.write { realm.create(AsyncOwner.self, value: ["name": "Ann"]) }
    realm.writeAsync {
      owner.tasks.append(AsyncTask(value: ["id": 5]))
    } onComplete: { _ in
      log.add("\(owner.tasks.count) \(realm.objects(AsyncTask.self).where { $0.id == 5 }.count)")
    }
    await finish()
    expectEqual(log.entries, ["1 1"])
  }

  @Test func anOwnOverloadStaysUnambiguous() async throws {
    let task = try realm.write { realm.create(AsyncTask.self, value: ["id": 1]) }
    realm.writeAsync(task) { _, task in task?.name = "elsewhere" }
    realm.writeAsync(task, errorHandler: { _ in }) { _, task in task?.priority = 3 }
    realm.writeAsync { add(2) }
    realm.writeAsync({ add(3) }, onComplete: { _ in })
    await finish()
    while task.name.isEmpty || task.priority == 0 {
      await realm.asyncRefresh()
      await Task.yield()
    }
    expectEqual(ids(), [1, 2, 3])
  }

  /// `AsyncWrites` 2.
  @Test func writesGoInTheOrderInWhichTheyWereAskedFor() async throws {
    let realm = realm
    let log = log
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<60 {
      switch number % 4 {
      case 0:
        realm.writeAsync { log.add("\(number)") }
      case 1:
        realm.beginAsyncWrite {
          log.add("\(number)")
          realm.commitAsyncWrite(allowGrouping: true)
        }
      case 2: realm.beginAsyncWrite { log.add("\(number)") }
      default:
        tasks.append(
          Task {
            log.startCount += 1
            try await realm.asyncWrite { log.add("\(number)") }
          })
        // The task queues when it runs.
        while log.startCount < tasks.count { try? await Task.sleep(for: .milliseconds(1)) }
      }
    }
    for task in tasks { try await task.value }
    await finish()
    let blocks = log.entries.filter { Int($0).map { $0 % 4 != 3 } ?? false }
    expectEqual(blocks, (0..<60).filter { $0 % 4 != 3 }.map(String.init))
    expectEqual(log.entries.count, 60)
  }

  /// `AsyncWrites` 2.
  @Test func aTaskIsNotOvertakenByAGroup() async throws {
    let realm = realm
    let log = log
    let other = try await OtherWriter(configuration)
    await other.begin()
    realm.beginAsyncWrite {
      log.add("first")
      realm.commitAsyncWrite(allowGrouping: true)
    }
    let task = Task { try await realm.asyncWrite { log.add("task") } }
    while realm.core.asyncWrites.operationCount < 2 { try? await Task.sleep(for: .milliseconds(1)) }
    realm.beginAsyncWrite {
      log.add("last")
      realm.commitAsyncWrite(allowGrouping: true)
    }
    await other.end()
    try await task.value
    await finish()
    expectEqual(log.entries, ["first", "task", "last"])
  }

  @Test func aSynchronousWriteGoesBeforeThoseThatWait() async throws {
    realm.writeAsync { log.add("waiting") }
    try realm.write { log.add("at once") }
    await finish()
    expectEqual(log.entries, ["at once", "waiting"])
  }

  @Test func inATransactionTheyQueue() async throws {
    try realm.write {
      add(1)
      realm.writeAsync { add(2) }
      realm.beginAsyncWrite {
        add(3)
        realm.commitAsyncWrite { _ in log.add("three") }
      }
      expectEqual(ids(), [1])
    }
    expectEqual(ids(), [1])
    await finish()
    expectEqual(ids(), [1, 2, 3])
    expectEqual(log.entries, ["three"])
  }

  @Test func aTransactionThatIsNotCommittedIsCancelled() async throws {
    realm.beginAsyncWrite { add(1) }
    realm.beginAsyncWrite {
      add(2)
      realm.commitAsyncWrite()
    }
    realm.beginAsyncWrite {
      add(3)
      try? realm.commitWrite()
    }
    await finish()
    expectEqual(ids(), [2, 3])
    expectFalse(realm.isInWriteTransaction)
  }

  @Test func aBlockMayEndItsTransactionItself() async throws {
    realm.writeAsync {
      add(1)
      realm.cancelWrite()
      realm.beginWrite()
      add(2)
    } onComplete: {
      log.add("a \($0 == nil)")
    }
    realm.writeAsync {
      add(3)
      realm.cancelWrite()
    } onComplete: {
      log.add("b \($0 == nil)")
    }
    realm.writeAsync {
      add(4)
      try? realm.commitWrite()
    } onComplete: {
      log.add("c \($0 == nil)")
    }
    realm.writeAsync {
      add(5)
      realm.commitAsyncWrite(allowGrouping: true) { _ in log.add("inner") }
    } onComplete: {
      log.add("d \($0 == nil)")
    }
    await finish()
    expectEqual(ids(), [2, 4, 5])
    expectEqual(log.entries, ["a true", "b true", "c true", "inner", "d true"])
  }

  @Test func aCancelledBlockDoesNotRun() async throws {
    let first = realm.writeAsync({ add(1) }, onComplete: { _ in log.add("1") })
    let second = realm.beginAsyncWrite {
      add(2)
      realm.commitAsyncWrite()
    }
    let third = realm.writeAsync({ add(3) }, onComplete: { _ in log.add("3") })
    expectEqual(Set([first, second, third]).count, 3)
    try realm.cancelAsyncWrite(first)
    try realm.cancelAsyncWrite(second)
    try realm.cancelAsyncWrite(4_000_000)
    await finish()
    expectEqual(ids(), [3])
    expectEqual(log.entries, ["3"])
    // What has ended, too.
    try realm.cancelAsyncWrite(third)
    try realm.write { add(9) }
  }

  @Test func aCancelledCommitTakesPlaceUnheard() async throws {
    realm.beginWrite()
    add(1)
    let commit = realm.commitAsyncWrite { _ in log.add("heard") }
    try realm.cancelAsyncWrite(commit)
    await finish()
    expectEqual(ids(), [1])
    expectTrue(log.entries.isEmpty)
  }

  @Test func aRunningBlockIsNotCancelled() async throws {
    var id: AsyncTransactionId = 0
    id = realm.writeAsync {
      add(1)
      try? realm.cancelAsyncWrite(id)
    } onComplete: { _ in
      log.add("heard")
    }
    await finish()
    expectEqual(ids(), [1])
    expectEqual(log.entries, ["heard"])
  }

  @Test func cancellingTheLastLetsTheRealmGo() async throws {
    let name = UUID().uuidString
    func cancelAll() throws {
      let realm = try Realm(configuration: freshConfiguration(name))
      try realm.write { realm.create(AsyncTask.self, value: ["id": 1]) }
      try realm.cancelAsyncWrite(realm.writeAsync {})
      expectFalse(realm.isPerformingAsynchronousWriteOperations)
    }
    try cancelAll()
    // A realm in memory that has no owner is gone. A delivery may keep it for a short time.
    var isEmpty = false
    for _ in 0..<1000 where !isEmpty {
      try await Task.sleep(for: .milliseconds(2))
      let opensSynchronously = { try Realm(configuration: freshConfiguration(name)) }
      isEmpty = try opensSynchronously().isEmpty
    }
    expectTrue(isEmpty)
  }

  /// `AsyncWrites` 3.
  @Test func aRealmThatNobodyKeepsLivesUntilItsWritesAreDone() async throws {
    let configuration = freshConfiguration()
    let log = log
    let other = try await OtherWriter(configuration)
    await other.begin()
    func ask() throws {
      let realm = try Realm(configuration: configuration)
      realm.writeAsync {
        realm.create(AsyncTask.self, value: ["id": 1])
      } onComplete: { _ in
        log.add("done")
      }
    }
    try ask()
    await other.end()
    while log.entries.isEmpty { try? await Task.sleep(for: .milliseconds(1)) }
    await expectEqual(other.count, 1)
  }

  @Test func theCompletionMayAskForMore() async throws {
    realm.writeAsync {
      add(1)
    } onComplete: { _ in
      realm.writeAsync({ add(2) }, onComplete: { _ in log.add("\(ids())") })
    }
    await finish()
    expectEqual(log.entries, ["[1, 2]"])
  }

  @Test func invalidateLeavesWaitingBlocksWaiting() async throws {
    realm.beginWrite()
    add(1)
    realm.commitAsyncWrite { _ in log.add("commit") }
    realm.writeAsync({ add(2) }, onComplete: { _ in log.add("block") })
    realm.invalidate()
    expectEqual(ids(), [1])
    await finish()
    expectEqual(ids(), [1, 2])
    expectEqual(log.entries, ["commit", "block"])
  }

  @Test func aSynchronousWriteBesideWaitingCallbacksAndTasksDoesNotBlockForEver() async throws {
    let realm = realm
    let other = try await OtherWriter(configuration)
    for round in 0..<20 {
      let base = round * 10
      await other.begin()
      realm.writeAsync { realm.create(AsyncTask.self, value: ["id": base]) }
      let task = Task {
        try await realm.asyncWrite { _ = realm.create(AsyncTask.self, value: ["id": base + 1]) }
      }
      await Task.yield()
      await other.endSoon()
      try realm.write { _ = realm.create(AsyncTask.self, value: ["id": base + 2]) }
      try await task.value
    }
    await finish()
    expectEqual(ids().count, 60)
  }
}

/// A realm elsewhere that holds the right to write as long as a test wants. It has a thread of its
/// own, as it blocks.
private actor OtherWriter {
  private let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  func begin() { realm.beginWrite() }

  func end() { realm.cancelWrite() }

  func endSoon() {
    Task {
      try? await Task.sleep(for: .milliseconds(2))
      end()
    }
  }

  var count: Int {
    realm.refresh()
    return realm.objects(AsyncTask.self).count
  }
}
