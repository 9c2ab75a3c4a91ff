// SPDX-License-Identifier: Apache-2.0

// What a client drops, as its private changes (P4 B.6).

import RealmSyncProtocol

/// The private changes that go with a round and the bootstrap after it.
struct Erasures {
  private let file: FileIdentifier
  private let timestamp: OriginTimestamp
  private(set) var changes: [PrivateChange] = []

  /// - Parameter version: That of the last changeset; the others have those before it.
  init(
    _ objects: [ObjectIdentity], through version: UInt64, _ timestamp: OriginTimestamp,
    for file: FileIdentifier
  ) {
    self.file = file
    self.timestamp = timestamp
    append(objects, through: version)
  }

  mutating func append(_ objects: [ObjectIdentity], through version: UInt64) {
    let parts = ErasureWriter.parts(objects)
    var version = version - UInt64(parts.count)
    for part in parts {
      version += 1
      changes.append(
        PrivateChange(
          file: file, version: version, timestamp: timestamp,
          changeset: ErasureWriter.bytes(part)))
    }
  }

  /// Takes the place of changes that the client may not have received: what they erase is erased
  /// again here, with a newer version. What is stored already is left out.
  mutating func replace(_ known: [PrivateChange]) {
    for change in known {
      if let place = changes.firstIndex(where: { $0.version == change.version }) {
        if changes[place] == change { changes.remove(at: place) }
      } else {
        changes.append(
          PrivateChange(
            file: file, version: change.version, timestamp: change.timestamp, changeset: []))
      }
    }
  }
}
