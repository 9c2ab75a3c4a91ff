// SPDX-License-Identifier: Apache-2.0

// Hints that an element is about to be read.

import CRealmPlatform

extension Node {
  /// Asks for element `index`, which is below `count`, of a node of packed integers.
  package func prefetchInteger(at index: Int) {
    unsafe realm_prefetch(payload + (index &* header.width) &>> 3)
  }
}
