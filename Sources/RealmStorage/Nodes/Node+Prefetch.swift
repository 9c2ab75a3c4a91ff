// SPDX-License-Identifier: Apache-2.0

// Hints that an element is about to be read.

import CRealmPlatform

extension Node {
  /// Asks for element `index`, which is below `count`, of a node of packed integers.
  package func prefetchInteger(at index: Int) {
    unsafe realm_prefetch(payload + (index &* header.width) &>> 3)
  }

  /// Asks for what follows the first line of a short node: all of it is there by the time that its
  /// header has said where to look.
  @inline(__always)
  package func prefetchRest() {
    let byteCount = header.nodeByteCount
    if byteCount > 64, byteCount <= 320 {
      unsafe NodeSpace.prefetch(address + 64, lines: byteCount &>> 6)
    }
  }
}
