// SPDX-License-Identifier: Apache-2.0

// The stores that the contract tests run against, each over something that survives it.

import Foundation
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncTestSupport
import RealmTestSupport
import Synchronization
import Testing

#if Postgres
@testable import RealmServerPostgres
#endif

/// A kind of store.
enum StoreKind: String, Sendable {
  /// On simulated files.
  case embedded
  /// On a database in memory.
  case simulated
  /// On PostgreSQL.
  case postgres

  /// Those that this build and this machine have. `PostgresStoreTests` says what the machine lacks.
  static let all: [StoreKind] = {
    #if Postgres
    PostgresCluster.isInstalled ? [.embedded, .simulated, .postgres] : [.embedded, .simulated]
    #else
    [.embedded]
    #endif
  }()

  /// Those that several servers share.
  static var shared: [StoreKind] { all.filter { $0 != .embedded } }
}

/// What the stores of a test are on.
final class StoreBench: Sendable {
  private static let count = Atomic(0)

  let name: RealmName
  private let folder: TemporaryDirectory
  private let files: Mutex<SimulatedFiles>
  private let nodes = Mutex(0)
  private let processes = Atomic(0)
  let seed: UInt64
  #if Postgres
  /// Nil for the embedded store.
  let connector: FaultyConnector?
  /// The database of the simulated kind.
  let simulation: SimulatedDatabase?
  let settings: PostgresSettings
  #endif

  /// - Parameters:
  ///   - patience: The milliseconds in which a call tries again.
  ///   - lease: The milliseconds of a lease.
  ///   - poll: The milliseconds between two reads of all heads.
  ///   - checkpointVersions: The versions after which a realm gets a checkpoint.
  ///   - flaw: What the simulated database does wrong.
  init(
    _ kind: StoreKind, seed: UInt64 = 5, patience: Int = 20_000, lease: Int = 60_000,
    poll: Int = 100, checkpointVersions: UInt64 = 10_000, flaw: SimulationFlaw? = nil
  ) throws {
    self.seed = seed
    let number = Self.count.add(1, ordering: .relaxed).newValue
    name = RealmName(app: "app\(number)", partition: "P 1")
    folder = try TemporaryDirectory()
    files = Mutex(SimulatedFiles())
    #if Postgres
    var settings = PostgresSettings()
    settings.patienceMilliseconds = patience
    settings.leaseMilliseconds = lease
    settings.pollMilliseconds = poll
    settings.checkpointVersions = checkpointVersions
    self.settings = settings
    let simulation = kind == .simulated ? SimulatedDatabase(flaw: flaw) : nil
    self.simulation = simulation
    switch kind {
    case .embedded: connector = nil
    case .simulated: connector = simulation.map { FaultyConnector($0) }
    case .postgres: connector = FaultyConnector(try PostgresCluster.shared.get().connector())
    }
    #endif
  }

  /// Each process draws others.
  private var salts: SaltSource {
    let number = processes.add(1, ordering: .relaxed).newValue
    return SaltSource(SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number)))
  }

  /// A store on what there is, as the process of the server has it.
  func store() throws -> any ServerStore {
    #if Postgres
    if let connector {
      let node = nodes.withLock { $0 }
      return try PostgresStore(
        connector, folder: folder.file("node \(node)"), settings: settings,
        salts: salts)
    }
    #endif
    return EmbeddedStore(files.withLock { $0 }, salts: salts)
  }

  /// A store on what is durable, as the next process of the server has it.
  func restarted() throws -> any ServerStore {
    try files.withLock { $0 = try $0.restarted() }
    return try store()
  }

  /// A store of another server, which has no replica yet.
  func otherServer() throws -> any ServerStore {
    nodes.withLock { $0 += 1 }
    return try store()
  }

  #if Postgres
  /// A store of the server of a number, on the database of all.
  func server(_ number: Int) throws -> PostgresStore {
    let connector = try #require(connector)
    return try PostgresStore(
      connector, folder: folder.file("server \(number)"), settings: settings, salts: salts)
  }
  #endif

  /// The path of a file of the bench.
  func path(_ name: String) -> String { folder.file(name) }

  /// The folder of the present server's replicas.
  var replicas: String { folder.file("node \(nodes.withLock { $0 })") }
}
