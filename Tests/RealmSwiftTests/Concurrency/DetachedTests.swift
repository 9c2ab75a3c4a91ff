// SPDX-License-Identifier: Apache-2.0

// Reading and writing from tasks that belong to no actor.

import Dispatch
import Foundation
import RealmStorage
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

/// Counts how many are inside at once.
private final class Crowd: Sendable {
  private let state = Locked((inside: 0, most: 0))

  func enter() {
    state.withLock {
      $0.inside += 1
      $0.most = max($0.most, $0.inside)
    }
  }

  func leave() { state.withLock { $0.inside -= 1 } }

  var inside: Int { state.withLock { $0.inside } }
  var most: Int { state.withLock { $0.most } }
}

/// Suspends until `condition` holds.
private func wait(until condition: () -> Bool) async {
  while !condition() { try? await Task.sleep(for: .milliseconds(1)) }
}

@Suite(.timeLimit(.minutes(10))) struct DetachedTests {
  private let configuration = freshConfiguration()
  /// Keeps the data, which is in memory.
  private let keeper: Realm

  init() throws { keeper = try Realm(configuration: configuration).freeze() }

  /// Who waits to write a file.
  private func writers(of configuration: Realm.Configuration) throws -> WriterScheduler {
    try Realm(configuration: configuration).core.file.writers
  }

  private static func ids(_ configuration: Realm.Configuration) async throws -> [Int] {
    try await Realm.read(from: configuration) { realm in
      Array(realm.objects(AsyncTask.self).map(\.id)).sorted()
    }
  }

  @Test func anyTaskWrites() async throws {
    let id = try await Realm.write(to: configuration) { realm in
      expectTrue(realm.isInWriteTransaction)
      return realm.create(AsyncTask.self, value: ["id": 1]).id
    }
    let task = AsyncTask()
    task.id = 2
    try await Realm.write(to: configuration) { realm in realm.add(task) }
    expectEqual(id, 1)
    let found = try await DetachedTests.ids(configuration)
    expectEqual(found, [1, 2])
  }

  @Test @MainActor func actorsDoAsWell() async throws {
    try await Realm.write(to: configuration) { _ = $0.create(AsyncTask.self, value: ["id": 1]) }
    let isFrozen = try await Realm.read(from: configuration) { $0.isFrozen }
    expectTrue(isFrozen)
    let found = try await DetachedTests.ids(configuration)
    expectEqual(found, [1])
  }

  @Test func anErrorUndoesTheChanges() async throws {
    await #expect(throws: CocoaError.self) {
      try await Realm.write(to: configuration) { realm in
        realm.create(AsyncTask.self, value: ["id": 1])
        throw CocoaError(.featureUnsupported)
      }
    }
    await #expect(throws: CocoaError.self) {
      try await Realm.read(from: configuration) { _ in throw CocoaError(.featureUnsupported) }
    }
    let found = try await DetachedTests.ids(configuration)
    expectEqual(found, [])
  }

  @Test func anErrorOfOpeningIsThrown() async throws {
    let file = try TemporaryRealm()
    try Data("no realm at all".utf8).write(
      to: file.directory.appendingPathComponent("test.realm"))
    let configuration = file.configuration
    await #expect(throws: Realm.Error(.invalidDatabase)) {
      try await Realm.write(to: configuration) { _ in }
    }
    await #expect(throws: Realm.Error(.invalidDatabase)) {
      try await Realm.read(from: configuration) { _ in }
    }
  }

  /// `DetachedWriter` 1.
  @Test func aFileIsClosedAfterwards() async throws {
    let file = try TemporaryRealm()
    try await Realm.write(to: file.configuration) { _ = $0.create(Dog.self) }
    let count = try await Realm.read(from: file.configuration) { $0.objects(Dog.self).count }
    expectEqual(count, 1)
    #expect(try Realm.deleteFiles(for: file.configuration))
  }

  @Test func cancellingTakesOneWaiterOut() async throws {
    let file = try TemporaryRealm([AsyncTask.self, AsyncOwner.self])
    let configuration = file.configuration
    let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let blocker = Thread {
      let realm = try? Realm(configuration: configuration)
      try? realm?.write {
        began.signal()
        mayEnd.wait()
      }
    }
    blocker.start()
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "began").async {
        began.wait()
        continuation.resume()
      }
    }
    let writers = try writers(of: configuration)
    var tasks: [Task<Void, any Error>] = []
    for id in 0..<4 {
      tasks.append(
        Task.detached {
          try await Realm.write(to: configuration) { realm in
            let position = realm.objects(AsyncTask.self).count
            _ = realm.create(AsyncTask.self, value: ["id": id, "priority": position])
          }
        })
      await wait { writers.waiterCount == id + 1 }
    }
    tasks[1].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[1].value }
    mayEnd.signal()
    for task in [tasks[0], tasks[2], tasks[3]] { try await task.value }
    let order = try await Realm.read(from: configuration) { realm in
      Array(realm.objects(AsyncTask.self).sorted(byKeyPath: "priority").map(\.id))
    }
    expectEqual(order, [0, 2, 3])
  }

  @Test func aCancelledTaskDoesNothing() async throws {
    let configuration = configuration
    let task = Task.detached {
      withUnsafeCurrentTask { $0?.cancel() }
      do {
        try await Realm.write(to: configuration) { _ in _ = Issue.record("the block was called") }
      } catch is CancellationError {}
      try await Realm.read(from: configuration) { _ in _ = Issue.record("the block was called") }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// Blocks of more files than the machine has cores block until a task runs, which no task could
  /// if they took the threads that tasks share. `DetachedWriter` 2.
  @Test func noThreadOfTheTasksIsBlocked() async throws {
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    let (crowd, mayEnd) = (Crowd(), DispatchSemaphore(value: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          let configuration = freshConfiguration()
          try await Realm.write(to: configuration) { _ in
            crowd.enter()
            mayEnd.wait()
          }
        }
      }
      for _ in 0..<2 {
        group.addTask {
          try await Realm.read(from: freshConfiguration()) { _ in
            crowd.enter()
            mayEnd.wait()
          }
        }
      }
      await wait { crowd.inside == count + 2 }
      for _ in 0..<count + 2 { mayEnd.signal() }
      try await group.waitForAll()
    }
  }

  /// `DetachedReaders` 1, 2.
  @Test func readsAreBoundedAndGoInOrder() async throws {
    let (readers, crowd) = (DetachedReaders(limit: 2), Crowd())
    let mayEnd = DispatchSemaphore(value: 0)
    let order = Locked<[Int]>([])
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<6 {
      tasks.append(
        Task.detached {
          try await readers.run {
            crowd.enter()
            order.withLock { $0.append(number) }
            if number < 2 { mayEnd.wait() }
            crowd.leave()
          }
        })
      await wait { number < 2 ? crowd.inside == number + 1 : readers.waitingCount == number - 1 }
    }
    tasks[3].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[3].value }
    expectEqual(readers.waitingCount, 3)
    mayEnd.signal()
    for number in [2, 4, 5] { try await tasks[number].value }
    mayEnd.signal()
    for number in [0, 1] { try await tasks[number].value }
    expectEqual(order.withLock { Array($0.dropFirst(2)) }, [2, 4, 5])
    expectEqual(crowd.most, 2)
    expectEqual(readers.waitingCount, 0)
  }
}
