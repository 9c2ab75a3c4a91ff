// SPDX-License-Identifier: Apache-2.0

// Readers on many threads beside a writer: no reader sees a torn version.

import Foundation
import RealmStorage
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

struct StressTests {
  /// Seconds that the readers run; `REALM_STRESS_SECONDS` makes it a minute or a night.
  private static var seconds: Double {
    ProcessInfo.processInfo.environment["REALM_STRESS_SECONDS"].flatMap(Double.init) ?? 2
  }

  /// Every number of version v is a function of v and its place, so a reader knows what it should
  /// see without asking the writer.
  private static func numbers(of version: UInt64) -> [Int64] {
    var random = SeededGenerator(seed: version)
    let count = Int.random(in: 100...900, using: &random)
    return (0..<count).map { _ in Int64(bitPattern: random.next()) >> Int64(version % 50) }
  }

  private final class Failures: Sendable {
    let messages = Locked<[String]>([])
    let readCount = Atomic<Int>(0)

    func add(_ message: String) { messages.withLock { $0.append(message) } }
  }

  private static func read(
    _ file: DatabaseFile, _ seed: UInt64, until end: ContinuousClock.Instant, _ failures: Failures
  ) {
    var random = SeededGenerator(seed: seed)
    var kept: [Snapshot] = []
    var last: UInt64 = 0
    while ContinuousClock.now < end, failures.messages.withLock({ $0.isEmpty }) {
      do {
        let snapshot = try file.snapshot()
        if snapshot.version < last {
          failures.add("version \(snapshot.version) after version \(last)")
        }
        last = snapshot.version
        if random.chance(0.1) { kept.append(snapshot) }
        if kept.count > 5 { kept.remove(at: Int.random(in: 0..<kept.count, using: &random)) }
        let looked = random.chance(0.3) ? kept.randomElement(using: &random) ?? snapshot : snapshot
        if looked.version > 1,
          try NumberTree.numbers(of: looked) != numbers(of: looked.version)
        {
          failures.add("version \(looked.version) is torn")
        }
        failures.readCount.wrappingAdd(1, ordering: .relaxed)
      } catch {
        failures.add("\(error)")
      }
    }
  }

  /// Runs on a thread of its own: the test runner's few threads are not for waiting.
  private func stress(_ file: DatabaseFile, others: [DatabaseFile] = []) async throws {
    let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Result { try Self.runStress(file, others: others) })
      }
    }
    try result.get()
  }

  private static func runStress(_ file: DatabaseFile, others: [DatabaseFile]) throws {
    let failures = Failures()
    let end = ContinuousClock.now + .seconds(Self.seconds)
    let threads = (0..<8).map { index in
      let reader = ([file] + others)[index % (others.count + 1)]
      let thread = Thread { Self.read(reader, UInt64(index), until: end, failures) }
      thread.start()
      return thread
    }
    var commits = 0
    while ContinuousClock.now < end {
      let write = try file.beginWrite()
      write.durability = [.twoSyncs, .oneSync, .deferred][commits / 100 % 3]
      try NumberTree.replace(with: Self.numbers(of: write.version), in: write)
      _ = try write.commit(changeset: [1, 2, 3])
      commits += 1
      if commits % 50 == 0 { try expectEqual(file.check(), []) }
    }
    while threads.contains(where: { !$0.isFinished }) { usleep(1000) }
    expectEqual(failures.messages.withLock { $0 }, [])
    expectTrue(commits > 10)
    let readCount = failures.readCount.load(ordering: .relaxed)
    expectTrue(readCount > 100)
    RandomRuns.report(commits, "commits beside \(readCount) reads")
  }

  /// `ReaderTable` 1 and 2.
  @Test(.heavy) func readersAndAWriterOnDisk() async throws {
    let directory = try TemporaryDirectory()
    let file = try DatabaseFile.open(path: directory.file("a.realm"))
    try await stress(file)
    try expectEqual(file.check(), [])
    try expectEqual(IndependentChecker.findings(directory.file("a.realm")), nil)
    // Old versions that readers kept now and then must not make the file grow permanently.
    #expect(try file.fileByteCount() < 4 << 20)
  }

  @Test(.heavy) func readersAndAWriterInMemory() async throws {
    let file = try DatabaseFile.open(
      path: "stress-\(UUID().uuidString)", options: OpenOptions(isInMemory: true))
    try await stress(file)
    try expectEqual(file.check(), [])
  }

  /// `ReaderTable` 3, `SharedMemory` 2.
  @Test(.heavy) func readersOfTwoProcessesAndAWriter() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    let file = try DatabaseFile.open(path: path)
    let other = try DatabaseFile.open(
      path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    try await stress(file, others: [other])
    try expectEqual(file.check(), [])
  }
}
