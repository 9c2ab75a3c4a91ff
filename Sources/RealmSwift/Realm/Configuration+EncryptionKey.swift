// SPDX-License-Identifier: Apache-2.0

// Keys of encrypted files, as programs give them and as the engine takes them.

import Foundation
import RealmSession
import RealmStorage

extension Realm.Configuration {
  /// The engine's form of a key.
  ///
  /// Ends the process if it has not exactly 64 bytes.
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
