// SPDX-License-Identifier: Apache-2.0

// What takes a client from one query to another (P4 B.3, P5 5).

import RealmReplication
import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// The entries of a bootstrap, all of one version of the realm.
package struct Bootstrap {
  /// A changeset ends with the object that makes it this large: the client stores each as one blob.
  package static let entryByteCountMax = 1 << 20

  package private(set) var entries: [Download.Entry] = []
  /// Objects of which the client drops what it has, changes that wait for their upload included.
  private var erased: [ObjectIdentity] = []
  /// Their erasures. The states that follow need not be kept: whatever the client has changed of
  /// these objects before, the erasures discard.
  private(set) var parts: [PrivatePart] = []
  /// The position after it. Each changeset of erasures has a version of its own after that of the
  /// round before it, which may arrive alone.
  package private(set) var cursor: DownloadCursor

  private let snapshot: ObjectSnapshot
  private let timestamp: OriginTimestamp

  private init(
    _ snapshot: ObjectSnapshot, _ cursor: DownloadCursor, timestamp: OriginTimestamp
  ) {
    self.snapshot = snapshot
    self.timestamp = timestamp
    self.cursor = cursor
  }

  /// The bootstrap of query version 0: the whole schema, and nothing else.
  ///
  /// - Parameter version: That of the entry, before which the client has uploaded nothing.
  package static func schema(
    _ snapshot: ObjectSnapshot, version: UInt64, timestamp: OriginTimestamp
  ) throws(StoreError) -> Bootstrap {
    var bootstrap = Bootstrap(
      snapshot, DownloadCursor(serverVersion: version), timestamp: timestamp)
    let bytes = try StoreError.storing { () throws(StorageError) -> [UInt8] in
      var writer = ObjectStateWriter(snapshot.objects, file: .server)
      try writer.appendSchema()
      return writer.take()
    }
    bootstrap.append(bytes)
    return bootstrap
  }

  /// What takes a client that sees the old view of a version to the new one.
  ///
  /// - Parameters:
  ///   - old: Nil for a client that sees nothing yet.
  ///   - version: The client's position, at or after the version of the snapshot.
  ///   - clientVersion: The newest client version that is integrated.
  ///   - mayHoldCopies: Whether the client may hold objects that it does not see, which it drops
  ///     before it gets them again.
  package static func change(
    from old: View?, to new: View, _ snapshot: ObjectSnapshot, at version: UInt64,
    clientVersion: UInt64, timestamp: OriginTimestamp, mayHoldCopies: Bool = true
  ) throws(StoreError) -> Bootstrap {
    let cursor = DownloadCursor(serverVersion: version, clientVersion: clientVersion)
    var bootstrap = Bootstrap(snapshot, cursor, timestamp: timestamp)
    var entering: [(table: TableKey, keys: [ObjectKey])] = []
    for name in Set(new.classNames).union(old?.classNames ?? []).sorted() {
      guard let table = try View.table(name, snapshot.objects) else { continue }
      let after = try new.keys(ofClass: name, in: snapshot.objects)
      let before = try old?.keys(ofClass: name, in: snapshot.objects) ?? []
      let (seen, known) = (Set(after), Set(before))
      let arriving = after.filter { !known.contains($0) }
      // What the client may hold of an arriving object is stale.
      let stale = mayHoldCopies ? arriving : []
      for key in before.filter({ !seen.contains($0) }) + stale {
        if let identity = try table.identity(of: key) { bootstrap.erased.append(identity) }
      }
      entering.append((table.key, arriving))
    }
    bootstrap.appendErasures()
    try bootstrap.append(states: entering)
    if bootstrap.entries.isEmpty { bootstrap.append([]) }
    return bootstrap
  }

  private mutating func appendErasures() {
    parts = PrivatePart.parts(erasing: erased)
    cursor.serverVersion += UInt64(parts.count)
    for part in parts { append(part.changeset) }
  }

  private mutating func append(
    states: [(table: TableKey, keys: [ObjectKey])]
  ) throws(StoreError) {
    var changesets: [[UInt8]] = []
    try StoreError.storing { () throws(StorageError) -> Void in
      var writer = ObjectStateWriter(snapshot.objects, file: .server)
      for (table, keys) in states {
        for key in keys {
          try writer.append(key, in: table)
          if writer.byteCount >= Self.entryByteCountMax { changesets.append(writer.take()) }
        }
      }
      let rest = writer.take()
      if !rest.isEmpty { changesets.append(rest) }
    }
    for changeset in changesets { append(changeset) }
  }

  private mutating func append(_ changeset: [UInt8]) {
    entries.append(
      Download.Entry(
        serverVersion: cursor.serverVersion, clientVersion: cursor.clientVersion,
        timestamp: timestamp, originFile: .server, originalByteCount: changeset.count,
        changeset: changeset))
  }
}
