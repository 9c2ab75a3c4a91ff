// SPDX-License-Identifier: Apache-2.0

// A file to be shown, as the command line names it.

#if Tools
package import Foundation

/// A database file that Studio shows.
package struct StudioFile: Sendable {
  package var path: String
  /// The 64 bytes of an encrypted file's key; nil for a plain one.
  package var encryptionKey: Data?

  package init(path: String, encryptionKey: Data? = nil) {
    self.path = path
    self.encryptionKey = encryptionKey
  }
}
#endif
