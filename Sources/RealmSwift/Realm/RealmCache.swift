// SPDX-License-Identifier: Apache-2.0

// Finds the live core of a file in a confinement, or opens one.

import CRealmPlatform
import Foundation
import RealmSession
import RealmStorage
import RealmTables

/// All live cores of the process.
enum RealmCache {
  private struct Key: Hashable {
    let location: Realm.Configuration.Location
    let confinement: Confinement
  }

  private static let cores = Locked<[Key: SessionReference]>([:])

  /// The core of `configuration` in `confinement`, which the caller runs in.
  static func core(
    _ configuration: Realm.Configuration, _ confinement: Confinement
  ) throws(Realm.Error) -> RealmCore {
    for attempt in 1... {
      do throws(Realm.Error) {
        if let core = try livingCore(configuration, confinement) { return core }
        break
      } catch {
        // Another thread may still look at a realm of this place that was just released.
        if attempt >= patience(for: configuration.location.path) { throw error }
      }
      usleep(1000)
    }
    return try add(RealmOpener(configuration).open(confinement))
  }

  /// The core of `configuration` in `confinement`, which the caller runs in, if it is alive.
  static func livingCore(
    _ configuration: Realm.Configuration, _ confinement: Confinement
  ) throws(Realm.Error) -> RealmCore? {
    try requireOwnProcess(configuration)
    let key = Key(location: configuration.location, confinement: confinement)
    guard let core = cores.withLock({ $0[key] })?.core else { return nil }
    try core.requireCompatible(configuration)
    return core
  }

  /// Throws in a child process that was forked without exec: it finds the realms of its parent
  /// here, which it cannot use.
  static func requireOwnProcess(_ configuration: Realm.Configuration) throws(Realm.Error) {
    guard realm_is_forked() else { return }
    let path = configuration.location.path
    throw Realm.Error(StorageError.forkedProcess(path: path), path: path)
  }

  /// Checks that realms of the file in other places were opened in the same way.
  static func requireSameOptions(_ configuration: Realm.Configuration) throws(Realm.Error) {
    for attempt in 1... {
      do throws(Realm.Error) {
        try otherCore(of: configuration)?.requireSameOptions(configuration)
        return
      } catch {
        // A realm that has just been released is destroyed shortly.
        if attempt >= patience(for: configuration.location.path) { throw error }
      }
      usleep(1000)
    }
  }

  /// The time in milliseconds that a realm of the file may take to close after the program released
  /// its last reference. A thread that looks at a realm keeps it for a moment, and in a busy
  /// process it may have to wait for a processor meanwhile; so it may where a callback has just
  /// returned.
  ///
  /// A realm of the caller's own place is in use more likely, which is a mistake to be told of
  /// soon.
  private static func patience(for path: String) -> Int { hasCoreHere(atPath: path) ? 500 : 2000 }

  /// A realm of the file in any place. All agree among themselves, so one is enough.
  private static func otherCore(of configuration: Realm.Configuration) -> RealmCore? {
    cores.withLock { cores in
      cores.first {
        $0.key.location == configuration.location && !$0.key.confinement.isFrozen
      }?.value
    }?.core
  }

  /// Registers a core whose confinement has none yet. Called in that confinement.
  static func add(_ core: RealmCore) throws(Realm.Error) -> RealmCore {
    assert(!core.isFrozen, "`RealmCore` 1: a frozen core has no confinement")
    do throws(StorageError) {
      try core.startObserving()
    } catch {
      throw Realm.Error(error, path: core.file.path)
    }
    let key = Key(location: core.configuration.location, confinement: core.confinement)
    let reference = core.reference
    cores.withLock { $0[key] = reference }
    core.isReady()
    return core
  }

  /// The frozen core of the version that `tables` shows.
  static func frozenCore(
    _ configuration: Realm.Configuration, _ layouts: [ClassLayout], _ shared: SharedFile,
    _ tables: TableGroup
  ) throws(StorageError) -> RealmCore {
    let schemas = layouts.map(\.schema)
    if let core = frozenCore(configuration, tables.version, serving: schemas) { return core }
    let confinement = Confinement.frozen(version: tables.version)
    let key = Key(location: configuration.location, confinement: confinement)
    let made = RealmCore(
      configuration: configuration, confinement: confinement, shared: shared, reading: tables)
    try made.classes.register(layouts)
    // Another thread may have added one meanwhile. Cores are released after the lock.
    let first = cores.withLock { cores -> SessionReference? in
      let known = cores[key]
      if known == nil { cores[key] = made.reference }
      return known
    }
    guard let first else { return made }
    if let core = first.core, core.serves(schemas) { return core }
    cores.withLock { cores in
      if cores[key] === first { cores[key] = made.reference }
    }
    return made
  }

