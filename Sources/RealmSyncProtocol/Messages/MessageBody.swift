// SPDX-License-Identifier: Apache-2.0

// The changesets of an UPLOAD or a DOWNLOAD, as one sequence of bytes.

import RealmFormats

/// The body of a message with changesets, compressed or not.
///
/// It is decompressed when its entries are asked for, possibly elsewhere.
package struct MessageBody: Hashable, Sendable {
  /// The largest body for a server, uncompressed.
  package static let uploadByteCountMax = 16 << 20
  /// The largest body for a client, uncompressed.
  package static let downloadByteCountMax = 256 << 20
  /// Longer bodies are compressed if it makes them shorter.
  private static let plainByteCountMax = 1_024

  /// The bytes as the message has them.
  package let bytes: [UInt8]
  package let uncompressedByteCount: Int
  package let isCompressed: Bool

  package static let empty = MessageBody(plain: [])

  /// A body for sending.
  package init(plain: [UInt8]) {
    let compressed = plain.count > Self.plainByteCountMax ? Zlib.compress(plain) : plain
    isCompressed = compressed.count < plain.count
    bytes = isCompressed ? compressed : plain
    uncompressedByteCount = plain.count
  }

  init(received bytes: [UInt8], uncompressedByteCount: Int, isCompressed: Bool) {
    self.bytes = bytes
    self.uncompressedByteCount = uncompressedByteCount
    self.isCompressed = isCompressed
  }

  package var isEmpty: Bool { uncompressedByteCount == 0 }

  /// The bytes of the entries.
  package func plain(byteCountMax: Int) throws(MessageError) -> [UInt8] {
    guard uncompressedByteCount <= byteCountMax else { throw .badChangesetSize }
    guard isCompressed else { return bytes }
    do {
      return try Zlib.decompress(bytes, byteCount: uncompressedByteCount)
    } catch {
      throw .badDecompression(error)
    }
  }
}
