// SPDX-License-Identifier: Apache-2.0

// Documents of BSON among other bytes.

#if Server
import RealmFormats

/// Reads documents by their lengths, without their content.
enum BSONFrame {
  /// The largest document: 16 MiB, and some for the server's additions.
  static let byteCountMax = (16 << 20) + (16 << 10)

  /// The bytes of the document at the position, whose length is read and not passed.
  static func take(
    _ length: Int32, from bytes: DumpBytes, of namespace: DumpNamespace?
  ) throws(ImportError) -> [UInt8] {
    let count = Int(length)
    guard (BSONReader.byteCountMin...byteCountMax).contains(count) else {
      throw .damage(
        bytes.path, at: bytes.offset, of: namespace, "\(count) is no length of a document")
    }
    guard try bytes.prepare(count) else {
      throw .damage(
        bytes.path, at: bytes.offset, of: namespace,
        "the file ends within a document of \(count) bytes")
    }
    guard bytes.bytes[bytes.position + count - 1] == 0 else {
      throw .damage(
        bytes.path, at: bytes.offset, of: namespace,
        "a document does not end after the \(count) bytes that it says")
    }
    return bytes.take(count)
  }
}
#endif
