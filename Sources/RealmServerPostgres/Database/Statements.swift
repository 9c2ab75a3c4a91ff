// SPDX-License-Identifier: Apache-2.0

// All statements of the store. Each table is keyed by the number of a realm.
//
// Each statement is carried out by `SimulatedDatabase` of the tests, too, under its name.

#if Postgres
/// The statements of the store.
package enum Statements {
  // MARK: Transactions

  package static let begin = DatabaseStatement("begin", "BEGIN")
  package static let rollback = DatabaseStatement("rollback", "ROLLBACK")
  package static let commit = DatabaseStatement("commit", "COMMIT")

  // MARK: Realms

  /// The columns of a head, in the order of `RealmRow`.
  private static let head =
    """
    number, id, app, partition, version, salt, total_size, base, epoch, token, checkpoint, \
    checkpoint_salt, checkpoint_id, checkpoint_size
    """

  package static let identity = DatabaseStatement(
    "identity", "SELECT identity FROM openrealm.database")
  /// The milliseconds since 1970.
  package static let time = DatabaseStatement(
    "time", "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
  package static let makeRealm = DatabaseStatement(
    "make_realm",
    """
    INSERT INTO openrealm.realm (id, app, partition) VALUES ($1, $2, $3) \
    ON CONFLICT (id) DO NOTHING
    """)
  package static let realmByID = DatabaseStatement(
    "realm_by_id", "SELECT \(head) FROM openrealm.realm WHERE id = $1")
  package static let realm = DatabaseStatement(
    "realm", "SELECT \(head) FROM openrealm.realm WHERE number = $1")
  /// Waits for the end of another transaction about the realm.
  package static let lockRealm = DatabaseStatement(
    "lock_realm", "SELECT \(head) FROM openrealm.realm WHERE number = $1 FOR UPDATE")
  package static let realmsOfApp = DatabaseStatement(
    "realms_of_app", "SELECT \(head) FROM openrealm.realm WHERE app = $1 ORDER BY id")
  package static let newHeads = DatabaseStatement(
    "new_heads",
    """
    SELECT \(head) FROM openrealm.realm WHERE number = ANY ($1::text::bigint[]) ORDER BY number
    """)

  /// Makes a node the owner: realm, node, milliseconds of the lease.
  package static let own = DatabaseStatement(
    "own",
    """
    UPDATE openrealm.realm SET epoch = epoch + 1, owner = $2, \
    lease_until = now() + $3::bigint * interval '1 millisecond' \
    WHERE number = $1 AND (owner IS NULL OR owner = $2 OR lease_until < now()) \
    RETURNING \(head)
    """)
  /// The milliseconds that a lease has left, and whose it is.
  package static let leaseLeft = DatabaseStatement(
    "lease_left",
    """
    SELECT GREATEST(0, (extract(epoch FROM lease_until - now()) * 1000))::bigint, owner \
    FROM openrealm.realm WHERE number = $1
    """)
  /// Renews the leases of a node, but for realms with an append under way: it renews them, too.
  package static let renewLeases = DatabaseStatement(
    "renew_leases",
    """
    UPDATE openrealm.realm SET lease_until = now() + $3::bigint * interval '1 millisecond' \
    WHERE number IN (SELECT number FROM openrealm.realm WHERE owner = $2 \
    AND number = ANY ($1::text::bigint[]) FOR UPDATE SKIP LOCKED)
    """)
  package static let giveUpLease = DatabaseStatement(
    "give_up_lease",
    """
    UPDATE openrealm.realm SET owner = NULL, lease_until = now() \
    WHERE number = $1 AND owner = $2 AND epoch = $3
    """)

  /// Moves the head of a realm whose head and epoch are as expected: realm, version, epoch, the new
  /// version, salt, size and base, token, milliseconds of the lease, node.
  package static let claim = DatabaseStatement(
    "claim",
    """
    UPDATE openrealm.realm SET version = $4, salt = $5, total_size = $6, \
    base = GREATEST(base, $7), token = $8, owner = $10, \
    lease_until = now() + $9::bigint * interval '1 millisecond' \
    WHERE number = $1 AND version = $2 AND epoch = $3 RETURNING \(head)
    """)

  /// Moves the head of a realm as a node without its lease, which stays as it is: realm, version,
  /// epoch, the new version, salt, size and base, token.
  package static let claimShared = DatabaseStatement(
    "claim_shared",
    """
    UPDATE openrealm.realm SET version = $4, salt = $5, total_size = $6, \
    base = GREATEST(base, $7), token = $8 \
    WHERE number = $1 AND version = $2 AND epoch = $3 RETURNING \(head)
    """)

  // MARK: History

  package static let addEntry = DatabaseStatement(
    "add_entry",
    """
    INSERT INTO openrealm.history (realm, version, salt, file, client_version, timestamp, \
    committed, original_size, total_size, changeset, touches) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    """)
  /// A portion of the entries from one version through another, of a size at most, but at least
  /// one: realm, first, last, bytes.
  package static let entries = DatabaseStatement(
    "entries",
    """
    SELECT version, salt, file, client_version, timestamp, committed, original_size, total_size, \
    changeset, touches FROM (SELECT *, sum(octet_length(changeset) + octet_length(touches)) \
    OVER (ORDER BY version) AS running FROM (SELECT * FROM openrealm.history \
    WHERE realm = $1 AND version >= $2 AND version <= $3 ORDER BY version LIMIT 1000) AS found) \
    AS portion WHERE running <= $4 OR version = $2 ORDER BY version
    """)
  package static let saltOfEntry = DatabaseStatement(
    "salt_of_entry", "SELECT salt FROM openrealm.history WHERE realm = $1 AND version = $2")
  package static let trimHistory = DatabaseStatement(
    "trim_history", "DELETE FROM openrealm.history WHERE realm = $1 AND version <= $2")

  // MARK: Client files

  private static let fileColumns =
    """
    ident, salt, user_name, client_version, reciprocal_base, locked_version, last_seen, expired, \
    first_download, first_download_base, filters
    """

  package static let file = DatabaseStatement(
    "file", "SELECT \(fileColumns) FROM openrealm.client_file WHERE realm = $1 AND ident = $2")
  /// A portion of the files after one.
  package static let files = DatabaseStatement(
    "files",
    """
    SELECT \(fileColumns) FROM openrealm.client_file WHERE realm = $1 AND ident > $2 \
    ORDER BY ident LIMIT 1000
    """)
  package static let addFile = DatabaseStatement(
    "add_file",
    """
    INSERT INTO openrealm.client_file (realm, \(fileColumns)) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    """)
  package static let setFile = DatabaseStatement(
    "set_file",
    """
    UPDATE openrealm.client_file SET salt = $3, user_name = $4, client_version = $5, \
    reciprocal_base = $6, locked_version = $7, last_seen = $8, expired = $9, \
    first_download = $10, first_download_base = $11, filters = $12 \
    WHERE realm = $1 AND ident = $2
    """)
  package static let forgetFile = DatabaseStatement(
    "forget_file",
    "DELETE FROM openrealm.client_file WHERE realm = $1 AND ident = $2 AND last_seen = 0")
  package static let idents = DatabaseStatement(
    "idents", "SELECT first, last FROM openrealm.ident WHERE realm = $1 ORDER BY first")
  package static let setIdents = DatabaseStatement(
    "set_idents",
    """
    INSERT INTO openrealm.ident (realm, first, last) VALUES ($1, $2, $3) \
    ON CONFLICT (realm, first) DO UPDATE SET last = EXCLUDED.last
    """)

  // MARK: Changes of clients

  package static let reciprocals = DatabaseStatement(
    "reciprocals",
    """
    SELECT version, changeset FROM openrealm.reciprocal \
    WHERE realm = $1 AND file = $2 AND version > $3 ORDER BY version LIMIT 1000
    """)
  package static let setReciprocal = DatabaseStatement(
    "set_reciprocal",
    """
    INSERT INTO openrealm.reciprocal (realm, file, version, changeset) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (realm, file, version) DO UPDATE SET changeset = EXCLUDED.changeset
    """)
  package static let trimReciprocals = DatabaseStatement(
    "trim_reciprocals",
    "DELETE FROM openrealm.reciprocal WHERE realm = $1 AND file = $2 AND version <= $3")
  package static let privates = DatabaseStatement(
    "privates",
    """
    SELECT version, timestamp, objects, changeset, refused_version, sent, refused_objects, \
    unseen_objects FROM openrealm.private WHERE realm = $1 AND file = $2 AND version > $3 \
    ORDER BY version LIMIT 1000
    """)
  /// Null columns of a refusal stay as they were.
  package static let setPrivate = DatabaseStatement(
    "set_private",
    """
    INSERT INTO openrealm.private AS known (realm, file, version, timestamp, objects, changeset, \
    refused_version, sent, refused_objects, unseen_objects) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
    ON CONFLICT (realm, file, version) DO UPDATE SET timestamp = EXCLUDED.timestamp, \
    objects = EXCLUDED.objects, changeset = EXCLUDED.changeset, \
    refused_version = COALESCE(EXCLUDED.refused_version, known.refused_version), \
    sent = COALESCE(EXCLUDED.sent, known.sent), \
    refused_objects = COALESCE(EXCLUDED.refused_objects, known.refused_objects), \
    unseen_objects = COALESCE(EXCLUDED.unseen_objects, known.unseen_objects)
    """)
  package static let removePrivate = DatabaseStatement(
    "remove_private",
    "DELETE FROM openrealm.private WHERE realm = $1 AND file = $2 AND version = $3")
  package static let trimPrivates = DatabaseStatement(
    "trim_privates",
    "DELETE FROM openrealm.private WHERE realm = $1 AND file = $2 AND version <= $3")

  // MARK: Checkpoints

  package static let addPart = DatabaseStatement(
    "add_part",
    "INSERT INTO openrealm.checkpoint (realm, id, part, bytes) VALUES ($1, $2, $3, $4)")
  package static let part = DatabaseStatement(
    "part", "SELECT bytes FROM openrealm.checkpoint WHERE realm = $1 AND id = $2 AND part = $3")
  package static let sizeOfParts = DatabaseStatement(
    "size_of_parts",
    """
    SELECT COALESCE(sum(octet_length(bytes)), 0)::bigint FROM openrealm.checkpoint \
    WHERE realm = $1 AND id = $2
    """)
  /// Makes a checkpoint the realm's: realm, version, salt, id, size.
  package static let setCheckpoint = DatabaseStatement(
    "set_checkpoint",
    """
    UPDATE openrealm.realm SET checkpoint = $2, checkpoint_salt = $3, checkpoint_id = $4, \
    checkpoint_size = $5 WHERE number = $1 AND checkpoint < $2 RETURNING \(head)
    """)
  package static let removeCheckpoint = DatabaseStatement(
    "remove_checkpoint", "DELETE FROM openrealm.checkpoint WHERE realm = $1 AND id = $2")
  package static let removeOtherCheckpoints = DatabaseStatement(
    "remove_other_checkpoints", "DELETE FROM openrealm.checkpoint WHERE realm = $1 AND id <> $2")

  // MARK: Moving

  /// Removes what belongs to a realm; its row stays. A statement for each table.
  package static let clear = [
    "history", "client_file", "ident", "reciprocal", "private", "checkpoint",
  ].map { table in
    DatabaseStatement("clear_\(table)", "DELETE FROM openrealm.\(table) WHERE realm = $1")
  }

  // MARK: Servers

  /// Notes a server: its name, its address, its program.
  package static let announce = DatabaseStatement(
    "announce",
    """
    INSERT INTO openrealm.node (name, url, program, seen) VALUES ($1, $2, $3, now()) \
    ON CONFLICT (name) DO UPDATE SET url = EXCLUDED.url, program = EXCLUDED.program, seen = now()
    """)
  package static let nodeAddress = DatabaseStatement(
    "node_address", "SELECT url FROM openrealm.node WHERE name = $1")
  /// Notes that a server is there.
  package static let seeNode = DatabaseStatement(
    "see_node", "UPDATE openrealm.node SET seen = now() WHERE name = $1")
  /// Other servers than one that were there a short time ago.
  package static let presentNodes = DatabaseStatement(
    "present_nodes",
    """
    SELECT name, url FROM openrealm.node WHERE name <> $1 AND seen > now() - interval '30 seconds' \
    ORDER BY name
    """)
  /// Forgets servers that were not there for a week.
  package static let forgetNodes = DatabaseStatement(
    "forget_nodes", "DELETE FROM openrealm.node WHERE seen < now() - interval '7 days'")

  // MARK: Shared files

  package static let sharedFiles = DatabaseStatement(
    "shared_files", "SELECT path, version, bytes FROM openrealm.shared_file ORDER BY path")
  package static let sharedFile = DatabaseStatement(
    "shared_file",
    "SELECT version, bytes FROM openrealm.shared_file WHERE path = $1 FOR UPDATE")
  /// Stores a file that has a version: its path, the version, the bytes.
  package static let putSharedFile = DatabaseStatement(
    "put_shared_file",
    """
    INSERT INTO openrealm.shared_file AS known (path, version, bytes) \
    VALUES ($1, $2::bigint + 1, $3) ON CONFLICT (path) DO UPDATE SET version = EXCLUDED.version, \
    bytes = EXCLUDED.bytes WHERE known.version = $2 RETURNING version
    """)
  package static let markOfSharedFiles = DatabaseStatement(
    "mark_of_shared_files",
    "SELECT count(*), COALESCE(sum(version), 0)::bigint FROM openrealm.shared_file")

  // MARK: News

  package static let listen = DatabaseStatement("listen", "LISTEN openrealm_heads")
  /// Notifies all nodes: the number of a realm, as text.
  package static let notify = DatabaseStatement(
    "notify", "SELECT pg_notify('openrealm_heads', $1)")
}
#endif
