// SPDX-License-Identifier: Apache-2.0

// Freezing and thawing of results, lists and backlinks. A frozen collection shows one version.

import RealmSession

extension Results {
  /// Whether the results are frozen: they show one version permanently and may be read on any
  /// thread.
  ///
  /// This property may be read on any thread.
  public var isFrozen: Bool { state.core.isFrozen }

  /// The results as they are now, immutable, and readable on any thread, without copying anything.
  ///
  /// Their objects are frozen too. In a write transaction they are those from before it. As long as
  /// something frozen is kept, the file keeps all that its version needs.
  public func freeze() -> Results {
    state.requireValid()
    return frozen(from: state.core)
  }

  /// The live results that frozen ones are a copy of, in the realm of the calling thread, queue or
  /// actor. For live results the same.
  ///
  /// If the object was deleted whose list, set, map or backlinks they are of, results of objects
  /// are empty, and results of values are nil.
  public func thaw() -> Results? {
    state.requireValid()
    return thawed(from: state.core)
  }
}

extension List {
  /// Whether the list is frozen: it shows one version permanently and may be read on any thread.
  ///
  /// This property may be read on any thread. False for lists that belong to no realm.
  public var isFrozen: Bool { managed?.core.isFrozen ?? false }

  /// The list as it is now, immutable, and readable on any thread, without copying anything.
  ///
  /// Its objects are frozen too. In a write transaction it is the list from before it. As long as
  /// something frozen is kept, the file keeps all that its version needs.
  public func freeze() -> List { frozen(from: requireValid().core) }

  /// The live list that a frozen one is a copy of, in the realm of the calling thread, queue or
  /// actor; nil if its object was deleted. For live lists the list itself.
  ///
  /// To append something that is frozen, thaw it as well.
  public func thaw() -> List? { thawed(from: requireValid().core) }
}

extension LinkingObjects {
  /// Whether the objects are frozen: they show one version permanently and may be read on any
  /// thread.
  ///
  /// This property may be read on any thread. False for those of an object that no realm manages.
  public var isFrozen: Bool { realm?.core.isFrozen ?? false }

  /// The objects that link now, immutable, and readable on any thread.
  public func freeze() -> LinkingObjects {
    let state = requireState()
    return frozen(from: state.core)
  }

  /// The live collection that a frozen one is a copy of, in the realm of the calling thread, queue
  /// or actor; nil if its object was deleted. For live ones the same.
  public func thaw() -> LinkingObjects? {
    let state = requireState()
    return thawed(from: state.core)
  }

  private func requireState() -> ResultsState {
    let state = results.state
    state.requireValid()
    return state
  }
}

extension ResultsState {
  /// Traps if the realm was invalidated since the results were made.
  fileprivate func requireValid() {
    core.checkIsolation()
    if isOfInvalidRealm { throwRealmException("Access to invalidated Results objects") }
  }
}
