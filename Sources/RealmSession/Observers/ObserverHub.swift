// SPDX-License-Identifier: Apache-2.0

// The state of one session's observers that all threads share.
//
// The worker of the file computes change sets here, outside of the session's confinement, and hands
// them over; the session takes them in its confinement.
//
// Invariants:
// 1. At most one batch waits for the session, and at most one delivery is scheduled. While a batch
//    waits, nothing further is computed: versions that are committed meanwhile are computed
//    together later.
// 2. An entry's state only advances to newer versions. A batch's item applies only to the version
//    it was computed from, so the order of the worker and the session does not matter.
// 3. No lock is held while change sets are computed, the file is read, or handlers are called.
// 4. Entries ascend by the numbers of their observations, which are given in the confinement, in
//    the order of registration.

import RealmQuery
import RealmStorage
import RealmTables
import Synchronization

/// The observers of one session.
package final class ObserverHub: Sendable {
  fileprivate struct State {
    var entries: [ObserverEntry] = []
    var scheduler: ConfinementScheduler?
    /// The tables that the session shows; nil while it shows nothing.
    var shown: TableGroup?
    /// Whether the session advances to new versions by itself.
    var autorefresh = true
    /// The newest version that was announced to the session.
    var announced: UInt64 = 0
    var batch: ChangeBatch?
    var isDeliveryScheduled = false
    /// Whether the session is about to move to the version that it commits.
    var isCommitting = false
  }

  private let state: Locked<State>
  /// How many observers are about to end (`Observation` 4).
  private let endingCount = Atomic<Int>(0)
  /// Called in the confinement when a batch waits for the session.
  private let deliver: @Sendable () -> Void

  init(_ scheduler: ConfinementScheduler?, deliver: @escaping @Sendable () -> Void) {
    state = Locked(State(scheduler: scheduler))
    self.deliver = deliver
  }

  /// Releases all versions, after the session is gone. Tokens of ended observations may keep the
  /// hub.
  func end() {
    // Released after the lock.
    let last = state.withLock { state in
      defer { state = State() }
      return state
    }
    _ = last
  }

  // MARK: - Called by the session

  /// Records the version that the session shows.
  ///
  /// A batch for a version before the session's is dropped: without a delivery it would keep the
  /// version, and the space of all later ones, permanently.
  func show(_ tables: TableGroup?) {
    // Released after the lock.
    let replaced = state.withLock { state -> (TableGroup?, ChangeBatch?) in
      let shown = state.shown
      state.shown = tables
      guard let tables, let batch = state.batch, !batch.hasChanges,
        batch.version <= tables.version
      else { return (shown, nil) }
      state.batch = nil
      return (shown, batch)
    }
    _ = replaced
  }

  var autorefresh: Bool {
    get { state.withLock { $0.autorefresh } }
    set { state.withLock { $0.autorefresh = newValue } }
  }

  /// Whether deliveries can be scheduled in the session's confinement, after trying `scheduler`.
  func isReachable(by scheduler: () -> ConfinementScheduler?) -> Bool {
    if state.withLock({ $0.scheduler != nil }) { return true }
    let found = scheduler()
    state.withLock { $0.scheduler = found }
    return found != nil
  }

  func add(_ observation: Observation, since seen: ObservedState?) {
    state.withLock { state in
      assert(state.entries.last.map { $0.id < observation.id } ?? true, "`ObserverHub` 4")
      state.entries.append(ObserverEntry(observation, since: seen))
    }
  }

  func remove(_ observation: Observation) {
    // The entry, with the versions that it pins, is released after the lock.
    let removed = state.withLock { state -> ObserverEntry? in
      guard let index = state.entries.firstIndex(where: { $0.observation === observation }) else {
        return nil
      }
      return state.entries.remove(at: index)
    }
    _ = removed
  }

  /// The shared filter of the observers of a collection; nil if there are none.
  func filter(of subject: ObjectIdentifier) -> SharedFilter? {
    state.withLock { state in
      for entry in state.entries {
        if let filter = entry.observation.filter(of: subject) { return filter }
      }
      return nil
    }
  }

  var entries: [ObserverEntry] { state.withLock { $0.entries } }

  /// Whether an observer has not seen that version yet, or nothing at all.
  func isBehind(_ version: UInt64) -> Bool {
    state.withLock { state in
      state.entries.indices.contains { index in
        ObserverEntry.isBehind(state.entries[index].seenVersion, version)
      }
    }
  }

  /// Whether the observer with a number goes on, and has not seen a version yet.
  func isBehind(_ id: UInt64, _ version: UInt64) -> Bool {
    entry(of: id).map { ObserverEntry.isBehind($0.seenVersion, version) } ?? false
  }

  /// An observer is about to end: the session is woken for it even if nothing concerns it.
  func noteEnding() {
    endingCount.add(1, ordering: .acquiringAndReleasing)
    scheduleDelivery()
  }

  func noteEnded() { endingCount.subtract(1, ordering: .acquiringAndReleasing) }

  /// Ends observers after the call for their last version. Called by the session after its calls.
  func finishEnding() {
    guard endingCount.load(ordering: .acquiring) > 0 else { return }
    for entry in entries {
      guard let last = entry.observation.endingVersion,
        !ObserverEntry.isBehind(entry.seenVersion, last)
      else { continue }
      entry.observation.cancel()
    }
  }

  /// Records the states of observers, by their ascending numbers; observers unaffected by a batch
  /// have seen its version too.
  func store(_ seen: [(id: UInt64, state: ObservedState)], besides batch: ChangeBatch? = nil) {
    let replaced = state.withLock { $0.advance(along: seen, besides: batch) }
    _ = replaced
  }

  /// The observer with that number; nil if it has ended.
  package func entry(of id: UInt64) -> ObserverEntry? {
    state.withLock { state in
      let low = (0..<state.entries.count).partitionPoint { state.entries[$0].id < id }
      guard low < state.entries.count, state.entries[low].id == id else { return nil }
      return state.entries[low]
    }
  }

  /// Removes and returns the waiting batch, if any.
  func takeBatch() -> ChangeBatch? {
    state.withLock { state in
      defer { state.batch = nil }
      return state.batch
    }
  }

  /// Whether the session is committing: then it advances by itself, and the worker computes nothing
  /// for it until it has.
  var isCommitting: Bool {
    get { state.withLock { $0.isCommitting } }
    set { state.withLock { $0.isCommitting = newValue } }
  }

  /// Whether there is something for the worker to compute.
  func hasWork(upTo version: UInt64) -> Bool { takeWork(upTo: version) != nil }

  // MARK: - Called by the worker

  /// Computes the changes that the observers have not seen and hands them over. Called by the
  /// worker only.
  func prepare(version: UInt64, _ newest: () throws(StorageError) -> TableGroup) {
    guard let batch = batch(upTo: version, newest) else { return }
    handOver(batch, announcing: version)
  }

  private func batch(
    upTo version: UInt64, _ newest: () throws(StorageError) -> TableGroup
  ) -> ChangeBatch? {
    guard let work = takeWork(upTo: version) else { return nil }
    let tables: TableGroup
    if let target = work.target {
      tables = target
    } else {
      // An error of reading the file is reported by the next access to it.
      guard let newest = try? newest() else { return nil }
      tables = newest
    }
    var batch = ChangeBatch(for: tables)
    batch.add(work.entries)
    return batch
  }

  private struct Work {
    var entries: [ObserverEntry]
    /// The version to compute for; nil for the newest.
    var target: TableGroup?
  }

  private func takeWork(upTo version: UInt64) -> Work? {
    state.withLock { state in
      guard state.scheduler != nil, state.batch == nil, !state.isCommitting else { return nil }
      let isFixed = !state.autorefresh && state.shown != nil
      let target = isFixed ? state.shown : nil
      let targetVersion = target?.snapshot.version ?? version
      let isBehind = state.entries.indices.contains {
        ObserverEntry.isBehind(state.entries[$0].seenVersion, targetVersion)
      }
      let shownVersion = state.shown?.snapshot.version ?? version
      let isNews = shownVersion < version && state.announced < version
      guard isBehind || isNews else { return nil }
      return Work(entries: state.entries, target: target)
    }
  }

  private func handOver(_ batch: ChangeBatch, announcing version: UInt64) {
    var replaced: [ObservedState] = []
    let scheduler = state.withLock { state -> ConfinementScheduler? in
      // The session may be gone by now.
      guard state.scheduler != nil else { return nil }
      let shown = state.shown?.snapshot.version ?? 0
      if !batch.hasChanges, batch.version <= shown, version <= shown,
        endingCount.load(ordering: .acquiring) == 0
      {
        // No observer is to be notified, so the session is not woken.
        let seen = batch.items.compactMap { item in item.state.map { (item.id, $0) } }
        replaced = state.advance(along: seen, besides: batch)
        return nil
      }
      assert(state.batch == nil, "`ObserverHub` 1")
      state.batch = batch
      state.announced = max(state.announced, version)
      return state.schedulerForDelivery()
    }
    _ = replaced
    schedule(on: scheduler)
  }

  // MARK: - Delivery

  /// Schedules a delivery if a batch waits that was not delivered when it could have been.
  func scheduleIfNeeded() {
    schedule(on: state.withLock { $0.batch == nil ? nil : $0.schedulerForDelivery() })
  }

  func scheduleDelivery() {
    schedule(on: state.withLock { $0.schedulerForDelivery() })
  }

  private func schedule(on scheduler: ConfinementScheduler?) {
    // Weak: a queue or run loop at rest would keep the session's last version, and the space of all
    // later versions, after the session was closed.
    scheduler?.schedule { [weak self] in
      guard let self else { return }
      state.withLock { $0.isDeliveryScheduled = false }
      deliver()
    }
  }
}

