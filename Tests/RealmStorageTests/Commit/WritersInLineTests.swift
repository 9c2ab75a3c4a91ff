// SPDX-License-Identifier: Apache-2.0

// Who may write, and in which order.

import Dispatch
import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

struct WritersInLineTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let file: DatabaseFile

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
    file = try DatabaseFile.open(path: path)
  }

  /// Notes the order in which waiters are woken.
  private final class Line: Sendable {
    private let order = Locked<[Int]>([])

    /// Lets a writer wait that is to run at a place of its own.
    func enqueue(_ number: Int, on file: DatabaseFile) -> UInt64 {
      file.enqueueWriter(at: WriterPlace(identity: UInt(number))) { [self] in
        // Called under the lock of the line, this would wait for itself.
        _ = file.writers.waiterCount
        order.withLock { $0.append(number) }
      }
    }

    var woken: [Int] { order.withLock { $0 } }
  }

  /// `WriterScheduler` 1 and 4.
  @Test func writersGetTheirTurnsInOrder() throws {
    let line = Line()
    let write = try file.beginWrite()
    let waiters = (1...4).map { line.enqueue($0, on: file) }
    expectEqual(line.woken, [])
    write.rollback()
    expectEqual(line.woken, [1])
    let next = try #require(try file.writers.take(waiters[0]))
    expectEqual(line.woken, [1])
    _ = try next.commit(changeset: [])
    expectEqual(line.woken, [1, 2])
    // A turn that is given up is passed on.
    file.writers.withdraw(waiters[1])
    expectEqual(line.woken, [1, 2, 3])
    file.writers.withdraw(waiters[2])
    file.writers.withdraw(waiters[3])
    expectEqual(line.woken, [1, 2, 3, 4])
    expectEqual(file.writers.waiterCount, 0)
    try file.beginWrite().rollback()
  }

  /// `WriterScheduler` 2.
  @Test func withdrawingRemovesOneWaiterOnly() throws {
    let line = Line()
    let write = try file.beginWrite()
    let waiters = (1...3).map { line.enqueue($0, on: file) }
    file.writers.withdraw(waiters[1])
    write.rollback()
    expectEqual(line.woken.filter { $0 != 2 }, [1])
    file.writers.withdraw(waiters[0])
    expectEqual(line.woken.filter { $0 != 2 }, [1, 3])
    file.writers.withdraw(waiters[2])
    try file.beginWrite().rollback()
  }

  /// Others do not wait for ever for a writer that does not begin when it is its turn.
  @Test(.timeLimit(.minutes(10))) func aWriterThatDoesNotBeginGoesToTheEnd() async throws {
    let line = Line()
    let waiters = (1...2).map { line.enqueue($0, on: file) }
    expectEqual(line.woken.first, 1)
    while line.woken.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    expectEqual(line.woken[1], 2)
    while true {
      if let write = try file.writers.take(waiters[1]) {
        write.rollback()
        break
      }
      try await Task.sleep(for: .milliseconds(1))
    }
    file.writers.withdraw(waiters[0])
    try file.beginWrite().rollback()
  }

  /// A thread that waits goes first before a second one that does not begin is asked.
  @Test(.timeLimit(.minutes(10))) func aThreadDoesNotWaitForOneThatDoesNotBegin() async throws {
    let line = Line()
    let write = try file.beginWrite()
    let waiters = (1...2).map { line.enqueue($0, on: file) }
    let woken = Handover<[Int]>()
    DispatchQueue.global().async { [file] in
      let write = try? file.beginWrite()
      woken.give(line.woken)
      write?.rollback()
    }
    while file.writers.waiterCount < 3 { try await Task.sleep(for: .milliseconds(1)) }
    write.rollback()
    expectEqual(woken.wait(), [1])
    for waiter in waiters { file.writers.withdraw(waiter) }
    try file.beginWrite().rollback()
  }

  @Test func aFreeFileIsGrantedAtOnce() throws {
    let line = Line()
    let waiter = line.enqueue(1, on: file)
    expectEqual(line.woken, [1])
    expectTrue(file.writers.isReady(waiter))
    file.writers.withdraw(waiter)
  }

  /// `WriterScheduler` 3: threads may go first, but waiters of one place keep their order.
  @Test func waitersOfOnePlaceKeepTheirOrderWhenAThreadTakesATurn() throws {
    let order = Locked<[String]>([])
    let place = WriterPlace(identity: 7)
    let write = try file.beginWrite()
    let waiters = Locked<[UInt64]>([])
    for number in 0..<3 {
      let waiter = file.enqueueWriter(at: place) {
        order.withLock { if !$0.contains("\(number)") { $0.append("\(number)") } }
      }
      waiters.withLock { $0.append(waiter) }
    }
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { [file] in
      if let transaction = try? file.beginWrite(keepingBusy: { [place] }) {
        order.withLock { $0.append("thread") }
        transaction.rollback()
      }
      isDone.signal()
    }
    while file.writers.waiterCount < 4 { Thread.sleep(forTimeInterval: 0.001) }
    write.rollback()
    isDone.wait()
    for waiter in waiters.withLock({ $0 }) {
      while true {
        if let transaction = try file.writers.take(waiter) {
          transaction.rollback()
          break
        }
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
    let turns = order.withLock { $0 }
    expectEqual(turns.first, "thread")
    expectEqual(turns.filter { $0 != "thread" }, ["0", "1", "2"])
  }

  @Test func aTransactionThatIsLetGoOfIsRolledBack() throws {
    do {
      let write = try file.beginWrite()
      try NumberTree.replace(with: [1], in: write)
    }
    let write = try file.beginWrite()
    expectEqual(write.roots, VersionRoots())
    write.rollback()
  }

  /// Another registry represents another process: its own lock, mapping and reader table segment.
  /// `WriterScheduler` 5, `DatabaseFile` 3.
  @Test func processesTakeTurns() async throws {
    let other = try DatabaseFile.open(
      path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    let write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2], in: write)
    let line = Line()
    let waiter = line.enqueue(1, on: other)
    try await Task.sleep(for: .milliseconds(30))
    expectEqual(line.woken, [])
    _ = try write.commit(changeset: [])
    while line.woken.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    let next = try #require(try other.writers.take(waiter))
    let numbers = try NumberTree.numbers(of: next.base)
    expectEqual(numbers, [1, 2])
    try NumberTree.replace(with: numbers + [3], in: next)
    _ = try next.commit(changeset: [])
    try expectEqual(NumberTree.numbers(of: try file.snapshot()), [1, 2, 3])
    try expectEqual(file.check(), [])
  }

  /// `SharedMemory` 2, `LockFileSession` 3.
  @Test func processesRespectEachOthersReaders() throws {
    let other = try DatabaseFile.open(
      path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    var numbers: [Int64] = (0..<500).map { Int64($0) }
    var pinned: [(Snapshot, [Int64])] = []
    for step in 0..<60 {
      let writer = step % 3 == 0 ? other : file
      let reader = step % 2 == 0 ? other : file
      numbers[step * 7] = Int64(step) << 33
      let write = try writer.beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      _ = try write.commit(changeset: [UInt8(step)])
      if step % 10 == 5 { pinned.append((try reader.snapshot(), numbers)) }
      for (snapshot, expected) in pinned {
        try expectEqual(NumberTree.numbers(of: snapshot), expected)
      }
    }
    expectEqual(file.oldestPinnedVersion, pinned[0].0.version)
    expectEqual(other.pinnedVersions, file.pinnedVersions)
    let changes = try other.changesets(
      after: pinned[0].0.version, through: try other.snapshot())
    expectEqual(changes.map { Int($0[0]) }, Array(6..<60))
    try expectEqual(file.check(), [])
    pinned = []
    try expectEqual(IndependentChecker.findings(path), nil)
  }

  /// `VersionListeners` 1.
  @Test func listenersHearOfCommits() throws {
    let heard = Locked<[UInt64]>([])
    let listener = try file.onNewVersion { version in heard.withLock { $0.append(version) } }
    _ = try file.beginWrite().commit(changeset: [])
    _ = try file.beginWrite().commit(changeset: [])
    expectEqual(heard.withLock { $0 }, [2, 3])
    listener.cancel()
    _ = try file.beginWrite().commit(changeset: [])
    expectEqual(heard.withLock { $0 }, [2, 3])
  }

  /// `VersionListeners` 2.
  @Test func listenersMayAddAndCancelListeners() throws {
    let heard = Locked<[String]>([])
    let listeners = Locked<[VersionListener]>([])
    let first = try file.onNewVersion { [weak file] version in
      heard.withLock { $0.append("first \(version)") }
      let cancelled = listeners.withLock { listeners in
        defer { listeners = [] }
        return listeners
      }
      for listener in cancelled { listener.cancel() }
      guard cancelled.isEmpty, let file else { return }
      let added = try? file.onNewVersion { version in
        heard.withLock { $0.append("added \(version)") }
      }
      listeners.withLock { $0 = added.map { [$0] } ?? [] }
    }
    for _ in 0..<3 { _ = try file.beginWrite().commit(changeset: []) }
    // Who is cancelled while a version is told may still hear of it.
    expectEqual(
      heard.withLock { $0 }, ["first 2", "first 3", "added 3", "first 4"])
    first.cancel()
  }

  @Test func listenersHearOfOtherProcesses() async throws {
    let other = try DatabaseFile.open(
      path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    let (stream, continuation) = AsyncStream<(UInt64, ContinuousClock.Instant)>.makeStream()
    let listener = try file.onNewVersion { continuation.yield(($0, ContinuousClock.now)) }
    try await Task.sleep(for: .milliseconds(50))
    var iterator = stream.makeAsyncIterator()
    var delays: [Duration] = []
    for expected in 2...6 as ClosedRange<UInt64> {
      _ = try other.beginWrite().commit(changeset: [])
      let committed = ContinuousClock.now
      let (version, heard) = try #require(await iterator.next())
      expectEqual(version, expected)
      delays.append(heard - committed)
    }
    // The thread was woken: one that merely looked again after its second of sleep would hear of
    // each commit but the first a second late, as it fell asleep just before.
    let fastest = try #require(delays.dropFirst().min())
    expectTrue(fastest < .milliseconds(700))
    listener.cancel()
  }
}
