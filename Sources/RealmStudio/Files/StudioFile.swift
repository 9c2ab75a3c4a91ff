// SPDX-License-Identifier: Apache-2.0

// A file to be shown, as the command line names it.

#if Tools
package import RealmStorage

/// A database file for Studio.
package struct StudioFile: Sendable {
  package var path: String
  /// The key of an encrypted file; nil for a plain one.
  package var encryptionKey: EncryptionKey?

  package init(path: String, encryptionKey: EncryptionKey? = nil) {
    self.path = path
    self.encryptionKey = encryptionKey
  }
}
#endif
