// SPDX-License-Identifier: Apache-2.0

// The union of the key paths of all observers of one collection.
//
// Observers of one collection with different key paths are called together: when a change matches
// the key paths of one, all are notified. That is how Realm documents it, and programs may rely on
// it.

import RealmStorage

/// The key paths of all observers of one collection.
///
/// Invariant: `union` is nil, which lets everything pass, if there are no members or one has no key
/// paths.
final class SharedFilter: Sendable {
  fileprivate struct State {
    var members: [UInt64: KeyPathFilter?] = [:]
    var union: KeyPathFilter?
  }

  private let state = Locked(State())

  /// A filter for the changes of interest to any of the observers.
  var union: KeyPathFilter? { state.withLock { $0.union } }

  func add(_ filter: KeyPathFilter?, of id: UInt64) {
    state.withLock { state in
      assert(state.members[id] == nil, "an observation is a member once")
      state.members[id] = .some(filter)
      state.unite()
    }
  }

  func remove(_ id: UInt64) {
    state.withLock { state in
      state.members[id] = nil
      state.unite()
    }
  }
}

extension SharedFilter.State {
  fileprivate mutating func unite() {
    union = nil
    var united = KeyPathFilter()
    for filter in members.values {
      guard let filter else { return }
      united.formUnion(filter)
    }
    union = members.isEmpty ? nil : united
    assert(union == nil || !members.isEmpty, "a filter of no members lets nothing pass")
  }
}
