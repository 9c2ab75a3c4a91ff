// SPDX-License-Identifier: Apache-2.0

// Keys of encrypted files, from the program's bytes to the engine's type.

import Foundation
import RealmSession
import RealmStorage

extension Realm.Configuration {
  /// The engine's form of a key.
  ///
  /// Traps if it has not exactly 64 bytes.
  static func storageKey(_ key: Data?) -> EncryptionKey? {
    guard let key else { return nil }
    guard let result = EncryptionKey(key) else {
      throwRealmException("Encryption key must be exactly 64 bytes long")
    }
    return result
  }

  /// The engine's form of this configuration's key.
  var storageKey: EncryptionKey? { Self.storageKey(encryptionKey) }
}
