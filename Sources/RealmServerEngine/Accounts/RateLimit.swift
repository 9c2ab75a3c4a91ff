// SPDX-License-Identifier: Apache-2.0

// The limit of attempts to log in (sync.md, section 8.6).
//
// Invariants:
// 1. No name has more attempts in a minute than the limit.
// 2. The table has at most so many names: the memory of a server does not depend on who asks.

package import RealmSyncProtocol

/// Counts attempts by names, those of addresses.
package struct RateLimit: Hashable, Sendable {
  private struct Attempts: Hashable, Sendable {
    var start: Milliseconds
    var count: Int
  }

  private let limit: Int
  private let period: Milliseconds
  private let nameCountMax: Int
  private var attempts: [String: Attempts] = [:]

  package init(_ limit: Int = 10, period: Milliseconds = 60_000, nameCountMax: Int = 65_536) {
    self.limit = limit
    self.period = period
    self.nameCountMax = nameCountMax
  }

  /// Counts an attempt. Returns false if it is one too many.
  package mutating func begin(_ name: String, now: Milliseconds) -> Bool {
    var entry = attempts[name] ?? Attempts(start: now, count: 0)
    if now >= entry.start + period { entry = Attempts(start: now, count: 0) }
    guard entry.count < limit else { return false }
    if attempts[name] == nil, attempts.count >= nameCountMax {
      attempts = attempts.filter { now < $0.value.start + period }
      // So many addresses at once are an attack: it is refused until the minute is over.
      guard attempts.count < nameCountMax else { return false }
    }
    entry.count += 1
    attempts[name] = entry
    return true
  }

  /// Takes an attempt back, which was successful.
  package mutating func succeed(_ name: String) {
    guard let entry = attempts[name] else { return }
    attempts[name] = entry.count > 1 ? Attempts(start: entry.start, count: entry.count - 1) : nil
  }
}
