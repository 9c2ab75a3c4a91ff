// SPDX-License-Identifier: Apache-2.0

// The limits of attempts, by names of addresses or users.
//
// Invariants:
// 1. No name has more attempts in a period than the limit.

package import RealmSyncProtocol

/// Counts attempts by names of addresses.
package struct RateLimit: Hashable, Sendable {
  private struct Attempts: Hashable, Sendable {
    var start: Milliseconds
    var count: Int
  }

  private let limit: Int
  private let period: Milliseconds
  private var attempts: BoundedTable<Attempts>

  package init(_ limit: Int = 10, period: Milliseconds = 60_000, nameCountMax: Int = 65_536) {
    self.limit = limit
    self.period = period
    attempts = BoundedTable(countMax: nameCountMax)
  }

  /// Counts an attempt. Returns false if it is one too many.
  package mutating func begin(_ name: String, now: Milliseconds) -> Bool {
    // A clock that was set back begins a period, too: one from the future would never end.
    guard let entry = attempts[name], entry.start <= now, now < entry.start + period else {
      attempts.insert(name, Attempts(start: now, count: 1))
      return limit > 0
    }
    guard entry.count < limit else { return false }
    attempts.update(name, to: Attempts(start: entry.start, count: entry.count + 1))
    return true
  }

  /// Takes an attempt back; it does not count.
  package mutating func withdraw(_ name: String) {
    guard let entry = attempts[name] else { return }
    if entry.count > 1 {
      attempts.update(name, to: Attempts(start: entry.start, count: entry.count - 1))
    } else {
      attempts.remove(name)
    }
  }
}
