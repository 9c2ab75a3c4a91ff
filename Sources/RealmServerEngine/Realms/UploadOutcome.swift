// SPDX-License-Identifier: Apache-2.0

// The end of an upload.

package import RealmSyncProtocol

/// The end of an upload.
package enum UploadOutcome: Hashable, Sendable {
  /// It is on the disk, and may be acknowledged: the client's file with its new cursors, and the
  /// head of the realm.
  case integrated(ClientFile, RealmHead)
  /// Nothing of it was stored, and the session ends.
  case refused(SessionRefusal)
  /// The store failed. The client sends it again.
  case failed(StoreError)
}
