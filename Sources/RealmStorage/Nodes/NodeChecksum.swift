// SPDX-License-Identifier: Apache-2.0

// The checksum of a node, in the three bytes of its header that no reader interprets (file format
// 1.3.5).
//
// 1. It covers the whole node but itself: byte 3 to 7 of the header, the payload, the padding, and
//    the position in the file. So a node that a disk put in another place is detected, too.
// 2. It differs in two bits at least from what other implementations store there, so that no
//    flipped bit makes a node with a checksum one that has none.
// 3. Without a checksum is what other implementations wrote, and nothing else: a node whose header
//    was overwritten is damaged.
// 4. It is stored when a node gets its last bytes, in the memory from which these are written:
//    nodes that are edited have their capacity in its place.

/// Makes and compares the checksums of nodes.
package enum NodeChecksum {
  /// What the header of a node says about its bytes.
  package enum State: Hashable, Sendable {
    /// Another implementation wrote the node, or an older version of this one.
    case missing
    case matching
    /// The node is not as it was written.
    case different
  }

  /// What stands in bytes 0 to 2 of a node without a checksum.
  private static let placeholder: UInt32 = 0x41_4141

  /// The checksum of a node whose bytes are final.
  ///
  /// - Safety: `node` is the first byte of a header, and the payload with its padding follows.
  static func value(of node: UnsafeRawPointer, _ header: NodeHeader, at position: Int) -> UInt32 {
    let payload = unsafe node + NodeHeader.byteCount
    let last = unsafe lastWord(of: payload, header)
    return unsafe value(of: payload, header, at: position, last: last)
  }

  /// The checksum that a node gets when it is written with padding of zeros.
  ///
  /// - Safety: The payload is readable up to a multiple of eight bytes.
  static func value(
    ofUnpadded payload: UnsafeRawPointer, _ header: NodeHeader, at position: Int
  ) -> UInt32 {
    let byteCount = header.nodeByteCount - NodeHeader.byteCount
    let padding = UInt64(byteCount - header.payloadByteCount) * 8
    let last = unsafe lastWord(of: payload, header)
    return unsafe value(of: payload, header, at: position, last: (last &<< padding) &>> padding)
  }

  /// - Parameter last: The last eight bytes of payload and padding.
  @inline(__always)
  private static func value(
    of payload: UnsafeRawPointer, _ header: NodeHeader, at position: Int, last: UInt64
  ) -> UInt32 {
    folded(
      unsafe WordDigest.value(
        of: payload, byteCount: header.nodeByteCount - NodeHeader.byteCount, last: last,
        at: position, kind: header.bits &>> 32))
  }

  /// The checksum that builds before the first release gave to a node.
  private static func earlierValue(
    of node: UnsafeRawPointer, _ header: NodeHeader, at position: Int
  ) -> UInt32 {
    let payload = unsafe node + NodeHeader.byteCount
    return folded(
      unsafe EarlierDigest.value(
        of: payload, byteCount: header.nodeByteCount - NodeHeader.byteCount,
        last: lastWord(of: payload, header), at: position, kind: header.bits &>> 32))
  }

  /// The last eight bytes of payload and padding; 0 if there are none.
  @inline(__always)
  private static func lastWord(of payload: UnsafeRawPointer, _ header: NodeHeader) -> UInt64 {
    let byteCount = header.nodeByteCount - NodeHeader.byteCount
    guard byteCount > 0 else { return 0 }
    return unsafe payload.loadUnaligned(fromByteOffset: byteCount - 8, as: UInt64.self)
  }

  /// Stores the checksum of a node in its header.
  ///
  /// - Safety: As for `value`; the header is writable.
  @inline(__always)
  package static func store(in node: UnsafeMutableRawPointer, at position: Int) {
    let header = unsafe NodeHeader(bits: node.load(as: UInt64.self))
    let value = unsafe value(of: UnsafeRawPointer(node), header, at: position)
    unsafe node.storeBytes(of: header.with(checksum: value).bits, as: UInt64.self)
  }

  /// A checksum that a node does not match: the copy of a damaged node is damaged, too.
  static func spoiled(_ value: UInt32) -> UInt32 {
    let other = value ^ 0x3
    return (other ^ placeholder).nonzeroBitCount > 1 ? other : value ^ 0xC
  }

  /// Compares a node with its checksum.
  ///
  /// - Safety: As for `value`.
  package static func state(
    of node: UnsafeRawPointer, _ header: NodeHeader, at position: Int
  ) -> State {
    let stored = UInt32(truncatingIfNeeded: header.bits) & 0xFF_FFFF
    let isKnownKind = header.kind == NodeHeader.kind
    if stored == placeholder, isKnownKind { return .missing }
    if unsafe stored == value(of: node, header, at: position)
      || stored == earlierValue(of: node, header, at: position)
    {
      return isKnownKind ? .matching : .different
    }
    return !isKnownKind && isOfOldFormat(header) ? .missing : .different
  }

  /// Whether bytes 0 to 3 are what Realm Core wrote before format 10: a constant, or the capacity
  /// of the node in bytes, most significant byte first, and 0.
  private static func isOfOldFormat(_ header: NodeHeader) -> Bool {
    let word = UInt32(truncatingIfNeeded: header.bits)
    if word == 0x0101_0101 || word == 0 { return true }
    let capacity = Int(word.byteSwapped &>> 8)
    return header.kind == 0 && capacity & 7 == 0 && capacity >= header.nodeByteCount
  }

  /// The 24 bits of a digest (invariant 2).
  static func folded(_ digest: UInt64) -> UInt32 {
    let value = UInt32(truncatingIfNeeded: digest ^ digest &>> 24 ^ digest &>> 48) & 0xFF_FFFF
    return (value ^ placeholder).nonzeroBitCount > 1 ? value : value ^ 0x3C_3C3C
  }
}

extension NodeHeader {
  /// Byte 3 of each node: its elements are encoded as this format says.
  static var kind: UInt8 { 0x41 }

  var kind: UInt8 { UInt8(truncatingIfNeeded: bits &>> 24) }

  /// The header as it stands in the file, with a checksum.
  func with(checksum: UInt32) -> NodeHeader {
    NodeHeader(bits: bits & ~0xFFFF_FFFF | UInt64(Self.kind) &<< 24 | UInt64(checksum))
  }
}
