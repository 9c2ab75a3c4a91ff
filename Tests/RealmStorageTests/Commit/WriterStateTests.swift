// SPDX-License-Identifier: Apache-2.0

// The line of writers, step by step.

import Dispatch
import TestExtensions
import Testing

@testable import RealmStorage

struct WriterStateTests {
  private typealias State = WriterScheduler.State
  private let file: DatabaseFile

  init() throws {
    file = try DatabaseFile.open(path: "writer-state", options: OpenOptions(isInMemory: true))
  }

  private func waiter(_ place: UInt, blocksThread: Bool = false) -> WriterScheduler.Waiter {
    WriterScheduler.Waiter(
      file: file, places: [WriterPlace(identity: place)], blocksThread: blocksThread,
      wake: blocksThread ? .thread(DispatchSemaphore(value: 0)) : .callback {})
  }

  /// One who waits gets its wake; one who is cancelled, or not there, does not wait.
  @Test func onlyWaitersWait() {
    var state = State()
    expectTrue(state.beginAlone())
    expectFalse(state.beginAlone())
    let (first, isAlone) = state.add(waiter(1))
    expectFalse(isAlone)
    expectTrue(state.wait(as: first, .callback {}))
    expectFalse(state.wait(as: first + 1, .callback {}))
    _ = state.cancel(first)
    expectFalse(state.wait(as: first, .callback {}))
    expectTrue(state.settle(first) != nil)
    expectTrue(state.settle(first) == nil)
    expectTrue(state.line.isEmpty)
  }

  /// A turn that was given to a task goes to the first thread that waits, once.
  /// `WriterScheduler` 4.
  @Test func aThreadTakesTheTurnOfATask() {
    var state = State()
    _ = state.beginAlone()
    let task = state.add(waiter(1)).number
    expectTrue(state.release())
    expectTrue(state.grantToFirst() != nil)
    guard let grant = state.grant else {
      Issue.record("no grant")
      return
    }
    expectEqual(grant.waiter, task)
    expectTrue(state.exchange(grant) == nil)
    let thread = state.add(waiter(2, blocksThread: true)).number
    let other = WriterScheduler.Grant(waiter: task, number: grant.number + 1)
    expectTrue(state.exchange(other) == nil)
    expectTrue(state.exchange(grant) != nil)
    expectTrue(state.grant == nil)
    expectEqual(state.line, [task])
    if case .granted(let start) = state.settle(thread) {
      _ = start
    } else {
      Issue.record("no turn")
    }
    if case .waiting = state.settle(task) {} else { Issue.record("the task does not wait") }
  }

  /// A turn is over when its writer takes it or is cancelled, and not when another is.
  @Test(arguments: [true, false]) func aTurnEndsWithItsWriter(isCancelled: Bool) {
    var state = State()
    _ = state.beginAlone()
    let tasks = (1...3).map { state.add(waiter(UInt($0))).number }
    _ = state.release()
    _ = state.grantToFirst()
    _ = state.cancel(tasks[2])
    _ = state.settle(tasks[2])
    expectEqual(state.grant?.waiter, tasks[0])
    if isCancelled {
      let start = state.cancel(tasks[0]).start
      expectTrue(start != nil)
    } else if case .granted = state.settle(tasks[0]) {
      expectTrue(state.waiters[tasks[0]] == nil)
    } else {
      Issue.record("no turn")
    }
    expectTrue(state.grant == nil)
    expectEqual(state.line, [tasks[1]])
  }

  /// A turn that nobody takes goes to the next, unless it was another.
  @Test func aTurnThatIsNotTakenGoesOn() {
    var state = State()
    _ = state.beginAlone()
    let tasks = (1...2).map { state.add(waiter(UInt($0))).number }
    _ = state.release()
    _ = state.grantToFirst()
    guard let grant = state.beginWatch() else {
      Issue.record("no grant")
      return
    }
    expectTrue(state.beginWatch() == nil)
    let other = WriterScheduler.Grant(waiter: grant.waiter, number: grant.number + 1)
    expectTrue(state.endWatch(other) == nil)
    expectTrue(state.beginWatch() != nil)
    expectTrue(state.endWatch(grant) != nil)
    expectEqual(state.line, [tasks[1], tasks[0]])
  }

  /// How long the writers of a group waited is part of its work.
  @Test func waitsAreAdded() throws {
    let first = try file.beginWrite()
    let pending = try first.writeVersion(changeset: [])
    let waited = pending.work.waitNanoseconds
    let next = try WriteTransaction(file, on: pending, waited: 7)
    expectEqual(next.earlierWork.waitNanoseconds, waited + 7)
    next.rollback()
    pending.discard()
  }
}
