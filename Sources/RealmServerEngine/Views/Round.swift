// SPDX-License-Identifier: Apache-2.0

// The entries missed by a client in steady state (P4 B.4).
//
// Invariants:
// 1. After a round the client holds what it sees in the version of the snapshot, and nothing else:
//    instructions pass for objects that it held or that are new, and which it sees; the others come
//    whole, or go.
// 2. An upload is merged at the server with what its client was sent, entry for entry, with the
//    authors and times it was sent with, and with nothing else.
//
// Why 2 is needed: both sides merge the same pair of histories, the client what it was sent with
// what it had not uploaded, the server the upload with what it has. Times and authors decide, and
// positions in lists count what came before. So equal content follows only from equal pairs.
//
// Why it holds, for each object that an upload names:
// - It passed in all rounds after the upload's base. Then the client was sent the entries
//   themselves. That includes objects which others made after the base: both sides begin with
//   nothing.
// - It was erased for the client, or came as a state. This is a private change of the round's
//   version, stored before it is sent. `ClientHistory` leaves out what entries up to that version
//   say about the object, which was not sent, or was sent before the erasure that discards all that
//   the client has not uploaded.
// - The client was sent nothing, as it did not see the object. If others made it after the base,
//   the upload is merged with their entries, in which nothing is missing; if it is older,
//   `UnseenObjects` puts its state in their place. In both cases the client has something else than
//   the server, and the next round erases the object and sends it whole, if it is seen then: an own
//   entry touches an object that the client did not hold, even if merging left nothing of it. So it
//   is if others made the object and erased it again within one round, of which nothing is sent.
// - A message was lost. What it made is unconfirmed, and its objects are erased and sent whole.

