// SPDX-License-Identifier: Apache-2.0

// Sessions without classes and realms, as an agent of the file uses them.

import Dispatch
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmSession

@Suite struct SessionTests {
  private let directory: TemporaryDirectory
  private let shared: SharedFile
  private let table: TableKey
  private let number: Column

  init() throws {
    directory = try TemporaryDirectory()
    shared = SharedFile.of(try DatabaseFile.open(path: directory.file("session.realm")))
    let writing = try shared.tables(in: shared.file.beginWrite())
    let table = try writing.createTable(named: "class_Counter")
    number = try table.addColumn(named: "number", type: .int)
    self.table = table.key
    _ = try writing.commit()
  }

  private func session(
    _ confinement: Confinement = .current, limit: UInt64? = nil
  ) throws -> Session {
    var options = SessionOptions(shared, confinement, reading: try shared.newestTables())
    options.versionLimit = limit
    let session = Session(options)
    try session.startObserving()
    return session
  }

  private func add(_ value: Int64, in session: Session) throws {
    let table = try #require(try session.transaction?.table(table))
    let (key, _) = try table.createObject()
    try table.set(.int(value), number, key)
    session.didMutate()
  }

  private func numbers(in session: Session) throws -> [Int64] {
    var numbers: [Int64] = []
    let table = try #require(try session.readableTables().table(table))
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        numbers.append(try cluster.row(at: index).int(number.leafIndex))
      }
    }
    return numbers
  }

  @Test func aCommitIsShownByItsSessionAtOnceAndByOthersWhenTheyRefresh() throws {
    let writer = try session()
    let reader = try session()
    try writer.beginWrite()
    try add(1, in: writer)
    try writer.commitWrite()
    #expect(try numbers(in: writer) == [1])
    #expect(try numbers(in: reader) == [])
    #expect(try reader.refresh())
    #expect(try numbers(in: reader) == [1])
    #expect(try !reader.refresh())
  }

  @Test func aCancelledTransactionLeavesNothing() throws {
    let session = try session()
    try session.beginWrite()
    try add(1, in: session)
    session.cancelWrite()
    #expect(!session.isInWrite)
    #expect(try numbers(in: session) == [])
    #expect(shared.file.newestVersion == (try session.snapshot().version))
  }

  @Test func everyMoveChangesTheGeneration() throws {
    let session = try session()
    var seen = [session.state.pointee.generation]
    try session.beginWrite()
    seen.append(session.state.pointee.generation)
    try add(1, in: session)
    try session.commitWrite()
    seen.append(session.state.pointee.generation)
    session.invalidate()
    seen.append(session.state.pointee.generation)
    #expect(seen == seen.sorted())
    #expect(Set(seen).count == seen.count)
    #expect(session.firstValidGeneration > seen[2])
  }

  @Test func observersAreNotifiedBeforeTheNextTransactionBegins() throws {
    let session = try session(.queue(DispatchQueue(label: "observer")))
    let other = try self.session()
    var told: [ResultChanges] = []
    try session.confinement.run {
      let query = TableQuery(table)
      let observation = try session.observe(
        .results(query),
        Observation.Handler { change, _ in
          if case .collection(let changes) = change { told.append(changes) }
        })
      try session.refresh()
      try other.beginWrite()
      try add(1, in: other)
      try other.commitWrite()
      #expect(told.isEmpty)
      try session.beginWrite()
      #expect(told.map(\.insertions) == [[0]])
      session.cancelWrite()
      observation.cancel()
    }
  }

  @Test func aSkippedObserverIsNotNotified() throws {
    let session = try session(.queue(DispatchQueue(label: "observer")))
    var calls = 0
    try session.confinement.run {
      let observation = SessionObservation(of: session) { _ in calls += 1 }
      session.observers?.add(observation)
      try session.beginWrite()
      try add(1, in: session)
      try session.commitWrite(skipping: SkippedObservers([observation]))
      #expect(calls == 0)
      try session.beginWrite()
      try session.commitWrite()
      #expect(calls == 1)
      observation.cancel()
    }
  }

  @Test func anAsynchronousWriteIsDurableWhenItsCompletionIsCalled() async throws {
    let queue = DispatchQueue(label: "writer")
    let session = UnsafeTransfer(try session(.queue(queue)))
    let failure = await withCheckedContinuation { continuation in
      queue.async {
        let session = session.value
        _ = session.asyncWrites.add(
          .write { try? add(7, in: session) },
          completion: .callback { continuation.resume(returning: $0) })
      }
    }
    #expect(failure == nil)
    let reader = try self.session()
    #expect(try numbers(in: reader) == [7])
  }

  @Test func moreVersionsInUseThanAllowedAreRefused() throws {
    let session = try session(limit: 2)
    let pins = try (0..<3).map { _ -> Snapshot in
      _ = try shared.tables(in: shared.file.beginWrite()).commit()
      return try shared.file.snapshot()
    }
    #expect(throws: StorageError.self) { try session.beginWrite() }
    #expect(!session.isInWrite)
    withExtendedLifetime(pins) {}
    // No transaction holds the right to write.
    try shared.file.beginWrite().rollback()
  }

  @Test func aFrozenSessionIsReadOnAnyThread() async throws {
    let tables = try shared.newestTables()
    let options = SessionOptions(shared, .frozen(version: tables.version), reading: tables)
    let frozen = UnsafeTransfer(Session(options))
    let isAllowed = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        frozen.value.checkIsolation()
        continuation.resume(returning: frozen.value.isHere)
      }
    }
    #expect(isAllowed)
    #expect(try !frozen.value.refresh())
  }

  @Test func aSessionThatIsDestroyedInATransactionUndoesIt() throws {
    do {
      let session = try session(.queue(DispatchQueue(label: "gone")))
      try session.confinement.run {
        try session.beginWrite()
        try add(1, in: session)
      }
    }
    let reader = try session()
    #expect(try numbers(in: reader) == [])
    try shared.file.beginWrite().rollback()
  }
}

extension Confinement {
  /// Runs `body` in the confinement, which is that of a queue.
  fileprivate func run(_ body: () throws -> Void) throws {
    guard case .queue(let identity) = self else { return }
    try identity.queue.sync(execute: body)
  }
}
