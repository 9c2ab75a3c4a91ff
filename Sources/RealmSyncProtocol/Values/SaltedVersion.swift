// SPDX-License-Identifier: Apache-2.0

// A server version, distinct from those of other histories.

/// A version of the server's history with its random number; both are 0 before the first download.
package struct SaltedVersion: Hashable, Sendable {
  package var version: UInt64
  package var salt: UInt64

  package init(version: UInt64 = 0, salt: UInt64 = 0) {
    self.version = version
    self.salt = salt
  }
}
