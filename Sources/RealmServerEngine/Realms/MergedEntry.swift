// SPDX-License-Identifier: Apache-2.0

// An entry of an upload, as merging makes a version of it.

import RealmSyncProtocol

/// An entry of an upload while it is merged and afterwards.
struct MergedEntry {
  let clientVersion: UInt64
  /// The bytes of the client.
  private let received: [UInt8]
  /// The changeset to apply; once it is merged, its origin has the new version and the author.
  var changeset: Changeset
  /// Whether the changeset is another than the received bytes.
  var isChanged: Bool
  /// Whether it may declare classes or properties; merging takes some of that away.
  var declares: Bool
  /// The objects made first of all by the client, even if merging discarded it; none in realms
  /// without views.
  var made: [ObjectIdentity] = []
  /// The objects made by the client of which the upload leaves something out that it sees by now.
  var reduced: Set<ObjectIdentity> = []
  /// The writes that the version undoes; nil for those of clients.
  var compensation: Compensation?

  /// What is received, before anything is left out or merged.
  init(_ entry: ReceivedEntry, isChanged: Bool) {
    clientVersion = entry.clientVersion
    received = entry.bytes
    changeset = entry.changeset
    self.isChanged = isChanged || entry.hasNewFile
    declares = entry.declares
  }

  /// The version of the server that undoes writes of an upload.
  init(undoing compensation: Compensation, _ origin: ChangesetOrigin) {
    (clientVersion, received) = (0, [])
    changeset = Changeset(origin: origin)
    (isChanged, declares) = (false, false)
    self.compensation = compensation
  }

  var originalByteCount: Int { received.count }

  /// The bytes of the changeset, to be stored.
  var bytes: [UInt8] { isChanged ? ChangesetEncoder.encode(changeset) : received }

  /// Takes the changeset out while it is merged: so it has one owner, and is not copied.
  mutating func takeChangeset() -> Changeset {
    var taken = Changeset()
    swap(&taken, &changeset)
    return taken
  }

  /// Makes a version of what merging left.
  mutating func finish(_ merged: Changeset, version: UInt64) {
    changeset = merged
    changeset.origin.version = version
    // Nothing of the rest reaches others.
    if isChanged { changeset.keep(changeset.instructions) }
  }
}

extension Changeset {
  /// The objects of classes with primary key whose first instruction makes them.
  var madeObjects: [ObjectIdentity] {
    var seen: Set<ObjectReference> = []
    return instructions.compactMap { instruction in
      guard let object = instruction.object, seen.insert(object).inserted,
        case .createObject = instruction
      else { return nil }
      if case .globalKey = object.key { return nil }
      return identity(of: object)
    }
  }
}
