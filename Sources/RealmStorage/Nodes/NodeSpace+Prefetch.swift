// SPDX-License-Identifier: Apache-2.0

// Hints that a node is about to be read.

public import CRealmPlatform

extension NodeSpace {
  /// No more than this is asked for at once: a processor has few places for lines it waits for, and
  /// when they are taken it stands still.
  private static let prefetchedByteCount = 2048 + 8
  private static let lineByteCount = 64

  /// Asks for the line of memory that holds `address`, which need not be valid.
  @inlinable @inline(__always)
  package static func prefetch(_ address: UnsafeRawPointer) { realm_prefetch(address) }

  /// Asks for the header of a node and what stands right behind it.
  package func prefetchHeader(at ref: Ref) {
    guard ref.offset >= 0, ref.offset < max(fileEnd, slabEnd) else { return }
    realm_prefetch(base + ref.offset)
  }

  /// Asks for a node, of which the header should be at hand.
  ///
  /// - Returns: the payload, if the node is so long that nothing was asked for: whoever has work of
  ///   the same length at hand asks for one line of it with each line of that work.
  package func prefetchNode(at ref: Ref) -> UnsafeRawPointer? {
    guard let node = try? node(at: ref) else { return nil }
    let byteCount = node.header.nodeByteCount
    guard byteCount <= NodeSpace.prefetchedByteCount else { return node.payload }
    var offset = 0
    while offset < byteCount {
      realm_prefetch(node.address + offset)
      offset &+= NodeSpace.lineByteCount
    }
    return nil
  }
}
