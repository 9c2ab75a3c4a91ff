// SPDX-License-Identifier: Apache-2.0

// Stored passwords.

/// The hash of a password with its salt.
package struct StoredPassword: Hashable, Sendable {
  package var salt: [UInt8]
  package var hash: [UInt8]

  package init(salt: [UInt8], hash: [UInt8]) {
    self.salt = salt
    self.hash = hash
  }
}
