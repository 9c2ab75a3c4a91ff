// SPDX-License-Identifier: Apache-2.0

// The pauses of an account after failed logins. Many addresses together guess no faster than one.
//
// Invariants:
// 1. After `freeCount` failures in a row an account takes no attempt for a second, and for twice as
//    long after each further one, up to `delayMax`.
// 2. Guessing cannot lock out the user: addresses from which the account has logged in take no part
//    in 1.
// 3. Names without an account are treated as others: the pauses do not reveal accounts.

#if Server
import RealmServerEngine
package import RealmSyncProtocol

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
#endif
