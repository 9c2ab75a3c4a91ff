// SPDX-License-Identifier: Apache-2.0

// Many realms, of which few are open.

import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct RealmDirectoryTests {
  private typealias Text = ChangesetText

  private let time = Locked(OriginTimestamp(milliseconds: 1_000_000))

  private func directory(
    _ store: any ServerStore, openMax: Int = 3, newPerHour: Int = 1_000_000, threads: Int = 1,
    recordsTouches: Bool = false
  ) -> RealmDirectory {
    RealmDirectory(
      store, settings: ServerRealm.Settings(recordsTouches: recordsTouches),
      limits: RealmLimits(openMax: openMax, newPerHour: newPerHour),
      clock: ServerClock { [time] in
        time.withLock { time in
          time.milliseconds += 1
          return time
        }
      }, threads: (0..<threads).map { _ in ThreadExecutor() })
  }

  private func name(_ number: Int) -> RealmName {
    RealmName(app: "test", partition: "\"\(number)\"")
  }

  /// `RealmDirectory` 2
  @Test func theRealmThatWasLeftFirstIsClosedForAnother() async throws {
    let store = EmbeddedStore(SimulatedFiles())
    let realms = directory(store)
    let first = try await realms.open(name(1)).realm
    for number in [2, 3, 1, 4] { _ = try await realms.open(name(number)) }
    await expectEqual(realms.openCount, 3)
    expectEqual(store.openCount, 3)
    // Realm 2 was left first: 1 is the one that was open from the beginning.
    #expect(try await realms.open(name(1)).realm === first)
    try await expectEqual(realms.open(name(1)).realm.head.epoch, 1)
    try await expectEqual(realms.open(name(2)).realm.head.epoch, 2)
  }

  /// `RealmDirectory` 3
  @Test func aRealmThatIsUsedStaysOpen() async throws {
    let store = EmbeddedStore(SimulatedFiles())
    let realms = directory(store)
    var used: [RealmDirectory.OpenRealm] = []
    for number in 1...3 { used.append(try await realms.open(name(number))) }
    await #expect(throws: StoreError.tooManyOpenRealms) { _ = try await realms.open(name(4)) }
    used.removeLast()
    _ = try await realms.open(name(4))
    await realms.closeIdle(since: OriginTimestamp(milliseconds: .max))
    await expectEqual(realms.openCount, 2)
    for open in used { try await expectEqual(open.realm.file(FileIdentifier(9)), nil) }
    expectEqual(SessionRefusal(StoreError.tooManyOpenRealms).document.action, .transient)
  }

  /// `ViewScratch` 4
  @Test func openRealmsForgetWhatNoClientUses() async throws {
    let realms = directory(EmbeddedStore(SimulatedFiles()), recordsTouches: true)
    let open = try await realms.open(name(1))
    let scratch = try #require(open.scratch)
    let head = await open.realm.head
    let nothing = try MissedChanges([])
    scratch.missed.withLock { $0.keep(nothing, after: 0, to: head) }
    await realms.forgetUnused()
    expectTrue(scratch.missed.withLock { $0.byteCount } > 0)
    await realms.forgetUnused()
    expectEqual(scratch.missed.withLock { $0.byteCount }, 0)
  }

  /// `RealmDirectory` 1, `RealmDirectory` 4
  @Test func aRealmThatIsReadBecomesOwned() async throws {
    let realms = directory(EmbeddedStore(SimulatedFiles()))
    let reader = try await realms.openReader(name(1)).realm
    #expect(await !reader.isOwner)
    await expectEqual(reader.head.epoch, 0)
    async let one = realms.open(name(1)).realm
    async let other = realms.open(name(1)).realm
    let (first, second) = (try await one, try await other)
    expectTrue(first === reader)
    expectTrue(second === reader)
    #expect(await reader.isOwner)
    // It is owned once.
    await expectEqual(reader.head.epoch, 1)
  }

  /// `RealmDirectory` 4, `ServerRealm` 3
  @Test func aRealmThatWasLostIsOpenedAgain() async throws {
    let realms = directory(EmbeddedStore(SimulatedFiles()))
    let first = try await realms.open(name(1)).realm
    _ = try await first.store.own()
    // It is read still, until it is to be written.
    #expect(try await realms.openReader(name(1)).realm === first)
    _ = try await first.store.newest()
    let second = try await realms.open(name(1)).realm
    expectTrue(second !== first)
    await expectEqual(second.head.epoch, 3)
    await #expect(throws: StoreError.unknownRealm(first.id)) { try await first.own() }
  }

  /// What a reader cannot read it leaves as it is.
  @Test func aReaderChangesNothing() async throws {
    let realms = directory(EmbeddedStore(SimulatedFiles()))
    let reader = try await realms.openReader(name(1)).realm
    let error = try await reader.giveUp(through: 7, because: "damaged")
    expectEqual(error, .unreadableEntry(version: 7, "damaged"))
    await #expect(throws: StoreError.fenced) {
      try await reader.store(
        ClientFile(
          ident: FileIdentifier(2), salt: 1, user: "u", lastSeen: OriginTimestamp(milliseconds: 1)))
    }
  }

  /// `ServerRealm` 3: also where nothing but the realm hears of it, as with documents.
  @Test func aRealmWhoseDatabaseWentBackIsOpenedAgain() async throws {
    let isBack = Locked(false)
    let store = ObservedStore(EmbeddedStore(SimulatedFiles())) { call throws(StoreError) in
      guard call == .append, isBack.withLock({ $0 }) else { return }
      throw .conflict(RealmHead(realm: name(1).fileID))
    }
    let realms = directory(store)
    let first = try await realms.open(name(1)).realm
    let upload = Upload(try await first.allocateFile(for: "u"), [Text.schema()], from: 1)
    isBack.withLock { $0 = true }
    await expectEqual(first.integrate(upload).error, .conflict(RealmHead(realm: name(1).fileID)))
    isBack.withLock { $0 = false }
    let second = try await realms.open(name(1)).realm
    expectTrue(second !== first)
    await expectEqual(second.integrate(upload).code, nil)
  }

  /// `ServerSession` 3
  @Test func aSessionKeepsItsRealmUntilItsEnd() async throws {
    let bench = SessionBench(.partition)
    let (store, _) = try await bench.running()
    await bench.app.realms.closeIdle(since: OriginTimestamp(milliseconds: .max))
    await expectEqual(bench.upload([Text.schema()], by: store).code, nil)
    await store.close()
    await bench.app.realms.closeIdle(since: OriginTimestamp(milliseconds: .max))
    await expectEqual(bench.app.realms.openCount, 0)
  }

  @Test func aUserMakesOnlySoManyPartitionsInAnHour() async throws {
    let bench = SessionBench(.partition, realms: RealmLimits(newPerHour: 2))
    for number in [1, 2, 2, 3] {
      let reply = await bench.store().perform(bench.bind("\"\(number)\"", needsIdent: true))
      expectEqual(reply.code, (number == 3 ? .permissionDenied : nil))
    }
    let others = await bench.store().perform(bench.bind("\"3\"", user: "v", needsIdent: true))
    expectEqual(others.code, nil)
    // It is there now.
    await expectEqual(bench.store().perform(bench.bind("\"3\"", needsIdent: true)).code, nil)
    expectEqual(bench.reported, [.tooManyNewRealms])
  }

  /// Each file is a row that stays for months.
  @Test func aUserMakesOnlySoManyFilesInAnHour() async throws {
    let bench = SessionBench(.partition, realms: RealmLimits(newFilesPerHour: 2))
    for code in [nil, nil, SessionErrorCode.sessionClosed] {
      let reply = await bench.store().perform(bench.bind(needsIdent: true))
      expectEqual(reply.code, code)
      if case .refused(let refusal) = reply {
        expectEqual(refusal.document.action, .transient)
        expectEqual(refusal.document.retry?.intervalSeconds, 60)
      }
    }
    // A device that has a file goes on, and others make theirs.
    await expectEqual(bench.store().perform(bench.bind(needsIdent: false)), .done)
    await expectEqual(bench.store().perform(bench.bind(user: "v", needsIdent: true)).code, nil)
  }

  /// A file that outgrows what is reserved for it is opened again, with more.
  @Test func aRealmThatFailedForGoodIsOpenedAgain() async throws {
    let bench = SessionBench(.partition)
    let (older, _) = try await bench.running()
    let opened = try await bench.app.realms.open(
      RealmName(app: "test", partition: "\"home\""))
    // Another server takes the realm and gives it back.
    _ = try await opened.realm.store.own()
    await expectEqual(bench.upload([Text.schema()], by: older).code, .sessionClosed)
    let (newer, _) = try await bench.running(connection: 2)
    await expectEqual(bench.upload([Text.schema()], by: newer).code, nil)
  }

  @Test func aServersFilesReserveLittle() throws {
    let directory = try TemporaryDirectory()
    let files = DirectoryFiles(directory: directory.path)
    expectFalse(files.hasFile(of: RealmID("a/b")))
    #expect(try files.realms(ofApp: "a").isEmpty)
    #expect(throws: StorageError.self) { try files.open(RealmID("a/b")) }
    // A server that ends in the middle leaves no file under the name.
    #expect(throws: StorageError.corrupted("no")) {
      try files.make(RealmID("a/b")) { (_) throws(StorageError) in throw .corrupted("no") }
    }
    expectFalse(files.hasFile(of: RealmID("a/b")))
    try files.make(RealmID("a/b")) { (_) throws(StorageError) in }
    let file = try files.open(RealmID("a/b"))
    expectTrue(file.options.reservedByteCount + file.options.slabByteCount <= 10 << 30)
    expectTrue(files.hasFile(of: RealmID("a/b")))
    try expectEqual(files.realms(ofApp: "a"), [RealmID("a/b")])
  }

  /// As many partitions as `REALM_PARTITIONS` says, of which a hundredth is open. The row
  /// `partitions` of the benchmark `realm-sync` has a hundred thousand.
  @Test func thousandsOfPartitionsAreServed() async throws {
    let count = ProcessInfo.processInfo.environment["REALM_PARTITIONS"].flatMap(Int.init) ?? 16
    let openMax = max(4, count / 100)
    let folder = try TemporaryDirectory()
    let store = EmbeddedStore(DirectoryFiles(directory: folder.path))
    let realms = directory(store, openMax: openMax, threads: 2)
    for number in 0..<count {
      let realm = try await realms.open(name(number)).realm
      let file = try await realm.allocateFile(for: "u")
      let outcome = await realm.integrate(Upload(file, [Text.schema()], from: 1))
      expectEqual(outcome.code, nil)
    }
    #expect(await realms.openCount <= openMax && store.openCount <= openMax)
    // All that may be open are in use at once, and written to.
    var live: [RealmDirectory.OpenRealm] = []
    for number in 0..<openMax { live.append(try await realms.open(name(number * 7 % count))) }
    for open in live {
      let file = try await open.realm.allocateFile(for: "v")
      await expectEqual(open.realm.integrate(Upload(file, [Text.schema()], from: 1)).code, nil)
      await expectEqual(open.realm.head.version, 2)
    }
    expectTrue(store.openCount <= openMax)
  }
}
