// SPDX-License-Identifier: Apache-2.0

// Keys of the tests, which are no secret.

import RealmStorage
import Testing

enum TestKeys {
  /// The key of the format's test vector: the bytes 0 to 63.
  static func vector() throws -> EncryptionKey {
    try #require(EncryptionKey((0..<64).map { UInt8($0) }))
  }

  static func other() throws -> EncryptionKey {
    try #require(EncryptionKey((0..<64).map { UInt8($0) &* 3 &+ 1 }))
  }
}
