// SPDX-License-Identifier: Apache-2.0

// Who may write, and in which order.

import RealmStorage
import RealmTestSupport
import Testing

@Suite struct WriterQueueTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let file: DatabaseFile

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
    file = try DatabaseFile.open(path: path)
  }

  /// Notes the order in which requests are granted, and keeps what they were given.
  private final class Log: Sendable {
    let order = Guarded<[Int]>([])
    let starts = Guarded<[WriteTransaction.Start]>([])

    func note(_ number: Int) -> @Sendable (Result<WriteTransaction.Start, StorageError>) -> Void {
      { [self] result in
        order.withLock { $0.append(number) }
        if case .success(let start) = result { starts.withLock { $0.append(start) } }
      }
    }

    var granted: [Int] { order.withLock { $0 } }

    /// Lets go of the turns, off the lock: that grants the next one.
    func dropStarts() {
      let dropped = starts.withLock { starts in
        defer { starts = [] }
        return starts
      }
      withExtendedLifetime(dropped) {}
    }
  }

  @Test func requestsAreGrantedInTurn() throws {
    let log = Log()
    let write = try file.beginWrite()
    for number in 1...4 { file.requestWrite(log.note(number)) }
    #expect(log.granted == [])
    write.rollback()
    #expect(log.granted == [1])
    let start = try #require(log.starts.withLock { $0.popLast() })
    let next = try start.begin()
    #expect(log.granted == [1])
    _ = try next.commit(changeset: [])
    #expect(log.granted == [1, 2])
    // Whoever lets go of its turn without using it passes it on.
    log.dropStarts()
    #expect(log.granted == [1, 2, 3])
    log.dropStarts()
    log.dropStarts()
    #expect(log.granted == [1, 2, 3, 4])
    try file.beginWrite().rollback()
  }

  @Test func cancellingRemovesOneWaiterOnly() throws {
    let log = Log()
    let write = try file.beginWrite()
    let requests = (1...3).map { file.requestWrite(log.note($0)) }
    #expect(requests[1].cancel())
    #expect(!requests[1].cancel())
    write.rollback()
    #expect(log.granted == [1])
    #expect(!requests[0].cancel())
    log.dropStarts()
    #expect(log.granted == [1, 3])
    log.dropStarts()
    try file.beginWrite().rollback()
  }

  @Test func aFreeWriterIsGrantedAtOnce() throws {
    let log = Log()
    file.requestWrite(log.note(1))
    #expect(log.granted == [1])
    log.dropStarts()
  }

  @Test func aTransactionThatIsLetGoOfIsRolledBack() throws {
    do {
      let write = try file.beginWrite()
      try NumberTree.replace(with: [1], in: write)
    }
    let write = try file.beginWrite()
    #expect(write.roots == VersionRoots())
    write.rollback()
  }

  /// Another registry stands for another process: its own lock, mapping and reader table segment.
  @Test func processesTakeTurns() async throws {
    let other = try DatabaseFile.open(
      path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    let write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2], in: write)
    let log = Log()
    other.requestWrite(log.note(1))
    try await Task.sleep(for: .milliseconds(30))
    #expect(log.granted == [])
    _ = try write.commit(changeset: [])
    while log.granted.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    let next = try #require(log.starts.withLock { $0.popLast() }).begin()
    let numbers = try NumberTree.numbers(of: next.base)
    #expect(numbers == [1, 2])
    try NumberTree.replace(with: numbers + [3], in: next)
    _ = try next.commit(changeset: [])
    #expect(try NumberTree.numbers(of: try file.snapshot()) == [1, 2, 3])
    #expect(try file.check() == [])
  }

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
        #expect(try NumberTree.numbers(of: snapshot) == expected)
      }
    }
    #expect(file.oldestPinnedVersion == pinned[0].0.version)
    #expect(other.pinnedVersions == file.pinnedVersions)
    let changes = try other.changesets(
      after: pinned[0].0.version, through: try other.snapshot())
    #expect(changes.map { Int($0[0]) } == Array(6..<60))
    #expect(try file.check() == [])
    pinned = []
    #expect(try IndependentChecker.findings(path) == nil)
  }

  @Test func listenersHearOfCommits() throws {
    let heard = Guarded<[UInt64]>([])
    let listener = try file.onNewVersion { version in heard.withLock { $0.append(version) } }
    _ = try file.beginWrite().commit(changeset: [])
    _ = try file.beginWrite().commit(changeset: [])
    #expect(heard.withLock { $0 } == [2, 3])
    listener.cancel()
    _ = try file.beginWrite().commit(changeset: [])
    #expect(heard.withLock { $0 } == [2, 3])
  }

  @Test func listenersHearOfOtherProcesses() async throws {
    let other = try DatabaseFile.open(
      path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    let (stream, continuation) = AsyncStream<(UInt64, ContinuousClock.Instant)>.makeStream()
    let listener = try file.onNewVersion { continuation.yield(($0, ContinuousClock.now)) }
    try await Task.sleep(for: .milliseconds(50))
    _ = try other.beginWrite().commit(changeset: [])
    let committed = ContinuousClock.now
    var iterator = stream.makeAsyncIterator()
    let (version, heard) = try #require(await iterator.next())
    #expect(version == 2)
    // It was woken, and did not merely look again after its second of sleep.
    #expect(heard - committed < .milliseconds(700))
    listener.cancel()
  }
}
