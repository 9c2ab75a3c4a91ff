// SPDX-License-Identifier: Apache-2.0

// Objects of the realm, made again by a client without knowledge of them.
//
// The client's changes to such an object began with nothing, and those of the history began with
// something: positions in lists are not of the same list. So the client's changes are merged with
// the object's state, as if the client had been sent it, and the next round sends the object whole
// (`Round` 2).
//
// Older clients make objects again which they have: what they replay after a reset contains the
// creations. Of these objects nothing is missing, and their states would be counted twice. A client
// has an object if it saw it at the base, by the same reasons as below; and it has had one whose
// lists it changes at sizes that its own insertions have not made.
//
// A client that makes an object again which it has made or changed already, and did not erase
// itself, has lost it meanwhile: a private change erased it for the client, as it left the client's
// view. What the client did to it before says nothing then about what the client has.
//
// Others may make the object after the client did, in versions before the client's upload arrives.
// The upload is merged with these then, and nothing is missing. But later changes of the client
// have a base after these versions, and the client was sent them only if it saw the object. Where
// this is not sure these changes are discarded, and the object comes whole. It is sure if the
// client's query selects the object as it was at the base, and others have not touched it since:
// - Whenever a round or a bootstrap finds an object to enter or leave the client's view, or one
//   written by the client to be outside of it, it makes a private change, after the base if this
//   was after the base, and with such a change nothing is discarded.
// - Without one, the client has the object of the history if it saw it at the base. Its own later
//   changes are left out of the question, as no round need have seen them yet. A query selects the
//   same of the same values at any time.
// - The base may lie within a round, whose later entries decide the client's view at its end.
//   Therefore no other client may have touched the object after the base.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Finds such objects among the objects of an upload.
struct UnseenObjects {
  /// Objects of an upload.
  struct Found {
    /// Their states take the place of the history.
    var restarted: [ObjectIdentity] = []
    /// What the upload says about them is discarded.
    var dropped: [ObjectIdentity] = []
    /// The client has them, and their creation is none.
    var held: Set<ObjectIdentity> = []

    /// Whether the history is right about all other objects.
    var isEmpty: Bool { restarted.isEmpty && dropped.isEmpty }
  }

  private struct Mark {
    let version: UInt64
    let file: FileIdentifier
    let touch: Touch

    var existedBefore: Bool {
      switch touch.existence {
      case .stayed, .erased, .unknown: true
      case .created, .absent: false
      }
    }
  }

  /// The last view: most objects of an upload are of one class.
  private struct BoundViews {
    var last: (query: EffectiveQuery, className: String, view: View?)?
    var comparisonsLeft: Int
  }

  /// The objects of the newest version.
  private let snapshot: RealmSnapshot
  /// The time of the newest version.
  private let timestamp: OriginTimestamp
  private let scratch: ViewScratch
  /// The most comparisons for a group of uploads, as others wait for it. Afterwards no client
  /// surely had an object.
  @TaskLocal static var comparisonCountMax = 1 << 20
  private let views = Locked(BoundViews(comparisonsLeft: comparisonCountMax))
  /// The history of an object, in the order of versions.
  private var marks: [ObjectIdentity: [Mark]] = [:]

  /// - Parameter entries: Those after the lowest base of the uploads, in order.
  init(
    _ snapshot: RealmSnapshot, _ entries: [StoredEntry], timestamp: OriginTimestamp,
    scratch: ViewScratch
  ) {
    self.snapshot = snapshot
    self.scratch = scratch
    self.timestamp = timestamp
    for entry in entries {
      for touch in entry.touches {
        marks[touch.object, default: []].append(
          Mark(version: entry.version, file: entry.file, touch: touch))
      }
    }
  }

  // MARK: Finding

  /// The objects of changesets of one base that the client has otherwise than the history says.
  ///
  /// - Parameters:
  ///   - own: The client's entries in the group so far.
  ///   - query: What the client sees.
  func find(
    in incoming: [Changeset], after base: UInt64, _ own: [MergedEntry], _ state: ClientHistory,
    _ query: EffectiveQuery?
  ) throws(StorageError) -> Found {
    var found = Found()
    var known: Set<ObjectIdentity> = []
    for changeset in incoming {
      var seen: Set<ObjectReference> = []
      for instruction in changeset.instructions {
        guard let object = instruction.object, seen.insert(object).inserted else { continue }
        let identity = changeset.identity(of: object)
        guard case .value = identity.key, known.insert(identity).inserted,
          !state.hasPrivateChange(of: identity, after: base)
        else { continue }
        if case .createObject = instruction {
          guard try isMadeAgain(identity, after: base, own, state.file.ident) else { continue }
          if try isHeld(identity, at: base, state.file.ident, query)
            || incoming.presume(contentsOf: identity)
          {
            found.held.insert(identity)
          } else {
            found.restarted.append(identity)
          }
        } else if try isDropped(identity, after: base, own, state.file.ident, query) {
          found.dropped.append(identity)
        }
      }
    }
    return found
  }

