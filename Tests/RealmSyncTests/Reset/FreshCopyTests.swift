// SPDX-License-Identifier: Apache-2.0

// The download of a fresh copy, with a server that the test plays (P3 D.2).

import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@Suite(.timeLimit(.minutes(10))) struct FreshCopyTests {
  /// A place for copies in memory.
  private final class Place: Sendable {
    private let system = Locked<SimulatedFileSystem?>(nil)
    let removals = Locked(0)

    var place: FreshCopyPlace {
      FreshCopyPlace(
        open: { () throws(StorageError) in try self.open() },
        remove: {
          self.removals.withLock { $0 += 1 }
          self.system.withLock { $0 = nil }
        })
    }

    func open() throws(StorageError) -> DatabaseFile {
      let known = system.withLock { $0 }
      if let known { return try known.openDatabase(history: .syncClient) }
      let made = try SimulatedFileSystem()
      system.withLock { $0 = made }
      return try made.openDatabase(history: .syncClient)
    }
  }

  private let network = MemoryNetwork()
  private let place = Place()
  private let driver: ClientDriver

  init() {
    driver = ClientDriver(
      mode: .partition, provider: network, authority: TestAuthority(), clock: ManualClock().clock)
  }

  private func download() -> Task<DatabaseFile, any Error> {
    let download = FreshCopyDownload(
      place.place, driver, SessionSettings(partition: "\"p\""), oldIdent: FileIdentifier(9),
      subscriptions: nil)
    return Task { try await download.run() }
  }

  /// Plays the server of a binding until the first MARK, which is returned.
  private func bind(
    _ peer: MemoryPeer, number: Int = 1, hasIdent: Bool = false
  ) async throws -> String {
    await expectEqual(peer.receive(), "bind \(number) 3 0 \(hasIdent ? 0 : 1) 0\n\"p\"")
    if !hasIdent { peer.send("ident \(number) 12 40\n") }
    await expectEqual(peer.receive()?.hasPrefix("ident \(number) 12 40 "), true)
    return try #require(await peer.receive())
  }

  /// - Parameter progress: The fields of the mode.
  private func serve(
    _ peer: MemoryPeer, number: Int = 1, _ mark: String, progress: String = "0"
  ) {
    let changeset = Items.changeset { items in
      items.addClass()
      items.create(1)
      items.setText("server", of: 1)
    }
    var body = Array("3 0 500 7 10 \(changeset.count) ".utf8)
    body += changeset
    let header = "download \(number) 3 0 3 5 0 0 \(progress) 0 \(body.count) 0\n"
    peer.send(Array(header.utf8) + body)
    peer.send(mark)
  }

  private func error(_ message: String, number: Int = 1) -> String {
    let json = """
      {"message":"\(message)","logURL":"","tryAgain":false,"shouldClientReset":true,\
      "isRecoveryModeDisabled":false,"action":"ClientReset"}
      """
    return "json_error 208 \(json.utf8.count) \(number)\n\(json)"
  }

  @Test func aCopyIsDownloadedAndNothingIsUploaded() async throws {
    let task = download()
    let peer = await network.accept()
    let mark = try await bind(peer)
    serve(peer, mark)
    let file = try await task.value
    try expectEqual(Items.texts(TableGroup(file.snapshot())), [1: "server"])
    try expectEqual(file.snapshot().top().fileIdentifier, 12)
    await expectEqual(peer.receive(), "unbind 1\n")
    // The copy has no agent any more.
    _ = try SyncAgent(file)
  }

  /// `FreshCopyDownload` 1: the first MARK is answered before the server has the subscriptions.
  @Test func aCopyWithoutItsSubscriptionsIsNotComplete() async throws {
    let driver = ClientDriver(
      mode: .flexible, provider: network, authority: TestAuthority(), clock: ManualClock().clock)
    let subscription = StoredSubscription(
      id: Bytes12(high: 1, low: 2), createdAt: .zero, updatedAt: .zero, name: "n",
      objectClass: "Item", query: "TRUEPREDICATE")
    let download = FreshCopyDownload(
      place.place, driver, SessionSettings(), oldIdent: FileIdentifier(9),
      subscriptions: [subscription])
    let task = Task { try await download.run() }
    let peer = await network.accept()
    await expectEqual(peer.receive()?.hasPrefix("bind 1 "), true)
    peer.send("ident 1 12 40\n")
    await expectEqual(peer.receive()?.hasPrefix("ident 1 12 40 "), true)
    peer.send(try #require(await peer.receive()))
    try #require(await peer.receive()?.hasPrefix("query 1 1 ") == true)
    let mark = try #require(await peer.receive())
    serve(peer, mark, progress: "1 1 1")
    let group = try TableGroup(await task.value.snapshot())
    try expectEqual(Items.texts(group), [1: "server"])
    try expectEqual(StoredSubscriptionSet.newest(in: group)?.state, .complete)
  }

  /// `FreshCopyDownload` 2.
  @Test func aCancelledDownloadGoesOn() async throws {
    let task = download()
    let peer = await network.accept()
    _ = try await bind(peer)
    task.cancel()
    await #expect(throws: ResetError.cancelled) { try await task.value }
    await expectEqual(peer.receive(), "unbind 1\n")
    let next = download()
    let mark = try await bind(peer, number: 2, hasIdent: true)
    serve(peer, number: 2, mark)
    #expect(try await next.value.newestVersion > 1)
  }

  @Test func aCopyThatIsRefusedIsBegunAgainOnce() async throws {
    do {
      let old = try SyncAgent(place.open())
      _ = try await old.adoptIdent(FileIdentifier(12), salt: 40)
    }
    let before = place.removals.withLock { $0 }
    let task = download()
    let peer = await network.accept()
    _ = try await bind(peer, hasIdent: true)
    peer.send(error("unknown"))
    await expectEqual(peer.receive(), "unbind 1\n")
    _ = try await bind(peer, number: 2)
    expectEqual(place.removals.withLock { $0 }, before + 1)
    peer.send(error("unknown again", number: 2))
    let end = await #expect(throws: ResetError.self) { try await task.value }
    expectEqual(end?.description.contains("unknown again"), true)
  }

  /// `FreshCopyDownload` 2: the server was restored from a backup while the copy was downloaded.
  @Test func aNewCopyThatIsRefusedIsBegunAgainOnce() async throws {
    let task = download()
    let peer = await network.accept()
    _ = try await bind(peer)
    peer.send(error("unknown"))
    await expectEqual(peer.receive(), "unbind 1\n")
    let mark = try await bind(peer, number: 2)
    serve(peer, number: 2, mark)
    let file = try await task.value
    try expectEqual(Items.texts(TableGroup(file.snapshot())), [1: "server"])
  }

  /// `FreshCopyDownload` 3.
  @Test func aCopyOfTheSameIdentifierIsBegunAgain() async throws {
    do {
      let old = try SyncAgent(place.open())
      _ = try await old.adoptIdent(FileIdentifier(9), salt: 4)
    }
    let task = download()
    let peer = await network.accept()
    let mark = try await bind(peer)
    serve(peer, mark)
    try await expectEqual(task.value.snapshot().top().fileIdentifier, 12)
  }
}
