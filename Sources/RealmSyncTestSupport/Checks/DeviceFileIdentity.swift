// SPDX-License-Identifier: Apache-2.0

// The file of the server behind a state.

package import RealmSyncProtocol

/// The name of a file at the server, with the proof of it.
package struct DeviceFileIdentity: Hashable, Sendable {
  let ident: FileIdentifier
  let salt: UInt64

  package init(_ file: SessionFile) { (ident, salt) = (file.ident, file.salt) }
}
