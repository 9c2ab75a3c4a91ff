// SPDX-License-Identifier: Apache-2.0

// An import in memory, and the app that it makes.

#if Server
import RealmFormats
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

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
  let faults = StoreFaults()

  static let clock = ServerClock { OriginTimestamp(milliseconds: 1_000_000) }

  init() throws {
    accounts = try AccountStore(SimulatedFileSystem().openDatabase(), now: Self.clock.now())
  }

  var plan: AppImportPlan {
    get throws { try AppImportPlan("app", data: "dump", in: files) }
  }

  private var target: ImportTarget {
    let (mark, rejected, faults) = (mark, rejected, faults)
    let store = ObservedStore(EmbeddedStore(disk)) { (call) throws(StoreError) in
      if call != .snapshot { try faults.check() }
    }
    return ImportTarget(
      store: store, accounts: accounts, clock: Self.clock,
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
  func run(users: String? = nil) async throws -> AppImportReport {
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
#endif
