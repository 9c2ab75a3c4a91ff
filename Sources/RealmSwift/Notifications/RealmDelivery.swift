// SPDX-License-Identifier: Apache-2.0

// Moves a realm from version to version, and tells its observers.
//
// Invariants:
// 1. Everything here runs in the confinement of the realm, and no lock is held while observers are
//    called. Observers may do anything but refresh: write, observe, end observations.
// 2. The realm's move to a version and the calls that tell of it are one step: whatever is still to
//    be told when an observer writes is told before that write begins.
// 3. An observer is not called again while it runs. What it missed is told after it returned.

import RealmStorage
import RealmTables

/// How a realm follows the file.
final class RealmDelivery {
  private struct Call {
    let observation: Observation
    let change: ObservedChange
    let valuesBefore: [Any?]?
  }

  private struct WeakObservation {
    weak var observation: RealmObservation?
  }

  /// The realm, which owns this. Its last owner may let go of it on any thread, even while a
  /// delivery begins here, so whatever needs it holds it first.
  private let owner: CoreReference
  let shared: SharedFile
  private(set) var hub: ObserverHub!
  /// What code inside `withObservationTracking` looked at in the realm.
  let tracker = AccessTracker()
  /// What is still to be told, in order.
  private var calls: [Call] = []
  private var running: Set<UInt64> = []
  /// Weak, as an observation keeps the realm: who keeps its token keeps both.
  private var realmObservations: [WeakObservation] = []
  /// Whether the realm moved on at the beginning of a transaction, which its observers hear of at
  /// the end.
  private var owesDidChange = false
  /// Whether an observer missed a change because it was running.
  private var hasMissedCalls = false

  /// - Throws: `StorageError.threadUnavailable`.
  init(_ core: RealmCore, _ shared: SharedFile) throws(StorageError) {
    owner = core.reference
    self.shared = shared
    hub = ObserverHub(ConfinementScheduler(for: core.confinement), delivery: self)
    try shared.notifier.add(hub)
  }

  deinit { hub?.end() }

  /// Whether an observer is being called.
  var isDelivering: Bool { !running.isEmpty }

  // MARK: - Moving

  /// Moves to the newest version, or to `known` if that is newer, and tells what is to be told;
  /// false if there was nothing new.
  func refresh(atLeastTo known: TableGroup? = nil) throws(StorageError) -> Bool {
    guard let core = owner.core, !core.isInWrite, !isDelivering else { return false }
    guard let shown = core.shownGroup else {
      move(core, to: try shared.newestTables(), with: hub.takePackage())
      return true
    }
    var target = shown
    if shown.version < shared.file.newestVersion { target = try shared.newestTables() }
    if let known, known.version > target.version { target = known }
    move(core, to: target, with: hub.takePackage())
    return target.version > shown.version
  }

  /// What a write transaction does before it waits for its turn: moves to the newest version and
  /// tells of everything up to there.
  func catchUp() throws(StorageError) {
    guard let core = owner.core else { return }
    makeCalls()
    guard let shown = core.shownGroup else { return }
    if shown.version < shared.file.newestVersion {
      move(core, to: try shared.newestTables(), with: hub.takePackage())
    } else if hub.isBehind(shown.version) {
      move(core, to: shown, with: hub.takePackage())
    }
  }

