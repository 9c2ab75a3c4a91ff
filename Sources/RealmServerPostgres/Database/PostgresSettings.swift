// SPDX-License-Identifier: Apache-2.0

// The times and sizes of a store on a database.

#if Postgres
/// The times and sizes of a store on a database.
package struct PostgresSettings: Hashable, Sendable {
  /// The time after which another node may own the realms of one without a renewed lease, by
  /// the clock of the database.
  package var leaseMilliseconds = 15_000
  /// The time for further attempts while the database does not answer.
  package var patienceMilliseconds = 10_000
  /// The time between two reads of the heads of open realms, in case a notification is lost.
  package var pollMilliseconds = 1_000
  /// The versions between two checkpoints of a realm.
  package var checkpointVersions: UInt64 = 10_000
  /// The bytes of entries in one read.
  package var portionByteCount = 4 << 20

  package init() {}
}
#endif
