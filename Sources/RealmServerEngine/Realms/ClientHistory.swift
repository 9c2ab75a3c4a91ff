// SPDX-License-Identifier: Apache-2.0

// A client file with the history as this client sees it: what its uploads are merged with, beside
// the newest part of the history (`HistoryWindow`).
//
// Invariants:
// 1. The form of an entry for the client is in `reciprocals`, else in the history; without its part
//    about objects of private changes of its version or a later one: the client was sent these in
//    its place (`Round` 2).

import RealmSyncProtocol

/// A client file and the forms of entries for it.
struct ClientHistory {
  /// The place of a changeset in the history as the client sees it.
  enum Place: Hashable {
    case entry(UInt64)
    case privateChange(UInt64)
  }

  var file: ClientFile
  private var reciprocals: [UInt64: Changeset]
  private var privates: [UInt64: Changeset]
  private var privateObjects: [UInt64: [ObjectIdentity]] = [:]
  /// The version of the newest private change about an object.
  private var newestPrivates: [ObjectIdentity: UInt64] = [:]
  /// The forms altered by merging.
  private var altered: Set<Place> = []

  init(
    file: ClientFile, reciprocals: [UInt64: Changeset], privates: [UInt64: Changeset],
    privateObjects: [UInt64: [ObjectIdentity]] = [:]
  ) {
    self.file = file
    self.reciprocals = reciprocals
    self.privates = privates
    for (version, objects) in privateObjects { note(objects, at: version) }
  }

  private mutating func note(_ objects: [ObjectIdentity], at version: UInt64) {
    privateObjects[version] = objects
    for object in objects {
      newestPrivates[object] = max(newestPrivates[object] ?? 0, version)
    }
  }

  /// Adds a private change of a new version.
  mutating func add(_ change: Changeset, about objects: [ObjectIdentity], at version: UInt64) {
    note(objects, at: version)
    alter(.privateChange(version), to: change)
  }

  func hasPrivateChange(of object: ObjectIdentity, after version: UInt64) -> Bool {
    (newestPrivates[object] ?? 0) > version
  }

  /// The changesets of others after a version, in their forms for the client, and their places.
  ///
  /// - Parameter incoming: The changesets to merge with them.
  func locals(
    after base: UInt64, _ history: HistoryWindow, for incoming: [Changeset]
  ) -> (changesets: [Changeset], places: [Place]) {
    var changesets: [Changeset] = []
    var places: [Place] = []
    let hidden = hidden(from: incoming, after: base)
    func add(_ changeset: consuming Changeset, _ place: Place) {
      guard !changeset.isEmpty else { return }
      changesets.append(changeset)
      places.append(place)
    }
    for version in base + 1..<max(base, history.end) + 1 {
      let origin = history.origin(of: version)
      if origin.file == file.ident {
        // The client's own.
      } else if var form = reciprocals[version] {
        form.origin = origin
        add(Self.leave(hidden, outOf: form, version), .entry(version))
      } else {
        add(Self.leave(hidden, outOf: history[version], version), .entry(version))
      }
      if let change = privates[version] { add(change, .privateChange(version)) }
    }
    // The version in the making.
    if let change = privates[history.end + 1] { add(change, .privateChange(history.end + 1)) }
    return (changesets, places)
  }

  /// The touched objects with a private change in place of entries, and its version.
  private func hidden(from incoming: [Changeset], after base: UInt64) -> [ObjectIdentity: UInt64] {
    guard !newestPrivates.isEmpty else { return [:] }
    var result: [ObjectIdentity: UInt64] = [:]
    for changeset in incoming {
      var seen: Set<ObjectReference> = []
      for instruction in changeset.instructions {
        guard let object = instruction.object, seen.insert(object).inserted else { continue }
        let identity = changeset.identity(of: object)
        if let version = newestPrivates[identity], version > base { result[identity] = version }
      }
    }
    return result
  }

  private static func leave(
    _ hidden: [ObjectIdentity: UInt64], outOf entry: consuming Changeset, _ version: UInt64
  ) -> Changeset {
    guard !hidden.isEmpty else { return entry }
    let whole = entry
    var result = whole
    var known: [ObjectReference: Bool] = [:]
    result.instructions.removeAll { instruction in
      guard let object = instruction.object else { return false }
      if let isHidden = known[object] { return isHidden }
      let isHidden = (hidden[whole.identity(of: object)] ?? 0) >= version
      known[object] = isHidden
      return isHidden
    }
    return result
  }

  mutating func alter(_ place: Place, to changeset: Changeset) {
    switch place {
    case .entry(let version): reciprocals[version] = changeset
    case .privateChange(let version): privates[version] = changeset
    }
    altered.insert(place)
  }

  /// The altered forms to store for the client.
  var changes: (reciprocals: [ReciprocalChange], privates: [PrivateChange]) {
    var result: (reciprocals: [ReciprocalChange], privates: [PrivateChange]) = ([], [])
    for place in altered {
      switch place {
      case .entry(let version) where version > file.reciprocalBase:
        guard let changeset = reciprocals[version] else { continue }
        result.reciprocals.append(
          ReciprocalChange(
            file: file.ident, version: version, changeset: ChangesetEncoder.encode(changeset)))
      case .privateChange(let version) where version > file.reciprocalBase:
        guard let changeset = privates[version] else { continue }
        result.privates.append(
          PrivateChange(
            file: file.ident, version: version, timestamp: changeset.origin.timestamp,
            objects: privateObjects[version] ?? [], changeset: ChangesetEncoder.encode(changeset)))
      default: continue
      }
    }
    result.reciprocals.sort { $0.version < $1.version }
    result.privates.sort { $0.version < $1.version }
    return result
  }
}
