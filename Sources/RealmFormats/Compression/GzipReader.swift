// SPDX-License-Identifier: Apache-2.0

// Reads gzip files of any length.

/// Decompresses the members of a gzip file (RFC 1952), one after the other, with a bounded memory.
package struct GzipReader {
  /// The first bytes of each member.
  package static let magic: [UInt8] = [0x1F, 0x8B]

  private static let deflateMethod: UInt8 = 8
  private static let hasChecksum: UInt8 = 1 << 1
  private static let hasExtra: UInt8 = 1 << 2
  private static let hasName: UInt8 = 1 << 3
  private static let hasComment: UInt8 = 1 << 4
  private static let reservedFlags: UInt8 = 0xE0
  private static let textByteCountMax = 1 << 16

  private var stream: InflateStream
  private var checksum = CRC32()
  private var byteCount: UInt32 = 0
  private var isInMember = false
  private var hasMember = false
  private var isAtEnd = false

  /// - Parameter source: The next bytes of the file; none at its end.
  package init(source: @escaping () -> [UInt8]) { stream = InflateStream(source: source) }

  /// The next bytes of the content; none at its end.
  package mutating func next() throws(CompressionError) -> [UInt8] {
    while !isAtEnd {
      if !isInMember {
        guard try beginMember() else { break }
      }
      let part = try stream.next()
      checksum.add(part)
      byteCount &+= UInt32(truncatingIfNeeded: part.count)
      if stream.isComplete { try endMember() }
      if !part.isEmpty { return part }
    }
    isAtEnd = true
    return []
  }

  /// Passes the header of a member; returns false at the end of the file.
  private mutating func beginMember() throws(CompressionError) -> Bool {
    guard let first = try stream.bytes(1) else {
      guard hasMember else { throw .truncated }
      return false
    }
    // Some programs fill the last block of a tape with zeros.
    if hasMember, first[0] == 0 { return try passZeros() }
    let rest = try take(9)
    guard first + rest.prefix(1) == Self.magic, rest[1] == Self.deflateMethod,
      rest[2] & Self.reservedFlags == 0
    else { throw hasMember ? .trailingBytes : .badHeader }
    let flags = rest[2]
    if flags & Self.hasExtra != 0 {
      let size = try take(2)
      _ = try take(Int(size[0]) | Int(size[1]) << 8)
    }
    for flag in [Self.hasName, Self.hasComment] where flags & flag != 0 { try passText() }
    if flags & Self.hasChecksum != 0 { _ = try take(2) }
    (checksum, byteCount, isInMember, hasMember) = (CRC32(), 0, true, true)
    stream.begin()
    return true
  }

  private mutating func passZeros() throws(CompressionError) -> Bool {
    while let next = try stream.bytes(1) {
      guard next[0] == 0 else { throw .trailingBytes }
    }
    return false
  }

  private mutating func take(_ count: Int) throws(CompressionError) -> [UInt8] {
    guard let bytes = try stream.bytes(count) else { throw .truncated }
    return bytes
  }

  private mutating func passText() throws(CompressionError) {
    for _ in 0..<Self.textByteCountMax where try take(1)[0] == 0 { return }
    throw .badHeader
  }

  private mutating func endMember() throws(CompressionError) {
    let trailer = try take(8)
    func number(_ start: Int) -> UInt32 {
      trailer[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard number(0) == checksum.checksum else { throw .badChecksum }
    guard number(4) == byteCount else { throw .shorterThanAnnounced }
    isInMember = false
  }
}
