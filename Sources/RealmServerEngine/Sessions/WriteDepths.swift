// SPDX-License-Identifier: Apache-2.0

// The versions made by triggers, with the number of triggers on the way to each: triggers in a ring
// would go on without end.

import RealmStorage

/// Remembers the versions made by functions of triggers.
package final class WriteDepths: Sendable {
  /// Older versions are dropped: they count as made by no trigger.
  private static let countMax = 10_000

  private struct Version: Hashable {
    let realm: RealmID
    let number: UInt64
  }

  private struct State {
    var depths: [Version: Int] = [:]
    var order: [Version] = []
  }

  private let state = Locked(State())

  package init() {}

  /// Notes versions before they are there.
  func note(_ versions: ClosedRange<UInt64>, of realm: RealmID, depth: Int) {
    state.withLock { state in
      for number in versions {
        let version = Version(realm: realm, number: number)
        if state.depths.updateValue(depth, forKey: version) == nil { state.order.append(version) }
      }
      guard state.order.count > 2 * Self.countMax else { return }
      for version in state.order.dropLast(Self.countMax) { state.depths[version] = nil }
      state.order.removeFirst(state.order.count - Self.countMax)
    }
  }

  /// Forgets versions of a failed call.
  func forget(_ versions: ClosedRange<UInt64>, of realm: RealmID) {
    state.withLock { state in
      for number in versions { state.depths[Version(realm: realm, number: number)] = nil }
    }
  }

  /// The triggers on the way to a version.
  package func depth(of version: UInt64, in realm: RealmID) -> Int {
    state.withLock { $0.depths[Version(realm: realm, number: version)] ?? 0 }
  }
}
