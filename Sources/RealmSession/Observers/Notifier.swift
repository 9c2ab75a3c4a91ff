// SPDX-License-Identifier: Apache-2.0

// The worker of a file: computes change sets for all realms of this process that show the file.
//
// It runs on a serial queue of its own: never on the cooperative pool, which it could starve, and
// never where a realm lives, which it would hold up. It sleeps until a version is committed or an
// observer comes.

import Dispatch
import RealmStorage
import RealmTables

/// The worker that computes what observers of one file are to be told.
package final class Notifier: Sendable {
  private struct State {
    var hubs: [ObjectIdentifier: WeakHub] = [:]
    var isPassScheduled = false
    var listener: VersionListener?
  }

  private final class WeakHub: Sendable {
    weak let hub: ObserverHub?

    init(hub: ObserverHub) { self.hub = hub }
  }

  private let file: DatabaseFile
  private let schemas: SchemaCache
  private let queue: DispatchQueue
  private let state = Guarded(State())

  init(_ file: DatabaseFile, _ schemas: SchemaCache) {
    self.file = file
    self.schemas = schemas
    queue = DispatchQueue(label: "OpenRealm notifier")
  }

  /// Lets `hub` follow the file from now on, as long as it lives.
  ///
  /// - Throws: `StorageError.threadUnavailable` for the first one.
  func add(_ hub: ObserverHub) throws(StorageError) {
    if state.withLock({ $0.listener == nil }) {
      let listener = try file.onNewVersion { [weak self] version in self?.signal(version) }
      // Another thread may have been faster. The one that is not needed goes after the lock.
      let spare = state.withLock { state -> VersionListener? in
        if state.listener != nil { return listener }
        state.listener = listener
        return nil
      }
      _ = spare
    }
    state.withLock { $0.hubs[ObjectIdentifier(hub)] = WeakHub(hub: hub) }
  }

  /// Lets the worker look for what a new version makes it compute; most commits are made by a realm
  /// that nobody observes, and waking a thread for nothing costs more than looking.
  private func signal(_ version: UInt64) {
    let hubs = state.withLock { $0.hubs.values.compactMap(\.hub) }
    if hubs.contains(where: { $0.hasWork(upTo: version) }) { signal() }
  }

  /// Lets the worker look for what is to be computed, soon.
  func signal() {
    let schedules = state.withLock { state in
      defer { state.isPassScheduled = true }
      return !state.isPassScheduled
    }
    if schedules { queue.async { [weak self] in self?.pass() } }
  }

  /// Lets the worker compute and hand over everything now, and waits for it.
  package func runNow() { queue.sync { pass() } }

  /// Calls `body` after everything that is known now has been computed and handed over.
  package func afterNextPass(_ body: @escaping @Sendable () -> Void) {
    queue.async { [self] in
      pass()
      body()
    }
  }

  private func pass() {
    let hubs = state.withLock { state in
      state.isPassScheduled = false
      state.hubs = state.hubs.filter { $0.value.hub != nil }
      return state.hubs.values.compactMap(\.hub)
    }
    var newest: TableGroup?
    for hub in hubs {
      hub.prepare(version: file.newestVersion) { () throws(StorageError) in
        if let newest { return newest }
        let tables = try TableGroup(file.snapshot(), schemas: schemas)
        newest = tables
        return tables
      }
    }
  }
}