extension ObserverHub.State {
  /// The scheduler of the session; nil if a delivery is scheduled already.
  fileprivate mutating func schedulerForDelivery() -> ConfinementScheduler? {
    guard !isDeliveryScheduled, let scheduler else { return nil }
    isDeliveryScheduled = true
    return scheduler
  }

  /// Advances observers to their new states, and those unaffected by a batch to its version. Their
  /// former states pin versions and are returned, to be released after the lock.
  fileprivate mutating func advance(
    along seen: [(id: UInt64, state: ObservedState)], besides batch: ChangeBatch?
  ) -> [ObservedState] {
    assert(zip(seen, seen.dropFirst()).allSatisfy { $0.id < $1.id }, "`ObserverHub` 4")
    var replaced: [ObservedState] = []
    replaced.reserveCapacity(seen.count)
    var position = 0
    var item = 0
    let tables = batch?.tables
    let version = batch?.version ?? 0
    for index in entries.indices {
      let id = entries[index].id
      let seenVersion = entries[index].seenVersion
      while position < seen.count, seen[position].id < id { position += 1 }
      guard position < seen.count, seen[position].id == id else {
        // The batch keeps the states of these: nothing is released here.
        if let tables, batch?.isUnaffected(id, since: seenVersion, &item) == true {
          entries[index].moveOn(to: tables, version)
        }
        continue
      }
      if let seenVersion, seenVersion >= seen[position].state.version { continue }
      if let old = entries[index].advance(to: seen[position].state) { replaced.append(old) }
    }
    return replaced
  }
}

