// SPDX-License-Identifier: Apache-2.0

// An import in memory, and the app that it makes.

import RealmFormats
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmServerEngine

/// Imports into realms in memory.
final class ImportBench {
  var files = MemoryFiles()
  var options = ImportOptions()
  /// The disk of the new server.
  private(set) var disk = SimulatedFiles()
  let accounts: AccountStore
  /// The mark on the disk.
  let mark = Locked<[UInt8]?>(nil)
  let rejected = Locked<[UInt8]>([])
  /// The calls of the store, and the one that fails.
  let faults = FaultyStore.Faults()

  static let clock = ServerClock { OriginTimestamp(milliseconds: 1_000_000) }

  init() throws {
    accounts = try AccountStore(SimulatedFileSystem().openDatabase(), now: Self.clock.now())
  }

  var plan: ImportPlan {
    get throws { try ImportPlan("app", data: "dump", in: files) }
  }

  private var target: ImportTarget {
    let (mark, rejected, faults) = (mark, rejected, faults)
    return ImportTarget(
      store: FaultyStore(EmbeddedStore(disk), faults), accounts: accounts, clock: Self.clock,
      mark: { (bytes) throws(ImportError) in
        guard faults.next() else { throw ImportError("fault") }
        mark.withLock { $0 = bytes }
      },
      reject: { (bytes, offset) throws(ImportError) in
        guard faults.next() else { throw ImportError("fault") }
        rejected.withLock { $0 = $0.prefix(offset) + bytes }
      })
  }

  /// Imports everything, or goes on with what an earlier call has left.
  @discardableResult
  func run(users: String? = nil) async throws -> ImportReport {
    let run = try ImportRun(
      plan, in: files, to: target, options: options, after: mark.withLock { $0 })
    return try await run.run(users: users)
  }

  /// Another process takes over.
  func restart() throws { disk = try disk.restarted() }

  // MARK: The app

  /// The collections of the app, with all rights.
  func service() throws -> DocumentService {
    let plan = try plan
    var settings = ServerRealm.Settings(recordsTouches: plan.app.mode == .flexible)
    settings.schema = SchemaKeeper(plan.schema, isFixed: true) { _ in .success(nil) }
    let store = EmbeddedStore(disk)
    let app = ServerApp(
      named: plan.app.id,
      realms: RealmDirectory(store, settings: settings, clock: Self.clock),
      authenticator: SessionAuthenticator { (bind) throws(SessionRefusal) in bind.token })
    return DocumentService(
      app, mode: plan.app.mode, settings: plan.app.documents, heads: store.heads(),
      clock: Self.clock)
  }

  /// The documents of a class, in the order of their ids.
  func documents(_ name: String, _ query: String = "{}") async throws -> [BSONValue] {
    let arguments = try ExtendedJSONReader.parse(
      #"{"database":"db","collection":"\#(name)","query":\#(query),"sort":{"_id":1}}"#)
    return try await service().call("find", [arguments], user: "u").values ?? []
  }

  /// The texts of documents, without the types of integers.
  func texts(_ name: String, _ query: String = "{}") async throws -> [String] {
    try await documents(name, query).map { DocumentBench.text($0) }
  }
}

/// A store whose calls fail at will.
struct FaultyStore: ServerStore {
  final class Faults: Sendable {
    private let state = Locked((count: 0, failing: Int.max))

    /// The calls so far.
    var count: Int { state.withLock { $0.count } }

    /// Lets the call of a number fail, and all after it.
    func fail(at number: Int) { state.withLock { $0 = (0, number) } }

    /// Counts a call; returns false if it is to fail.
    func next() -> Bool {
      state.withLock { state in
        defer { state.count += 1 }
        return state.count < state.failing
      }
    }

    func check() throws(StoreError) {
      if !next() { throw .unavailable("fault") }
    }
  }

  private let store: any ServerStore
  private let faults: Faults

  init(_ store: any ServerStore, _ faults: Faults) {
    self.store = store
    self.faults = faults
  }

  nonisolated(nonsending)
    func open(_ realm: RealmName) async throws(StoreError) -> any RealmStore
  {
    try faults.check()
    return FaultyRealm(store: try await store.open(realm), faults: faults)
  }

  nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool
  {
    try await store.exists(realm)
  }

  nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]
  {
    try await store.realms(ofApp: app)
  }

  nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline
  {
    try await store.peek(realm)
  }

  func heads(ofApp app: String?) -> AsyncStream<RealmHead> { store.heads(ofApp: app) }
}

/// A realm of such a store.
private struct FaultyRealm: RealmStore {
  let store: any RealmStore
  let faults: FaultyStore.Faults

  nonisolated(nonsending) func own() async throws(StoreError) -> RealmHead {
    try faults.check()
    return try await store.own()
  }

  nonisolated(nonsending) func close() async { await store.close() }

  nonisolated(nonsending)
    func append(
      expecting version: UInt64, epoch: UInt64,
      _ build: (WriteGroup) throws(StorageError) -> Batch?
    ) async throws(StoreError) -> RealmHead?
  {
    try faults.check()
    let head = try await store.append(expecting: version, epoch: epoch, build)
    // The caller may not hear of what is on the disk.
    try faults.check()
    return head
  }

  nonisolated(nonsending)
    func snapshot(atLeast version: UInt64) async throws(StoreError) -> RealmSnapshot
  {
    try await store.snapshot(atLeast: version)
  }

  nonisolated(nonsending)
    func entries(in range: Range<UInt64>) async throws(StoreError) -> [StoredEntry]
  {
    try await store.entries(in: range)
  }

  nonisolated(nonsending)
    func allocateFile(
      for user: String, now: OriginTimestamp
    ) async throws(StoreError) -> ClientFile
  {
    try await store.allocateFile(for: user, now: now)
  }

  nonisolated(nonsending)
    func file(_ ident: FileIdentifier) async throws(StoreError) -> ClientFile?
  {
    try await store.file(ident)
  }

  nonisolated(nonsending) func files() async throws(StoreError) -> [ClientFile] {
    try await store.files()
  }

  nonisolated(nonsending)
    func reciprocals(
      of ident: FileIdentifier, after version: UInt64
    ) async throws(StoreError) -> [UInt64: [UInt8]]
  {
    try await store.reciprocals(of: ident, after: version)
  }

  nonisolated(nonsending)
    func privates(
      of ident: FileIdentifier, after version: UInt64
    ) async throws(StoreError) -> [PrivateChange]
  {
    try await store.privates(of: ident, after: version)
  }
}
