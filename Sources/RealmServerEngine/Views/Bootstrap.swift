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
  private var timestamp: OriginTimestamp
  private let entryByteCountMax: Int
  /// The whole schema, if it is the first thing.
  private var schema: [UInt8]?
  /// Objects of which the client drops what it has, changes that wait for their upload included.
  private var erased: ObjectSelection.Iterator
  private var arriving: ObjectSelection.Iterator
  /// Objects in both views, of classes with other properties than before.
  private var staying: ObjectSelection.Iterator
  private let changes: [TableKey: FieldChange]
  /// The seen properties, by classes; all of a class without an entry.
  private let fields: [String: FieldSelection]
  private let objectCount: Int
  private var isBegun = false

  /// The objects whose erasures are in no part yet; nil once all are.
  private var unmade: ObjectSelection.Iterator?

  /// The objects of the old and the new view, by classes, ascending.
  struct Selected: Sendable {
    var before: [String: [ObjectKey]] = [:]
    var after: [String: [ObjectKey]] = [:]

    var count: Int {
      before.values.reduce(0) { $0 + $1.count } + after.values.reduce(0) { $0 + $1.count }
    }
  }

  /// The seen properties of a class, before and after.
  private struct FieldChange {
    let before: FieldSelection
    let after: FieldSelection
  }

  private init(
    _ basis: Basis, erased: ObjectSelection = ObjectSelection(),
    arriving: ObjectSelection = ObjectSelection(), staying: ObjectSelection = ObjectSelection(),
    changes: [TableKey: FieldChange] = [:], fields: [String: FieldSelection] = [:]
  ) {
    snapshot = basis.snapshot
    timestamp = basis.timestamp
    cursors = SyncCursors(download: basis.cursor)
    entryByteCountMax = basis.entryByteCountMax
    self.erased = ObjectSelection.Iterator(erased)
    self.arriving = ObjectSelection.Iterator(arriving)
    self.staying = ObjectSelection.Iterator(staying)
    self.changes = changes
    self.fields = fields
    objectCount = erased.count + arriving.count + staying.count
  }

  /// The bootstrap of query version 0: the whole schema, and nothing else.
  ///
  /// - Parameter basis: Its position is that of the entry, before which the client has uploaded
  ///   nothing.
  package static func schema(_ basis: Basis) throws(StorageError) -> Bootstrap {
    var bootstrap = Bootstrap(basis)
    var writer = ObjectStateWriter(basis.snapshot.objects, file: .server)
    try writer.appendSchema()
    bootstrap.schema = writer.take()
    return bootstrap
  }

  /// What takes a client that sees the old view of a version to the new one.
  ///
  /// The client may hold objects that it does not see: it drops them before it gets them again. Of
  /// objects in both views it gets the newly seen properties, and newly hidden ones become as in
  /// new objects: its changes of the others stay, uploaded or not.
  ///
  /// - Parameters:
  ///   - old: Nil for a client that sees nothing yet.
  ///   - absent: Objects of the old view that the client does not have: it was not sent them, as
  ///     the rights of its user had changed.
  package static func change(
    from old: View?, to new: View, absent: Set<ObjectIdentity> = [], _ basis: Basis
  ) throws(StorageError) -> Bootstrap {
    let snapshot = basis.snapshot
    var selected = Selected()
    for name in Set(new.classNames).union(old?.classNames ?? []) {
      selected.after[name] = try new.keys(ofClass: name, in: snapshot.objects)
      selected.before[name] = try old?.keys(ofClass: name, in: snapshot.objects)
    }
    var bootstrap = try Bootstrap(selected, from: old, to: new, absent: absent, basis)
    while try bootstrap.makePart() != nil {}
    return bootstrap
  }

  /// What takes a client from the objects of one view to those of another. Its parts are not made
  /// yet.
  init(
    _ selected: Selected, from old: View?, to new: View, absent: Set<ObjectIdentity>,
    _ basis: Basis
  ) throws(StorageError) {
    var (erased, arriving, staying) = (ObjectSelection(), ObjectSelection(), ObjectSelection())
    var changes: [TableKey: FieldChange] = [:]
    for name in Set(new.classNames).union(old?.classNames ?? []).sorted() {
      guard let table = try View.table(name, basis.snapshot.objects) else { continue }
      let after = selected.after[name] ?? []
      var before = selected.before[name] ?? []
      if !absent.isEmpty { before = try before.without(absent, ofClass: name, in: table) }
      let (seen, known) = (Set(after), Set(before))
      let entering = after.filter { !known.contains($0) }
      let leaving = before.filter { !seen.contains($0) }
      try arriving.add(entering, of: table)
      try erased.add(leaving.isEmpty ? entering : (leaving + entering).sorted(), of: table)
      guard let change = Self.fieldChange(of: table.schema, name, from: old, to: new) else {
        continue
      }
      changes[table.key] = change
      try staying.add(after.filter(known.contains), of: table)
    }
    self.init(
      basis, erased: erased, arriving: arriving, staying: staying, changes: changes,
      fields: new.readableFields)
    unmade = self.erased
  }

  /// The change of a class; nil for none.
  private static func fieldChange(
    of schema: TableSchema, _ name: String, from old: View?, to new: View
  ) -> FieldChange? {
    guard let old else { return nil }
    let before = old.readableFields[name] ?? .all
    let after = new.readableFields[name] ?? .all
    guard before != after else { return nil }
    let isChanged = schema.columns.contains {
      !$0.isPrimaryKey && !before.isEqual(to: after, at: $0.name)
    }
    return isChanged ? FieldChange(before: before, after: after) : nil
  }

  /// Makes the next part.
  ///
  /// - Returns: The number of its objects; nil if all parts are made.
  mutating func makePart() throws(StorageError) -> Int? {
    guard var rest = unmade else { return nil }
    unmade = nil
    let objects = try rest.nextIdentities(in: snapshot.objects)
    guard objects.isEmpty else {
      parts.append(PrivatePart(erasing: objects))
      unmade = rest
      return objects.count
    }
    place(after: cursors.download.serverVersion)
    return nil
  }

  /// Gives the parts the versions after one.
  private mutating func place(after version: UInt64) {
    partsVersion = version + UInt64(parts.count)
    cursors.download.serverVersion = partsVersion + (staying.count > 0 ? 1 : 0)
  }

  /// The same after a later position, up to which no object has changed.
  func moved(to cursor: DownloadCursor, timestamp: OriginTimestamp) -> Bootstrap {
    assert(unmade == nil && !isBegun, "parts have versions once all are made")
    var bootstrap = self
    bootstrap.timestamp = timestamp
    bootstrap.cursors = SyncCursors(download: cursor)
    bootstrap.place(after: cursor.serverVersion)
    return bootstrap
  }

  /// The version of the last part. Appearing and disappearing properties have one of their own
  /// after it: by it the base of an upload says if its author saw them.
  private(set) var partsVersion: UInt64 = 0

  /// Notes the erasures as stored, and the positions then.
  mutating func didStore(_ head: RealmHead, _ file: ClientFile) {
    assert(!isBegun, "erasures are stored before the first of them is sent")
    parts = []
    cursors = SyncCursors(cursors.download, head, file)
  }

  // MARK: Entries

  /// Whether all entries are written.
  package var isComplete: Bool { isBegun && schema == nil && leftCount == 0 }

  /// The number of objects not written yet.
  private var leftCount: Int { erased.count + arriving.count + staying.count }

  /// The written part, from 0 to 1.
  package var progress: Double {
    objectCount == 0 ? 1 : 1 - Double(leftCount) / Double(objectCount)
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

  /// The seen properties of a class; nil for all.
  private func seen(of table: Table) -> FieldSelection? {
    table.schema.className.flatMap { fields[$0] }
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
      try writer.append(key, in: table.key, fields: seen(of: table))
    }
    while writer.byteCount < entryByteCountMax,
      let (table, key) = try staying.next(in: snapshot.objects), let change = changes[table.key]
    {
      try writer.appendChange(of: key, in: table.key, from: change.before, to: change.after)
    }
    return writer.take()
  }
}

extension [ObjectKey] {
  /// The keys without those of some objects.
  fileprivate func without(
    _ objects: Set<ObjectIdentity>, ofClass name: String, in table: Table
  ) throws(StorageError) -> [ObjectKey] {
    var absent: Set<ObjectKey> = []
    for object in objects where object.className == name {
      if let key = try table.key(of: object.key) { absent.insert(key) }
    }
    return absent.isEmpty ? self : filter { !absent.contains($0) }
  }
}