import RealmReplication
import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// The entries from a client's cursor to the version of a snapshot.
package struct Round {
  /// The treatment of an object in a round.
  private enum Fate {
    case passes, enters, leaves, isUnseen
    /// It is not known what the client has of it: it drops that now, and gets the object again.
    case returns
  }

  /// An object's place in the views.
  struct Member: Sendable {
    /// Whether the client saw it at its cursor.
    let wasSeen: Bool
    let isSeen: Bool
    let exists: Bool
  }

  package private(set) var entries: [DownloadEntry] = []
  /// What the server makes itself: erasures and states. Each part has a version.
  private(set) var parts: [PrivatePart] = []
  /// The position after it. Parts at the version already reached by the client get versions
  /// of their own, which do not exist yet, and so do those beyond one changeset: uploads of older
  /// bases are merged with them, and later ones are not.
  package private(set) var cursor: DownloadCursor

  private let file: FileIdentifier
  private var fates: [ObjectIdentity: Fate] = [:]
  /// The client's properties, by classes; all of a class without an entry.
  private let fields: [String: FieldSelection]

  /// The touched objects missing at the client afterwards.
  var absent: Set<ObjectIdentity> {
    Set(fates.filter { $0.value == .leaves || $0.value == .isUnseen }.keys)
  }

  /// - Parameters:
  ///   - missed: The entries after the cursor, up to the version of the snapshot.
  ///   - file: The client's, whose own entries are passed over.
  ///   - timestamp: The time of the version of the snapshot.
  ///   - view: The client's view at its cursor.
  ///   - next: What it may see of that from now on; nil if the rights of its user are the same.
  ///   - due: What it sees by the bootstrap that follows, by classes. Nothing of that is erased
  ///     here: the bootstrap does it, and makes the objects again for the client at once.
  ///   - unconfirmed: Objects of private changes that the client may not have received. Its changes
  ///     of them may be merged with those here.
  ///   - objects: `objects(_:_:_:_:_:_:)` of all this, where they are known.
  ///   - members: The known places of objects.
  init(
    _ missed: MissedChanges, after cursor: DownloadCursor, to snapshot: RealmSnapshot,
    timestamp: OriginTimestamp, view: View, next: View? = nil, due: [String: [ObjectKey]]? = nil,
    file: FileIdentifier, unconfirmed: [ObjectIdentity] = [], objects: [ObjectIdentity]? = nil,
    members: [ObjectIdentity: Member] = [:], scratch: ViewScratch
  ) throws(StoreError) {
    self.cursor = cursor
    self.file = file
    fields = (next ?? view).readableFields
    // Of some properties a part may be the client's.
    let paths = try fields.haveParts ? StoreError.storing(PropertyPaths(snapshot.objects)) : nil
    let objects =
      if let objects { objects } else {
        try StoreError.storing(Self.objects(missed, snapshot, view, next, file, unconfirmed))
      }
    let unknown = objects.filter { members[$0] == nil }
    let found = try StoreError.storing(
      Self.members(of: unknown, missed.log, snapshot, view, next, scratch))
    decide(
      objects, Set(unconfirmed), missed.log, members.merging(found) { $1 }, asked: view)
    append(missed, paths)
    var erased = objects.filter { fates[$0] == .leaves || fates[$0] == .returns }
    if let due {
      let entering = try StoreError.storing(
        Self.selected(erased.filter { fates[$0] == .leaves }, among: due, snapshot))
      erased.removeAll(where: entering.contains)
    }
    let made = objects.filter { fates[$0] == .enters || fates[$0] == .returns }
    parts = try StoreError.storing(
      PrivatePart.parts(
        erasing: erased, making: made, from: snapshot.objects, fields: fields))
    self.cursor.serverVersion = Self.lastVersion(
      of: parts.count, after: cursor.serverVersion, head: snapshot.head.version)
    appendParts(timestamp)
    assert(
      entries.count > 256
        || zip(entries, entries.dropFirst()).allSatisfy { $0.serverVersion <= $1.serverVersion },
      "`Round` 2: entries are sent in the order of their versions")
  }

  /// The round of a client without missed or lost entries: it moves
  /// the cursor alone.
  init(ofNothingAfter cursor: DownloadCursor, to head: RealmHead, file: FileIdentifier) {
    self.cursor = DownloadCursor(
      serverVersion: head.version, clientVersion: cursor.clientVersion)
    self.file = file
    fields = [:]
  }

  /// The same round to a later version, up to which no object has changed; nil if the server's own
  /// parts have versions.
  func moved(to head: RealmHead) -> Round? {
    guard parts.isEmpty else { return nil }
    var round = self
    round.cursor.serverVersion = head.version
    return round
  }

  /// The same round for a client with another version, not the author of any of its entries.
  func adapted(to clientVersion: UInt64) -> Round {
    var round = self
    round.cursor.clientVersion = clientVersion
    for index in entries.indices { round.entries[index].clientVersion = clientVersion }
    return round
  }

  /// The version of a round with some parts, each of which has its own version: the first that of
  /// the head, unless the client has reached it.
  static func lastVersion(of parts: Int, after version: UInt64, head: UInt64) -> UInt64 {
    head + UInt64(version < head ? max(parts, 1) - 1 : parts)
  }

  // MARK: Deciding

  /// The objects with a fate, in the order of their first touch. Others are unseen.
  static func objects(
    _ missed: MissedChanges, _ snapshot: RealmSnapshot, _ view: View, _ next: View?,
    _ file: FileIdentifier, _ unconfirmed: [ObjectIdentity]
  ) throws(StorageError) -> [ObjectIdentity] {
    let log = missed.log
    // All of them are absent or not, where the rights of a user change.
    guard next == nil else {
      return log.objects + unconfirmed.filter { log.traces[$0] == nil }
    }
    let objects = try missed.objects(of: file, in: view, snapshot.objects)
    guard !unconfirmed.isEmpty else { return objects }
    let known = Set(objects)
    return objects + unconfirmed.filter { !known.contains($0) }
  }

  /// The intersection of some objects with others, by classes.
  private static func selected(
    _ objects: [ObjectIdentity], among keys: [String: [ObjectKey]], _ snapshot: RealmSnapshot
  ) throws(StorageError) -> Set<ObjectIdentity> {
    var selected: Set<ObjectIdentity> = []
    for (name, objects) in Dictionary(grouping: objects, by: \.className) {
      guard let table = try View.table(name, snapshot.objects) else { continue }
      let keys = Set(keys[name] ?? [])
      for object in objects {
        if let key = try table.key(of: object.key), keys.contains(key) { selected.insert(object) }
      }
    }
    return selected
  }

  /// The places of some objects in the views of a round.
  static func members(
    of all: some Sequence<ObjectIdentity>, _ log: TouchLog, _ snapshot: RealmSnapshot,
    _ view: View, _ next: View?, _ scratch: ViewScratch
  ) throws(StorageError) -> [ObjectIdentity: Member] {
    var members: [ObjectIdentity: Member] = [:]
    for (name, objects) in Dictionary(grouping: all, by: \.className) {
      guard let table = try View.table(name, snapshot.objects) else { continue }
      var keys: [ObjectIdentity: ObjectKey] = [:]
      var past: [(object: ObjectIdentity, values: [String: TableValue])] = []
      var unchanged: Set<ObjectIdentity> = []
      let asked = view.fieldNames(ofClass: name)
      for object in objects {
        keys[object] = try table.key(of: object.key)
        guard let trace = log.traces[object], trace.existedBefore else { continue }
        if next == nil, trace.hasKept(asked) {
          unchanged.insert(object)
          continue
        }
        var values = trace.before
        if !trace.wasErased, let key = keys[object], let row = try table.row(of: key) {
          let missing = asked.filter { values[$0] == nil }
          for (name, value) in try row.queryableValues(
            table.schema, in: snapshot.objects, of: missing)
          {
            values[name] = value
          }
        }
        past.append((object, values))
      }
      let now = try (next ?? view).keys(
        among: Array(keys.values).sorted(), ofClass: name, table: table, in: snapshot.objects)
      let selected = try scratch.selected(
        of: past.map(\.values), ofClass: name, table.schema,
        points: snapshot.objects.pointNames(of: table.schema), by: view)
      var held = Set(selected.map { past[$0].object })
      for object in unchanged where keys[object].map(now.contains) ?? false { held.insert(object) }
      for object in objects {
        members[object] = Member(
          wasSeen: held.contains(object), isSeen: keys[object].map(now.contains) ?? false,
          exists: keys[object] != nil)
      }
    }
    return members
  }

  /// - Parameter view: The client's at its cursor.
  private mutating func decide(
    _ objects: [ObjectIdentity], _ unconfirmed: Set<ObjectIdentity>, _ log: TouchLog,
    _ members: [ObjectIdentity: Member], asked view: View
  ) {
    var asked: [String: Set<String>] = [:]
    for object in objects {
      // Nothing is known of a class without a table.
      guard let member = members[object] else { continue }
      let name = object.className
      let fields = asked[name] ?? view.fieldNames(ofClass: name)
      asked[name] = fields
      // Where a condition asks for a value that was not kept, it is as unknown what the client has.
      guard !unconfirmed.contains(object), let trace = log.traces[object], !trace.isUnknown,
        trace.unknown.isDisjoint(with: fields)
      else {
        fates[object] = member.isSeen ? .returns : .leaves
        continue
      }
      fates[object] = fate(
        trace, wasSeen: member.wasSeen, isSeen: member.isSeen, exists: member.exists)
    }
  }

  /// - Parameter wasSeen: Whether the client saw it at its cursor.
  private func fate(_ trace: TouchLog.Trace, wasSeen: Bool, isSeen: Bool, exists: Bool) -> Fate {
    let isOwn = trace.files.contains(file)
    if isSeen {
      // The client has made an object that others made and erased before its cursor, of which it
      // was sent nothing. What it has is not what later entries begin with. Nor is it if the server
      // has left out a part of what the client made.
      if trace.losers.contains(file) { return .returns }
      // The entries have the whole life of a new object.
      if wasSeen || !trace.existedBefore { return .passes }
      // The client has made an object that there was, without seeing it.
      return isOwn ? .returns : .enters
    }
    // What the client itself has written it holds, whether it sees it or not. Who erased an object
    // last has nothing to drop.
    let mayBeHeld = wasSeen || isOwn
    let isErased = !exists && trace.isErasedLast && trace.lastFile == file
    return mayBeHeld && !isErased ? .leaves : .isUnseen
  }

  // MARK: Writing

  /// Adds the passing part of the entries.
  private mutating func append(_ missed: MissedChanges, _ paths: PropertyPaths?) {
    // An entry names the client's changes integrated before it.
    var own = (missed.ownEntries[file] ?? [])[...]
    func noteOwn(before position: Int, in cursor: inout DownloadCursor) {
      while let first = own.first, first < position {
        cursor.clientVersion = max(cursor.clientVersion, missed.history[first].clientVersion)
        own.removeFirst()
      }
    }
    let passing = fates.filter { $0.value == .passes }.keys
    for position in missed.entries(about: passing) {
      let entry = missed.history[position]
      guard entry.file != file, let changeset = missed.changesets[position] else { continue }
      noteOwn(before: position, in: &cursor)
      append(entry, changeset, paths)
    }
    noteOwn(before: .max, in: &cursor)
  }

  /// Adds the passing part of an entry.
  private mutating func append(
    _ entry: StoredEntry, _ changeset: Changeset, _ paths: PropertyPaths?
  ) {
    let count = changeset.instructions.count
    let passing = changeset.instructions.filter { instruction in
      guard let object = instruction.object else { return true }
      return fates[changeset.identity(of: object)] == .passes
        && isReadable(instruction, changeset, paths)
    }
    guard !passing.isEmpty else { return }
    var result = DownloadEntry(entry, cursor.clientVersion)
    if passing.count < count {
      var changeset = changeset
      changeset.keep(passing)
      result.changeset = ChangesetEncoder.encode(changeset)
      result.originalByteCount = UInt64(result.changeset.count)
    }
    entries.append(result)
  }

  /// Whether an instruction is about no property, or about one of the client's.
  private func isReadable(
    _ instruction: Instruction, _ changeset: Changeset, _ paths: PropertyPaths?
  ) -> Bool {
    guard !fields.isEmpty, let path = instruction.path,
      let readable = fields[changeset.text(of: path.table)]
    else { return true }
    let name = changeset.text(of: path.field)
    guard let paths, readable.inside[name] != nil else { return readable.contains(name) }
    return readable.contains(path: paths.names(along: path, in: changeset))
  }

  /// Adds the server's own part at the end of the round.
  private mutating func appendParts(_ timestamp: OriginTimestamp) {
    var position = cursor
    position.serverVersion -= UInt64(parts.count)
    for part in parts {
      position.serverVersion += 1
      entries.append(DownloadEntry(ofServer: part.changeset, at: position, timestamp))
    }
  }
}
