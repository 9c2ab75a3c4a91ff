// SPDX-License-Identifier: Apache-2.0

// Finds the living core of a file in a confinement, or opens one.
//
// Invariants:
// 1. An entry's core is in memory: its deinitializer, which takes the lock, removes the entry.
// 2. No core is released under the lock.
//
// The cache holds cores by address and retains what is not being destroyed yet. A weak reference
// would do the same, but every retain and release of an object that ever had one takes the slow
// path of the runtime, and each managed object retains its core.

import CRealmPlatform
import Foundation
import RealmStorage
import RealmTables
import Synchronization

/// All living cores of the process.
enum RealmCache {
  private struct Key: Hashable {
    let location: Realm.Configuration.Location
    let confinement: Confinement
  }

  /// A core that others keep alive.
  private struct Entry: @unchecked Sendable {
    // Sendable: an address, used under the cache's lock; the core's state is not touched.
    let address: UnsafeMutableRawPointer

    init(_ core: RealmCore) { address = Unmanaged.passUnretained(core).toOpaque() }

    /// The core, unless it is being destroyed.
    func retained() -> RealmCore? {
      guard realm_try_retain(address) else { return nil }
      return Unmanaged<RealmCore>.fromOpaque(address).takeRetainedValue()
    }
  }

  private static let cores = Mutex<[Key: Entry]>([:])

  /// The core of `configuration` in `confinement`, which the caller runs in.
  static func core(
    _ configuration: Realm.Configuration, _ confinement: Confinement
  ) throws(Realm.Error) -> RealmCore {
    if let core = try livingCore(configuration, confinement) { return core }
    return add(try RealmOpener(configuration).open(confinement))
  }

  /// The core of `configuration` in `confinement`, which the caller runs in, if it lives.
  static func livingCore(
    _ configuration: Realm.Configuration, _ confinement: Confinement
  ) throws(Realm.Error) -> RealmCore? {
    let key = Key(location: configuration.location, confinement: confinement)
    guard let core = retained(key) else { return nil }
    try core.requireCompatible(configuration)
    return core
  }

  private static func retained(_ key: Key) -> RealmCore? {
    // nonisolated(unsafe): carries the reference out of the lock, to the confinement that it is
    // for.
    nonisolated(unsafe) var core: RealmCore?
    cores.withLock { core = $0[key]?.retained() }
    return core
  }

  /// Makes a core findable whose confinement has none yet. Called where it lives.
  static func add(_ core: RealmCore) -> RealmCore {
    let key = Key(location: core.configuration.location, confinement: core.confinement)
    let entry = Entry(core)
    cores.withLock { $0[key] = entry }
    core.startDelivery()
    return core
  }

  /// Whether any core of the file at `path` lives.
  static func hasCore(atPath path: String) -> Bool {
    cores.withLock { $0.contains { $0.key.location.path == path } }
  }

  /// Takes a core that is being destroyed out.
  static func remove(_ core: RealmCore) {
    let key = Key(location: core.configuration.location, confinement: core.confinement)
    let address = Entry(core).address
    cores.withLock { if $0[key]?.address == address { $0[key] = nil } }
  }

  /// Forgets all cores: later opens make new ones.
  static func removeAll() { cores.withLock { $0.removeAll() } }
}

extension RealmCore {
  /// Checks that the realm can serve another configuration of the same file.
  fileprivate func requireCompatible(_ other: Realm.Configuration) throws(Realm.Error) {
    let path = file.path
    func refuse(_ reason: String) throws(Realm.Error) {
      throw Realm.Error(
        .alreadyOpen, message: "Realm at path '\(path)' already opened with \(reason).", path: path)
    }
    if configuration.readOnly != other.readOnly { try refuse("different read permissions") }
    if configuration.schemaVersion != other.schemaVersion {
      try refuse("different schema version")
    }
    for schema in RealmOpener.schemas(of: other) where !has(schema.modelClass) {
      throw Realm.Error(
        .schemaMismatch,
        message: "Realm at path '\(path)' already opened on current thread with different schema.",
        path: path)
    }
  }
}