/// An observer of a session, and the state that it has seen.
///
/// Most commits concern few of many observers. The values for deciding it are plain ones here, so a
/// thousand observers are passed over without counting a reference.
package struct ObserverEntry: Sendable {
  /// The scope of changes that may concern an observer.
  enum Scope: Sendable {
    /// All changes of an object, and its deletion.
    case object(TableKey, ObjectKey)
    /// Changes of a table and of the tables that its links lead to; a finer check may follow.
    case table(TableKey)
    case other
  }

  let observation: Observation
  let id: UInt64
  let scope: Scope
  /// The state that the observer has seen; nil before the first call.
  package private(set) var state: ObservedState?
  /// The version of `state`.
  private(set) var seenVersion: UInt64?

  init(_ observation: Observation, since state: ObservedState?) {
    self.observation = observation
    self.state = state
    id = observation.id
    seenVersion = state?.version
    scope =
      switch observation.source {
      case .object(let source) where !observation.hasFilter: .object(source.table, source.object)
      case .object(let source): .table(source.table)
      case .results(let query): .table(query.table)
      case .list, .backlinks, .refinement: .other
      }
  }

  /// Whether an observer that has seen `seen` has not seen `version` yet.
  static func isBehind(_ seen: UInt64?, _ version: UInt64) -> Bool {
    seen.map { $0 < version } ?? true
  }

  /// Advances to a newer state; returns the replaced one, which pins a version.
  mutating func advance(to new: ObservedState) -> ObservedState? {
    assert(Self.isBehind(seenVersion, new.version), "`ObserverHub` 2")
    defer {
      state = new
      seenVersion = new.version
    }
    return state
  }

  /// Advances to a newer version in which nothing changed for the observer.
  mutating func moveOn(to tables: TableGroup, _ version: UInt64) {
    assert(seenVersion.map { $0 <= version } ?? false, "`ObserverHub` 2")
    state?.tables = tables
    seenVersion = version
  }
}
