// SPDX-License-Identifier: Apache-2.0

// What the server itself makes for a client, as its private changes (P4 B.6).

import RealmSyncProtocol

/// The private changes that go with a round and the bootstrap after it.
struct PrivateChanges {
  private let file: FileIdentifier
  private let timestamp: OriginTimestamp
  private(set) var changes: [PrivateChange] = []

  init(_ timestamp: OriginTimestamp, for file: FileIdentifier) {
    self.file = file
    self.timestamp = timestamp
  }

  /// - Parameter version: That of the last part; the others have those before it.
  mutating func append(_ parts: [PrivatePart], through version: UInt64) {
    var version = version - UInt64(parts.count)
    for part in parts {
      version += 1
      changes.append(
        PrivateChange(
          file: file, version: version, timestamp: timestamp, objects: part.objects,
          changeset: part.changeset))
    }
  }

  /// Takes the place of changes that the client may not have received: their objects are erased
  /// here, with a newer version. What is stored already is left out.
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
