// SPDX-License-Identifier: Apache-2.0

// Where a server keeps the records that it needs itself, like users: tables at versions.
//
// Invariants:
// 1. What a call has changed is durable when it returns. A call that throws changes nothing; only
//    after `StoreError.unavailable` it may have, as the next snapshot says.
// 2. A change is made to the newest version, or not at all.

package import RealmTables

/// Keeps tables of records (`RecordLayout`).
///
/// All calls block their thread: callers bring one of their own (`ThreadExecutor`).
package protocol RecordStore: Sendable {
  /// Whether other servers read and write the records, too.
  var isShared: Bool { get }

  /// The right that one of several servers has at a time; nil where there are no others.
  var lease: (any RecordLease)? { get }

  /// The newest version.
  func snapshot() throws(StoreError) -> TableGroup

  /// Makes changes, if the body returns true.
  ///
  /// - Parameters:
  ///   - author: Whose changes they are.
  ///   - body: Runs again on a newer version where another server has changed the records
  ///     meanwhile, so nothing else may come of it.
  func change(by author: RecordAuthor, _ body: RecordChange) throws(StoreError)

  /// Has an element soon after other servers have changed records, and one at the beginning.
  func news() -> AsyncStream<Void>

  /// What other servers have changed since the last call, up to the newest version.
  func takeChanges() throws(StoreError) -> (changes: RecordChanges, newest: TableGroup)
}

extension RecordStore {
  /// Makes changes in the name of any server.
  package func change(_ body: RecordChange) throws(StoreError) {
    try change(by: .anyServer, body)
  }
}

/// Whose change of records it is.
package enum RecordAuthor: Hashable, Sendable {
  case anyServer
  /// The server with the lease. The change of one without it throws `StoreError.fenced`.
  case leaseholder
}

/// A right about records, which one server has until it gives it up, or is gone for a while.
package protocol RecordLease: Sendable {
  /// How long the right of a server lasts that does not renew it.
  var milliseconds: Int { get }

  /// Whether this server has the right, as far as it knows.
  var isHeld: Bool { get }

  /// Takes the right. Returns false while another server has it.
  func take() throws(StoreError) -> Bool

  /// Renews the right. Returns whether this server has it still.
  func renew() -> Bool

  /// Lets another server take the right at once.
  func giveUp()
}
