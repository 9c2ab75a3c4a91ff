// SPDX-License-Identifier: Apache-2.0

// Hints that a node is about to be read.

import CRealmPlatform

extension NodeSpace {
  /// No more than this is asked for at once: the processor follows what is read in order by itself.
  private static let prefetchedByteCount = 8192
  private static let lineByteCount = 64

  /// Asks for the header of a node and what stands right behind it.
  package func prefetchHeader(at ref: Ref) {
    guard ref.offset >= 0, ref.offset < max(fileEnd, slabEnd) else { return }
    realm_prefetch(base + ref.offset)
  }

  /// Asks for a node, of which the header should be at hand.
  package func prefetchNode(at ref: Ref) {
    guard let node = try? node(at: ref) else { return }
    let byteCount = min(node.header.nodeByteCount, NodeSpace.prefetchedByteCount)
    var offset = 0
    while offset < byteCount {
      realm_prefetch(node.address + offset)
      offset &+= NodeSpace.lineByteCount
    }
  }
}
