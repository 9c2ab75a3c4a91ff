// SPDX-License-Identifier: Apache-2.0

// An uploaded entry that is ready to be carried out.

import RealmSyncProtocol

/// An entry of an upload after merging.
struct MergedEntry {
  /// The position of its upload in the group.
  let upload: Int
  let clientVersion: UInt64
  let originalByteCount: Int
  /// What is applied; its origin has the new version and the author.
  let changeset: Changeset
  let bytes: [UInt8]
  /// The objects that the client made first of all, whether merging left that or not; none in
  /// realms without views.
  let made: [ObjectIdentity]
}
