// SPDX-License-Identifier: Apache-2.0

// Which versions triggers have made, and how many triggers led to each: triggers that set each other
// off would go on without end.

import RealmStorage

/// Remembers the versions made by functions of triggers.
package final class WriteDepths: Sendable {
  /// The triggers that led to the running code.
  @TaskLocal package static var current = 0
  /// Older versions are forgotten: they count as made by nobody's trigger.
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

  /// Forgets versions that did not come to be.
  func forget(_ versions: ClosedRange<UInt64>, of realm: RealmID) {
    state.withLock { state in
      for number in versions { state.depths[Version(realm: realm, number: number)] = nil }
    }
  }

  /// The triggers that led to a version.
  package func depth(of version: UInt64, in realm: RealmID) -> Int {
    state.withLock { $0.depths[Version(realm: realm, number: version)] ?? 0 }
  }
}
