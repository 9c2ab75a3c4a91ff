// SPDX-License-Identifier: Apache-2.0

// Threads and tasks take turns to write: in order, one at a time, without waiting for each other
// permanently.

import Dispatch
import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession

/// Records events, in order, and whether two transactions were ever open together.
private final class Journal: Sendable {
  private let state = Locked((entries: [String](), open: 0, overlaps: 0))

  func begin(_ name: String) {
    state.withLock {
      $0.entries.append(name)
      $0.open += 1
      if $0.open > 1 { $0.overlaps += 1 }
    }
  }

  func end() { state.withLock { $0.open -= 1 } }

  var entries: [String] { state.withLock { $0.entries } }
  var overlaps: Int { state.withLock { $0.overlaps } }
}

private actor Writer {
  let file: DatabaseFile
  let journal: Journal
  private let executor = QueueExecutor()

  // Blocked actors must not use up the threads of the other tests.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ file: DatabaseFile, _ journal: Journal) {
    self.file = file
    self.journal = journal
  }

  /// Writes without blocking.
  func write(_ name: String) async throws {
    let transaction = try await file.beginWrite(in: .actor(self), isolation: self)
    expectTrue(Confinement.actor(self).isCurrent)
    journal.begin(name)
    journal.end()
    transaction.rollback()
  }

  /// Writes like `realm.write` does: the actor is blocked until its turn.
  func writeBlocking(_ name: String, before: () -> Void = {}) throws {
    before()
    let transaction = try file.beginWrite(for: nil)
    journal.begin(name)
    journal.end()
    transaction.rollback()
  }
}

