// SPDX-License-Identifier: Apache-2.0

// What goes wrong with the database of a storm.

#if Server
/// A kill of all processes of a PostgreSQL server, and what follows. Times are milliseconds.
enum DatabaseFault: Hashable {
  /// The primary dies. After a time the standby is promoted, and after another the old primary
  /// comes back as its standby.
  case failOver(promotionAfter: Int, returnAfter: Int)
  /// The primary dies, and comes back as the primary.
  case restartPrimary(after: Int)
  /// The standby dies, and comes back. Commits wait until then.
  case restartStandby(after: Int)
}
#endif
