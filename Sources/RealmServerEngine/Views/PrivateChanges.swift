// SPDX-License-Identifier: Apache-2.0

// The server's private changes for a client (P4 B.6).

import RealmSyncProtocol

/// The private changes of a round and the bootstrap after it.
struct PrivateChanges {
  private let file: FileIdentifier
  private let timestamp: OriginTimestamp
  private(set) var changes: [PrivateChange] = []

  init(_ timestamp: OriginTimestamp, for file: FileIdentifier) {
    self.file = file
    self.timestamp = timestamp
  }

  /// - Parameter version: The version of the last part; the others have those before it.
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

  /// Replaces changes possibly lost on their way: their objects are erased here, with a newer
  /// version. Stored ones are left out.
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