@Suite(.timeLimit(.minutes(10))) struct WriterSchedulerTests {
  private let directory: TemporaryDirectory
  private let file: DatabaseFile
  private let journal = Journal()

  init() throws {
    directory = try TemporaryDirectory()
    file = try DatabaseFile.open(path: directory.file("writers.realm"), options: OpenOptions())
  }

  @Test func tasksGoInTheOrderInWhichTheyCame() async throws {
    let writer = Writer(file, journal)
    let first = try file.beginWrite(for: nil)
    var tasks: [Task<Void, any Error>] = []
    for index in 0..<20 {
      tasks.append(Task { try await writer.write("\(index)") })
      // Tasks are queued when they have reached the actor.
      try await Task.sleep(for: .milliseconds(2))
    }
    expectTrue(journal.entries.isEmpty)
    first.rollback()
    for task in tasks { try await task.value }
    expectEqual(journal.entries, (0..<20).map(String.init))
  }

  @Test func aCancelledTaskLeavesAndOthersKeepTheirPlaces() async throws {
    let writer = Writer(file, journal)
    let first = try file.beginWrite(for: nil)
    var tasks: [Task<Void, any Error>] = []
    for index in 0..<3 {
      tasks.append(Task { try await writer.write("\(index)") })
      try await Task.sleep(for: .milliseconds(2))
    }
    tasks[1].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[1].value }
    first.rollback()
    try await tasks[0].value
    try await tasks[2].value
    expectEqual(journal.entries, ["0", "2"])
  }

  @Test func aTaskThatIsCancelledBeforeItAsksNeverQueues() async throws {
    let writer = Writer(file, journal)
    let task = Task {
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      try await writer.write("never")
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    expectTrue(journal.entries.isEmpty)
    try file.beginWrite(for: nil).rollback()
  }

  @Test func aBlockedActorDoesNotWaitForItsOwnTask() async throws {
    let writer = Writer(file, journal)
    let first = try file.beginWrite(for: nil)
    let task = Task { try await writer.write("task") }
    try await Task.sleep(for: .milliseconds(20))
    // The actor waits for its own task, which is first in the queue.
    let blocking = Task.detached { try await writer.writeBlocking("blocking") }
    try await Task.sleep(for: .milliseconds(20))
    first.rollback()
    try await blocking.value
    try await task.value
    expectEqual(journal.entries, ["blocking", "task"])
  }

  @Test func aTaskGivesWayThatWasGrantedWhileItsActorWasBusy() async throws {
    let writer = Writer(file, journal)
    let first = try file.beginWrite(for: nil)
    let task = Task { try await writer.write("task") }
    try await Task.sleep(for: .milliseconds(20))
    let isBusy = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)
    let blocking = Task.detached {
      try await writer.writeBlocking("blocking") {
        isBusy.signal()
        goesOn.wait()
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        isBusy.wait()
        continuation.resume()
      }
    }
    first.rollback()
    goesOn.signal()
    try await blocking.value
    try await task.value
    expectEqual(journal.entries, ["blocking", "task"])
  }

  @Test func aGrantThatNobodyWantsAnyMoreGoesToTheNext() async throws {
    let writer = Writer(file, journal)
    let isBusy = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)
    let first = try file.beginWrite(for: nil)
    let task = Task { try await writer.write("task") }
    try await Task.sleep(for: .milliseconds(20))
    let busy = Task.detached {
      await writer.run {
        isBusy.signal()
        goesOn.wait()
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        isBusy.wait()
        continuation.resume()
      }
    }
    first.rollback()  // grants the task, which cannot run yet
    task.cancel()
    try file.beginWrite(for: nil).rollback()  // so this must not wait for it
    goesOn.signal()
    await busy.value
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// Actors that share the threads of the pool, all of which may be blocked.
  private actor PoolWriter {
    func write(_ file: DatabaseFile, _ journal: Journal) async throws {
      let transaction = try await file.beginWrite(in: .actor(self), isolation: self)
      journal.begin("task")
      journal.end()
      transaction.rollback()
    }

    func writeBlocking(_ file: DatabaseFile, _ journal: Journal) throws {
      let transaction = try file.beginWrite(for: nil)
      journal.begin("blocking")
      journal.end()
      transaction.rollback()
    }
  }

  @Test func blockedActorsThatFillThePoolDoNotWaitForTasks() async throws {
    let blockedCount = ProcessInfo.processInfo.activeProcessorCount + 1
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask { [file, journal] in try await PoolWriter().write(file, journal) }
        for _ in 0..<blockedCount {
          group.addTask { [file, journal] in try await PoolWriter().writeBlocking(file, journal) }
        }
      }
      try await group.waitForAll()
    }
    expectEqual(journal.entries.count, 40 * (blockedCount + 1))
    expectEqual(journal.overlaps, 0)
  }

  /// A queue that waits for its turn to write as `writeAsync` does.
  private func writeByCallback(_ name: String, on queue: DispatchQueue) {
    let confinement = Confinement.queue(queue)
    let waiter = Locked<UInt64?>(nil)
    let begin: @Sendable () -> Void = { [file, journal] in
      guard let number = waiter.withLock({ $0 }), let transaction = try? file.writers.take(number)
      else {
        return
      }
      journal.begin(name)
      journal.end()
      transaction.rollback()
    }
    queue.async { [file] in
      let number = file.enqueueWriter(in: confinement) { queue.async(execute: begin) }
      waiter.withLock { $0 = number }
    }
  }

  @Test func callbacksAndTasksOfOnePlaceKeepTheirOrder() async throws {
    let queue = DispatchQueue(label: "callbacks")
    let first = try file.beginWrite(for: nil)
    for index in 0..<20 { writeByCallback("\(index)", on: queue) }
    // A synchronous write of the same place goes first, and takes the turn of the granted waiter.
    queue.async { [file, journal] in
      guard let transaction = try? file.beginWrite(for: .queue(queue)) else { return }
      journal.begin("blocking")
      journal.end()
      transaction.rollback()
    }
    try await Task.sleep(for: .milliseconds(20))
    first.rollback()
    for _ in 0..<15_000 where journal.entries.count < 21 {
      try await Task.sleep(for: .milliseconds(2))
    }
    let callbacks: [String] = journal.entries.filter { $0 != "blocking" }
    let expected: [String] = (0..<20).map { "\($0)" }
    expectEqual(callbacks, expected)
    expectEqual(journal.entries.count, 21)
  }

  @Test func aWithdrawnCallbackLeavesAndOthersKeepTheirPlaces() throws {
    let first = try file.beginWrite(for: nil)
    let woken = Locked<[Int]>([])
    let confinement = Confinement.queue(DispatchQueue(label: "nobody comes"))
    let waiters = (0..<3).map { index in
      file.enqueueWriter(in: confinement) { woken.withLock { $0.append(index) } }
    }
    file.writers.withdraw(waiters[0])
    first.rollback()
    expectEqual(woken.withLock { $0 }, [1])
    expectTrue(file.writers.isReady(waiters[1]))
    file.writers.withdraw(waiters[1])
    expectEqual(woken.withLock { $0 }, [1, 2])
    let transaction = try #require(try file.writers.take(waiters[2]))
    #expect(try file.writers.take(waiters[2]) == nil)
    transaction.rollback()
  }

  @Test func whoDoesNotComeGoesBehindTheOthers() async throws {
    let first = try file.beginWrite(for: nil)
    let absent = Confinement.queue(DispatchQueue(label: "absent"))
    let waiter = file.enqueueWriter(in: absent) {}
    let writer = Writer(file, journal)
    let task = Task { try await writer.write("task") }
    try await Task.sleep(for: .milliseconds(10))
    first.rollback()
    try await task.value
    expectEqual(journal.entries, ["task"])
    file.writers.withdraw(waiter)
  }

  /// Seeds and waiters of the test below; `REALM_STRESS_SECONDS` makes it ten thousand.
  private static var waiterCount: Int {
    ProcessInfo.processInfo.environment["REALM_STRESS_SECONDS"] == nil ? 400 : 10_000
  }

  @Test(arguments: 0..<4)
  func everyTaskThatIsNotCancelledWrites(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let writers = (0..<3).map { _ in Writer(file, journal) }
    let queues = (0..<2).map { DispatchQueue(label: "callbacks \($0)") }
    var tasks: [(name: String, task: Task<Void, any Error>, isCancelled: Bool)] = []
    var threads: [String] = []
    let group = DispatchGroup()
    var callbackCount = 0
    for index in 0..<Self.waiterCount {
      let writer = writers[Int.random(in: 0..<writers.count, using: &random)]
      let name = "\(index)"
      switch Int.random(in: 0..<12, using: &random) {
      case 10, 11:
        callbackCount += 1
        threads.append(name)
        writeByCallback(name, on: queues[index % 2])
      case 0:
        threads.append(name)
        DispatchQueue.global().async(group: group) { [file, journal] in
          guard let transaction = try? file.beginWrite(for: nil) else { return }
          journal.begin(name)
          journal.end()
          transaction.rollback()
        }
      case 1:
        tasks.append((name, Task.detached { try await writer.writeBlocking(name) }, false))
      default:
        let isCancelled = Bool.random(using: &random)
        tasks.append((name, Task.detached { try await writer.write(name) }, isCancelled))
      }
      if Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
      if let victim = tasks.randomElement(using: &random), victim.isCancelled {
        victim.task.cancel()
      }
    }
    for entry in tasks where entry.isCancelled { entry.task.cancel() }
    var ran = Set(threads)
    for (name, task, isCancelled) in tasks {
      do {
        try await task.value
        ran.insert(name)
      } catch is CancellationError {
        expectTrue(isCancelled)
      }
    }
    await withCheckedContinuation { continuation in
      group.notify(queue: .global()) { continuation.resume() }
    }
    for _ in 0..<15_000 where journal.entries.count < ran.count {
      try await Task.sleep(for: .milliseconds(2))
    }
    expectTrue(callbackCount > 20)
    expectEqual(journal.overlaps, 0)
    expectEqual(journal.entries.count, ran.count)
    expectEqual(Set(journal.entries), ran)
    // No writer is left that holds the right to write.
    try file.beginWrite(for: nil).rollback()
  }
}

extension Writer {
  fileprivate func run(_ body: @Sendable () -> Void) { body() }
}