  /// The frozen core of a version, if there is one that has all those classes.
  static func frozenCore(
    _ configuration: Realm.Configuration, _ version: UInt64, serving schemas: [ModelSchema]
  ) -> RealmCore? {
    let key = Key(location: configuration.location, confinement: .frozen(version: version))
    guard let core = cores.withLock({ $0[key] })?.core, core.serves(schemas) else { return nil }
    return core
  }

  /// The core through which the caller reads and writes live objects.
  ///
  /// Where `Realm()` is right for the caller, it is that realm. An actor's code cannot keep a realm
  /// that is confined to the thread that it happens to run on, so the actor's own realm comes
  /// first, if there is one; and code of a queue may use a realm of the queue.
  static func coreForCaller(_ configuration: Realm.Configuration) throws(Realm.Error) -> RealmCore {
    let place = Confinement.current
    if case .main = place { return try core(configuration, place) }
    let location = configuration.location
    let places = cores.withLock { cores in
      cores.keys.filter { $0.location == location }.map(\.confinement)
    }
    let isThreadsOwn = places.contains(place)
    for other in places {
      switch other {
      case .actor(let actor) where actor.isRunning: return try core(configuration, other)
      case .queue(let queue) where !isThreadsOwn && queue.isCurrent:
        return try core(configuration, other)
      default: continue
      }
    }
    return try core(configuration, place)
  }

  /// Whether any core of the file at `path` is alive.
  static func hasCore(atPath path: String) -> Bool {
    cores.withLock { $0.contains { $0.key.location.path == path } }
  }

  /// Whether a core of the file at `path` is alive where the caller runs.
  private static func hasCoreHere(atPath path: String) -> Bool {
    cores.withLock { cores in
      cores.keys.contains {
        $0.location.path == path && !$0.confinement.isFrozen
          && $0.confinement.isCertainlyCurrent
      }
    }
  }

  /// Whether no core of the file at `path` is alive, or the last is destroyed shortly.
  static func isClosedSoon(_ path: String) -> Bool {
    var waited = 0
    while hasCore(atPath: path) {
      if waited >= patience(for: path) { return false }
      usleep(1000)
      waited += 1
    }
    return true
  }

  /// Runs `body` while no process has the file at `path` open; false if one has.
  ///
  /// - Parameter patience: The time in milliseconds that workers may take to release the file after
  ///   the last realm.
  static func whileClosed(
    _ path: String, patience: Int = 200, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    for _ in 0..<patience where !hasCore(atPath: path) {
      if try DatabaseFile.whileClosed(path: path, body) { return true }
      // A worker that was just using the last realm releases the file shortly.
      usleep(1000)
    }
    return false
  }

  /// Removes a core that is being destroyed.
  static func remove(_ core: RealmCore) {
    let key = Key(location: core.configuration.location, confinement: core.confinement)
    let reference = core.reference
    cores.withLock { if $0[key] === reference { $0[key] = nil } }
  }

  /// Forgets all cores: later opens make new ones. Transactions that are open where the caller runs
  /// are undone.
  static func removeAll() {
    let known = cores.withLock { cores in
      defer { cores.removeAll() }
      return cores
    }
    for (key, reference) in known
    where !key.confinement.isFrozen && key.confinement.isCertainlyCurrent {
      if let core = reference.core, core.isInWrite { core.cancelWrite() }
    }
  }
}

extension RealmCore {
  /// Whether the frozen realm is valid and has all of these classes.
  fileprivate func serves(_ schemas: [ModelSchema]) -> Bool {
    !isFrozenAndInvalid && schemas.allSatisfy { classes.contains($0.modelClass) }
  }

  /// Checks that the realm can serve another configuration of the same file.
  fileprivate func requireCompatible(_ other: Realm.Configuration) throws(Realm.Error) {
    try requireSameOptions(other)
    for schema in RealmOpener.schemas(of: other)
    where !classes.contains(schema.modelClass) && !lacksTable(of: schema.modelClass) {
      throw Realm.Error(
        .schemaMismatch,
        message: "Realm at path '\(file.path)' already opened on current thread with different "
          + "schema.",
        path: file.path)
    }
  }

  /// Checks that another realm of the file may be opened with a configuration.
  fileprivate func requireSameOptions(_ other: Realm.Configuration) throws(Realm.Error) {
    let path = file.path
    func refuse(_ reason: String) throws(Realm.Error) {
      throw Realm.Error(
        .alreadyOpen, message: "Realm at path '\(path)' already opened with \(reason).", path: path)
    }
    if configuration.readOnly != other.readOnly { try refuse("different read permissions") }
    if configuration.encryptionKey != other.encryptionKey {
      try refuse("a different encryption key")
    }
    if configuration.schemaVersion != other.schemaVersion {
      try refuse(
        "different schema version: \(configuration.schemaVersion), and now "
          + "\(other.schemaVersion). Use one configuration for a file in the whole program, or "
          + "close the Realms that are open")
    }
    if configuration.fileHistory != other.fileHistory {
      try refuse("a different sync configuration")
    }
  }
}
