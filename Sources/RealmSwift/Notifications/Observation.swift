// SPDX-License-Identifier: Apache-2.0

// One observer of a collection or an object.
//
// Invariants:
// 1. The handler is called only in the confinement of the realm. Taking it away, which any thread
//    may do, ends the observation; it is never put back.
// 2. No handler is called or destroyed under a lock: it is code of the program.
// 3. It keeps its realm alive until it ends: a token that was invalidated keeps no version.

import RealmQuery
import RealmStorage
import RealmTables
import Synchronization

/// An observer: what it looks at, and what to call.
final class Observation: Cancellable {
  /// The observer's code. It is used in the confinement of its realm only.
  struct Handler: @unchecked Sendable {
    // Sendable: carried through a lock that any thread may take to remove it, called only where it
    // belongs (invariant 1).

    /// Reads the present values of properties that are about to change; only objects have it.
    var valuesBefore: (([ColumnKey]) -> [Any?])?
    /// Called when the realm ends the observation without a last call.
    var ended: (() -> Void)?
    let call: (ObservedChange, _ valuesBefore: [Any?]?) -> Void
  }

  /// Unlike an address, never used again.
  let id: UInt64
  let source: ObservedSource
  /// What the observer asks for itself.
  private let ownFilter: KeyPathFilter?
  /// What it asks for together with the other observers of the same collection.
  private let sharedFilter: SharedFilter?
  /// The collection that is observed, if others may observe it too.
  let subject: ObjectIdentifier?
  /// What decides about the elements of results; nil for everything else.
  let footprint: QueryFootprint?
  /// What an observation has until it ends.
  private struct Active: @unchecked Sendable {
    // Sendable: the realm is only kept here.
    let handler: Handler
    let core: RealmCore
  }

  private static let lastID = Atomic<UInt64>(0)

  private let hub: ObserverHub
  /// Tells which realm it is, also when that is gone.
  private let realm: CoreReference
  private let active: Guarded<Active?>

  init(
    _ source: ObservedSource, filter: KeyPathFilter?, sharing subject: ObjectIdentifier?,
    footprint: QueryFootprint?, of core: RealmCore, in hub: ObserverHub, handler: Handler
  ) {
    id = Observation.lastID.add(1, ordering: .relaxed).newValue
    self.source = source
    ownFilter = filter
    self.subject = subject
    sharedFilter = subject.map { hub.filter(of: $0) ?? SharedFilter() }
    self.footprint = footprint
    self.hub = hub
    realm = core.reference
    active = Guarded(Active(handler: handler, core: core))
    sharedFilter?.add(filter, of: id)
  }

  /// Whether the observer itself does not ask for everything.
  var hasFilter: Bool { ownFilter != nil }

  /// Which changes are to be told; nil for all.
  var filter: KeyPathFilter? {
    guard let ownFilter else { return nil }
    return sharedFilter.map { $0.union } ?? ownFilter
  }

  /// The filter that another observer of `subject` joins.
  func filter(of subject: ObjectIdentifier) -> SharedFilter? {
    self.subject == subject ? sharedFilter : nil
  }

  /// What to call; nil once the observation has ended.
  var activeHandler: Handler? { active.withLock { $0?.handler } }

  func isForeign(to core: RealmCore) -> Bool { realm !== core.reference }

  @discardableResult
  func cancel() -> Bool {
    // Destroyed at the end, outside of the lock.
    let previous = active.withLock { active in
      defer { active = nil }
      return active
    }
    guard previous != nil else { return false }
    sharedFilter?.remove(id)
    hub.remove(self)
    return true
  }
}
