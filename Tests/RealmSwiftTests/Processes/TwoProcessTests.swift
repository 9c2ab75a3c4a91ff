// SPDX-License-Identifier: Apache-2.0

// Two processes with one file: they see each other's commits, take turns, and survive each other.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmStorage
@testable import RealmSwift

private actor Watcher {
  let told = Recorder<ToldChange>()
  private var token: NotificationToken?

  func watch(_ configuration: Realm.Configuration) async throws {
    let realm = try await Realm(configuration: configuration, actor: self)
    token = await realm.objects(SharedCounter.self).observe(on: self) { watcher, change in
      watcher.told.add(ToldChange(change))
    }
  }
}

/// A thread that may block, for code of a test.
private actor Place {
  private let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
    try body()
  }
}

@Suite(.timeLimit(.minutes(10))) struct TwoProcessTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("shared.realm")
  }

  typealias Durability = Realm.Configuration.Durability

  private var configuration: Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: [SharedCounter.self])
  }

  /// Runs `body` with a realm of its own, where it may block.
  ///
  /// - Parameters:
  ///   - flag: A file that is made just before.
  ///   - durability: That of the realm's commits.
  private func withRealm<Result: Sendable>(
    flag: String? = nil, durability: Realm.Configuration.Durability = .twoSyncs,
    _ body: @escaping @Sendable (Realm) throws -> Result
  ) async throws -> Result {
    var configuration = configuration
    configuration.durability = durability
    let opened = configuration
    return try await Place().run {
      if let flag { _ = FileManager.default.createFile(atPath: flag, contents: nil) }
      return try body(try Realm(configuration: opened))
    }
  }

  /// A second process that has the file open, with a counter 1 of 0 in it.
  private func startOther() async throws -> OtherProcess {
    let other = try OtherProcess()
    try await expectEqual(other.ask("open \(path)"), "ok")
    try await expectEqual(other.ask("add 1 0"), "ok")
    return other
  }

  private static func increment(_ realm: Realm, _ id: Int) throws {
    try realm.write {
      let counter = realm.object(ofType: SharedCounter.self, forPrimaryKey: id)
      counter?.value += 1
      counter?.twin += 1
    }
  }

  private static func value(_ realm: Realm, _ id: Int) -> Int? {
    realm.object(ofType: SharedCounter.self, forPrimaryKey: id)?.value
  }

  private func expectWhole(_ realm: Realm) throws {
    try expectEqual(realm.core.file.check(), [])
    for counter in realm.objects(SharedCounter.self) { expectEqual(counter.value, counter.twin) }
  }

  // MARK: Observing

  @Test func observersHearOfTheOtherProcess() async throws {
    let other = try await startOther()
    let watcher = Watcher()
    try await watcher.watch(configuration)
    let queue = DispatchQueue(label: "observer")
    let onQueue = Recorder<ToldChange>()
    let configuration = configuration
    let token = try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      return realm.objects(SharedCounter.self).observe(on: queue) { onQueue.add(ToldChange($0)) }
    }
    await expectEqual(onQueue.wait(for: 1), [.initial(count: 1)])
    await expectEqual(watcher.told.wait(for: 1), [.initial(count: 1)])

    try await other.ask("add 2 5")
    let added = ToldChange.update(count: 2, deletions: [], insertions: [1], modifications: [])
    await expectEqual(onQueue.wait(for: 2).last, added)
    await expectEqual(watcher.told.wait(for: 2).last, added)
    try await other.ask("increment 1 1")
    let changed = ToldChange.update(count: 2, deletions: [], insertions: [], modifications: [0])
    await expectEqual(onQueue.wait(for: 3).last, changed)
    await expectEqual(watcher.told.wait(for: 3).last, changed)
    token.invalidate()
  }

  // MARK: Writing

  @Test func noUpdateIsLost() async throws {
    let other = try await startOther()
    async let theirs = other.ask("increment 1 120")
    try await withRealm { realm in
      for _ in 0..<120 { try Self.increment(realm, 1) }
    }
    try await expectEqual(theirs, "ok")
    try await expectEqual(other.ask("value 1"), "240")
    try await withRealm { realm in
      expectEqual(Self.value(realm, 1), 240)
      try expectWhole(realm)
    }
  }

  /// A process in a container of the same kernel: it has other numbers and another path, and the
  /// file is the same.
  @Test(
    .enabled(if: OtherProcess.canBeContained, "this process cannot make containers"))
  func aContainerOfTheSameKernelSharesTheFile() async throws {
    let inside = directory.file("inside")
    try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: false)
    let other = try OtherProcess(containing: directory.path, as: inside)
    try await expectEqual(other.ask("open \(inside)/shared.realm"), "ok")
    try await expectEqual(other.ask("add 1 0"), "ok")
    async let theirs = other.ask("increment 1 60")
    try await withRealm { realm in
      for _ in 0..<60 { try Self.increment(realm, 1) }
    }
    try await expectEqual(theirs, "ok")
    try await expectEqual(other.ask("value 1"), "120")
    try await other.ask("keep")
    try await withRealm { realm in
      let kept = realm.core.file.newestVersion
      for _ in 0..<5 { try Self.increment(realm, 1) }
      expectEqual(realm.core.file.oldestPinnedVersion, kept)
      // The number is that of the container.
      expectEqual(realm.pinnedVersions.first?.processIdentifiers, [1])
    }
    // Killed as one that writes, it leaves the right to write, and no version in use.
    try await expectEqual(other.ask("begin 1"), "ok")
    try await other.killNow()
    try await withRealm { realm in
      for _ in 0..<2 { try Self.increment(realm, 1) }
      expectEqual(Self.value(realm, 1), 127)
      let file = realm.core.file
      expectTrue(file.oldestPinnedVersion >= file.newestVersion - 1)
      try expectWhole(realm)
    }
  }

  /// Each process finds what the other did to the free space.
  @Test func freeSpaceIsReadAgain() async throws {
    let other = try await startOther()
    try await other.ask("add 2 0")
    let finished = try await withRealm { realm in
      for step in 0..<40 {
        try realm.write {
          realm.object(ofType: SharedCounter.self, forPrimaryKey: 2)?.text =
            String(repeating: "p", count: step * 977 % 5000)
        }
      }
      return realm.core.file.newestVersion
    }
    for step in 0..<40 {
      try await other.ask("text 1 \(step * 1511 % 6000)")
      try await withRealm { realm in
        try realm.write {
          realm.object(ofType: SharedCounter.self, forPrimaryKey: 2)?.text =
            String(repeating: "q", count: step * 733 % 4000)
        }
        if step % 8 == 0 { try expectWhole(realm) }
      }
    }
    try await withRealm { realm in
      expectEqual(realm.core.file.newestVersion, finished + 80)
      let texts = realm.objects(SharedCounter.self).map(\.text)
      expectEqual(texts[0], String(repeating: "c", count: 39 * 1511 % 6000))
      expectEqual(texts[1], String(repeating: "q", count: 39 * 733 % 4000))
      try expectWhole(realm)
    }
    try ReferenceReader.check(configuration)
  }

  @Test func aPinnedVersionStaysWhatItWas() async throws {
    let other = try await startOther()
    let queue = DispatchQueue(label: "reader")
    let configuration = configuration
    let frozen = try queue.sync { try Realm(configuration: configuration, queue: queue).freeze() }
    try await other.ask("text 1 3000")
    try await other.ask("increment 1 150")
    try await other.ask("text 1 10")
    expectEqual(Self.value(frozen, 1), 0)
    expectEqual(frozen.objects(SharedCounter.self).map(\.text), [""])
    try await withRealm { realm in
      expectEqual(Self.value(realm, 1), 150)
      try expectWhole(realm)
    }
  }

  // MARK: Dying

  @Test func aWriterThatDiesLeavesTheLock() async throws {
    let other = try await startOther()
    try await expectEqual(other.ask("begin 1"), "ok")
    let granted = Recorder<Int>()
    async let mine: Void = withRealm { realm in
      try Self.increment(realm, 1)
      granted.add(1)
    }
    // The other process has the lock: a waiting writer goes on waiting.
    await expectEqual(granted.settled(), [])
    try await other.killNow()
    try await mine
    expectEqual(granted.all, [1])
    try await withRealm { realm in
      expectEqual(Self.value(realm, 1), 1)
      try expectWhole(realm)
    }
  }

  @Test func whatADeadProcessPinnedIsUsedAgain() async throws {
    let other = try await startOther()
    try await other.ask("keep")
    try await withRealm { realm in
      let kept = realm.core.file.newestVersion
      for _ in 0..<20 { try Self.increment(realm, 1) }
      expectEqual(realm.core.file.oldestPinnedVersion, kept)
      #expect(try Self.blockedByteCount(realm) > 0)
      // The other process is named with its thread and the call, too.
      let old = try #require(realm.pinnedVersions.first)
      let own = ProcessInfo.processInfo.processIdentifier
      let frozen = try #require(old.holders.first { $0.call == "freeze()" })
      expectTrue(frozen.processIdentifier != own && frozen.processIdentifier != 0)
      expectTrue(frozen.threadIdentifier != 0)
      expectEqual(old.processIdentifiers, [frozen.processIdentifier])
    }
    try await other.killNow()
    try await withRealm { realm in
      let file = realm.core.file
      try Self.increment(realm, 1)
      expectTrue(file.oldestPinnedVersion >= file.newestVersion - 1)
      expectFalse(realm.pinnedVersions.contains { $0.holders.contains { $0.call == "freeze()" } })
      let byteCount = try file.fileByteCount()
      for _ in 0..<200 { try Self.increment(realm, 1) }
      try expectEqual(file.fileByteCount(), byteCount)
      try expectWhole(realm)
    }
  }

  /// The bytes that are free, and kept for readers of old versions.
  private static func blockedByteCount(_ realm: Realm) throws -> Int {
    let snapshot = try realm.core.file.snapshot()
    return try FreeSpace(snapshot.top(), in: snapshot.space).blocks
      .filter { $0.tag > 0 && $0.tag < snapshot.version }.reduce(0) { $0 + $1.byteCount }
  }

  /// Wherever in its commits the other process dies, the file is whole, has what was committed, and
  /// takes the next commit.
  @Test(
    arguments: zip(["", "one-sync", "deferred"], [Durability.twoSyncs, .oneSync, .deferred]))
  func commitsThatAreCutOffLeaveTheFileWhole(
    _ name: String, _ durability: Durability
  ) async throws {
    var last = 0
    for round in 0..<8 {
      let other = try OtherProcess()
      if !name.isEmpty { try await expectEqual(other.ask(name), "ok") }
      try await other.ask("open \(path)")
      if round == 0 { try await other.ask("add 1 0") }
      try await other.ask("increment 1 3")
      last += 3
      // While this one has the file open, the session goes on.
      let isAlone = round % 2 == 0
      let queue = DispatchQueue(label: "companion")
      let configuration = configuration
      let companion =
        isAlone ? nil : try queue.sync { try Realm(configuration: configuration, queue: queue) }
      try await expectEqual(other.ask("churn 1"), "ok")
      try await Task.sleep(for: .microseconds(4000 + round * 1700))
      try await other.killNow()
      last = try await withRealm(durability: durability) { [last] realm in
        let before = try #require(Self.value(realm, 1))
        expectTrue(before >= last)
        try expectWhole(realm)
        // A commit that the other process did not live to announce is found by the next writer.
        realm.beginWrite()
        let found = try #require(Self.value(realm, 1))
        expectTrue(found == before || found == before + 1)
        realm.cancelWrite()
        try expectWhole(realm)
        try Self.increment(realm, 1)
        expectEqual(Self.value(realm, 1), found + 1)
        try expectWhole(realm)
        return found + 1
      }
      withExtendedLifetime(companion) {}
    }
    expectTrue(last > 8)
    try ReferenceReader.check(configuration)
  }

  // MARK: Opening

  @Test(arguments: 0..<3) func bothMayCreateTheFile(_ round: Int) async throws {
    let other = try OtherProcess()
    let flag = directory.file("go-\(round)")
    async let theirs = other.ask("open-at \(flag) \(path)")
    try await Task.sleep(for: .milliseconds(100))
    try await withRealm(flag: flag) { realm in
      try realm.write {
        _ = realm.create(SharedCounter.self, value: ["id": 1, "value": 3, "twin": 3])
      }
    }
    try await expectEqual(theirs, "ok")
    try await other.ask("add 2 4")
    try await expectEqual(other.ask("value 1"), "3")
    try await withRealm { realm in
      expectEqual(realm.objects(SharedCounter.self).map(\.id).sorted(), [1, 2])
      try expectWhole(realm)
    }
  }
}
