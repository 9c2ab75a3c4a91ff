// SPDX-License-Identifier: Apache-2.0

// Hashes of passwords, computed by another module.

/// Makes hashes of passwords. Making one takes long, for their protection.
package protocol PasswordHasher: Sendable {
  /// The hash of a password: 32 bytes. Blocks the thread.
  func hash(_ password: [UInt8], salt: [UInt8]) throws -> [UInt8]
}
