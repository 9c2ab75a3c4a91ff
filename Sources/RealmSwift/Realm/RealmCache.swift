// SPDX-License-Identifier: Apache-2.0

// Finds the living core of a file in a confinement, or opens one.

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

  private static let cores = Mutex<[Key: CoreReference]>([:])

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
    guard let core = cores.withLock({ $0[key] })?.core else { return nil }
    try core.requireCompatible(configuration)
    return core
  }

  /// Makes a core findable whose confinement has none yet. Called where it lives.
  static func add(_ core: RealmCore) -> RealmCore {
    let key = Key(location: core.configuration.location, confinement: core.confinement)
    let reference = core.reference
    cores.withLock { $0[key] = reference }
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
    let reference = core.reference
    cores.withLock { if $0[key] === reference { $0[key] = nil } }
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
