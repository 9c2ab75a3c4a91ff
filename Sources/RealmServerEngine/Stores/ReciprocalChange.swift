// SPDX-License-Identifier: Apache-2.0

// The form of a history entry for one client.

package import RealmSyncProtocol

/// The new form of an entry after merging with a client's uploads, for the client alone.
package struct ReciprocalChange: Hashable, Sendable {
  package var file: FileIdentifier
  /// The version of the entry.
  package var version: UInt64
  /// None if nothing is left of it.
  package var changeset: [UInt8]

  package init(file: FileIdentifier, version: UInt64, changeset: [UInt8]) {
    self.file = file
    self.version = version
    self.changeset = changeset
  }
}
