// SPDX-License-Identifier: Apache-2.0

// The zlib stream, as bodies of messages are compressed.

/// Streams of RFC 1950: a header of two bytes, DEFLATE blocks, a checksum.
package enum Zlib {
  /// Deflate with a window of 32 KiB, made by the fastest algorithm.
  static let header: [UInt8] = [0x78, 0x01]

  /// The stream of an input.
  package static func compress(_ input: [UInt8]) -> [UInt8] {
    compressWithoutHeader(input, after: header)
  }

  /// The input of a stream, whose size is announced. All bytes are one stream.
  package static func decompress(
    _ bytes: [UInt8], byteCount: Int
  ) throws(CompressionError) -> [UInt8] {
    guard bytes.count >= 2 else { throw .truncated }
    let (method, flags) = (bytes[0], bytes[1])
    guard method & 0x0F == 8, method >> 4 <= 7, flags & 0x20 == 0,
      (Int(method) << 8 | Int(flags)) % 31 == 0
    else { throw .badHeader }
    return try decompressWithoutHeader(bytes, from: 2, byteCount: byteCount)
  }

  /// Blocks and checksum, after other bytes.
  ///
  /// - Parameter isJoinable: Whether a `ZlibJoiner` is to take the blocks as they are.
  package static func compressWithoutHeader(
    _ input: [UInt8], after prefix: [UInt8], isJoinable: Bool = false
  ) -> [UInt8] {
    var bytes = Deflate.compress(input, after: prefix, isOpen: isJoinable)
    if isJoinable { bytes += DeflateFormat.end }
    append(Adler32.checksum(of: input.span), to: &bytes)
    return bytes
  }

  static func append(_ checksum: UInt32, to bytes: inout [UInt8]) {
    for shift in [24, 16, 8, 0] as [UInt32] {
      bytes.append(UInt8(truncatingIfNeeded: checksum >> shift))
    }
  }

  /// The input of blocks and a checksum from a position to the end.
  package static func decompressWithoutHeader(
    _ bytes: [UInt8], from position: Int, byteCount: Int
  ) throws(CompressionError) -> [UInt8] {
    let (output, end) = try Inflate.decompress(bytes, from: position, byteCount: byteCount)
    guard bytes.count - end >= 4 else { throw .truncated }
    guard bytes.count - end == 4 else { throw .trailingBytes }
    let checksum = bytes[end...].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard checksum == Adler32.checksum(of: output.span) else { throw .badChecksum }
    return output
  }
}
