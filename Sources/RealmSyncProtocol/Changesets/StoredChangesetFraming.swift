// SPDX-License-Identifier: Apache-2.0

// The form of changesets in files.

package import RealmFormats

/// The framing of changesets in the history and in the internal tables of a file.
///
/// Nothing stays nothing. Otherwise the first byte has the algorithm in its high four bits and the
/// number of size bytes in its low four; the size of the changeset follows, the lowest byte first,
/// then its data.
package enum StoredChangesetFraming {
  private enum Algorithm {
    static let stored: UInt8 = 0
    /// A zlib stream without its header.
    static let deflate: UInt8 = 1
    /// Apple's.
    static let lzfse: UInt8 = 2
  }

  /// A changeset is compressed if it is longer, and gets shorter by it. A shorter one is compressed
  /// with its neighbours in a message, which makes both shorter than each by itself.
  private static let storedByteCountMax = 1_024
  /// The longest changeset to read, so a damaged file cannot take all memory.
  package static let byteCountMax = 1 << 30

  /// The form of a changeset in a file.
  package static func encode(_ changeset: [UInt8]) -> [UInt8] {
    guard !changeset.isEmpty else { return [] }
    if changeset.count > storedByteCountMax {
      let compressed = Zlib.compressWithoutHeader(
        changeset, after: header(Algorithm.deflate, changeset.count), isJoinable: true)
      if compressed.count < changeset.count { return compressed }
    }
    return header(Algorithm.stored, changeset.count) + changeset
  }

  private static func header(_ algorithm: UInt8, _ count: Int) -> [UInt8] {
    var bytes: [UInt8] = [0]
    var rest = count
    while rest > 0 {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    bytes[0] = algorithm << 4 | UInt8(bytes.count - 1)
    return bytes
  }

  /// The changeset of its form in a file.
  package static func decode(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
    guard let first = bytes.first else { return [] }
    let byteCount = try size(bytes)
    let start = 1 + Int(first & 0x0F)
    switch first >> 4 {
    case Algorithm.stored:
      guard bytes.count - start >= byteCount else { throw .truncated }
      guard bytes.count - start == byteCount else { throw .trailingBytes }
      return Array(bytes[start...])
    case Algorithm.deflate:
      return try Zlib.decompressWithoutHeader(bytes, from: start, byteCount: byteCount)
    case Algorithm.lzfse: throw .appleCompression
    case let other: throw .unknownAlgorithm(other)
    }
  }

  /// The compressed data of a changeset that a message can have as they are; nil if it is not
  /// compressed, or by another program.
  package static func joinable(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
    guard let first = bytes.first, first >> 4 == Algorithm.deflate else { return nil }
    let data = bytes.dropFirst(1 + Int(first & 0x0F))
    return ZlibJoiner.isJoinable(data) ? data : nil
  }

  /// The size of a changeset, from its form in a file alone.
  package static func size(_ bytes: [UInt8]) throws(CompressionError) -> Int {
    guard let first = bytes.first else { return 0 }
    let width = Int(first & 0x0F)
    guard width <= 8 else { throw .badHeader }
    guard bytes.count > width else { throw .truncated }
    let size = bytes[1...].prefix(width).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    guard size <= UInt64(byteCountMax) else { throw .sizeOverLimit(size) }
    return Int(size)
  }
}
