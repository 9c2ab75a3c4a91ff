// SPDX-License-Identifier: Apache-2.0

// The limits of attempts to log in: those of an address, and those for an account. Many addresses
// together guess no faster than one.
//
// Invariants:
// 1. No name has more attempts in a period than the limit.
// 2. A table has at most so many names, and a new name always finds room, that of the oldest one:
//    made-up addresses lock no other one out.
// 3. After `freeCount` failures in a row an account takes no attempt for a second, and for twice as
//    long after each further one, up to `delayMax`.
// 4. Guessing cannot lock out the user: addresses from which the account has logged in take no part
//    in 3.
// 5. Names without an account are treated as others: the pauses do not reveal accounts.
// 6. `insertions` has the newest insertion of each name, in their order. Those of names that were
//    inserted again or removed are void, and are dropped when they are as many as the limit.

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

/// Counts failed logins by account.
package struct LoginDelays: Hashable, Sendable {
  private struct Account: Hashable, Sendable {
    var failureCount = 0
    var lastFailure: Milliseconds = 0
    /// The last addresses of successful logins.
    var knownAddresses: [String] = []
  }

  private static let freeCount = 5
  private static let delayMax: Milliseconds = 300_000
  /// After so long without a failure, all are forgotten.
  private static let memory: Milliseconds = 3_600_000
  private static let knownAddressCountMax = 4
  private static let nameByteCountMax = 320

  private var accounts: BoundedTable<Account>

  package init(nameCountMax: Int = 65_536) { accounts = BoundedTable(countMax: nameCountMax) }

  /// Names too long for an account are one name: the table does not keep them.
  private static func key(_ name: String) -> String {
    name.utf8.count <= nameByteCountMax ? name : ""
  }

  /// Begins an attempt. It is a failure until `succeed` or `withdraw`. Returns false if the account
  /// has a pause.
  package mutating func begin(_ name: String, from address: String, now: Milliseconds) -> Bool {
    let name = Self.key(name)
    var account = accounts[name] ?? Account()
    guard !account.knownAddresses.contains(address) else { return true }
    if now >= account.lastFailure + Self.memory { account.failureCount = 0 }
    guard now >= account.lastFailure + Self.delay(account.failureCount) else { return false }
    account.failureCount += 1
    account.lastFailure = now
    accounts.insert(name, account)
    return true
  }

  private static func delay(_ failureCount: Int) -> Milliseconds {
    guard failureCount >= freeCount else { return 0 }
    return min(1_000 << Milliseconds(min(failureCount - freeCount, 20)), delayMax)
  }

  /// Notes a successful login.
  package mutating func succeed(_ name: String, from address: String) {
    let name = Self.key(name)
    var account = accounts[name] ?? Account()
    account.failureCount = 0
    account.lastFailure = 0
    account.knownAddresses.removeAll { $0 == address }
    account.knownAddresses.append(address)
    if account.knownAddresses.count > Self.knownAddressCountMax {
      account.knownAddresses.removeFirst()
    }
    accounts.insert(name, account)
  }

  /// Takes an attempt back before its result.
  package mutating func withdraw(_ name: String, from address: String) {
    let name = Self.key(name)
    guard var account = accounts[name], account.failureCount > 0,
      !account.knownAddresses.contains(address)
    else { return }
    account.failureCount -= 1
    accounts.update(name, to: account)
  }
}

/// Values by names; the oldest make room.
struct BoundedTable<Value: Hashable & Sendable>: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var value: Value
    /// The number of the value's insertion.
    let insertion: UInt64
  }

  private struct Insertion: Hashable, Sendable {
    let name: String
    let number: UInt64
  }

  private let countMax: Int
  private var entries: [String: Entry] = [:]
  private var insertions: [Insertion] = []
  /// The insertions before it are void.
  private var oldest = 0
  private var insertionCount: UInt64 = 0

  init(countMax: Int) {
    precondition(countMax > 0, "a table without room")
    self.countMax = countMax
  }

  subscript(name: String) -> Value? { entries[name]?.value }

  /// Changes a value and keeps its age.
  mutating func update(_ name: String, to value: Value) { entries[name]?.value = value }

  /// Stores a value as the youngest.
  mutating func insert(_ name: String, _ value: Value) {
    if entries[name] == nil, entries.count == countMax { removeOldest() }
    insertionCount += 1
    entries[name] = Entry(value: value, insertion: insertionCount)
    insertions.append(Insertion(name: name, number: insertionCount))
    if insertions.count > 2 * countMax { dropVoidInsertions() }
    assert(entries.count <= countMax, "RateLimit 2")
    assert(entries.count <= insertions.count - oldest, "RateLimit 6")
  }

  mutating func remove(_ name: String) { entries[name] = nil }

  private func isVoid(_ insertion: Insertion) -> Bool {
    entries[insertion.name]?.insertion != insertion.number
  }

  private mutating func removeOldest() {
    while oldest < insertions.count, isVoid(insertions[oldest]) { oldest += 1 }
    guard oldest < insertions.count else { return }
    entries[insertions[oldest].name] = nil
    oldest += 1
  }

  private mutating func dropVoidInsertions() {
    insertions = insertions[oldest...].filter { !isVoid($0) }
    oldest = 0
  }
}
