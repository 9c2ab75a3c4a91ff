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

  /// Those that wait for the calls under way.
  private struct Waiter {
    var calls: Set<UInt64>
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    /// The calls that other servers carry out, whose versions are not known yet.
    var calls: Set<UInt64> = []
    var lastCall: UInt64 = 0
    var waiters: [Waiter] = []
    var depths: [Version: Int] = [:]
    var order: [Version] = []
  }

  private let state = Locked(State())

  package init() {}

  /// Notes versions before they are there.
  package func note(_ versions: ClosedRange<UInt64>, of realm: RealmID, depth: Int) {
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
  package func forget(_ versions: ClosedRange<UInt64>, of realm: RealmID) {
    state.withLock { state in
      for number in versions { state.depths[Version(realm: realm, number: number)] = nil }
    }
  }

  /// Notes that a call of a trigger begins, which another server carries out.
  package func beginCall() -> UInt64 {
    state.withLock { state in
      state.lastCall += 1
      state.calls.insert(state.lastCall)
      return state.lastCall
    }
  }

  /// Notes the end of a call. The versions that it has made are noted.
  package func endCall(_ number: UInt64) {
    let ready = state.withLock { state -> [Waiter] in
      state.calls.remove(number)
      for index in state.waiters.indices { state.waiters[index].calls.remove(number) }
      let ready = state.waiters.filter(\.calls.isEmpty)
      state.waiters.removeAll(where: \.calls.isEmpty)
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// The triggers on the way to a version, once the calls under way have ended: one of them may
  /// have made it.
  package func settledDepth(of version: UInt64, in realm: RealmID) async -> Int {
    if state.withLock({ !$0.calls.isEmpty }) {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.calls.isEmpty { return true }
          state.waiters.append(Waiter(calls: state.calls, continuation: continuation))
          return false
        }
        if isReady { continuation.resume() }
      }
    }
    return depth(of: version, in: realm)
  }

  /// The triggers on the way to a version.
  package func depth(of version: UInt64, in realm: RealmID) -> Int {
    state.withLock { $0.depths[Version(realm: realm, number: version)] ?? 0 }
  }
}
