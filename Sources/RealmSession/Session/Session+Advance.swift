// SPDX-License-Identifier: Apache-2.0

// Moves a session from version to version, and notifies its observers of each move.
//
// Invariants:
// 1. The move to a version and its calls of observers are one step: calls still due when an
//    observer writes are made before the write begins.
// 2. A session does not move while observers are called.

package import RealmStorage
package import RealmTables

extension Session {
  /// Shows the newest version, or a newer one of another session that is not durable yet, and
  /// notifies observers.
  ///
  /// - Returns: Whether there was a newer version.
  @discardableResult
  package final func refresh(atLeastTo known: TableGroup? = nil) throws(StorageError) -> Bool {
    if isFrozen { return false }
    guard let observers else {
      if let shownTables, shownTables.version == file.newestVersion { return false }
      show(try shared.newestTables(), by: .refreshing)
      return true
    }
    guard !isInWrite, !observers.isDelivering else { return false }
    guard let shown = shownTables else {
      move(to: try shared.newestTables(), with: observers.hub.takeBatch(), by: .refreshing)
      return true
    }
    var target = shown
    if shown.version < file.newestVersion { target = try shared.newestTables() }
    if let known, known.version > target.version { target = known }
    move(to: target, with: observers.hub.takeBatch(), by: .refreshing)
    return target.version > shown.version
  }

  /// Moves to a version that is not older than `version`, if the session can move now.
  package final func advance(to version: UInt64) throws(StorageError) {
    if try readableTables().version < version, !isInWrite {
      try refresh(atLeastTo: shared.pendingTables(atLeast: version))
    }
  }

  /// Moves to the newest version and notifies of everything up to it, before a transaction waits
  /// for its turn.
  final func catchUp() throws(StorageError) {
    guard let observers else { return }
    observers.makeCalls()
    guard let shown = shownTables else { return }
    if shown.version < file.newestVersion {
      move(to: try shared.newestTables(), with: observers.hub.takeBatch(), by: .writing)
    } else if observers.hub.isBehind(shown.version) {
      move(to: shown, with: observers.hub.takeBatch(), by: .writing)
    }
  }

  /// Delivers what the worker has computed for the observers. Called in the confinement.
  final func deliverScheduled() {
    // The end of the transaction or of the running call schedules again.
    guard let observers, !isInWrite, !observers.isDelivering else { return }
    observers.makeCalls()
    guard let batch = observers.hub.takeBatch() else { return }
    let shown = shownTables
    let isNewer = shown.map { $0.version < batch.version } ?? true
    if !observers.hub.autorefresh, let shown, shown.version < file.newestVersion {
      observers.notify(.newerVersionExists, self)
    }
    let follows = isNewer && (observers.hub.autorefresh || shown == nil)
    let target = follows ? batch.tables : (shown ?? batch.tables)
    move(to: target, with: batch, by: .followingCommits)
    shared.notifier.signal()
  }

  /// Delivers the calls for the shown version, before the task of its commit goes on.
  package final func deliverShown() {
    guard let observers, !isInWrite, !observers.isDelivering else { return }
    deliverScheduled()
    if let shownTables, observers.hub.isBehind(shownTables.version) {
      move(to: shownTables, with: nil, by: .followingCommits)
    }
  }

  private func move(to target: TableGroup, with batch: ChangeBatch?, by use: VersionUse) {
    guard let observers else { return }
    let shownVersion = shownTables?.version
    observers.collectCalls(upTo: target, from: shownVersion, with: batch)
    if shownVersion.map({ $0 < target.version }) ?? true {
      show(target, by: use)
      if shownVersion != nil { observers.notify(.moved, self) }
    }
    observers.makeCalls()
  }

  /// Brings one observer outside of a call to the session's version, and notifies it; the others
  /// are notified later.
  package final func bringUpToDate(_ observation: Observation) {
    guard let observers, !isInWrite, let shownTables else { return }
    observers.bringUpToDate(observation, to: shownTables)
  }
}
