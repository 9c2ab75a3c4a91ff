// SPDX-License-Identifier: Apache-2.0

// The eight bytes in front of every node (file format 1.3).

/// The decoded header of a node.
///
/// ```
/// byte:  0..2      3    4                                        5..7
///        checksum  'A'  inner|hasRefs|context|wtype(2)|width(3)  size, big endian
/// ```
/// The checksum is `NodeChecksum`'s, or 'A' 'A' 'A' for none. In the slab, and nowhere else, bytes
/// 0 to 2 hold the capacity of the node in units of 8 bytes, and byte 3 may say that the node is
/// not going to live long.
@frozen @usableFromInline
package struct NodeHeader: Hashable, Sendable {
  /// The header as one little-endian word.
  @usableFromInline package let bits: UInt64

  @inlinable @inline(__always)
  package init(bits: UInt64) { self.bits = bits }

  /// A header as it stands in the file, without a checksum.
  @inlinable
  package init(flags: NodeFlags, layout: NodeLayout, widthCode: Int, count: Int) {
    let info = UInt64(flags.rawValue) | UInt64(layout.rawValue) &<< 3 | UInt64(widthCode)
    let size = UInt64(count).byteSwapped &>> 40
    bits = 0x4141_4141 | info &<< 32 | size &<< 40
  }

  /// The number of bytes before a node's payload.
  @inlinable package static var byteCount: Int { 8 }

  /// The largest number of elements that a header can express.
  @inlinable package static var maximumCount: Int { 0xFF_FFFF }

  @inlinable @inline(__always)
  package var count: Int { Int(bits.byteSwapped & 0xFF_FFFF) }

  @inlinable @inline(__always)
  package var flags: NodeFlags {
    NodeFlags(rawValue: UInt8(truncatingIfNeeded: bits &>> 32) & 0xE0)
  }

  @inlinable @inline(__always)
  package var hasRefs: Bool { bits & 0x40_0000_0000 != 0 }

  @inlinable @inline(__always)
  package var isInner: Bool { bits & 0x80_0000_0000 != 0 }

  @inlinable @inline(__always)
  package var hasContext: Bool { bits & 0x20_0000_0000 != 0 }

  /// How the payload is laid out; nil for the unused code 3.
  @inlinable @inline(__always)
  package var layout: NodeLayout? {
    NodeLayout(rawValue: UInt8(truncatingIfNeeded: bits &>> 35) & 3)
  }

  /// Whether the layout is `.bits`.
  @inlinable @inline(__always)
  package var isBits: Bool { bits & 0x18_0000_0000 == 0 }

  /// Whether layout and width code are these.
  @inlinable @inline(__always)
  package func isOf(_ layout: NodeLayout, widthCode: Int) -> Bool {
    UInt8(truncatingIfNeeded: bits &>> 32) & 0x1F
      == layout.rawValue &<< 3 | UInt8(truncatingIfNeeded: widthCode)
  }

  /// Whether this is a node of refs with layout `.bits` and that width code.
  @inlinable @inline(__always)
  func isOfRefs(widthCode: Int) -> Bool {
    UInt8(truncatingIfNeeded: bits &>> 32) & 0x5F == 0x40 | UInt8(truncatingIfNeeded: widthCode)
  }

  @inlinable @inline(__always)
  package var widthCode: Int { Int(truncatingIfNeeded: bits &>> 32) & 7 }

  /// Bits an element, or bytes an element for `NodeLayout.multiply`: 0, 1, 2, 4, 8, 16, 32, 64.
  @inlinable @inline(__always)
  package var width: Int { (1 &<< widthCode) &>> 1 }

  /// The bytes that the elements take, without the padding to a multiple of 8.
  @inlinable @inline(__always)
  package var payloadByteCount: Int {
    switch UInt8(truncatingIfNeeded: bits &>> 35) & 3 {
    case 0: (count &* width &+ 7) &>> 3
    case 1: count &* width
    default: count
    }
  }

  /// Whether the node was marked (`MutableNode.markShortLived`).
  var isShortLived: Bool {
    UInt8(truncatingIfNeeded: bits &>> 24) == NodeHeader.shortLivedMark
  }

  static var shortLivedMark: UInt8 { 0x61 }

  /// The bytes that the node occupies in the file, header and padding included.
  @inlinable @inline(__always)
  package var nodeByteCount: Int {
    NodeHeader.byteCount &+ (payloadByteCount &+ 7) & ~7
  }

  /// Whether the node takes at most `room` bytes.
  ///
  /// No layout has elements of more than 64 bytes, so that nodes far from the end of a file need
  /// not be measured.
  @inlinable @inline(__always)
  func fits(in room: Int) -> Bool {
    count &<< 6 <= room &- NodeHeader.byteCount || isWithin(room)
  }

  @usableFromInline @inline(never)
  func isWithin(_ room: Int) -> Bool { nodeByteCount <= room }

  /// The width code for a width of 0, 1, 2, 4, 8, 16, 32 or 64.
  @inlinable @inline(__always)
  package static func widthCode(of width: Int) -> Int {
    width == 0 ? 0 : width.trailingZeroBitCount &+ 1
  }
}

/// The three flags of a node header; their meaning depends on the kind of node.
@frozen @usableFromInline
package struct NodeFlags: OptionSet, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable package static var inner: NodeFlags { NodeFlags(rawValue: 0x80) }
  @inlinable package static var hasRefs: NodeFlags { NodeFlags(rawValue: 0x40) }
  @inlinable package static var context: NodeFlags { NodeFlags(rawValue: 0x20) }
}

/// The unit that the width in a node header counts (`wtype` in the file format).
@frozen @usableFromInline
package enum NodeLayout: UInt8, Hashable, Sendable {
  /// Packed integers, `width` bits each.
  case bits = 0
  /// Cells of `width` bytes.
  case multiply = 1
  /// `count` bytes.
  case bytes = 2
}
