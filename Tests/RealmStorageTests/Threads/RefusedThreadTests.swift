// SPDX-License-Identifier: Apache-2.0

// A system that has no more threads to give: errors, or the same work on the caller's thread.

import Dispatch
import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@Suite(.timeLimit(.minutes(10))) struct RefusedThreadTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
  }

  private func openAlone(_ key: EncryptionKey? = nil) throws(StorageError) -> DatabaseFile {
    try DatabaseFile.open(
      path: path, options: OpenOptions(encryptionKey: key), system: SystemFiles(),
      registry: FileRegistry())
  }

  private func withoutThreads<Result>(_ body: () throws -> Result) rethrows -> Result {
    try BackgroundThread.$isRefused.withValue(true, operation: body)
  }

  @Test func aRefusedBodyDoesNotRun() {
    let ran = Locked(false)
    let isStarted = withoutThreads {
      BackgroundThread.start(named: "refused") { ran.withLock { $0 = true } }
    }
    expectFalse(isStarted)
    #expect(!ran.withLock { $0 })
  }

  @Test func listeningWithoutAThreadThrowsAndWorksLater() throws {
    let file = try openAlone()
    let error = #expect(throws: StorageError.self) {
      try withoutThreads { try file.onNewVersion { _ in } }
    }
    guard case .threadUnavailable(path + ".lock", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let heard = Locked<[UInt64]>([])
    let listener = try file.onNewVersion { version in heard.withLock { $0.append(version) } }
    _ = try file.beginWrite().commit(changeset: [])
    expectEqual(heard.withLock { $0 }, [2])
    // There is a thread now, and others need none.
    withExtendedLifetime((listener, try withoutThreads { try file.onNewVersion { _ in } })) {}
  }

  @Test func waitingForAnotherProcessWithoutAThreadThrows() throws {
    let file = try openAlone()
    let write = try openAlone().beginWrite()
    for _ in 0..<3 {
      let error = #expect(throws: StorageError.self) {
        try withoutThreads { try file.beginWrite() }
      }
      guard case .threadUnavailable = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    write.rollback()
    // No other writer is in the way any more, so no thread is needed.
    try withoutThreads { _ = try file.beginWrite().commit(changeset: []) }
    expectEqual(file.newestVersion, 2)
  }

  @Test func encryptedFilesAreReadByTheCallerAlone() throws {
    let key = try TestKeys.vector()
    let numbers = (0..<300_000).map { Int64($0) &* 1_000_003 }
    do {
      let write = try openAlone(key).beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      _ = try write.commit(changeset: [])
    }
    let file = try withoutThreads { try openAlone(key) }
    #expect(try file.fileByteCount() > 2 << 20)
    try expectEqual(NumberTree.numbers(of: file.snapshot()), numbers)
  }

  @Test func aPoolWithoutThreadsLeavesTheWorkToTheCaller() {
    let pool = WorkerPool(workerCount: 4)
    let workers = Locked<[Int]>([])
    withoutThreads {
      pool.run { worker in workers.withLock { $0.append(worker) } }
    }
    expectEqual(workers.withLock { $0 }, [0])
  }

  #if os(Linux)
  /// Where a thread has no room for its stack, it is refused.
  @Test func aSystemWithoutMemoryStartsNoThread() async {
    await #expect(processExitsWith: .success) {
      let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
      let unlimited = rlimit(rlim_cur: .max, rlim_max: .max)
      let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      let pages = text.split(separator: " ").first.flatMap { rlim_t($0) } ?? 0
      var limit = unlimited
      limit.rlim_cur = pages * 4096 + 1 << 20
      setrlimit(resource, &limit)
      let isOver = DispatchSemaphore(value: 0)
      // Some stacks of threads that have ended may be left.
      var count = 0
      while count < 64, BackgroundThread.start(named: "stack", { isOver.wait() }) { count += 1 }
      limit = unlimited
      setrlimit(resource, &limit)
      for _ in 0..<64 { isOver.signal() }
      try #require(count < 64)
    }
  }
  #endif
}
