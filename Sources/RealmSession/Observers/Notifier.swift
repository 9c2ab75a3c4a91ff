// SPDX-License-Identifier: Apache-2.0

// The worker of a file: computes change sets for all sessions of this process that show the file.
//
// It runs on a serial queue of its own: never on the cooperative pool, as it could starve it, and
// never in the confinement of a session, as it would block it. It sleeps until a version is
// committed or an observer is added.

import Dispatch
import RealmStorage
import RealmTables

/// The worker that computes the change sets for the observers of one file.
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
  private let state = Locked(State())

  init(_ file: DatabaseFile, _ schemas: SchemaCache) {
    self.file = file
    self.schemas = schemas
    queue = DispatchQueue(label: "OpenRealm notifier")
  }

  /// Adds `hub`, which follows the file as long as it lives.
  ///
  /// - Throws: `StorageError.threadUnavailable` for the first one.
  func add(_ hub: ObserverHub) throws(StorageError) {
    if state.withLock({ $0.listener == nil }) {
      let listener = try file.onNewVersion { [weak self] version in self?.signal(version) }
      // Another thread may have set its listener first. The spare one is released after the lock.
      let spare = state.withLock { state -> VersionListener? in
        if state.listener != nil { return listener }
        state.listener = listener
        return nil
      }
      _ = spare
    }
    state.withLock { $0.hubs[ObjectIdentifier(hub)] = WeakHub(hub: hub) }
  }

  /// Schedules a pass of the worker if a new version gives it something to compute; most commits
  /// are made by a session without observers, and waking a thread for nothing costs more than this
  /// check.
  private func signal(_ version: UInt64) {
    let hubs = state.withLock { $0.hubs.values.compactMap(\.hub) }
    if hubs.contains(where: { $0.hasWork(upTo: version) }) { signal() }
  }

  /// Schedules a pass of the worker.
  func signal() {
    let schedules = state.withLock { state in
      defer { state.isPassScheduled = true }
      return !state.isPassScheduled
    }
    if schedules { queue.async { [weak self] in self?.pass() } }
  }

  /// Runs a pass of the worker now, and waits for it.
  package func runNow() { queue.sync { pass() } }

  /// Calls `body` after computing and delivering everything known now.
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
