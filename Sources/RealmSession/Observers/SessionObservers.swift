// SPDX-License-Identifier: Apache-2.0

// The observers of a session, as used in its confinement, and the calls that are due.
//
// Invariants:
// 1. Everything here runs in the confinement of the session, and no lock is held while observers
//    are called. Observers may do anything but refresh: write, observe, end observations.
// 2. An observer is not called again while it runs. It is notified of missed changes after it
//    returned.
// 3. Calls are made in the order in which they were collected.

import RealmStorage
import RealmTables

/// The observers that a session notifies of new versions.
package final class SessionObservers {
  private struct Call {
    let observation: Observation
    let change: ObservedChange
    let valuesBefore: [Any?]?
  }

  private struct WeakObservation {
    weak var observation: SessionObservation?
  }

  private let shared: SharedFile
  package let hub: ObserverHub
  /// The accesses of code inside `withObservationTracking`.
  package let tracker = AccessTracker()
  /// The calls that are due, in order.
  private var calls: [Call] = []
  private var running: Set<UInt64> = []
  /// Weak, as an observation keeps the session: the owner of its token keeps both.
  private var sessionObservations: [WeakObservation] = []
  /// Whether the session advanced at the beginning of a transaction; its observers are notified of
  /// that at the end.
  private var owesMoved = false
  /// Whether an observer missed a change because it was running.
  private var hasMissedCalls = false

  /// - Throws: `StorageError.threadUnavailable`.
  init(of session: Session) throws(StorageError) {
    shared = session.shared
    hub = ObserverHub(ConfinementScheduler(for: session.confinement)) {
      [reference = session.reference] in reference.session?.deliverScheduled()
    }
    try shared.notifier.add(hub)
  }

  deinit { hub.end() }

  /// Whether an observer of a collection or an object is being called.
  package var isDelivering: Bool { !running.isEmpty }
  /// How many calls of observers of the session as a whole go on, one inside of another.
  private var notifyingCount = 0
  /// Whether any observer is being called.
  package var isCalling: Bool { isDelivering || notifyingCount > 0 }

  package var autorefresh: Bool {
    get { hub.autorefresh }
    set {
      hub.autorefresh = newValue
      shared.notifier.signal()
    }
  }

  // MARK: - Called by the session

  /// Notifies of a committed write transaction, at once or later; `skipped` are not notified.
  func committed(_ session: Session, from base: TableGroup?, skipping skipped: SkippedObservers) {
    if let base, let tables = session.shownTables, !skipped.observations.isEmpty {
      skip(skipped.observations, from: base, to: tables)
    }
    notify(.moved, session, except: skipped.ofSession)
    hub.scheduleIfNeeded()
    if !calls.isEmpty { hub.scheduleDelivery() }
  }

  /// Records the beginning of a write transaction on a newer version than the session's. Observers
  /// are notified of it after the transaction.
  func movedForWrite() { owesMoved = true }

  /// Makes up for notifications that a rolled-back write transaction has delayed.
  func rolledBack(_ session: Session) {
    if owesMoved { notify(.moved, session) }
    hub.scheduleIfNeeded()
  }

  // MARK: - Collecting

  /// Computes the remaining calls of all observers for `target`, and reads their previous values:
  /// the session still shows `shownVersion`.
  func collectCalls(upTo target: TableGroup, from shownVersion: UInt64?, with known: ChangeBatch?) {
    let version = target.version
    let entries = hub.entries
    var batch = ChangeBatch(for: target)
    if let known, known.version == version {
      batch = known
    } else {
      batch.add(entries)
    }
    var seen: [(id: UInt64, state: ObservedState)] = []
    var position = 0
    for index in entries.indices {
      let seenVersion = entries[index].seenVersion
      guard ObserverEntry.isBehind(seenVersion, version),
        !batch.isUnaffected(entries[index].id, since: seenVersion, &position)
      else { continue }
      let entry = entries[index]
      let observation = entry.observation
      guard !running.contains(observation.id) else {
        hasMissedCalls = true
        continue
      }
      let item = batch.item(observation, since: entry.state, position)
      if let state = item.state { seen.append((observation.id, state)) }
      guard let change = item.change else { continue }
      let isUnseen = shownVersion == item.oldVersion && shownVersion != version
      calls.append(
        Call(
          observation: observation, change: change,
          valuesBefore: isUnseen ? valuesBefore(change, observation) : nil))
    }
    hub.store(seen, besides: batch)
  }

  private func valuesBefore(_ change: ObservedChange, _ observation: Observation) -> [Any?]? {
    guard case .object(let columns) = change else { return nil }
    return observation.activeHandler?.valuesBefore?(columns)
  }

  /// Advances observers past a transaction without notifying them. They are notified later of
  /// earlier changes.
  private func skip(_ skipped: [Observation], from base: TableGroup, to tables: TableGroup) {
    var before = ChangeBatch(for: base)
    var over = ChangeBatch(for: tables)
    var seen: [(id: UInt64, state: ObservedState)] = []
    var passed: [Observation] = []
    for entry in hub.entries where skipped.contains(where: { $0 === entry.observation }) {
      guard var state = entry.state else { continue }
      var isOwedCall = false
      if state.version < before.version {
        let item = before.item(entry.observation, since: state)
        if let change = item.change {
          calls.append(
            Call(observation: entry.observation, change: change, valuesBefore: nil))
          isOwedCall = true
        }
        state = item.state ?? state
      }
      if let state = over.item(entry.observation, since: state).state {
        seen.append((entry.observation.id, state))
      }
      if !isOwedCall { passed.append(entry.observation) }
    }
    hub.store(seen)
    for observation in passed { observation.activeHandler?.skipped?() }
  }

  // MARK: - Calling

  /// Makes the calls that are due.
  package func makeCalls() {
    let isOutermost = !isDelivering
    while !calls.isEmpty {
      let call = calls.removeFirst()
      guard let handler = call.observation.activeHandler else { continue }
      let id = call.observation.id
      guard running.insert(id).inserted else {
        // It is made when the running call has returned.
        calls.insert(call, at: 0)
        break
      }
      if call.change.isLast { call.observation.cancel() }
      handler.call(call.change, call.valuesBefore)
      running.remove(id)
    }
    guard isOutermost else { return }
    assert(running.isEmpty, "`SessionObservers` 2: a call has ended, but counts as running")
    if hasMissedCalls {
      hasMissedCalls = false
      shared.notifier.signal()
    }
    hub.finishEnding()
    hub.scheduleIfNeeded()
  }

  /// Brings one observer that is not being called to `shown`, and notifies it.
  func bringUpToDate(_ observation: Observation, to shown: TableGroup) {
    guard let state = hub.entry(of: observation.id)?.state, state.version < shown.version else {
      return
    }
    var batch = ChangeBatch(for: shown)
    let item = batch.item(observation, since: state)
    if let state = item.state { hub.store([(observation.id, state)]) }
    guard let change = item.change, let handler = observation.activeHandler else { return }
    if change.isLast { observation.cancel() }
    handler.call(change, nil)
  }

  /// Ends the sequences of changes, as the session was invalidated; other observers live on.
  package func endSequences() {
    for entry in hub.entries {
      if let ended = entry.observation.activeHandler?.ended, entry.observation.cancel() { ended() }
    }
    tracker.notifyAll()
  }

  // MARK: - Observers of the session

  package func add(_ observation: SessionObservation) {
    sessionObservations.append(WeakObservation(observation: observation))
  }

  /// Notifies the observers of the session as a whole, and the tracked accesses.
  func notify(
    _ notification: SessionNotification, _ session: Session,
    except skipped: [SessionObservation] = []
  ) {
    if notification == .moved {
      owesMoved = false
      tracker.notify(session.shownTables)
    }
    guard !sessionObservations.isEmpty else { return }
    sessionObservations.removeAll { $0.observation?.isActive != true }
    notifyingCount += 1
    defer { notifyingCount -= 1 }
    for weak in sessionObservations {
      guard let observation = weak.observation, !skipped.contains(where: { $0 === observation })
      else { continue }
      observation.call(notification)
    }
  }
}

/// Observers that are not notified of a write transaction.
package struct SkippedObservers {
  /// The skipped observers of collections and objects.
  package private(set) var observations: [Observation] = []
  /// The skipped observers of the session.
  private(set) var ofSession: [SessionObservation] = []

  static let none = SkippedObservers()

  private init() {}

  /// Collects the observers of some tokens; ended ones need no skipping.
  package init(_ cancellables: [any Cancellable]) {
    for cancellable in cancellables {
      if let observation = cancellable.current as? Observation { observations.append(observation) }
      if let observation = cancellable as? SessionObservation { ofSession.append(observation) }
    }
  }

  package var isEmpty: Bool { observations.isEmpty && ofSession.isEmpty }
}
