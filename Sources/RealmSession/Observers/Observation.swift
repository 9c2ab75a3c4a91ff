// SPDX-License-Identifier: Apache-2.0

// One observer of a collection or an object.
//
// Invariants:
// 1. The handler is called only in the confinement of the session. Removing it, which any thread
//    may do, ends the observation; it is never put back.
// 2. No handler is called or destroyed under a lock: it is code of the program.
// 3. It keeps its session alive until it ends: a token that was invalidated keeps no version.
// 4. A token invalidated outside of the observer's confinement ends the observation after the calls
//    for all earlier commits, or after `graceTime`.

import Dispatch
import RealmQuery
import RealmStorage
package import RealmTables
import Synchronization

/// An observer: the locator of what it observes, and its handler.
package final class Observation: Cancellable {
  /// The observer's code. It is used in the confinement of its session only.
  package struct Handler: @unchecked Sendable {
    // Sendable: carried through a lock that any thread may take to remove it, called only in its
    // confinement (`Observation` 1).

    /// Reads the present values of properties that are about to change; only objects have it.
    var valuesBefore: (([ColumnKey]) -> [Any?])?
    /// Called when the session ends the observation without a last call.
    package var ended: (() -> Void)?
    /// Called when the session shows a version that is kept from the observer; for observers that
    /// keep what they saw last.
    var skipped: (() -> Void)?
    let call: (ObservedChange, _ valuesBefore: [Any?]?) -> Void

    package init(
      valuesBefore: (([ColumnKey]) -> [Any?])? = nil, ended: (() -> Void)? = nil,
      skipped: (() -> Void)? = nil,
      call: @escaping (ObservedChange, _ valuesBefore: [Any?]?) -> Void
    ) {
      self.valuesBefore = valuesBefore
      self.ended = ended
      self.skipped = skipped
      self.call = call
    }
  }

  /// The number of the observation. Unlike an address, it is never reused.
  package let id: UInt64
  let source: Locator
  /// The key paths of this observer; nil for everything.
  private let ownFilter: KeyPathFilter?
  /// The key paths that it shares with the other observers of the same collection.
  private let sharedFilter: SharedFilter?
  /// The collection that is observed, if others may observe it too.
  let subject: ObjectIdentifier?
  /// The properties that decide about the elements of results; nil for everything else.
  let footprint: QueryFootprint?
  /// The state of an observation that has not ended.
  private struct Active: @unchecked Sendable {
    // Sendable: the session is only kept alive here.
    let handler: Handler
    let session: Session
  }

  private static let lastID = Atomic<UInt64>(0)

  /// The time after which an ending observation does without its last call.
  private static let graceTime = DispatchTimeInterval.seconds(5)
  /// The last version to tell of, once the observation is about to end; 0 before.
  private let lastVersion = Atomic<UInt64>(0)

  private let hub: ObserverHub
  /// Identifies the session, also after it was released.
  private let session: SessionReference
  private let active: Locked<Active?>

  init(
    _ source: Locator, filter: KeyPathFilter?, sharing subject: ObjectIdentifier?,
    footprint: QueryFootprint?, of session: Session, in hub: ObserverHub, handler: Handler
  ) {
    id = Observation.lastID.add(1, ordering: .relaxed).newValue
    self.source = source
    ownFilter = filter
    self.subject = subject
    sharedFilter = subject.map { hub.filter(of: $0) ?? SharedFilter() }
    self.footprint = footprint
    self.hub = hub
    self.session = session.reference
    active = Locked(Active(handler: handler, session: session))
    sharedFilter?.add(filter, of: id)
  }

  /// Whether this observer has key paths.
  var hasFilter: Bool { ownFilter != nil }

  /// Which changes the observer is notified of; nil for all.
  var filter: KeyPathFilter? {
    guard let ownFilter else { return nil }
    return sharedFilter.map { $0.union } ?? ownFilter
  }

  /// The shared filter, for another observer of `subject`.
  func filter(of subject: ObjectIdentifier) -> SharedFilter? {
    self.subject == subject ? sharedFilter : nil
  }

  /// The handler; nil once the observation has ended.
  var activeHandler: Handler? { active.withLock { $0?.handler } }

  /// The last version to tell of; nil unless the observation is about to end.
  var endingVersion: UInt64? {
    let version = lastVersion.load(ordering: .acquiring)
    return version == 0 ? nil : version
  }

  @discardableResult
  package func end() -> Bool {
    guard let session = active.withLock({ $0?.session }), endingVersion == nil else { return false }
    let newest = session.file.newestVersion
    guard !session.confinement.isCertainlyCurrent, hub.isBehind(id, newest) else { return cancel() }
    let isFirst = lastVersion.compareExchange(
      expected: 0, desired: newest, ordering: .acquiringAndReleasing
    ).exchanged
    guard isFirst else { return false }
    hub.noteEnding()
    session.shared.notifier.signal()
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.graceTime) { [weak self] in
      self?.cancel()
    }
    return true
  }

  package func release() {
    if endingVersion == nil { cancel() }
  }

  package func isForeign(to other: Session) -> Bool { session !== other.reference }

  @discardableResult
  package func cancel() -> Bool {
    // Destroyed at the end, outside of the lock.
    let previous = active.withLock { active in
      defer { active = nil }
      return active
    }
    guard previous != nil else { return false }
    if endingVersion != nil { hub.noteEnded() }
    sharedFilter?.remove(id)
    hub.remove(self)
    return true
  }
}
