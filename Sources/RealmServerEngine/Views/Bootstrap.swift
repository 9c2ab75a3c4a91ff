// SPDX-License-Identifier: Apache-2.0

// What takes a client from one query to another (P4 B.3, P5 5).
//
// Invariants:
// 1. All entries are of one version of the realm, whatever is uploaded while they are written: the
//    snapshot stays as long as the bootstrap.
// 2. Between two entries a bootstrap keeps the selection of its objects, and nothing of their
//    content: a client that does not read may make the server keep it for long.

import RealmReplication
package import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// The entries of a bootstrap, written as they are sent.
package struct Bootstrap: Sendable {
  /// A changeset ends with the object that makes it this large: the client stores each as one blob.
  package static let entryByteCountMax = 1 << 20

  /// The erasures as they are stored for the client, until that is done. The states that follow
  /// need not be stored: whatever the client has changed of these objects before, the erasures
  /// discard.
  private(set) var parts: [PrivatePart] = []
  /// The positions after it; all but the download cursor are known when the erasures are stored.
  /// Each changeset of erasures has a version of its own after that of the round before it, which
  /// may arrive alone.
  package private(set) var cursors: SyncCursors

  private let snapshot: RealmSnapshot
  private let timestamp: OriginTimestamp
  private let entryByteCountMax: Int
  /// The whole schema, if it is the first thing.
  private var schema: [UInt8]?
  /// Objects of which the client drops what it has, changes that wait for their upload included.
  private var erased: ObjectSelection.Iterator
  private var arriving: ObjectSelection.Iterator
  private let objectCount: Int
  private var isBegun = false

  private init(
    _ snapshot: RealmSnapshot, _ cursor: DownloadCursor, timestamp: OriginTimestamp,
    entryByteCountMax: Int, erased: ObjectSelection, arriving: ObjectSelection
  ) {
    self.snapshot = snapshot
    self.timestamp = timestamp
    cursors = SyncCursors(download: cursor)
    self.entryByteCountMax = entryByteCountMax
    self.erased = ObjectSelection.Iterator(erased)
    self.arriving = ObjectSelection.Iterator(arriving)
    objectCount = erased.count + arriving.count
  }

  /// The bootstrap of query version 0: the whole schema, and nothing else.
  ///
  /// - Parameter version: That of the entry, before which the client has uploaded nothing.
  package static func schema(
    _ snapshot: RealmSnapshot, version: UInt64, timestamp: OriginTimestamp
  ) throws(StorageError) -> Bootstrap {
    var bootstrap = Bootstrap(
      snapshot, DownloadCursor(serverVersion: version), timestamp: timestamp,
      entryByteCountMax: entryByteCountMax, erased: ObjectSelection(), arriving: ObjectSelection())
    var writer = ObjectStateWriter(snapshot.objects, file: .server)
    try writer.appendSchema()
    bootstrap.schema = writer.take()
    return bootstrap
  }

  /// What takes a client that sees the old view of a version to the new one.
  ///
  /// The client may hold objects that it does not see: it drops them before it gets them again.
  ///
  /// - Parameters:
  ///   - old: Nil for a client that sees nothing yet.
  ///   - absent: Objects of the old view that the client does not have: it was not sent them, as
  ///     the rights of its user had changed.
  ///   - version: The client's position, at or after the version of the snapshot.
  ///   - clientVersion: The newest integrated client version.
  package static func change(
    from old: View?, to new: View, absent: Set<ObjectIdentity> = [], _ snapshot: RealmSnapshot,
    at version: UInt64, clientVersion: UInt64, timestamp: OriginTimestamp,
    entryByteCountMax: Int = Bootstrap.entryByteCountMax
  ) throws(StorageError) -> Bootstrap {
    var (erased, arriving) = (ObjectSelection(), ObjectSelection())
    for name in Set(new.classNames).union(old?.classNames ?? []).sorted() {
      guard let table = try View.table(name, snapshot.objects) else { continue }
      let after = try new.keys(ofClass: name, in: snapshot.objects)
      var before = try old?.keys(ofClass: name, in: snapshot.objects) ?? []
      if !absent.isEmpty { before = try before.without(absent, of: table) }
      let (seen, known) = (Set(after), Set(before))
      let entering = after.filter { !known.contains($0) }.sorted()
      let leaving = before.filter { !seen.contains($0) }
      try arriving.add(entering, of: table)
      try erased.add(leaving.isEmpty ? entering : (leaving + entering).sorted(), of: table)
    }
    var bootstrap = Bootstrap(
      snapshot, DownloadCursor(serverVersion: version, clientVersion: clientVersion),
      timestamp: timestamp, entryByteCountMax: entryByteCountMax, erased: erased,
      arriving: arriving)
    try bootstrap.makeParts()
    return bootstrap
  }

  private mutating func makeParts() throws(StorageError) {
    var rest = erased
    while true {
      let objects = try rest.nextIdentities(in: snapshot.objects)
      guard !objects.isEmpty else { break }
      parts.append(PrivatePart(erasing: objects))
    }
    cursors.download.serverVersion += UInt64(parts.count)
  }

  /// Notes the erasures as stored, and the positions then.
  mutating func didStore(_ head: RealmHead, _ file: ClientFile) {
    parts = []
    cursors = SyncCursors(cursors.download, head, file)
  }

  // MARK: Entries

  /// Whether all entries are written.
  package var isComplete: Bool { isBegun && schema == nil && erased.count + arriving.count == 0 }

  /// The written part, from 0 to 1.
  package var progress: Double {
    objectCount == 0 ? 1 : 1 - Double(erased.count + arriving.count) / Double(objectCount)
  }

  /// Writes the next entries, until they have `byteLimit` bytes or all are written.
  package mutating func takeEntries(byteLimit: Int) throws(StorageError) -> [DownloadEntry] {
    var entries: [DownloadEntry] = []
    var byteCount = 0
    while !isComplete, entries.isEmpty || byteCount < byteLimit {
      let changeset = try nextChangeset()
      isBegun = true
      // A client never completes a bootstrap without entries.
      guard !changeset.isEmpty || isComplete && entries.isEmpty else { continue }
      byteCount += changeset.count
      entries.append(DownloadEntry(ofServer: changeset, at: cursors.download, timestamp))
    }
    return entries
  }

  /// The schema, erasures or states; no bytes if none are left.
  private mutating func nextChangeset() throws(StorageError) -> [UInt8] {
    if let schema {
      self.schema = nil
      return schema
    }
    let objects = try erased.nextIdentities(in: snapshot.objects)
    guard objects.isEmpty else { return PrivatePart(erasing: objects).changeset }
    var writer = ObjectStateWriter(snapshot.objects, file: .server)
    while writer.byteCount < entryByteCountMax,
      let (table, key) = try arriving.next(in: snapshot.objects)
    {
      try writer.append(key, in: table.key)
    }
    return writer.take()
  }
}

extension [ObjectKey] {
  /// The keys without those of some objects.
  fileprivate func without(
    _ objects: Set<ObjectIdentity>, of table: Table
  ) throws(StorageError) -> [ObjectKey] {
    var rest: [ObjectKey] = []
    for key in self {
      if let object = try table.identity(of: key), objects.contains(object) { continue }
      rest.append(key)
    }
    return rest
  }
}