  /// Whether the client makes an object that was there at the base, and that it did not erase.
  private func isMadeAgain(
    _ object: ObjectIdentity, after base: UInt64, _ own: [MergedEntry], _ file: FileIdentifier
  ) throws(StorageError) -> Bool {
    let isErased =
      if let entry = own.last(where: { $0.names(object) }) {
        entry.changeset.erases(object)
      } else {
        marks[object]?.last { $0.version > base && $0.file == file }?.touch.existence == .erased
      }
    return isErased ? false : try existed(object, at: base)
  }

  /// What an entry of the client did to an object.
  private struct OwnWrite {
    let isMade: Bool
    /// Whether merging discarded the creation.
    let isLost: Bool
    let isErased: Bool
  }

  /// The client's writes to an object after a base, in order.
  private func ownWrites(
    to object: ObjectIdentity, after base: UInt64, _ own: [MergedEntry], _ file: FileIdentifier
  ) -> [OwnWrite] {
    let stored = (marks[object] ?? []).filter { $0.version > base && $0.file == file }.map {
      OwnWrite(
        isMade: $0.touch.isMade, isLost: $0.touch.isLost, isErased: $0.touch.existence == .erased)
    }
    return stored
      + own.filter { $0.names(object) }.map { entry in
        OwnWrite(
          isMade: entry.made.contains(object), isLost: !entry.changeset.makes(object),
          isErased: entry.changeset.erases(object))
      }
  }

  /// Whether the client has made the object at an older base, and may have missed what others did
  /// to it up to this one.
  private func isDropped(
    _ object: ObjectIdentity, after base: UInt64, _ own: [MergedEntry], _ file: FileIdentifier,
    _ query: EffectiveQuery?
  ) throws(StorageError) -> Bool {
    let writes = ownWrites(to: object, after: base, own, file)
    // After it lost the object the client began again.
    let first = writes.indices.last { $0 > 0 && writes[$0].isMade && !writes[$0 - 1].isErased } ?? 0
    guard writes.indices.contains(first), writes[first].isMade else { return false }
    guard try existed(object, at: base) else { return writes[first].isLost }
    return try !isHeld(object, at: base, file, query)
  }

  /// Whether the client surely had an object that was there at the base, if no private change about
  /// it came after that.
  private func isHeld(
    _ object: ObjectIdentity, at base: UInt64, _ file: FileIdentifier, _ query: EffectiveQuery?
  ) throws(StorageError) -> Bool {
    guard let query, query.conditions[object.className] != nil,
      let view = try view(of: query, object.className)
    else { return false }
    let left = views.withLock { max($0.comparisonsLeft, 0) }
    let elements = try View.elementCount(
      of: CollectionOfOne(object), by: [view], in: snapshot.objects, limit: left + 1)
    let cost = 1 + view.comparisonCount(ofClass: object.className) + elements
    let isAffordable = views.withLock { views in
      views.comparisonsLeft -= cost
      return views.comparisonsLeft >= 0
    }
    guard isAffordable else { return false }
    if try isSeenInAnyCase(object, view) { return true }
    return try wasSeen(object, at: base, file, view)
  }

  /// The view of a client's query of a class; nil if it has none.
  private func view(
    of query: EffectiveQuery, _ className: String
  ) throws(StorageError) -> View? {
    if let last = views.withLock({ $0.last }), last.className == className, last.query == query {
      return last.view
    }
    let bound = try View.bind(query.part(ofClass: className), to: snapshot.objects)
    let view = try? bound.get()
    views.withLock { $0.last = (query, className, view) }
    return view
  }

  private func existed(_ object: ObjectIdentity, at base: UInt64) throws(StorageError) -> Bool {
    if let first = marks[object]?.first(where: { $0.version > base }) {
      return first.existedBefore
    }
    return try key(of: object) != nil
  }

  private func key(of object: ObjectIdentity) throws(StorageError) -> ObjectKey? {
    guard let table = try View.table(object.className, snapshot.objects) else { return nil }
    return try table.key(of: object.key)
  }

