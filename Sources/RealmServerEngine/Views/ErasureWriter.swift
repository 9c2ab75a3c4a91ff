// SPDX-License-Identifier: Apache-2.0

// Changesets that erase objects.

import RealmSyncProtocol

/// Writes erasures.
enum ErasureWriter {
  /// The instructions that erase some objects; no bytes for none.
  package static func bytes(_ objects: [ObjectIdentity]) -> [UInt8] {
    var changeset = Changeset()
    for object in objects { changeset.append(.eraseObject(changeset.reference(to: object))) }
    return ChangesetEncoder.encode(changeset)
  }
}
