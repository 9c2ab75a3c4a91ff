// SPDX-License-Identifier: Apache-2.0

// The public type of a database: opening it, its configuration and its identity.

public import Dispatch
public import Foundation
import RealmSession
package import RealmStorage
import RealmTables

/// A database of objects of the program's model classes, stored in one file.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write {
///   realm.add(Todo(value: ["name": "Water the plants"]))
/// }
/// let open = realm.objects(Todo.self).where { !$0.isDone }
/// ```
///
/// A realm, and every object and collection read from it, may be used only where it was opened: on
/// that thread, that queue, or that actor. `freeze()` makes copies that any thread may read.
///
/// While a realm is open, the file belongs to it and to other processes that use this library. No
/// other program may truncate or overwrite it: reading what is no longer there kills the process
/// by a signal (SIGBUS), and no write transaction is acknowledged any more. A process that is
/// forked without `exec` after a realm was opened cannot use any realm.
public struct Realm {
  @usableFromInline let core: RealmCore

  init(core: RealmCore) { self.core = core }

  /// Opens the default configuration for the calling thread, or for `queue`.
  ///
  /// - Throws: `Realm.Error`.
  public init(queue: DispatchQueue? = nil) throws {
    try self.init(configuration: .defaultConfiguration, queue: queue)
  }

  /// Opens a realm for the calling thread, or for all code on `queue`, a serial queue on which the
  /// caller must be.
  ///
  /// Traps for a concurrent queue, and for a caller that is elsewhere.
  ///
  /// - Throws: `Realm.Error`.
  public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
    let confinement = queue.map { Confinement.queue($0) } ?? .current
    if queue != nil, !confinement.isCurrent {
      throwRealmException("Realm opened from incorrect dispatch queue.")
    }
    core = try RealmCache.core(configuration, confinement)
  }

  /// Opens the default configuration with another file.
  ///
  /// - Throws: `Realm.Error`.
  public init(fileURL: URL) throws {
    var configuration = Configuration.defaultConfiguration
    configuration.fileURL = fileURL
    try self.init(configuration: configuration)
  }

  /// The configuration that the realm was opened with.
  public var configuration: Configuration { core.configuration }

  /// The file, which all its realms of this process share; for the agent that synchronises it.
  package var databaseFile: DatabaseFile { core.file }

  /// Whether the realm contains no objects.
  public var isEmpty: Bool {
    core.checkIsolation()
    for info in core.classes.all
    where info.searching(try info.table.objectCount(), else: 0) > 0 { return false }
    return true
  }
}

extension Realm: Equatable {
  /// Whether both are the same instance: one file in one confinement, or, if they are frozen, of
  /// one version.
  public static func == (left: Realm, right: Realm) -> Bool { left.core === right.core }
}
