// SPDX-License-Identifier: Apache-2.0

// A merged entry of an upload.

import RealmSyncProtocol

/// An entry of an upload after merging.
struct MergedEntry {
  /// The position of its upload in the group.
  let upload: Int
  let clientVersion: UInt64
  let originalByteCount: Int
  /// The changeset to apply; its origin has the new version and the author.
  let changeset: Changeset
  let bytes: [UInt8]
  /// The objects made first of all by the client, even if merging discarded it; none in realms
  /// without views.
  let made: [ObjectIdentity]
}
