// SPDX-License-Identifier: Apache-2.0

// Asynchronous commits and the disk: what is shown when, what shares a sync, what a failure does.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) @MainActor struct GroupedWriteTests {
  private let directory: TemporaryDirectory
  private let files = WatchedFiles()
  /// Keeps the file open, so that realms share the watched one.
  private let file: DatabaseFile
  private let configuration: Realm.Configuration
  private let realm: Realm
  private let told = Recorder<String>()

  init() throws {
    directory = try TemporaryDirectory()
    let path = directory.file("grouped.realm")
    file = try DatabaseFile.open(path: path, options: OpenOptions(), system: files)
    configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: [AsyncTask.self, AsyncOwner.self])
    realm = try Realm(configuration: configuration)
  }

  private func finish() async {
    while realm.isPerformingAsynchronousWriteOperations {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  private func add(_ id: Int) { realm.create(AsyncTask.self, value: ["id": id]) }

  private var count: Int { realm.objects(AsyncTask.self).count }

  /// The count that the realm of another actor sees.
  private func countElsewhere() async throws -> Int {
    try await Task.detached { [configuration] in
      let opensSynchronously = { try Realm(configuration: configuration) }
      return try opensSynchronously().objects(AsyncTask.self).count
    }.value
  }

  /// `AsyncWrites+Commit` 2.
  @Test func groupedTransactionsShareTheirSyncs() async throws {
    realm.core.asyncWrites.graceTime = .seconds(60)
    let before = files.syncCount
    for id in 0..<100 {
      realm.beginAsyncWrite {
        add(id)
        realm.commitAsyncWrite(allowGrouping: true) { error in
          told.add("\(id) \(error == nil)")
        }
      }
    }
    await finish()
    expectEqual(told.all, (0..<100).map { "\($0) true" })
    expectEqual(count, 100)
    // 20 at a time: five pairs.
    expectEqual(files.syncCount - before, 10)
    try await expectEqual(countElsewhere(), 100)
    try expectEqual(file.check(), [])
  }

  @Test func withoutGroupingEachHasItsOwn() async throws {
    let before = files.syncCount
    for id in 0..<10 { realm.writeAsync { add(id) } }
    await finish()
    expectEqual(files.syncCount - before, 20)
  }

  @Test func commitsInARowShareTheirSyncs() async throws {
    realm.core.asyncWrites.graceTime = .seconds(60)
    let before = files.syncCount
    for id in 0..<25 {
      realm.beginWrite()
      add(id)
      realm.commitAsyncWrite(allowGrouping: true) { _ in told.add("\(id)") }
      expectEqual(count, id + 1)
    }
    await finish()
    expectEqual(told.all, (0..<25).map(String.init))
    expectEqual(files.syncCount - before, 4)
  }

  /// `AsyncWrites+Commit` 2.
  @Test func anOpenGroupIsClosedAfterTheGraceTime() async throws {
    let version = file.newestVersion
    realm.beginWrite()
    add(1)
    realm.commitAsyncWrite(allowGrouping: true)
    // This thread does not come back meanwhile.
    while file.newestVersion == version { usleep(1000) }
    await finish()
    try await expectEqual(countElsewhere(), 1)
  }

  /// `AsyncWrites+Commit` 1, `Session` 5.
  @Test func theRealmShowsACommitBeforeTheDiskHasIt() async throws {
    let observed = Recorder<Int>()
    let token = realm.observe { _, realm in observed.add(realm.objects(AsyncTask.self).count) }
    files.withoutSyncs {
      realm.beginWrite()
      add(1)
      realm.commitAsyncWrite { _ in told.add("done") }
      expectEqual(count, 1)
      expectFalse(realm.isInWriteTransaction)
      expectTrue(realm.isPerformingAsynchronousWriteOperations)
      expectEqual(observed.all, [1])
      expectFalse(realm.refresh())
      expectEqual(count, 1)
      expectTrue(told.all.isEmpty)
    }
    await finish()
    expectEqual(told.all, ["done"])
    token.invalidate()
  }

  /// `AsyncWrites+Commit` 1 and 3.
  @Test func othersSeeACommitWhenTheDiskHasIt() async throws {
    let version = file.newestVersion
    files.withoutSyncs {
      realm.beginWrite()
      add(1)
      realm.commitAsyncWrite()
      expectEqual(file.newestVersion, version)
    }
    await finish()
    expectEqual(file.newestVersion, version + 1)
    try await expectEqual(countElsewhere(), 1)
  }

  @Test func aReferenceLeadsToWhatIsNotDurableYet() async throws {
    let queue = DispatchQueue(label: "resolves")
    let configuration = configuration
    let found = files.withoutSyncs { () -> String? in
      realm.beginWrite()
      realm.create(AsyncTask.self, value: ["id": 7, "name": "seven"])
      realm.commitAsyncWrite()
      guard let task = realm.object(ofType: AsyncTask.self, forPrimaryKey: 7) else { return nil }
      let reference = ThreadSafeReference(to: task)
      return queue.sync {
        let realm = try? Realm(configuration: configuration, queue: queue)
        return realm?.resolve(reference)?.name
      }
    }
    expectEqual(found, "seven")
    await finish()
  }

  /// `AsyncWrites` 4: a held commit is continued, then durable.
  @Test func aSynchronousCommitTakesThoseBeforeAlong() async throws {
    let before = files.syncCount
    realm.beginWrite()
    add(1)
    realm.commitAsyncWrite(allowGrouping: true) { _ in told.add("first") }
    realm.beginWrite()
    add(2)
    try realm.commitWrite()
    expectTrue(files.syncCount - before <= 4)
    expectEqual(file.newestVersion, realm.core.shownTables?.version)
    await finish()
    expectEqual(told.all, ["first"])
    try await expectEqual(countElsewhere(), 2)
  }

  /// `AsyncWrites` 4: a continued commit is held again.
  @Test func aCancelledTransactionLeavesTheGroup() async throws {
    realm.beginWrite()
    add(1)
    realm.commitAsyncWrite(allowGrouping: true) { _ in told.add("first") }
    realm.beginWrite()
    add(2)
    realm.cancelWrite()
    expectEqual(count, 1)
    for id in 3..<6 {
      realm.beginAsyncWrite {
        add(id)
        if id != 4 { realm.commitAsyncWrite(allowGrouping: true) { _ in told.add("\(id)") } }
      }
    }
    await finish()
    expectEqual(told.all, ["first", "3", "5"])
    try await expectEqual(countElsewhere(), 3)
    try expectEqual(file.check(), [])
  }

  @Test func othersGetTheirTurnBetweenGroups() async throws {
    let realm = realm
    for id in 0..<60 {
      realm.beginAsyncWrite {
        realm.create(AsyncTask.self, value: ["id": id])
        realm.commitAsyncWrite(allowGrouping: true) { _ in told.add("\(id)") }
      }
    }
    let other = Task.detached { [configuration, told] in
      let opensSynchronously = { try Realm(configuration: configuration) }
      let realm = try opensSynchronously()
      try realm.write { _ = realm.create(AsyncTask.self, value: ["id": 1000]) }
      told.add("other")
    }
    try await other.value
    await finish()
    // The last of the groups may have been committed before the other writer had its turn.
    realm.refresh()
    expectEqual(count, 61)
    expectEqual(told.all.count, 61)
  }

  /// `AsyncWrites+Commit` 3.
  @Test func aBlockMayWaitForAnotherWriterWhileItsGroupIsOpen() async throws {
    let configuration = configuration
    let realm = realm
    realm.beginAsyncWrite {
      add(1)
      realm.commitAsyncWrite(allowGrouping: true) { _ in told.add("group") }
      // The group is open, and this thread does not come to close it.
      let thread = DispatchQueue(label: "another writer")
      thread.sync {
        guard let other = try? Realm(configuration: configuration, queue: thread) else { return }
        try? other.write { _ = other.create(AsyncTask.self, value: ["id": 2]) }
      }
      told.add("block")
    }
    realm.beginAsyncWrite {
      add(3)
      realm.commitAsyncWrite(allowGrouping: true)
    }
    await finish()
    expectEqual(told.all, ["block", "group"])
    expectEqual(count, 3)
  }

  /// `Realm+AsyncWrite` 3.
  @Test func asyncWriteShowsItsChangesWhileTheDiskWorks() async throws {
    let realm = realm
    files.holdSyncs(true)
    let task = Task {
      try await realm.asyncWrite { realm.create(AsyncTask.self, value: ["id": 1]) }.id
    }
    while count == 0 { try? await Task.sleep(for: .milliseconds(1)) }
    expectFalse(realm.isInWriteTransaction)
    expectTrue(realm.isPerformingAsynchronousWriteOperations)
    files.holdSyncs(false)
    try await expectEqual(task.value, 1)
    expectFalse(realm.isPerformingAsynchronousWriteOperations)
    try await expectEqual(countElsewhere(), 1)
  }

  @Test func aFailedSyncIsReportedAndUndone() async throws {
    // On a slow machine the group would end before its third transaction.
    realm.core.asyncWrites.graceTime = .seconds(60)
    try realm.write { add(0) }
    files.failSyncs()
    for id in 1...3 {
      realm.beginAsyncWrite {
        add(id)
        realm.commitAsyncWrite(allowGrouping: true) { error in
          told.add("\(id) \(error is Realm.Error)")
        }
      }
    }
    realm.writeAsync({ add(4) }, onComplete: { told.add("4 \($0 is Realm.Error)") })
    await finish()
    expectEqual(told.all, ["1 true", "2 true", "3 true", "4 true"])
    expectEqual(count, 1)
    await #expect(throws: Realm.Error.self) { try await realm.asyncWrite { add(5) } }
    #expect(throws: Realm.Error.self) { try realm.write { add(6) } }
    expectEqual(count, 1)
  }

  @Test func asyncWriteThrowsWhatTheDiskSays() async throws {
    files.failSyncs()
    await #expect(throws: Realm.Error.self) { try await realm.asyncWrite { add(5) } }
    expectEqual(count, 0)
    expectFalse(realm.isPerformingAsynchronousWriteOperations)
  }
}
