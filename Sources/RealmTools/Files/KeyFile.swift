// SPDX-License-Identifier: Apache-2.0

// Keys of encrypted files, given in files of their own: arguments of commands are public.

#if Tools
import Foundation
package import RealmStorage
import RealmText

/// Reads the key of an encrypted file.
package enum KeyFile {
  /// The key in the file at `path`: 64 bytes, or 128 hexadecimal digits, or their Base64.
  package static func key(at path: String) throws(ToolFailure) -> EncryptionKey {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ToolFailure(.noInput, "The key file '\(path)' cannot be read. Check the path.")
    }
    if let key = EncryptionKey(data) { return key }
    let text = String(decoding: data, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    if let bytes = HexadecimalText.bytes(text), let key = EncryptionKey(bytes) { return key }
    if let bytes = Base64.decodePadded(text), let key = EncryptionKey(bytes) { return key }
    throw .badData(
      "The key file '\(path)' holds no key: it must have exactly 64 bytes, or their 128 "
        + "hexadecimal digits, or their Base64.")
  }
}
#endif
