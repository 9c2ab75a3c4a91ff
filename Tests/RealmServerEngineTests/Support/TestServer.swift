// SPDX-License-Identifier: Apache-2.0

// A server of one realm that can be killed and started again.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmServerEngine

/// A realm on simulated files, with a clock of its own and known salts.
final class TestServer {
  static let name = RealmName(app: "todo", partition: "home")

  private(set) var files = SimulatedFiles()
  private(set) var realm: ServerRealm
  private let thread = ThreadExecutor()
  private let seed: UInt64
  private var settings: ServerRealm.Settings
  private var startCount: UInt64 = 0
  let time = Locked(OriginTimestamp(milliseconds: 1_000_000))
  private let observer: ObservedStore.Observer
  private let searchers: ViewSearchers?
  /// What the store and the realm have said about rows that cannot be read.
  let problems = Locked<[String]>([])

  init(
    seed: UInt64 = 1, recordsTouches: Bool = false, partByteCount: Int = 1 << 19,
    bootstrapEntryByteCount: Int = Bootstrap.entryByteCountMax, schema: SchemaKeeper? = nil,
    searchers: ViewSearchers? = nil,
    observer: @escaping ObservedStore.Observer = { _ in }
  ) async throws {
    self.seed = seed
    self.searchers = searchers
    self.observer = observer
    settings = ServerRealm.Settings(recordsTouches: recordsTouches)
    settings.schema = schema
    settings.partByteCount = partByteCount
    settings.bootstrapEntryByteCount = bootstrapEntryByteCount
    let problems = problems
    settings.report = { error in problems.withLock { $0.append("\(error)") } }
    realm = try await Self.open(
      files, salts: SaltSource(SeededGenerator(seed: seed)), thread, searchers, time, settings,
      problems, observer)
  }

  private static func open(
    _ files: SimulatedFiles, salts: SaltSource, _ thread: ThreadExecutor,
    _ searchers: ViewSearchers?, _ time: Locked<OriginTimestamp>, _ settings: ServerRealm.Settings,
    _ problems: Locked<[String]>, _ observer: @escaping ObservedStore.Observer
  ) async throws -> ServerRealm {
    let store = EmbeddedStore(
      files, salts: salts, onProblem: { problem in problems.withLock { $0.append(problem) } })
    return try await ServerRealm.open(
      name, of: ObservedStore(store, observer),
      settings: settings,
      clock: ServerClock { time.withLock { $0 } }, salts: salts, thread: thread,
      searchers: searchers)
  }

  /// Kills the server and starts another on its files.
  ///
  /// - Parameter damage: Changes the files meanwhile.
  func restart(damage: ((WriteGroup) throws -> Void)? = nil) async throws {
    startCount += 1
    files = try files.restarted()
    if let damage {
      let group = try WriteGroup(files.open(realm.id).beginWrite())
      try damage(group)
      _ = try group.commit()
      files = try files.restarted()
    }
    realm = try await Self.open(
      files, salts: SaltSource(SeededGenerator(seed: seed &+ startCount << 32)), thread, searchers,
      time, settings, problems, observer)
  }

  /// Introduces a client's file as a session does; throws `IdentDefect`.
  func identify(
    _ file: ClientFile, download: DownloadCursor, latest: SaltedVersion
  ) async throws -> ServerFile {
    let lookup = try await realm.lookUp(file.ident, of: file.user, latest: latest.version)
    return try lookup.check(
      ClientMessage.Ident(
        session: 1, file: file.ident, salt: file.salt, download: download, latest: latest))
  }

  func advance(_ milliseconds: UInt64) {
    time.withLock { $0.milliseconds += milliseconds }
  }

  func snapshot() async throws -> RealmSnapshot {
    try await realm.store.snapshot(atLeast: 0)
  }

  func entries() async throws -> [StoredEntry] {
    let head = try await snapshot().head
    return try await realm.store.entries(in: head.base + 1..<head.version + 1)
  }

  func digest() async throws -> StateDigest {
    try StateDigest(of: try await snapshot().objects, file: .server)
  }
}