  /// Whether a view has an object, whatever its properties are but for the primary key.
  private func isSeenInAnyCase(
    _ object: ObjectIdentity, _ view: View
  ) throws(StorageError) -> Bool {
    let name = object.className
    guard let key = try key(of: object), let table = try View.table(name, snapshot.objects)
    else { return false }
    let primaryKey = table.schema.primaryKey?.name
    guard view.fieldNames(ofClass: name).allSatisfy({ $0 == primaryKey }) else { return false }
    return try view.keys(among: [key], ofClass: name, table: table, in: snapshot.objects)
      .contains(key)
  }

  /// Whether a view has an object as it was at a base, after which no other file touched it.
  private func wasSeen(
    _ object: ObjectIdentity, at base: UInt64, _ file: FileIdentifier, _ view: View
  ) throws(StorageError) -> Bool {
    let name = object.className
    let later = (marks[object] ?? []).filter { $0.version > base }
    guard later.allSatisfy({ $0.file == file }), let table = try View.table(name, snapshot.objects)
    else { return false }
    var log = TouchLog([])
    for mark in later { log.add(mark.touch, of: mark.file) }
    let trace = log.traces[object]
    guard trace?.isUnknown != true,
      trace?.unknown.isDisjoint(with: view.fieldNames(ofClass: name)) ?? true
    else { return false }
    var values = trace?.before ?? [:]
    if trace?.wasErased != true, let row = try table.row(of: object.key) {
      let missing = view.fieldNames(ofClass: name).filter { values[$0] == nil }
      for (name, value) in try row.queryableValues(
        table.schema, in: snapshot.objects, of: missing)
      {
        values[name] = value
      }
    }
    let selected = try scratch.selected(
      of: [values], ofClass: name, table.schema,
      points: snapshot.objects.pointNames(of: table.schema), by: view)
    return !selected.isEmpty
  }

  // MARK: What takes the place of the history

  /// The states of restarted objects, or their creation alone if they are gone, and the erasures of
  /// dropped ones.
  func changes(of found: Found, version: UInt64) throws(StorageError) -> Changeset {
    var writer = ObjectStateWriter(snapshot.objects, file: .server)
    for object in found.dropped {
      writer.appendErasure { encoder in encoder.reference(to: object) }
    }
    for object in found.restarted {
      if let table = try View.table(object.className, snapshot.objects),
        let key = try table.key(of: object.key)
      {
        try writer.append(key, in: table.key)
      } else {
        writer.appendCreation { encoder in encoder.reference(to: object) }
      }
    }
    let origin = ChangesetOrigin(version: version, file: .server, timestamp: timestamp)
    do throws(ChangesetError) {
      return try ChangesetParser.parse(writer.take(), origin: origin)
    } catch {
      throw .corrupted("the states of objects: \(error)")
    }
  }
}

extension MergedEntry {
  /// Whether the client's changeset is about an object, whatever merging left of it.
  fileprivate func names(_ object: ObjectIdentity) -> Bool {
    made.contains(object)
      || changeset.instructions.contains { instruction in
        instruction.object.map(changeset.identity(of:)) == object
      }
  }
}

extension [Changeset] {
  /// Whether a list of an object has a size that the author's own insertions have not made: it had
  /// the object before. They are of one base, and their first instruction about the object makes
  /// it.
  fileprivate func presume(contentsOf object: ObjectIdentity) -> Bool {
    var sizes: [String: UInt32] = [:]
    for changeset in self {
      for instruction in changeset.instructions {
        guard let reference = instruction.object, changeset.identity(of: reference) == object
        else { continue }
        switch instruction {
        case .createObject, .eraseObject: sizes = [:]
        case .clear(let step): sizes[changeset.text(of: step.path.field)] = 0
        case .arrayInsert(let step) where step.path.elements.count == 1:
          let field = changeset.text(of: step.path.field)
          guard step.priorSize <= sizes[field] ?? 0 else { return true }
          sizes[field] = step.priorSize + 1
        case .arrayErase(let step) where step.path.elements.count == 1:
          let field = changeset.text(of: step.path.field)
          guard step.priorSize <= sizes[field] ?? 0 else { return true }
          sizes[field] = step.priorSize - Swift.min(step.priorSize, 1)
        default: continue
        }
      }
    }
    return false
  }
}

extension Changeset {
  fileprivate func makes(_ object: ObjectIdentity) -> Bool {
    instructions.contains { instruction in
      if case .createObject(let made) = instruction { identity(of: made) == object } else { false }
    }
  }

  /// Whether the last of the creations and erasures of an object is an erasure.
  fileprivate func erases(_ object: ObjectIdentity) -> Bool {
    for instruction in instructions.reversed() {
      switch instruction {
      case .createObject(let made) where identity(of: made) == object: return false
      case .eraseObject(let erased) where identity(of: erased) == object: return true
      default: continue
      }
    }
    return false
  }
}
