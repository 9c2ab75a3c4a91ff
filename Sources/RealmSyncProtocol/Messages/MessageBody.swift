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

/// A position in the uncompressed body of a message.
struct EntryReader {
  private let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// A number and the space after it.
  mutating func number() throws(MessageError) -> UInt64 {
    let rest = bytes[position...]
    guard let count = rest.prefix(20).firstIndex(of: UInt8(ascii: " ")).map({ $0 - position }),
      let number = rest.prefix(count).decimal
    else { throw .badChangesetHeader }
    position += count + 1
    return number
  }

  /// A size, a space, and as many bytes.
  mutating func changeset() throws(MessageError) -> [UInt8] {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw .badChangesetHeader }
    defer { position += Int(count) }
    return Array(bytes[position..<position + Int(count)])
  }
}
