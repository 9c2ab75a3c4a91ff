// SPDX-License-Identifier: Apache-2.0

// The tables of the database, by versions.
//
// Invariants:
// 1. A version never changes once it was released; an addition is a later version.
// 2. One node at a time changes the tables, in one transaction: the database has a version whole.

#if Postgres
import RealmServerEngine

/// The tables of the database.
package enum DatabaseSchema {
  /// The version of this program.
  package static let current = Int64(texts.count)

  package static let lock = DatabaseStatement(
    "schema_lock", "SELECT pg_advisory_xact_lock(7303014200421801)")
  package static let isThere = DatabaseStatement(
    "schema_is_there", "SELECT to_regclass('openrealm.database')::text")
  package static let version = DatabaseStatement(
    "schema_version", "SELECT version FROM openrealm.database")
  package static let setVersion = DatabaseStatement(
    "schema_set_version", "UPDATE openrealm.database SET version = $1, usable_since = $2")
  package static let oldestUser = DatabaseStatement(
    "schema_oldest_user", "SELECT usable_since FROM openrealm.database")

  /// The SQL of the versions.
  private static let texts: [[String]] = [
    [
      "CREATE SCHEMA IF NOT EXISTS openrealm",
      """
      CREATE TABLE openrealm.database (version bigint NOT NULL, identity text NOT NULL)
      """,
      """
      INSERT INTO openrealm.database VALUES (0, gen_random_uuid()::text)
      """,
      """
      CREATE TABLE openrealm.realm (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \
      id text COLLATE "C" NOT NULL UNIQUE, app text NOT NULL, partition text, \
      version bigint NOT NULL DEFAULT 0, salt bigint NOT NULL DEFAULT 0, \
      total_size bigint NOT NULL DEFAULT 0, base bigint NOT NULL DEFAULT 0, \
      epoch bigint NOT NULL DEFAULT 0, token bigint NOT NULL DEFAULT 0, owner text, \
      lease_until timestamptz NOT NULL DEFAULT now(), checkpoint bigint NOT NULL DEFAULT 0, \
      checkpoint_salt bigint NOT NULL DEFAULT 0, checkpoint_id bigint NOT NULL DEFAULT 0, \
      checkpoint_size bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50)
      """,
      "CREATE INDEX realm_app ON openrealm.realm (app)",
      """
      CREATE TABLE openrealm.history (realm bigint NOT NULL, version bigint NOT NULL, \
      salt bigint NOT NULL, file bigint NOT NULL, client_version bigint NOT NULL, \
      timestamp bigint NOT NULL, committed bigint NOT NULL, original_size bigint NOT NULL, \
      total_size bigint NOT NULL, changeset bytea NOT NULL, touches bytea NOT NULL, \
      PRIMARY KEY (realm, version))
      """,
      """
      CREATE TABLE openrealm.client_file (realm bigint NOT NULL, ident bigint NOT NULL, \
      salt bigint NOT NULL, user_name text NOT NULL, client_version bigint NOT NULL, \
      reciprocal_base bigint NOT NULL, locked_version bigint NOT NULL, \
      last_seen bigint NOT NULL, expired bigint NOT NULL, first_download bigint NOT NULL, \
      first_download_base bigint NOT NULL, filters text NOT NULL, PRIMARY KEY (realm, ident))
      """,
      """
      CREATE TABLE openrealm.ident (realm bigint NOT NULL, first bigint NOT NULL, \
      last bigint NOT NULL, PRIMARY KEY (realm, first))
      """,
      """
      CREATE TABLE openrealm.reciprocal (realm bigint NOT NULL, file bigint NOT NULL, \
      version bigint NOT NULL, changeset bytea NOT NULL, PRIMARY KEY (realm, file, version))
      """,
      """
      CREATE TABLE openrealm.private (realm bigint NOT NULL, file bigint NOT NULL, \
      version bigint NOT NULL, timestamp bigint NOT NULL, objects bytea NOT NULL, \
      changeset bytea NOT NULL, refused_version bigint, sent bytea, refused_objects bytea, \
      unseen_objects bytea, PRIMARY KEY (realm, file, version))
      """,
      """
      CREATE TABLE openrealm.checkpoint (realm bigint NOT NULL, id bigint NOT NULL, \
      part bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (realm, id, part))
      """,
    ],
    [
      "ALTER TABLE openrealm.database ADD COLUMN usable_since bigint NOT NULL DEFAULT 1",
      """
      CREATE TABLE openrealm.node (name text PRIMARY KEY, url text, program text NOT NULL, \
      seen timestamptz NOT NULL)
      """,
      """
      CREATE TABLE openrealm.shared_file (path text COLLATE "C" PRIMARY KEY, \
      version bigint NOT NULL, bytes bytea)
      """,
    ],
  ]

  /// The oldest version of programs that can use the tables of this one, so that servers of both
  /// run side by side during an upgrade.
  static let usableSince: Int64 = 2

  /// The statements between each version and the one before.
  package static let versions: [[DatabaseStatement]] = texts.enumerated().map { version in
    version.element.enumerated().map { statement in
      DatabaseStatement("schema_\(version.offset + 1)_\(statement.offset)", statement.element)
    }
  }

  /// Brings the tables of a database to the version of this program.
  ///
  /// - Returns: `StoreError.unavailable` if the database has a later version that this program
  ///   cannot use.
  static func prepare(_ link: any DatabaseLink) throws(DatabaseError) -> StoreError? {
    var found: Int64 = 0
    let isThere = try link.run([Statements.begin(), lock(), isThere()])[2]
    if let row = isThere.first, DatabaseRowReader(row).optionalText(0) != nil,
      let row = try link.run([version()])[0].first
    {
      found = DatabaseRowReader(row).optionalInteger(0) ?? 0
    }
    guard found <= current else {
      let oldest = DatabaseRowReader(try link.run([oldestUser()])[0].first ?? []).optionalInteger(0)
      _ = try link.run([Statements.rollback()])
      if let oldest, oldest <= current { return nil }
      return .unavailable(
        "The database has the tables of version \(found), and this realm-server knows those "
          + "through \(current). Install the newer realm-server.")
    }
    guard found < current else {
      _ = try link.run([Statements.rollback()])
      return nil
    }
    for version in versions[Int(max(0, found))...] {
      _ = try link.run(version.map { $0() })
    }
    _ = try link.run([setVersion(.int(current), .int(usableSince)), Statements.commit()])
    return nil
  }
}
#endif