  /// Runs the commit of the realm, which moves it to the new version.
  func whileCommitting<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    hub.isCommitting = true
    defer {
      hub.isCommitting = false
      if hub.hasWork(upTo: shared.file.newestVersion) { shared.notifier.signal() }
    }
    try body()
  }

  /// A write transaction was committed here; `skipped` are not to be told of it.
  func committed(
    from base: TableGroup?, to tables: TableGroup, skipping skipped: SkippedObservers
  ) {
    if let base, !skipped.observations.isEmpty {
      skip(skipped.observations, from: base, to: tables)
    }
    tellRealmObservers(.didChange, except: skipped.ofRealm)
    hub.scheduleIfNeeded()
    if !calls.isEmpty { hub.scheduleDelivery() }
  }

  /// A write transaction has begun on a newer version than the realm showed. Observers are told
  /// of that when the transaction has ended.
  func movedForWrite() { owesDidChange = true }

  /// A write transaction was rolled back.
  func rolledBack() {
    if owesDidChange { tellRealmObservers(.didChange) }
    hub.scheduleIfNeeded()
  }

  var autorefresh: Bool {
    get { hub.autorefresh }
    set {
      hub.autorefresh = newValue
      shared.notifier.signal()
    }
  }

  /// Called where the realm lives, when the worker has something for it.
  func deliverScheduled() {
    // The end of the transaction or of the running call schedules again.
    guard let core = owner.core, !core.isInWrite, !isDelivering else { return }
    makeCalls()
    guard let package = hub.takePackage() else { return }
    let shown = core.shownGroup
    let isNews = shown.map { $0.version < package.version } ?? true
    if !hub.autorefresh, let shown, shown.version < shared.file.newestVersion {
      tellRealmObservers(.refreshRequired)
    }
    let follows = isNews && (hub.autorefresh || shown == nil)
    move(core, to: follows ? package.tables : (shown ?? package.tables), with: package)
    shared.notifier.signal()
  }

  private func move(_ core: RealmCore, to tables: TableGroup, with known: ChangePackage?) {
    let version = tables.version
    let shownVersion = core.shownGroup?.version
    let entries = hub.entries
    var package = ChangePackage(for: tables)
    if let known, known.version == version {
      package = known
    } else {
      package.add(entries)
    }
    var seen: [(id: UInt64, state: ObservedState)] = []
    var due: [Call] = []
    var position = 0
    for index in entries.indices {
      let seenVersion = entries[index].seenVersion
      guard ObserverEntry.isBehind(seenVersion, version),
        !package.leavesAlone(entries[index].id, since: seenVersion, &position)
      else { continue }
      let entry = entries[index]
      let observation = entry.observation
      guard !running.contains(observation.id) else {
        hasMissedCalls = true
        continue
      }
      let item = package.item(observation, since: entry.state, position)
      if let state = item.state { seen.append((observation.id, state)) }
      guard let change = item.change else { continue }
      let isUnseen = shownVersion == item.oldVersion && shownVersion != version
      due.append(
        Call(
          observation: observation, change: change,
          valuesBefore: isUnseen ? valuesBefore(change, observation) : nil))
    }
    let isNews = shownVersion.map { $0 < version } ?? true
    if isNews { core.show(tables) }
    hub.store(seen, besides: package)
    calls += due
    if isNews, shownVersion != nil { tellRealmObservers(.didChange) }
    makeCalls()
  }

  /// Brings one observer that is not being called to the version that the realm shows, and tells
  /// it; the others hear of that version later.
  func bringUpToDate(_ observation: Observation) {
    guard let core = owner.core, !core.isInWrite, let shown = core.shownGroup,
      let state = hub.entry(of: observation.id)?.state, state.version < shown.version
    else { return }
    var package = ChangePackage(for: shown)
    let item = package.item(observation, since: state)
    if let state = item.state { hub.store([(observation.id, state)]) }
    guard let change = item.change, let handler = observation.activeHandler else { return }
    if change.isLast { observation.cancel() }
    handler.call(change, nil)
  }

  /// Ends all observations of collections and objects, which the realm has just made invalid.
  func endObservations() {
    let handlers = hub.entries.compactMap { entry -> Observation.Handler? in
      let handler = entry.observation.activeHandler
      return entry.observation.cancel() ? handler : nil
    }
    calls.removeAll()
    for handler in handlers { handler.ended?() }
    tracker.tellAll()
  }

  private func valuesBefore(_ change: ObservedChange, _ observation: Observation) -> [Any?]? {
    guard case .object(let columns) = change else { return nil }
    return observation.activeHandler?.valuesBefore?(columns)
  }

  /// Moves observers over a transaction that they are not to be told of. What they did not know
  /// before it, they are told later.
  private func skip(_ skipped: [Observation], from base: TableGroup, to tables: TableGroup) {
    var before = ChangePackage(for: base)
    var over = ChangePackage(for: tables)
    var seen: [(id: UInt64, state: ObservedState)] = []
    for entry in hub.entries where skipped.contains(where: { $0 === entry.observation }) {
      guard var state = entry.state else { continue }
      if state.version < before.version {
        let item = before.item(entry.observation, since: state)
        if let change = item.change {
          calls.append(
            Call(observation: entry.observation, change: change, valuesBefore: nil))
        }
        state = item.state ?? state
      }
      if let state = over.item(entry.observation, since: state).state {
        seen.append((entry.observation.id, state))
      }
    }
    hub.store(seen)
  }

  // MARK: - Calling

  private func makeCalls() {
    let isOutermost = !isDelivering
    while !calls.isEmpty {
      let call = calls.removeFirst()
      guard let handler = call.observation.activeHandler else { continue }
      let id = call.observation.id
      guard running.insert(id).inserted else {
        // Its turn comes when the running call has returned.
        calls.insert(call, at: 0)
        break
      }
      if call.change.isLast { call.observation.cancel() }
      handler.call(call.change, call.valuesBefore)
      running.remove(id)
    }
    guard isOutermost else { return }
    if hasMissedCalls {
      hasMissedCalls = false
      shared.notifier.signal()
    }
    hub.scheduleIfNeeded()
  }

  // MARK: - Observers of the realm

  func add(_ observation: RealmObservation) {
    realmObservations.append(WeakObservation(observation: observation))
  }

  private func tellRealmObservers(
    _ notification: Realm.Notification, except skipped: [RealmObservation] = []
  ) {
    if notification == .didChange {
      owesDidChange = false
      tracker.tell(owner.core?.shownGroup)
    }
    guard !realmObservations.isEmpty, let core = owner.core else { return }
    realmObservations.removeAll { $0.observation?.isActive != true }
    for weak in realmObservations {
      guard let observation = weak.observation, !skipped.contains(where: { $0 === observation })
      else { continue }
      observation.call(notification, Realm(core: core))
    }
  }
}
