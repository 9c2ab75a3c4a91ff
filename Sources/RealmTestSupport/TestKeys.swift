// SPDX-License-Identifier: Apache-2.0

// Keys of the tests, which are no secret.

package import RealmStorage

/// Two keys.
package enum TestKeys {
  private struct WrongLength: Error {}

  /// The key of the format's test vector: the bytes 0 to 63.
  package static func vector() throws -> EncryptionKey { try key { $0 } }

  /// Another key.
  package static func other() throws -> EncryptionKey { try key { $0 &* 3 &+ 1 } }

  private static func key(_ byte: (UInt8) -> UInt8) throws -> EncryptionKey {
    guard let key = EncryptionKey((0..<64).map(byte)) else { throw WrongLength() }
    return key
  }
}
