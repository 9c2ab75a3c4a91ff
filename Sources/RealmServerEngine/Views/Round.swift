// SPDX-License-Identifier: Apache-2.0

// What a client in steady state has missed (P4 B.4).
//
// Invariants:
// 1. After a round the client holds what it sees in the version of the snapshot, and nothing else:
//    instructions pass only for objects that it held and still sees; the others come whole, or go.

import RealmReplication
import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// The entries that take a client from its cursor to the version of a snapshot.
package struct Round {
  /// What a round does about an object.
  private enum Fate {
    case passes, enters, leaves, isUnseen
    /// The client may have dropped it, or not: it drops it now, and gets it again.
    case returns
  }

  package private(set) var entries: [Download.Entry] = []
  /// Objects that the client drops, with changes that wait for their upload.
  package private(set) var erased: [ObjectIdentity] = []
  /// The position after it. Erasures at the version that the client has reached already get
  /// versions of their own, which do not exist yet, and so do those beyond one changeset: uploads
  /// of older bases are merged with them, and later ones are not.
  package private(set) var cursor: DownloadCursor

  private let file: FileIdentifier
  private var fates: [ObjectIdentity: Fate] = [:]

  /// - Parameters:
  ///   - history: The entries after the cursor, up to the version of the snapshot.
  ///   - file: The client's, whose own entries are passed over.
  ///   - timestamp: The time of the version of the snapshot.
  ///   - unconfirmed: Objects that the client was sent the erasure of, which may be lost. Its
  ///     changes of them may be lost here.
  package init(
    _ history: [StoredEntry], after cursor: DownloadCursor, to snapshot: ObjectSnapshot,
    timestamp: OriginTimestamp, view: View, file: FileIdentifier,
    unconfirmed: [ObjectIdentity] = [], scratch: ViewScratch
  ) throws(StoreError) {
    self.cursor = cursor
    self.file = file
    let log = TouchLog(history)
    var objects = log.objects
    for object in unconfirmed where log.traces[object] == nil { objects.append(object) }
    try decide(objects, Set(unconfirmed), log, snapshot, view, scratch)
    for entry in history {
      if entry.file == file {
        self.cursor.clientVersion = max(self.cursor.clientVersion, entry.clientVersion)
      } else if !entry.changeset.isEmpty {
        try append(entry)
      }
    }
    erased = objects.filter { fates[$0] == .leaves || fates[$0] == .returns }
    let parts = ErasureWriter.parts(erased)
    self.cursor.serverVersion = Self.lastVersion(
      of: parts.count, after: cursor.serverVersion, head: snapshot.head.version)
    for part in parts { appendTail(ErasureWriter.bytes(part), timestamp) }
    try appendStates(
      objects.filter { fates[$0] == .enters || fates[$0] == .returns }, snapshot, timestamp)
  }

  /// The same round for a client with another version, which made none of its entries.
  func adapted(to clientVersion: UInt64) -> Round {
    var round = self
    round.cursor.clientVersion = clientVersion
    for index in entries.indices { round.entries[index].clientVersion = clientVersion }
    return round
  }

  /// The version of a round with some changesets of erasures, each of which has its own version:
  /// the first that of the head, unless the client has reached it.
  static func lastVersion(of parts: Int, after version: UInt64, head: UInt64) -> UInt64 {
    head + UInt64(version < head ? max(parts, 1) - 1 : parts)
  }

  // MARK: Deciding

  private mutating func decide(
    _ all: [ObjectIdentity], _ unconfirmed: Set<ObjectIdentity>, _ log: TouchLog,
    _ snapshot: ObjectSnapshot, _ view: View, _ scratch: ViewScratch
  ) throws(StoreError) {
    var classes: [String: [ObjectIdentity]] = [:]
    for object in all { classes[object.className, default: []].append(object) }
    for (name, objects) in classes {
      guard let table = try View.table(name, snapshot.objects) else { continue }
      var keys: [ObjectIdentity: ObjectKey] = [:]
      var past: [(object: ObjectIdentity, values: [String: TableValue])] = []
      try StoreError.storing { () throws(StorageError) -> Void in
        for object in objects {
          keys[object] = try table.key(of: object.key)
          guard let trace = log.traces[object], trace.existedBefore else { continue }
          var values = trace.before
          if !trace.wasErased, let key = keys[object], let row = try table.row(of: key) {
            for (name, value) in try row.queryableValues(table.schema, in: snapshot.objects)
            where values[name] == nil {
              values[name] = value
            }
          }
          past.append((object, values))
        }
      }
      let now = try view.keys(
        among: Array(keys.values).sorted(), ofClass: name, table: table, in: snapshot.objects)
      let points = try StoreError.storing { () throws(StorageError) in
        try snapshot.objects.pointNames(of: table.schema)
      }
      let selected = try scratch.selected(
        of: past.map(\.values), ofClass: name, table.schema, points: points, by: view)
      let held = Set(selected.map { past[$0].object })
      for object in objects {
        let isSeen = keys[object].map(now.contains) ?? false
        guard !unconfirmed.contains(object), let trace = log.traces[object] else {
          fates[object] = isSeen ? .returns : .leaves
          continue
        }
        // What the client itself made it holds, whether it sees it or not.
        let wasHeld =
          trace.existedBefore ? held.contains(object) : trace.creators.contains(file)
        switch (wasHeld, isSeen) {
        case (true, true): fates[object] = .passes
        case (false, true): fates[object] = .enters
        // Who erased an object last has nothing to drop.
        case (true, false):
          fates[object] = keys[object] == nil && trace.lastFile == file ? .isUnseen : .leaves
        case (false, false): fates[object] = .isUnseen
        }
      }
    }
  }

  // MARK: Writing

  /// Adds what passes of an entry.
  private mutating func append(_ entry: StoredEntry) throws(StoreError) {
    var changeset: Changeset
    do throws(ChangesetError) {
      changeset = try ChangesetParser.parse(entry.changeset)
    } catch {
      throw .damaged("version \(entry.version): \(error)")
    }
    let count = changeset.instructions.count
    let passing = changeset.instructions.filter { instruction in
      guard let object = instruction.object else { return true }
      return fates[changeset.identity(of: object)] == .passes
    }
    guard !passing.isEmpty else { return }
    var result = Download.Entry(entry, cursor.clientVersion)
    if passing.count < count {
      changeset.instructions = passing
      result.changeset = ChangesetEncoder.encode(changeset)
    }
    entries.append(result)
  }

  /// Adds what is the server's own at the end of the round.
  private mutating func appendTail(_ changeset: [UInt8], _ timestamp: OriginTimestamp) {
    guard !changeset.isEmpty else { return }
    entries.append(
      Download.Entry(
        serverVersion: cursor.serverVersion, clientVersion: cursor.clientVersion,
        timestamp: timestamp, originFile: .server, originalByteCount: changeset.count,
        changeset: changeset))
  }

  private mutating func appendStates(
    _ objects: [ObjectIdentity], _ snapshot: ObjectSnapshot, _ timestamp: OriginTimestamp
  ) throws(StoreError) {
    var changesets: [[UInt8]] = []
    var writer = ObjectStateWriter(snapshot.objects, file: .server)
    for object in objects {
      guard let table = try View.table(object.className, snapshot.objects) else { continue }
      try StoreError.storing { () throws(StorageError) -> Void in
        guard let key = try table.key(of: object.key) else { return }
        try writer.append(key, in: table.key)
      }
      if writer.byteCount >= Bootstrap.entryByteCountMax { changesets.append(writer.take()) }
    }
    changesets.append(writer.take())
    for changeset in changesets { appendTail(changeset, timestamp) }
  }
}
